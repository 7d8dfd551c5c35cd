import Loop
import Synchronization

/// The blocking parts of a connection's life, on threads of their own: asking name servers, and
/// `PQcancel`, which waits for the server.
///
/// The threads start when they are first needed: an address that is a number needs no name server.
package final class ConnectionHelpers: Sendable {
    private struct Threads {
        var names: Offload?
        var cancels: Offload?
    }

    private let threads = Mutex(Threads())

    package init() {}

    func resolve(
        _ settings: ConnectionSettings, rotation: Int, until deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> ConnectionSettings {
        guard settings.needsResolving else { return settings }
        do {
            return try await names.run {
                // Those behind a name server that does not answer need not wait for it as well.
                guard ContinuousClock.now < deadline else {
                    throw PostgresError(.unavailable, "the name of the database's host was not resolved in time")
                }
                return try settings.resolved(rotation: rotation)
            }
        } catch let error as PostgresError {
            throw error
        } catch {
            throw PostgresError(.unavailable, "too many connections wait for the name of the database's host")
        }
    }

    private var names: Offload {
        threads.withLock { threads in
            let names = threads.names ?? Offload(name: "pg-names", threads: 1, queueMax: 64)
            threads.names = names
            return names
        }
    }

    private var cancels: Offload {
        threads.withLock { threads in
            let cancels = threads.cancels ?? Offload(name: "pg-cancel", threads: 1, queueMax: 256)
            threads.cancels = cancels
            return cancels
        }
    }

    /// Where too many cancellations wait, the server's own time-out ends the statement.
    func cancel(_ canceller: CancelHandle, on loop: EventLoop) {
        loop.run { [cancels] in try? await cancels.run { canceller.cancel() } }
    }
}
