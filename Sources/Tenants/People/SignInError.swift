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
    /// Too short or too long.
    case badPassword

    package var description: String {
        switch self {
        case .wrong: "e-mail address or password are not right"
        case .throttled(let wait): "too many tries; again in \(wait.components.seconds / 60 + 1) minutes"
        case .busy: "too many sign-ins at once; try again"
        case .linkEnded: "the link was used or has ended; ask for a new one"
        case .badPassword:
            "a password has at least \(SignIn.passwordCharactersMin) characters and at most \(SignIn.passwordBytesMax) bytes"
        }
    }
}
