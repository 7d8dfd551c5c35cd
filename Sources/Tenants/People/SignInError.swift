package import Crypto

/// Why somebody was not signed in. What a page says of it never tells whether the person exists.
package enum SignInError: Error, Hashable, CustomStringConvertible {
    /// No such person, no password, or another one.
    case wrong
    /// Too many tries for this person or from this address.
    case throttled(retryAfter: Duration)
    /// More sign-ins at once than we work on.
    case busy
    /// The link was used, has ended, or never was.
    case linkEnded
    case badPassword(PasswordTrouble)
    /// The step after the password took too long, or too many codes were wrong: begin again.
    case stepEnded
    /// Signed in too long ago for a change of what lets one in.
    case stale
    /// More generators or passkeys than one person needs.
    case tooMany
    /// The generator, passkey or session is not there (any more).
    case gone
    /// The passkey is registered already, here or for somebody else.
    case knownPasskey
    case passkey(WebAuthnError)
    /// Without a master key no secret can be kept.
    case noMasterKey
    case badName(Name.Trouble)

    package var description: String {
        switch self {
        case .wrong: "e-mail address or password are not right"
        case .throttled(let wait): "too many tries; again in \(wait.components.seconds / 60 + 1) minutes"
        case .busy: "too many sign-ins at once; try again"
        case .linkEnded: "the link is unknown, was used or has ended; ask for a new one"
        case .badPassword(let trouble): "\(trouble)"
        case .stepEnded: "that took too long, or too many codes were wrong; begin again"
        case .stale: "sign in again to change how you sign in"
        case .tooMany: "there are too many already; remove one"
        case .gone: "there is no such thing any more"
        case .knownPasskey: "that passkey is registered already"
        case .passkey(let error): "the passkey was not taken: \(error)"
        case .noMasterKey: "this installation has no master key, so that no secret can be kept"
        case .badName(let trouble): "\(trouble)"
        }
    }
}
