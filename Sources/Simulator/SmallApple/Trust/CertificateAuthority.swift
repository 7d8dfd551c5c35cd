package import Crypto
package import Time

/// A chain of three in the shape of Apple's, and the leaf's key that signs with it.
///
/// Root and intermediate are P-384, the leaf P-256; the two marker extensions are where Apple has them.
/// All keys are new with each instance. Source: jwsDecodedHeader; certificate facts (apple sheet 2.1–2.3).
package struct CertificateAuthority: Sendable {
    /// What a test may want to be unlike Apple's.
    package struct Shape: Sendable {
        package var leafNotBefore: Moment
        package var leafNotAfter: Moment
        package var issuersNotBefore: Moment
        package var issuersNotAfter: Moment
        /// The marker of the leaf; nil leaves it out.
        package var leafMarker: String? = "1.2.840.113635.100.6.11.1"
        /// The marker of the intermediate; nil leaves it out.
        package var intermediateMarker: String? = "1.2.840.113635.100.6.2.1"
        package var isIntermediateCA = true
        package var ocspURL: String?

        /// Leaf valid from 30 days ago for about two years, as Apple's; issuers longer.
        package init(now: Moment) {
            leafNotBefore = now - .days(30)
            leafNotAfter = now + .days(700)
            issuersNotBefore = now - .days(900)
            issuersNotAfter = now + .days(3650)
        }
    }

    package let leaf: Certificate
    package let intermediate: Certificate
    package let root: Certificate
    private let leafKey: CertificateKey
    private let encodedHeader: String

    package init(_ shape: Shape) throws(OpenSSLError) {
        let rootKey = try CertificateKey.generate(.p384)
        let intermediateKey = try CertificateKey.generate(.p384)
        leafKey = try CertificateKey.generate(.p256)
        var builder = CertificateBuilder(
            commonName: "Small Apple Root CA", organization: "App Store simulator", notBefore: shape.issuersNotBefore,
            notAfter: shape.issuersNotAfter)
        builder.isCA = true
        root = try builder.selfSigned(rootKey)

        builder = CertificateBuilder(
            commonName: "Small Apple Developer Relations Certification Authority", organization: "App Store simulator",
            notBefore: shape.issuersNotBefore, notAfter: shape.issuersNotAfter)
        builder.isCA = shape.isIntermediateCA
        if shape.isIntermediateCA { builder.pathLength = 0 }
        builder.extensions = shape.intermediateMarker.map { [CertificateBuilder.Extension(oid: $0)] } ?? []
        builder.ocspURL = shape.ocspURL
        intermediate = try builder.issued(for: intermediateKey, by: root, signedWith: rootKey)

        builder = CertificateBuilder(
            commonName: "Small Apple ECC App Store Receipt Signing", organization: "App Store simulator",
            notBefore: shape.leafNotBefore, notAfter: shape.leafNotAfter)
        builder.extensions = shape.leafMarker.map { [CertificateBuilder.Extension(oid: $0)] } ?? []
        builder.ocspURL = shape.ocspURL
        leaf = try builder.issued(for: leafKey, by: intermediate, signedWith: intermediateKey)
        encodedHeader = Base64URL.encode(
            JSON.object([
                "alg": "ES256", "x5c": .array([leaf, intermediate, root].map { .string(Base64.encode($0.der)) }),
            ]).bytes)
    }

    /// A compact JWS over a payload: ES256, `x5c` with the whole chain, 64 raw bytes of signature.
    ///
    /// - Parameter header: a merge patch over the usual header, for tests of what must be refused.
    package func sign(_ payload: JSON, header changes: JSONObject = [:]) throws(OpenSSLError) -> String {
        var header = encodedHeader
        if !changes.isEmpty {
            header = Base64URL.encode(JSON.object(usualHeader.changed(by: changes)).bytes)
        }
        let signed = header + "." + Base64URL.encode(payload.bytes)
        return signed + "." + Base64URL.encode(try leafKey.signES256(Array(signed.utf8)))
    }

    private var usualHeader: JSONObject {
        ["alg": "ES256", "x5c": .array([leaf, intermediate, root].map { .string(Base64.encode($0.der)) })]
    }
}
