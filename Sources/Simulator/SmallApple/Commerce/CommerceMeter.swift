import Synchronization
package import Time

/// Counts the Advanced Commerce calls of each app and environment, and says when there are too many.
///
/// Source: Identifying rate limits for Advanced Commerce (apple sheet 6.3): 5 a second, in the sandbox a tenth of it,
/// enforced over an hour, which `RateLimits` does; here the seconds themselves are counted. The three calls are
/// counted together.
package final class CommerceMeter: Sendable {
    /// What was counted, refused calls too.
    package struct Count: Sendable, Hashable {
        package let bundleID: String
        package let environment: StoreEnvironment
        package internal(set) var calls = 0
        package internal(set) var refused = 0
        package internal(set) var first: Moment
        package internal(set) var last: Moment
        /// The most calls in any span of so many milliseconds (the keys are `spans`).
        package internal(set) var busiest: [Int64: Int] = [:]
    }

    /// A second and the sandbox's two, each also a tenth of a second shorter, which is what a network may take.
    package static let spans: [Int64] = [900, 1000, 1900, 2000]

    private struct Key: Hashable {
        let bundleID: String
        let environment: StoreEnvironment
    }

    private struct Entry {
        var count: Count
        var arrivals: [Moment] = []
        var taken: [Moment] = []
    }

    private let entries = Mutex<[Key: Entry]>([:])

    package init() {}

    /// By app, then environment.
    package var counts: [Count] {
        entries.withLock { $0.values.map(\.count) }
            .sorted { ($0.bundleID, $0.environment.rawValue) < ($1.bundleID, $1.environment.rawValue) }
    }

    package func forget() { entries.withLock { $0 = [:] } }

    /// Counts a call; nil, or the moment from which the app may call again.
    func refusal(
        app: String, environment: StoreEnvironment, now: Moment, countsSeconds: Bool, jitterMilliseconds: Int64
    ) -> Moment? {
        entries.withLock { entries in
            let key = Key(bundleID: app, environment: environment)
            var entry =
                entries[key]
                ?? Entry(count: Count(bundleID: app, environment: environment, first: now, last: now))
            defer { entries[key] = entry }
            entry.count.calls += 1
            entry.count.last = now
            entry.arrivals.append(now)
            let oldest = now - .milliseconds(Self.spans.max() ?? 0)
            entry.arrivals.removeAll { $0 <= oldest }
            for span in Self.spans {
                let inside = entry.arrivals.count { $0 > now - .milliseconds(span) }
                entry.count.busiest[span] = max(entry.count.busiest[span] ?? 0, inside)
            }
            guard countsSeconds else { return nil }
            let (allowed, length): (Int, Int64) = environment == .production ? (5, 1000) : (1, 2000)
            let begin = now - .milliseconds(length - jitterMilliseconds)
            entry.taken.removeAll { $0 <= begin }
            guard entry.taken.count < allowed else {
                entry.count.refused += 1
                return (entry.taken.first ?? now) + .milliseconds(length)
            }
            entry.taken.append(now)
            return nil
        }
    }
}
