import COpenSSL

/// A public key in the form every certificate has it (SubjectPublicKeyInfo in DER), for the two kinds of signature that
/// passkeys make.
package struct SignaturePublicKey: Sendable {
    /// The raw value is COSE's number (RFC 9053).
    package enum Algorithm: Int32, Sendable, CaseIterable {
        /// ECDSA over P-256 with SHA-256.
        case es256 = -7
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case rs256 = -257
    }

    package enum Failure: Error, Hashable, Sendable {
        case unreadable
        /// Another kind of key than the algorithm needs, another curve, or RSA of a length we do not take.
        case unsuitable
    }

    /// Below it RSA is too weak, above it checking costs too much.
    package static let rsaBits = 2048...4096

    package let algorithm: Algorithm
    package let der: [UInt8]
    private let key: KeyHandle

    package init(der: [UInt8], algorithm: Algorithm) throws(Failure) {
        SecretMemory.prepare()
        let made: OpaquePointer? = unsafe der.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            let made = unsafe d2i_PUBKEY(nil, &next, buffer.count)
            // Nothing may stand behind the key.
            if unsafe made != nil, unsafe next != buffer.baseAddress.map({ unsafe $0 + buffer.count }) {
                unsafe EVP_PKEY_free(made)
                return nil
            }
            return unsafe made
        }
        guard let made = unsafe made else {
            ERR_clear_error()
            throw .unreadable
        }
        let handle = unsafe KeyHandle(owning: made)
        let isSuitable =
            switch algorithm {
            case .es256: handle.curve == "prime256v1"
            case .rs256:
                unsafe EVP_PKEY_is_a(handle.pointer, "RSA") == 1
                    && Self.rsaBits.contains(Int(EVP_PKEY_get_bits(handle.pointer)))
            }
        ERR_clear_error()
        guard isSuitable else { throw .unsuitable }
        self.algorithm = algorithm
        self.der = der
        key = handle
    }

    /// - Parameter signature: for ES256 the DER form, not r ‖ s.
    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        // PKCS#1 v1.5 is OpenSSL's padding where none is named.
        let isValid =
            unsafe EVP_DigestVerifyInit_ex(context, nil, "SHA256", nil, nil, key.pointer, nil) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        if !isValid { ERR_clear_error() }
        return isValid
    }

    /// From a point of P-256: x and y, 32 bytes each.
    package static func es256(x: [UInt8], y: [UInt8]) throws(Failure) -> SignaturePublicKey {
        guard x.count == 32, y.count == 32 else { throw .unreadable }
        let head: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
        ]
        return try SignaturePublicKey(der: head + x + y, algorithm: .es256)
    }

    /// From modulus and exponent, most significant byte first.
    package static func rs256(modulus: [UInt8], exponent: [UInt8]) throws(Failure) -> SignaturePublicKey {
        guard let low = exponent.last, low & 1 == 1, exponent.count <= 4, modulus.count <= rsaBits.upperBound / 8,
            exponent.count > 1 || low >= 3
        else { throw .unsuitable }
        let identifier: [UInt8] = [
            0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        let numbers = element(0x30, integer(modulus) + integer(exponent))
        return try SignaturePublicKey(
            der: element(0x30, identifier + element(0x03, [0] + numbers)), algorithm: .rs256)
    }

    private static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let digits = bytes.drop { $0 == 0 }
        return element(0x02, (digits.first ?? 0) >= 0x80 || digits.isEmpty ? [0] + digits : Array(digits))
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        switch content.count {
        case ..<0x80: [tag, UInt8(content.count)] + content
        case ..<0x100: [tag, 0x81, UInt8(content.count)] + content
        default: [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
        }
    }
}
