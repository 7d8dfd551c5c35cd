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

    private struct Look {
        let nextAt: Moment
        let hasFound: Bool
    }

    private let looks = Mutex<[TenantID: Look]>([:])

    func isDue(_ tenant: TenantID, at now: Moment) -> Bool {
        looks.withLock { $0[tenant].map { $0.nextAt <= now } ?? true }
    }

    func looked(at tenant: TenantID, found: Bool, at now: Moment) {
        looks.withLock { looks in
            if looks.count >= Self.tenantsMax { looks.removeAll() }
            // What is not found any more is looked for once more soon: an incident closes when its cause stays away.
            let isClose = found || looks[tenant]?.hasFound == true
            looks[tenant] = Look(nextAt: now + (isClose ? Self.everyWhileFound : Self.every), hasFound: found)
        }
    }
}
