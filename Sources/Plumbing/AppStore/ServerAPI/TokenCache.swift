package import Journal
import Synchronization
package import Time

/// Bearer tokens that may be used again: signing costs 50 µs, and a key in the clear is wanted rarely.
///
/// A token is kept four minutes, so that a minute of its five is left when it is sent, and never longer
/// than the key it was made with: the key's fingerprint is part of its name.
package final class TokenCache: Sendable {
    /// Whose token: two tenants never share one, whatever else is equal.
    package struct Key: Sendable, Hashable {
        let tenant: Int64
        let keyID: String
        let fingerprint: String
        let bundleID: String

        package init(tenant: Int64, keyID: String, fingerprint: String, bundleID: String) {
            self.tenant = tenant
            self.keyID = keyID
            self.fingerprint = fingerprint
            self.bundleID = bundleID
        }
    }

    private struct Kept: Sendable {
        let token: Redacted<String>
        let made: Moment
    }

    static let lifetime: Duration = .minutes(4)
    private let tokensMax: Int
    private let kept = Mutex<[Key: Kept]>([:])

    package init(tokensMax: Int = 10_000) { self.tokensMax = tokensMax }

    /// The kept token, if it is still fresh by this clock. A clock that was set back makes none fresher.
    ///
    /// - Parameter lasting: how much longer it must be fresh, for a call that is only about to be made.
    package func token(_ key: Key, now: Moment, lasting: Duration = .zero) -> Redacted<String>? {
        kept.withLock { kept in
            guard let found = kept[key] else { return nil }
            guard found.made <= now, now < found.made + Self.lifetime else {
                kept[key] = nil
                return nil
            }
            return now + lasting < found.made + Self.lifetime ? found.token : nil
        }
    }

    package func keep(_ token: Redacted<String>, for key: Key, madeAt moment: Moment) {
        kept.withLock { kept in
            if kept.count >= tokensMax && kept[key] == nil {
                kept = kept.filter { $0.value.made <= moment && moment < $0.value.made + Self.lifetime }
                // Still full: more keys than this are in use within four minutes. Signing again is cheap.
                if kept.count >= tokensMax { kept.removeAll(keepingCapacity: true) }
            }
            kept[key] = Kept(token: token, made: moment)
        }
    }

    /// After a 401: the next call signs anew.
    package func forget(_ key: Key) { kept.withLock { $0[key] = nil } }
}
