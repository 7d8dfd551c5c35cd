import FoundationEssentials

/// What the browser says it was asked, and by whom.
///
/// Source: Web Authentication Level 2, section 5.8.1.
struct ClientData {
    static let bytesMax = 2048

    private struct Members: Decodable {
        let type: String
        let challenge: String
        let origin: String
        let crossOrigin: Bool?
    }

    /// Checks every member that counts.
    ///
    /// - Parameter type: `webauthn.create` or `webauthn.get`.
    static func check(
        _ bytes: [UInt8], type: String, challenge: [UInt8], origin: String
    ) throws(WebAuthnError) {
        guard bytes.count <= bytesMax, let members = try? JSONDecoder().decode(Members.self, from: Data(bytes)) else {
            throw .malformed
        }
        guard members.type == type else { throw .wrongCeremony }
        guard let sent = Base64URL.decode(members.challenge), ConstantTime.equal(sent, challenge) else {
            throw .challenge
        }
        guard members.origin == origin, members.crossOrigin != true else { throw .origin }
    }
}
