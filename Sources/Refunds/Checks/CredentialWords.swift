import Tenants
import Time

/// What a refused key means, in one line for a list of checks. Pure.
///
/// Apple's 401 says nothing but no. A mistake that shows is named; otherwise the causes that are left stand in the order in
/// which they are worth checking (App Store Server API, generating tokens; read 2026-08).
enum CredentialWords {
    /// Our tokens are dated a minute back: a clock that is further ahead makes them come from the future.
    static let aheadMax = Duration.seconds(58)
    /// Our tokens live five minutes: a clock that is further behind makes them old when they are new.
    static let behindMax = Duration.seconds(298)
    static let driftWorthSaying = Duration.seconds(5)

    /// - Parameter other: how Apple takes the same key in the other environment.
    static func refused(_ standing: KeyStanding, key: SigningKeyInfo, other: KeyStanding?, bundleID: String)
        -> Check.State.Words
    {
        let since = standing.refusedSince.map { " since \($0.iso8601)" } ?? ""
        let fact = "Apple refuses key \(key.keyID) with 401\(since)"
        if let offset = standing.clockOffset, let clock = clock(offset), clock.isBad {
            return (.fail, "\(fact): \(clock.text). Set the clock right; the key need not be changed")
        }
        if !standing.isSandbox, let other, other.acceptedAt != nil, !other.isRefused {
            if standing.acceptedAt == nil {
                return (
                    .warn,
                    "\(fact), and takes it in Sandbox: most likely \(bundleID) is not on sale yet. Apple refuses Production until the first release; nothing has to be repaired"
                )
            }
        }
        if standing.acceptedAt != nil {
            return (
                .fail,
                "\(fact) and took it before: most likely it was revoked in App Store Connect. Add a new one with \"refund-desk key add\""
            )
        }
        if let name = key.fileName, name.hasPrefix("AuthKey_") {
            return (
                .fail,
                "\(fact): its file is named AuthKey_…, as keys of the App Store Connect API are. Create an In-App Purchase key (Users and Access, Integrations, In-App Purchase)"
            )
        }
        if let named = SigningKeyUpload.keyID(fromFileName: key.fileName), named != key.keyID {
            return (
                .fail,
                "\(fact): its file is named for key ID \(named), and \(key.keyID) was given. Add it again under its own ID"
            )
        }
        let clock = standing.clockOffset == nil ? "; our clock" : ""
        return (
            .fail,
            "\(fact). Check in this order: an In-App Purchase key and no other kind; key ID \(key.keyID); the issuer ID of the same team; bundle ID \(bundleID), capitals included\(clock); the app is on sale; the key was not revoked. Then \"refund-desk key add\" again"
        )
    }

    /// - Parameter offset: Apple's clock minus ours. Nil where it is not worth a word.
    static func clock(_ offset: Duration) -> (text: String, isBad: Bool)? {
        let isAhead = offset < .zero
        let size = isAhead ? .zero - offset : offset
        guard size >= driftWorthSaying else { return nil }
        let seconds = (size.wholeMilliseconds + 500) / 1000
        return (
            "our clock is \(seconds) seconds \(isAhead ? "ahead of" : "behind") Apple's",
            size > (isAhead ? aheadMax : behindMax)
        )
    }
}

extension Check.State {
    typealias Words = (state: Check.State, text: String)
}
