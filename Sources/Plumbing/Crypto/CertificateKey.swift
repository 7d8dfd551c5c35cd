/// A key pair that certificates are made for and signed with. Not for a tenant's keys.
package final class CertificateKey: Sendable {
    package enum Curve: Sendable { case p256, p384 }

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
        preconditionFailure("follows")
    }

    /// ECDSA with SHA-256 as r ‖ s; P-256 keys only.
    package func signES256(_ message: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        preconditionFailure("follows")
    }
}
