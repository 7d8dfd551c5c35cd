import Synchronization
import Tenants
import Time

/// When a process looks again whether a tenant's reasons drift: days change slowly, and counting them is no question for
/// every round.
final class DriftPace: Sendable {
    static let every = Duration.minutes(10)
    /// Where something was found, its end is noticed sooner.
    static let everyWhileFound = Duration.minutes(1)
    private static let tenantsMax = 10_000

    private let nextAt = Mutex<[TenantID: Moment]>([:])

    func isDue(_ tenant: TenantID, at now: Moment) -> Bool {
        nextAt.withLock { $0[tenant].map { $0 <= now } ?? true }
    }

    func looked(at tenant: TenantID, found: Bool, at now: Moment) {
        nextAt.withLock { next in
            if next.count >= Self.tenantsMax { next.removeAll() }
            next[tenant] = now + (found ? Self.everyWhileFound : Self.every)
        }
    }
}
