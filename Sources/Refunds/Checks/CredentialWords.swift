import Tenants
import Time

/// What a refused key means, in one line for a list of checks. Pure.
///
/// It is judged as a person's try is; what is known here are the calls for all apps in both environments.
enum CredentialWords {
    /// - Parameter standing: of the key, for the app.
    static func refused(
        _ standing: KeyStanding, key story: KeyStory, of app: App
    ) -> (state: Check.State, text: String) {
        let key = story.info
        var facts = ProbeVerdict.Facts(
            isSandbox: standing.isSandbox, result: .refused, bundleID: app.bundleID, keyID: key.keyID)
        facts.isRehearsal = app.isRehearsal
        facts.fileName = key.fileName
        facts.clockOffset = standing.clockOffset
        facts.acceptedBefore = standing.acceptedAt
        facts.worksFor = story.other(than: app.id, isSandbox: standing.isSandbox)?.bundleID
        if story.standing(for: app.id, isSandbox: !standing.isSandbox)?.isAccepted == true {
            facts.elsewhere = .accepted
        }
        let words = ProbeVerdict.words(facts)
        let since = standing.refusedSince.map { " since \($0.iso8601)" } ?? ""
        var text = "\(app.isRehearsal ? "The simulator" : "Apple") refuses the key \(key.keyID) (401)\(since). "
        if let cause = words.cause {
            text += cause
        } else {
            let list = words.left.enumerated().map { "(\($0 + 1)) \($1)" }
            text += "Left to check, in this order: \(list.joined(separator: " "))"
        }
        return (isNotOnSaleYet(standing, facts) ? .warn : .fail, text)
    }

    /// Nothing has to be repaired then.
    private static func isNotOnSaleYet(_ standing: KeyStanding, _ facts: ProbeVerdict.Facts) -> Bool {
        !standing.isSandbox && facts.elsewhere == .accepted && standing.acceptedAt == nil
            && facts.drift?.isBearable ?? true
    }
}
