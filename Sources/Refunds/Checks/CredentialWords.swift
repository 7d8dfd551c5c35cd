import Tenants
import Time

/// What a refused key means, in one line for a list of checks. Pure.
///
/// It is judged as a person's try is; what is known here are the calls of both environments.
enum CredentialWords {
    /// - Parameter other: how Apple takes the same key in the other environment.
    static func refused(
        _ standing: KeyStanding, key: SigningKeyInfo, other: KeyStanding?, of app: App
    ) -> (state: Check.State, text: String) {
        var facts = ProbeVerdict.Facts(
            isSandbox: standing.isSandbox, result: .refused, bundleID: app.bundleID, keyID: key.keyID)
        facts.isRehearsal = app.isRehearsal
        facts.fileName = key.fileName
        facts.clockOffset = standing.clockOffset
        facts.acceptedBefore = standing.acceptedAt
        if let other, other.acceptedAt != nil, !other.isRefused { facts.elsewhere = .accepted }
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
