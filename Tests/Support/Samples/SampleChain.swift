package import Crypto
package import Time

/// A chain of the shape of Apple's: root and intermediate on P-384, leaf on P-256, with the two markers.
///
/// Two chains have the same names and different keys: one is trusted, the other is a forger's.
package struct SampleChain: Sendable {
    package var root, intermediate, leaf: Certificate
    package let rootKey, intermediateKey, leafKey: CertificateKey
    package let now: Moment

    package static let leafMarker = "1.2.840.113635.100.6.11.1"
    package static let intermediateMarker = "1.2.840.113635.100.6.2.1"

    /// How the three are made; a test spoils one thing.
    package struct Plan: Sendable {
        package var root, intermediate, leaf: CertificateBuilder
        package var leafCurve = CertificateKey.Curve.p256

        package init(now: Moment) {
            root = CertificateBuilder(
                commonName: "Sample Root CA", organization: "Sample", notBefore: now - .days(3000),
                notAfter: now + .days(3000))
            root.isCA = true
            intermediate = CertificateBuilder(
                commonName: "Sample Developer Relations", organization: "Sample", notBefore: now - .days(1000),
                notAfter: now + .days(1000))
            intermediate.isCA = true
            intermediate.pathLength = 0
            intermediate.extensions = [.init(oid: intermediateMarker)]
            leaf = CertificateBuilder(
                commonName: "Sample Receipt Signing", organization: "Sample", notBefore: now - .days(30),
                notAfter: now + .days(300))
            leaf.extensions = [.init(oid: leafMarker)]
        }
    }

    package init(now: Moment, spoil: (inout Plan) -> Void = { _ in }) throws {
        var plan = Plan(now: now)
        spoil(&plan)
        rootKey = try .generate(.p384)
        intermediateKey = try .generate(.p384)
        leafKey = try .generate(plan.leafCurve)
        root = try plan.root.selfSigned(rootKey)
        intermediate = try plan.intermediate.issued(for: intermediateKey, by: root, signedWith: rootKey)
        leaf = try plan.leaf.issued(for: leafKey, by: intermediate, signedWith: intermediateKey)
        self.now = now
    }

    private init(
        root: Certificate, intermediate: Certificate, leaf: Certificate, rootKey: CertificateKey,
        intermediateKey: CertificateKey, leafKey: CertificateKey, now: Moment
    ) {
        (self.root, self.intermediate, self.leaf) = (root, intermediate, leaf)
        (self.rootKey, self.intermediateKey, self.leafKey) = (rootKey, intermediateKey, leafKey)
        self.now = now
    }

    /// Another leaf under the same root and intermediate.
    package func withLeaf(_ change: (inout CertificateBuilder) -> Void) throws -> SampleChain {
        var builder = Plan(now: now).leaf
        change(&builder)
        let key = try CertificateKey.generate(.p256)
        let leaf = try builder.issued(for: key, by: intermediate, signedWith: intermediateKey)
        return SampleChain(
            root: root, intermediate: intermediate, leaf: leaf, rootKey: rootKey, intermediateKey: intermediateKey,
            leafKey: key, now: now)
    }

    /// Another intermediate and leaf under the same root.
    package func withIntermediate(_ change: (inout CertificateBuilder) -> Void) throws -> SampleChain {
        let plan = Plan(now: now)
        var builder = plan.intermediate
        change(&builder)
        let keys = (try CertificateKey.generate(.p384), try CertificateKey.generate(.p256))
        let intermediate = try builder.issued(for: keys.0, by: root, signedWith: rootKey)
        let leaf = try plan.leaf.issued(for: keys.1, by: intermediate, signedWith: keys.0)
        return SampleChain(
            root: root, intermediate: intermediate, leaf: leaf, rootKey: rootKey, intermediateKey: keys.0,
            leafKey: keys.1, now: now)
    }

    /// Leaf, intermediate, root in standard base64.
    package var x5c: [SampleValue] { [leaf, intermediate, root].map { .string(Base64.encode($0.der)) } }

    package var header: SampleValue { ["alg": "ES256", "x5c": .array(x5c)] }

    /// The payload signed, in compact form.
    package func jws(_ payload: SampleValue, header: SampleValue? = nil) throws -> String {
        try jws(payload.bytes, header: header)
    }

    package func jws(_ payload: [UInt8], header: SampleValue? = nil) throws -> String {
        let text =
            Base64URL.encode((header ?? self.header).bytes) + "." + Base64URL.encode(payload)
        return text + "." + Base64URL.encode(try leafKey.signES256(Array(text.utf8)))
    }
}
