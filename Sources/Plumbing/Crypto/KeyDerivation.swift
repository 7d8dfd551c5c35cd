import COpenSSL

/// Keys from keys (HKDF) and from passwords (scrypt).
package enum KeyDerivation {
    /// HKDF with SHA-256 (RFC 5869), extract and expand.
    package static func hkdfSHA256(
        key: borrowing SecretBytes, salt: [UInt8] = [], info: [UInt8], count: Int
    ) -> SecretBytes {
        SecretBytes(count: count) { out in
            let context = unsafe EVP_KDF_CTX_new(Algorithms.hkdf.pointer)
            defer { unsafe EVP_KDF_CTX_free(context) }
            let keyCount = key.count
            unsafe out.withUnsafeMutableBufferPointer { out in
                unsafe key.withUnsafePointer { key in
                    unsafe info.withUnsafeBytes { info in
                        unsafe salt.withUnsafeBytes { salt in
                            unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 7) { digest in
                                for (i, byte) in "SHA256\0".utf8.enumerated() { unsafe digest[i] = CChar(byte) }
                                var parameters = unsafe [
                                    OSSL_PARAM_construct_utf8_string(
                                        OSSL_KDF_PARAM_DIGEST, digest.baseAddress, 0),
                                    OSSL_PARAM_construct_octet_string(
                                        OSSL_KDF_PARAM_KEY, UnsafeMutableRawPointer(mutating: key), keyCount),
                                ]
                                // A null pointer is refused, so an empty value is left out instead.
                                if let base = salt.baseAddress, salt.count > 0 {
                                    unsafe parameters.append(
                                        OSSL_PARAM_construct_octet_string(
                                            OSSL_KDF_PARAM_SALT, UnsafeMutableRawPointer(mutating: base), salt.count))
                                }
                                if let base = info.baseAddress, info.count > 0 {
                                    unsafe parameters.append(
                                        OSSL_PARAM_construct_octet_string(
                                            OSSL_KDF_PARAM_INFO, UnsafeMutableRawPointer(mutating: base), info.count))
                                }
                                unsafe parameters.append(OSSL_PARAM_construct_end())
                                let done = unsafe EVP_KDF_derive(context, out.baseAddress, out.count, parameters)
                                precondition(done == 1, "HKDF failed")
                            }
                        }
                    }
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
