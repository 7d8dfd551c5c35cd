import COpenSSL

/// Keys from keys (HKDF) and from passwords (scrypt).
package enum KeyDerivation {
    /// HKDF with SHA-256 (RFC 5869), extract and expand.
    package static func hkdfSHA256(
        key: borrowing SecretBytes, salt: [UInt8] = [], info: [UInt8], count: Int
    ) -> SecretBytes {
        SecretBytes(count: count) { out in
            let keyCount = key.count
            unsafe out.withUnsafeMutableBufferPointer { out in
                unsafe key.withUnsafePointer { key in
                    let done = unsafe desk_ssl_hkdf(
                        Algorithms.hkdf.pointer, key, keyCount, salt, salt.count, info, info.count,
                        out.baseAddress, out.count)
                    precondition(done == 1, "HKDF failed")
                }
            }
        }
    }

    /// scrypt (RFC 7914). Blocks for about 110 ms and takes 32 MiB with these defaults: never on a loop.
    package static func scrypt(
        password: [UInt8], salt: [UInt8], n: UInt64 = 32768, r: UInt64 = 8, p: UInt64 = 1, count: Int = 32
    ) throws(OpenSSLError) -> [UInt8] {
        SecretMemory.prepare()
        // OpenSSL's own limit of 32 MiB is just too small for N = 2¹⁵: it counts a little beside the table.
        let memoryMax = 128 * r * (n + p + 2) + (1 << 20)
        var done = false
        let out = unsafe [UInt8](unsafeUninitializedCapacity: count) { out, filled in
            unsafe password.withUnsafeBytes { password in
                // A null password would be read as "no password"; an empty one is not null.
                var none: CChar = 0
                unsafe withUnsafePointer(to: &none) { none in
                    unsafe done =
                        EVP_PBE_scrypt(
                            password.baseAddress?.assumingMemoryBound(to: CChar.self) ?? none, password.count,
                            salt, salt.count, n, r, p, memoryMax, out.baseAddress, count) == 1
                }
            }
            filled = done ? count : 0
        }
        guard done else { throw .last("scrypt") }
        return out
    }
}
