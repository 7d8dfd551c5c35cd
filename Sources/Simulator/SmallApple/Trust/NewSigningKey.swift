package import Crypto

/// An In-App Purchase key as App Store Connect hands it out: once, as a .p8 file.
///
/// Source: Creating API keys to authorize API requests (apple sheet 8.1, 8.2).
package struct NewSigningKey: Sendable {
    /// Ten capital letters and digits.
    package let keyID: String
    package let issuerID: String
    package let publicKey: P256PublicKey
    /// PKCS#8 in PEM with lines of 64.
    package let p8: String

    package static func make(issuerID: String? = nil) throws(OpenSSLError) -> NewSigningKey {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        let keyID = String((0..<10).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] })
        let key = try P256Key.generate()
        let publicKey = key.publicKey
        let scalar = key.scalar().withBytes { bytes in
            var copy: [UInt8] = []
            for place in bytes.indices { copy.append(bytes[place]) }
            return copy
        }
        return NewSigningKey(
            keyID: keyID, issuerID: issuerID ?? Chance.anyUUID(), publicKey: publicKey,
            p8: pem(scalar: scalar, point: publicKey.x963))
    }

    /// PrivateKeyInfo (RFC 5208) around ECPrivateKey (RFC 5915): all lengths are fixed for P-256.
    private static func pem(scalar: [UInt8], point: [UInt8]) -> String {
        let algorithm: [UInt8] = [
            0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D,
            0x03, 0x01, 0x07,
        ]
        var der: [UInt8] = [0x30, 0x81, 0x87, 0x02, 0x01, 0x00]
        der += algorithm
        der += [0x04, 0x6D, 0x30, 0x6B, 0x02, 0x01, 0x01, 0x04, 0x20]
        der += scalar
        der += [0xA1, 0x44, 0x03, 0x42, 0x00]
        der += point
        var rest = Base64.encode(der)[...]
        var lines = ["-----BEGIN PRIVATE KEY-----"]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        return (lines + ["-----END PRIVATE KEY-----", ""]).joined(separator: "\n")
    }
}
