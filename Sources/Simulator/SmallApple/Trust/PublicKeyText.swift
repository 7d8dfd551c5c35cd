package import Crypto

/// Reads a P-256 public key from the forms in which people have one.
package enum PublicKeyText {
    /// Why a text is no P-256 public key, for people.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// SubjectPublicKeyInfo of a P-256 key up to the point itself (RFC 5480).
    static let spkiPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// - Parameter text: PEM (`BEGIN PUBLIC KEY`), or base64 of the DER form or of the 65-byte point.
    package static func read(_ text: String) throws(Fault) -> P256PublicKey {
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
        if text.contains("-----BEGIN"), !text.contains("-----BEGIN PUBLIC KEY-----") {
            throw Fault(description: "only a PUBLIC KEY is wanted here; a private key stays where it is")
        }
        guard let bytes = Base64.decode(lines.joined()) else { throw Fault(description: "not base64") }
        let point = bytes.starts(with: spkiPrefix) ? Array(bytes.dropFirst(spkiPrefix.count)) : bytes
        guard let key = try? P256PublicKey(x963: point) else {
            throw Fault(description: "no point of the curve P-256")
        }
        return key
    }
}
