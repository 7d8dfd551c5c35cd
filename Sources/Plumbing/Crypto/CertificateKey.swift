import COpenSSL

/// A key pair that certificates are made for and signed with. Not for a tenant's keys.
package final class CertificateKey: Sendable {
    package enum Curve: String, Sendable {
        case p256 = "P-256"
        case p384 = "P-384"
    }

    package let curve: Curve
    let key: KeyHandle
    /// The uncompressed point.
    package let point: [UInt8]

    init(curve: Curve, key: KeyHandle) throws(OpenSSLError) {
        self.curve = curve
        self.key = key
        point = try key.point()
    }

    package static func generate(_ curve: Curve) throws(OpenSSLError) -> CertificateKey {
        SecretMemory.prepare()
        let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_group_name(context, curve.rawValue) == 1,
            unsafe EVP_PKEY_generate(context, &made) == 1, let made = unsafe made
        else { throw .last("generating a key") }
        return try unsafe CertificateKey(curve: curve, key: KeyHandle(owning: made))
    }

    /// ECDSA with SHA-256 as r ‖ s.
    package func signES256(_ message: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        guard curve == .p256 else {
            throw OpenSSLError(operation: "signing", reason: "ES256 needs a P-256 key")
        }
        return try key.signES256(message)
    }

    /// SHA-256, its first 20 bytes: names the key in certificates (RFC 7093, method 1).
    var identifier: [UInt8] { Array(Digest.sha256(point).prefix(20)) }
}
