import Crypto
import FoundationEssentials

/// An authenticator in software: makes passkeys and answers with them, and can be told to be wrong in one thing.
package struct SampleAuthenticator: Sendable {
    package let credentialID = Random.bytes(16)
    package var relyingParty = "refunds.example"
    package var origin = "https://refunds.example"
    /// User present and verified.
    package var flags: UInt8 = 0x05
    package var signCount: UInt32 = 0
    package var crossOrigin = false
    package var type: String?
    private let holder: Holder

    package init() throws { holder = try Holder() }

    private final class Holder: Sendable {
        let key: P256Key
        init() throws { key = try P256Key.generate() }
    }

    // MARK: Answers

    package func clientData(_ type: String, _ challenge: [UInt8]) -> [UInt8] {
        Array(
            """
            {"type":"\(self.type ?? type)","challenge":"\(Base64URL.encode(challenge))","origin":"\(origin)","crossOrigin":\(crossOrigin)}
            """.utf8)
    }

    package func authenticatorData(attested: Bool) -> [UInt8] {
        let count = (0..<4).map { UInt8(truncatingIfNeeded: signCount >> (24 - 8 * UInt32($0))) }
        let head = Digest.sha256(Array(relyingParty.utf8)) + [flags | (attested ? 0x40 : 0)] + count
        guard attested else { return head }
        return head + [UInt8](repeating: 0, count: 16) + [0, UInt8(credentialID.count)] + credentialID + coseKey
    }

    /// {1: 2, 3: -7, -1: 1, -2: x, -3: y}
    package var coseKey: [UInt8] {
        let point = holder.key.publicKey.x963
        return [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point[1..<33] + [0x22, 0x58, 0x20]
            + point[33..<65]
    }

    /// {"fmt": "none", "attStmt": {}, "authData": …}
    package func attestation(format: String = "none") -> [UInt8] {
        let data = authenticatorData(attested: true)
        return [0xA3] + Self.text("fmt") + Self.text(format) + Self.text("attStmt") + [0xA0] + Self.text("authData")
            + [0x58, UInt8(data.count)] + data
    }

    package func signature(_ authenticatorData: [UInt8], _ clientData: [UInt8]) throws -> [UInt8] {
        Self.der(try holder.key.sign(authenticatorData + Digest.sha256(clientData)))
    }

    private static func text(_ text: String) -> [UInt8] { [0x60 | UInt8(text.utf8.count)] + Array(text.utf8) }

    /// r ‖ s as a sequence of two integers.
    private static func der(_ raw: [UInt8]) -> [UInt8] {
        let integers = [raw[..<32], raw[32...]].flatMap { half -> [UInt8] in
            let digits = half.drop { $0 == 0 }
            let number = (digits.first ?? 0) >= 0x80 ? [0] + digits : Array(digits)
            return [0x02, UInt8(number.count)] + number
        }
        return [0x30, UInt8(integers.count)] + integers
    }
}
