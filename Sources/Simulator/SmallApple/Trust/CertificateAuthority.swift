package import Crypto
package import Time

/// A chain of three in the shape of Apple's, and the leaf's key that signs with it.
///
/// Root and intermediate are P-384, the leaf P-256; the two marker extensions are where Apple has them.
/// All keys are new with each instance that is not read from an earlier one's. Source: jwsDecodedHeader; certificate facts (apple sheet 2.1–2.3).
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
        encodedHeader = Self.header(leaf, intermediate, root)
    }

    /// What `kept` wrote.
    package init(kept: JSON) throws {
        func bytes(_ name: String) throws(OrderFault) -> [UInt8] {
            guard let bytes = kept[name]?.string.flatMap({ Base64.decode($0) }) else {
                throw OrderFault("\(name) cannot be read")
            }
            return bytes
        }
        leaf = try Certificate(der: try bytes("leaf"))
        intermediate = try Certificate(der: try bytes("intermediate"))
        root = try Certificate(der: try bytes("root"))
        leafKey = try CertificateKey(privateDER: try bytes("leafKey"))
        guard leaf.publicKey?.x963 == leafKey.point else { throw OrderFault("the key is not the leaf's") }
        encodedHeader = Self.header(leaf, intermediate, root)
    }

    /// The chain and the leaf's key, the only one that signs once the chain is made.
    func kept() throws(OpenSSLError) -> JSON {
        [
            "leafKey": .string(Base64.encode(try leafKey.privateDER())), "leaf": .string(Base64.encode(leaf.der)),
            "intermediate": .string(Base64.encode(intermediate.der)), "root": .string(Base64.encode(root.der)),
        ]
    }

    /// Whether the leaf is good at a moment and some days beyond it.
    func signs(at now: Moment) -> Bool { leaf.notBefore <= now && now + .days(7) < leaf.notAfter }

    private static func header(_ chain: Certificate...) -> String {
        Base64URL.encode(
            JSON.object(["alg": "ES256", "x5c": .array(chain.map { .string(Base64.encode($0.der)) })]).bytes)
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
