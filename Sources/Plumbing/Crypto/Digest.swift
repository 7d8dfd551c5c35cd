import COpenSSL

/// SHA-256, and HMAC with it or, where a protocol leaves no choice, with SHA-1.
package enum Digest {
    package static let sha256Bytes = 32

    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { sha256(bytes.span) }

    package static func sha256(_ bytes: ArraySlice<UInt8>) -> [UInt8] { sha256(bytes.span) }

    package static func sha256(_ bytes: borrowing Span<UInt8>) -> [UInt8] {
        unsafe bytes.withUnsafeBufferPointer { input in
            unsafe [UInt8](unsafeUninitializedCapacity: sha256Bytes) { out, count in
                var length: CUnsignedInt = 0
                let done = unsafe EVP_Digest(
                    input.baseAddress, input.count, out.baseAddress, &length, Algorithms.sha256.pointer, nil)
                precondition(done == 1 && length == 32, "SHA-256 failed")
                count = sha256Bytes
            }
        }
    }

    package static func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        hmacSHA256(key: key.span, message: message.span)
    }

    package static func hmacSHA256(key: borrowing SecretBytes, message: [UInt8]) -> [UInt8] {
        key.withBytes { hmacSHA256(key: $0, message: message.span) }
    }

    /// 20 bytes; for one-time passwords, whose generators know no other.
    static func hmacSHA1(key: borrowing SecretBytes, message: [UInt8]) -> [UInt8] {
        unsafe key.withUnsafePointer { bytes in
            unsafe [UInt8](unsafeUninitializedCapacity: 20) { out, count in
                var length: CUnsignedInt = 0
                let done = unsafe HMAC(
                    EVP_sha1(), bytes, CInt(key.count), message, message.count, out.baseAddress, &length)
                precondition(unsafe done != nil && length == 20, "HMAC failed")
                count = 20
            }
        }
    }

    private static func hmacSHA256(key: borrowing Span<UInt8>, message: borrowing Span<UInt8>) -> [UInt8] {
        unsafe key.withUnsafeBufferPointer { key in
            unsafe message.withUnsafeBufferPointer { message in
                unsafe [UInt8](unsafeUninitializedCapacity: sha256Bytes) { out, count in
                    var length: CUnsignedInt = 0
                    // OpenSSL takes a null key for "the key of before": never null here.
                    var none: UInt8 = 0
                    let done = unsafe withUnsafePointer(to: &none) { none in
                        unsafe HMAC(
                            EVP_sha256(), key.baseAddress ?? none, CInt(key.count),
                            message.baseAddress, message.count, out.baseAddress, &length)
                    }
                    precondition(unsafe done != nil && length == 32, "HMAC failed")
                    count = sha256Bytes
                }
            }
        }
    }
}
