package import Loop

/// One connection as the login of `DATABASE_URL` itself, with whatever that login may do: for
/// administration and tests. Nothing that serves requests uses it.
package struct Login: Sendable {
    private let connection: Connection

    package init(_ url: String, on loop: EventLoop) async throws(PostgresError) {
        connection = try await Connection.open(
            ConnectionSettings(url), role: nil, within: .seconds(10), on: loop, helpers: ConnectionHelpers())
    }

    /// One statement, in a transaction of its own.
    @discardableResult
    package func rows(_ sql: SQL, within: Duration = .seconds(60)) async throws(PostgresError) -> [Row] {
        try await connection.single(.house, sql, within: within).rows
    }

    /// Several statements, separated by semicolons, without values.
    package func script(_ text: String, within: Duration = .seconds(60)) async throws(PostgresError) {
        try await connection.script(text, within: within)
    }

    package func close() async { await connection.close() }
}
