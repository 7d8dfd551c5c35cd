import COpenSSL

/// Comparison whose duration does not tell where the difference is.
package enum ConstantTime {
    /// The lengths are not secret.
    package static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        return unsafe a.withUnsafeBytes { a in
            unsafe b.withUnsafeBytes { b in unsafe CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0 }
        }
    }

    package static func equal(_ a: String, _ b: String) -> Bool { equal(Array(a.utf8), Array(b.utf8)) }

    package static func equal(_ a: borrowing SecretBytes, _ b: borrowing SecretBytes) -> Bool {
        guard a.count == b.count else { return false }
        let count = a.count
        return unsafe a.withUnsafePointer { a in
            unsafe b.withUnsafePointer { b in unsafe CRYPTO_memcmp(a, b, count) == 0 }
        }
    }
}
