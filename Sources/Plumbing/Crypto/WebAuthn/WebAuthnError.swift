/// Why a passkey's answer is not taken; one reason for each check.
package enum WebAuthnError: Error, Hashable, Sendable, CustomStringConvertible {
    case malformed
    /// An answer to signing in where a new key was wanted, or the reverse.
    case wrongCeremony
    case challenge
    case origin
    case relyingParty
    /// Nobody touched the authenticator.
    case notPresent
    /// The authenticator did not make sure who touched it: no PIN, finger or face.
    case notVerified
    case algorithm
    case key
    case attestation
    case signature

    package var description: String {
        switch self {
        case .malformed: "the answer cannot be read"
        case .wrongCeremony: "the answer is to another question"
        case .challenge: "the answer is to another challenge"
        case .origin: "the answer was made for another address"
        case .relyingParty: "the key belongs to another site"
        case .notPresent: "nobody confirmed"
        case .notVerified: "the authenticator did not verify its user"
        case .algorithm: "the key is neither ES256 nor RS256"
        case .key: "the key cannot be used"
        case .attestation: "the statement beside the key is not empty"
        case .signature: "the signature is not right"
        }
    }
}
