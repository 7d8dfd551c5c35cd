import COpenSSL

/// Algorithms fetched once for the life of the process: a fetch by name takes a lock and a look-up.
enum Algorithms {
    @safe
    struct Fetched: @unchecked Sendable {
        let pointer: OpaquePointer
        init(_ pointer: OpaquePointer?) {
            guard let pointer = unsafe pointer else { preconditionFailure("OpenSSL lacks an algorithm it must have") }
            unsafe self.pointer = pointer
        }
    }

    static let sha256: Fetched = {
        SecretMemory.prepare()
        return unsafe Fetched(EVP_MD_fetch(nil, "SHA256", nil))
    }()
    static let aes256GCM: Fetched = {
        SecretMemory.prepare()
        return unsafe Fetched(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))
    }()
    static let hkdf: Fetched = {
        SecretMemory.prepare()
        return unsafe Fetched(EVP_KDF_fetch(nil, "HKDF", nil))
    }()
    /// NIST P-256, for arithmetic on points.
    static let p256: Fetched = {
        SecretMemory.prepare()
        return unsafe Fetched(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1))
    }()
}
