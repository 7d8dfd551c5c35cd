package import Journal
import Synchronization
package import Time

/// Tokens that are still good, so that a burst of calls asks the vault once. None is kept longer
/// than five minutes.
package final class TokenCache: Sendable {
    /// What a token was made for. The stored key is part of it: a replaced key with the same key ID
    /// must not be served the old key's token.
    package struct Purpose: Hashable, Sendable {
        package let tenant: Int64
        package let signingKey: String
        package let bundleID: String

        package init(tenant: Int64, signingKey: String, bundleID: String) {
            self.tenant = tenant
            self.signingKey = signingKey
            self.bundleID = bundleID
        }
    }

    private struct Entry {
        let token: Redacted<String>
        let madeAt: Moment
    }

    /// A token is not lent out in the last minute of its life: the call may take a while.
    private static let usableFor: Duration = BearerToken.validFor - .minutes(1)
    private let entriesMax: Int
    private let entries = Mutex<[Purpose: Entry]>([:])

    package init(entriesMax: Int = 4096) { self.entriesMax = entriesMax }

    package func token(for purpose: Purpose, at now: Moment) -> Redacted<String>? {
        entries.withLock { entries in
            guard let entry = entries[purpose] else { return nil }
            // A clock set back must not keep a token for ever.
            guard now >= entry.madeAt, now - entry.madeAt < Self.usableFor else {
                entries[purpose] = nil
                return nil
            }
            return entry.token
        }
    }

    package func keep(_ token: Redacted<String>, for purpose: Purpose, madeAt: Moment) {
        entries.withLock { entries in
            if entries.count >= entriesMax {
                entries = entries.filter { madeAt >= $0.value.madeAt && madeAt - $0.value.madeAt < Self.usableFor }
                if entries.count >= entriesMax { entries.removeAll() }
            }
            entries[purpose] = Entry(token: token, madeAt: madeAt)
        }
    }

    /// After a refused token, or a changed key.
    package func drop(_ purpose: Purpose) {
        entries.withLock { $0[purpose] = nil }
    }
}
