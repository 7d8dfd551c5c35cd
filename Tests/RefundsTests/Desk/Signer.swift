import AppStore
import Crypto
import Time

/// Signs as Apple does: a root, an intermediate and a leaf with the two marks, made anew.
struct Signer: Sendable {
    let root: Certificate
    private let leafKey: CertificateKey
    private let header: String

    init(around now: Moment) throws {
        let (rootKey, middleKey) = (try CertificateKey.generate(.p384), try CertificateKey.generate(.p384))
        leafKey = try CertificateKey.generate(.p256)
        var builder = CertificateBuilder(
            commonName: "Root of a test", notBefore: now - .days(4000), notAfter: now + .days(4000))
        builder.isCA = true
        root = try builder.selfSigned(rootKey)
        builder.commonName = "Intermediate of a test"
        builder.pathLength = 0
        builder.extensions = [.init(oid: "1.2.840.113635.100.6.2.1")]
        let middle = try builder.issued(for: middleKey, by: root, signedWith: rootKey)
        var leafBuilder = CertificateBuilder(
            commonName: "Leaf of a test", notBefore: now - .days(30), notAfter: now + .days(300))
        leafBuilder.extensions = [.init(oid: "1.2.840.113635.100.6.11.1")]
        let leaf = try leafBuilder.issued(for: leafKey, by: middle, signedWith: middleKey)
        let x5c = [leaf, middle, root].map { "\"" + Base64.encode($0.der) + "\"" }.joined(separator: ",")
        header = Base64URL.encode(Array(#"{"alg":"ES256","x5c":[\#(x5c)]}"#.utf8))
    }

    func sign(_ payload: J) throws -> String {
        let text = header + "." + Base64URL.encode(Array(payload.json.utf8))
        return text + "." + Base64URL.encode(try leafKey.signES256(Array(text.utf8)))
    }
}
