package import HTTP
import Synchronization
package import Time

/// What readiness depends on, looked at by whoever knows.
package struct HealthCheck: Sendable, Hashable {
    package enum State: String, Sendable {
        case ok
        /// Someone should look, but notifications can be taken.
        case warn
        /// Notifications cannot be taken.
        case fail
    }
    /// A stable word: `database`, `schema`, `trust-roots`, …
    package let name: String
    package let state: State

    package init(_ name: String, _ state: State) {
        self.name = name
        self.state = state
    }
}

/// `/health/live` and `/health/ready`, for balancers.
///
/// Alive: the process answers. Ready: what is needed to take a notification is there. The body names
/// each check and its state and nothing else, because anyone may ask.
package final class HealthEndpoint: Sendable {
    /// Many may ask; the database is asked once in this time.
    static let freshFor: Duration = .seconds(1)

    private let clock: WallClock
    private let checks: @Sendable () async -> [HealthCheck]
    private let isLeaving = Atomic(false)
    private let last = Mutex<(at: Moment, checks: [HealthCheck])?>(nil)

    /// - Parameter checks: must answer within a few seconds, whatever is wrong.
    package init(clock: WallClock, checks: @escaping @Sendable () async -> [HealthCheck]) {
        self.clock = clock
        self.checks = checks
    }

    package var routes: [Route] {
        [
            Route(.get, "/health/live", trailingSlash: true) { _, _ in .json(Array("{\"status\":\"ok\"}\n".utf8)) },
            Route(.get, "/health/ready", trailingSlash: true) { [self] _, _ in await ready() },
        ]
    }

    /// From now on it is not ready, at once and for good: the process is about to stop.
    package func leave() { isLeaving.store(true, ordering: .relaxed) }

    private func ready() async -> Response {
        let found = isLeaving.load(ordering: .relaxed) ? [HealthCheck("stopping", .fail)] : await current()
        let isReady = !found.contains { $0.state == .fail }
        let listed = found.map { JSON.object([("name", .string($0.name)), ("state", .string($0.state.rawValue))]) }
        let body = JSON.object([("status", .string(isReady ? "ok" : "unavailable")), ("checks", .array(listed))])
        var response = Response.json(body.bytes + [0x0A], status: isReady ? .ok : .serviceUnavailable)
        response.headers.add("Cache-Control", "no-store")
        return response
    }

    private func current() async -> [HealthCheck] {
        let now = clock.now
        if let last = last.withLock({ $0 }), last.at <= now, now - last.at < Self.freshFor { return last.checks }
        let found = await checks()
        last.withLock { $0 = (now, found) }
        return found
    }
}
