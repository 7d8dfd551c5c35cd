import AppStore
import Tenants

/// What a refused delivery says of the app's set-up: of those that Apple signed, so that no stranger can make it speak.
package struct RefusedWords: Sendable, Hashable {
    /// One sentence that stands alone.
    package let summary: String
    /// What to do.
    package let advice: String
    /// The Apple ID that Apple names for this bundle ID, where the app has another.
    package let appleID: Int64?

    package init(summary: String, advice: String, appleID: Int64?) {
        self.summary = summary
        self.advice = advice
        self.appleID = appleID
    }

    /// Nil where the refusal says nothing of the set-up.
    init?(_ refused: OnboardingState.Refused, of app: App) {
        let who = app.isRehearsal ? "The simulator" : "Apple"
        switch JWSError.Reason(rawValue: refused.reason) {
        case .appleIDMismatch:
            guard let sent = refused.appleID, let known = app.appleID else { return nil }
            summary =
                "A notification of \(app.bundleID) was refused: \(who) gives its Apple ID as \(sent), and this app is set up with \(known)."
            advice =
                "\(who) signed it, so \(sent) is right. Correct the Apple ID, then send another test: until then every Production notification is refused."
            appleID = sent
        case .bundleMismatch:
            summary = "A notification of another app came to this URL and was refused: \(refused.detail)."
            advice =
                app.isRehearsal
                ? "At the simulator this URL stands at another app. Each app has a URL of its own."
                : "In App Store Connect this URL stands at another app. Each app has a URL of its own: enter there the one that its set-up page shows."
            appleID = nil
        default: return nil
        }
    }
}
