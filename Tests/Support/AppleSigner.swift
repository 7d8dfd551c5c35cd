package import Crypto
import Foundation
package import Time

/// Signs payloads as Apple does, with a chain made anew: root, intermediate and leaf with Apple's marks.
package struct AppleSigner: Sendable {
    package let root: Certificate
    private let leafKey: CertificateKey
    private let header: String

    package init(around now: Moment) throws {
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
        var last = CertificateBuilder(
            commonName: "Leaf of a test", notBefore: now - .days(30), notAfter: now + .days(300))
        last.extensions = [.init(oid: "1.2.840.113635.100.6.11.1")]
        let leaf = try last.issued(for: leafKey, by: middle, signedWith: middleKey)
        let chain = [leaf, middle, root].map { "\"" + Base64.encode($0.der) + "\"" }.joined(separator: ",")
        header = Base64URL.encode(Array(#"{"alg":"ES256","x5c":[\#(chain)]}"#.utf8))
    }

    /// The compact form of a payload.
    package func sign(_ payload: [String: Any]) throws -> String {
        try sign(
            json: String(
                decoding: try JSONSerialization.data(withJSONObject: payload, options: [.sortedKeys]), as: UTF8.self))
    }

    /// The compact form of a payload that is JSON already.
    package func sign(json: String) throws -> String {
        let text = header + "." + Base64URL.encode(Array(json.utf8))
        return text + "." + Base64URL.encode(try leafKey.signES256(Array(text.utf8)))
    }
}
