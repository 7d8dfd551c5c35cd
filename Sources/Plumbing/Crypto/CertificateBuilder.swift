package import Time

/// Makes certificates: for simulators and tests, never for trust.
package struct CertificateBuilder: Sendable {
    package struct Extension: Sendable {
        package let oid: String
        /// DER; NULL is `[5, 0]`.
        package let value: [UInt8]
        package let isCritical: Bool

        package init(oid: String, value: [UInt8] = [5, 0], isCritical: Bool = false) {
            self.oid = oid
            self.value = value
            self.isCritical = isCritical
        }
    }

    package var commonName: String
    package var organization: String?
    package var notBefore: Moment
    package var notAfter: Moment
    /// A certificate that may issue others.
    package var isCA = false
    /// How many authorities may follow below; nil for no limit.
    package var pathLength: Int?
    package var extensions: [Extension] = []
    package var ocspURL: String?
    /// May sign OCSP answers in its issuer's name.
    package var isOCSPResponder = false

    package init(commonName: String, organization: String? = nil, notBefore: Moment, notAfter: Moment) {
        self.commonName = commonName
        self.organization = organization
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    package func selfSigned(_ key: CertificateKey) throws(OpenSSLError) -> Certificate {
        preconditionFailure("follows")
    }

    package func issued(
        for key: CertificateKey, by issuer: Certificate, signedWith issuerKey: CertificateKey
    ) throws(OpenSSLError) -> Certificate {
        preconditionFailure("follows")
    }
}
