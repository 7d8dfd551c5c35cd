import Loop

/// The blocking parts of a connection's life, on threads of their own: asking name servers, and
/// `PQcancel`, which waits for the server.
package final class ConnectionHelpers: Sendable {
    private let names = Offload(name: "pg-names", threads: 1, queueMax: 64)
    private let cancels = Offload(name: "pg-cancel", threads: 1, queueMax: 256)

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

    /// Where too many cancellations wait, the server's own time-out ends the statement.
    func cancel(_ canceller: CancelHandle, on loop: EventLoop) {
        loop.run { [cancels] in try? await cancels.run { canceller.cancel() } }
    }
}
