package import Time

/// Why onboarding did not ask Apple; for people.
package enum OnboardingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no key to try.
    case noKey
    /// It was done a moment ago.
    case tooSoon(again: Moment)
    /// The app does not take part in this environment.
    case notThisEnvironment(String)
    /// The permits of the app's next second are taken by replies.
    case busy

    package var description: String {
        switch self {
        case .noKey: "There is no signing key for this app yet."
        case .tooSoon: "That was done a moment ago. Wait a few seconds and try again."
        case .notThisEnvironment(let name): "This app is set up without \(name)."
        case .busy: "All calls that Apple allows in this second are taken by replies. Try again."
        }
    }
}
