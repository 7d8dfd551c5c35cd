import COpenSSL
import Synchronization

/// The public half of a P-256 key: checks ES256 signatures.
package struct P256PublicKey: Sendable, Equatable {
    /// The uncompressed point, 65 bytes beginning with 04.
    package let x963: [UInt8]
    private let verifier: SignatureVerifier

    /// - Throws: `OpenSSLError` where the bytes are not a point of the curve.
    package init(x963 bytes: [UInt8]) throws(OpenSSLError) {
        guard bytes.count == 65, bytes[0] == 4 else {
            throw OpenSSLError(operation: "reading a public key", reason: "not an uncompressed P-256 point")
        }
        x963 = bytes
        verifier = SignatureVerifier(try KeyHandle.p256(point: bytes))
    }

    init(x963 bytes: [UInt8], key: KeyHandle) {
        x963 = bytes
        verifier = SignatureVerifier(key)
    }

    /// - Parameter raw64: r ‖ s, 32 bytes each; any other length is no signature.
    package func isValidSignature(_ raw64: [UInt8], for message: [UInt8]) -> Bool {
        isValidSignature(raw64, forDigest: Digest.sha256(message))
    }

    package func isValidSignature(_ raw64: [UInt8], for message: ArraySlice<UInt8>) -> Bool {
        isValidSignature(raw64, forDigest: Digest.sha256(message))
    }

    /// - Parameter digest: SHA-256 of the message.
    package func isValidSignature(_ raw64: [UInt8], forDigest digest: [UInt8]) -> Bool {
        guard raw64.count == RawSignature.byteCount, digest.count == Digest.sha256Bytes else { return false }
        return verifier.isValid(raw64, digest: digest)
    }

    /// SHA-256 of the point, its first 16 bytes as `aa:bb:…`: short enough to compare by eye.
    package var fingerprint: String { Hex.colons(Digest.sha256(x963).prefix(16)) }

    package static func == (a: P256PublicKey, b: P256PublicKey) -> Bool { a.x963 == b.x963 }
}

/// Verification contexts of one key, kept between signatures: making one costs some microseconds.
@safe
private final class SignatureVerifier: @unchecked Sendable {
    private let key: KeyHandle
    /// A context serves one thread at a time.
    private let idle = Mutex<[UInt]>([])
    private static let idleMax = 8

    init(_ key: KeyHandle) { self.key = key }

    deinit {
        idle.withLock { contexts in
            for context in contexts { unsafe EVP_PKEY_CTX_free(OpaquePointer(bitPattern: context)) }
        }
    }

    func isValid(_ raw: [UInt8], digest: [UInt8]) -> Bool {
        var context: OpaquePointer?
        if let kept = idle.withLock({ $0.popLast() }) {
            unsafe context = OpaquePointer(bitPattern: kept)
        } else {
            unsafe context = EVP_PKEY_CTX_new(key.pointer, nil)
            guard unsafe context != nil, unsafe EVP_PKEY_verify_init(context) == 1 else {
                unsafe EVP_PKEY_CTX_free(context)
                ERR_clear_error()
                return false
            }
        }
        let isValid = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: RawSignature.derBytesMax) { der in
            var span = unsafe MutableSpan(_unsafeElements: der)
            let count = RawSignature.der(raw.span, into: &span)
            return unsafe digest.withUnsafeBufferPointer { digest in
                unsafe EVP_PKEY_verify(context, der.baseAddress, count, digest.baseAddress, digest.count) == 1
            }
        }
        if !isValid { ERR_clear_error() }
        let isKept = idle.withLock { contexts in
            guard contexts.count < Self.idleMax else { return false }
            contexts.append(UInt(bitPattern: context))
            return true
        }
        if !isKept { unsafe EVP_PKEY_CTX_free(context) }
        return isValid
    }
}
