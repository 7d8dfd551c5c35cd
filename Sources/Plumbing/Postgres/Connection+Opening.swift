import CPostgres
import Loop
import Time

/// From settings to a connection that has taken its role; nothing here waits on the thread.
extension Connection {
    /// Makes a connection and lets it take its role, all of it on `loop`: the deadline runs while it is
    /// made, and must not pass while a busy pool of threads keeps the next step waiting.
    ///
    /// - Parameter role: nil leaves the login as it is, for migrations and listeners.
    static func open(
        _ settings: ConnectionSettings, role: Role?, rotation: Int = 0, within: Duration, on loop: EventLoop,
        helpers: ConnectionHelpers
    ) async throws(PostgresError) -> Connection {
        try await withTaskExecutorPreference(loop) { () async throws(PostgresError) -> Connection in
            let deadline = ContinuousClock.now + (settings.connectTimeout ?? within)
            let resolved = try await helpers.resolve(settings, rotation: rotation, until: deadline)
            let connection = Connection(
                loop: loop, handle: try ConnectionHandle(startingWith: resolved.parameters), helpers: helpers)
            do throws(PostgresError) {
                try await connection.connect(until: deadline)
                try await connection.setUp(role: role, until: deadline)
            } catch {
                await connection.close()
                throw error
            }
            return connection
        }
    }

    private func connect(until deadline: ContinuousClock.Instant) async throws(PostgresError) {
        let failure = await withCheckedContinuation { continuation in
            connecting = continuation
            schedule(deadline)
            if handle.hasFailed { connected(failing()) } else { watch(.write) }
        }
        if let failure { throw failure }
    }

    func advanceConnecting() {
        // libpq may close the socket and take another one: the old watch must be gone before that,
        // for the new socket may have the same number.
        unwatch()
        switch handle.poll() {
        case PGRES_POLLING_READING: watch(.read)
        case PGRES_POLLING_WRITING: watch(.write)
        case PGRES_POLLING_OK:
            guard handle.serverVersion >= 150_000 else {
                return connected(
                    PostgresError(
                        .unavailable, "the server is PostgreSQL \(handle.serverVersion / 10_000); 15 or newer is needed"
                    ))
            }
            guard handle.becomeNonBlocking(), handle.enterPipeline() else { return connected(failing()) }
            watch(.read)
            connected(nil)
        default: connected(failing())
        }
    }

    func connected(_ failure: PostgresError?) {
        let waiting = connecting
        connecting = nil
        if let failure { end(failure) }
        waiting?.resume(returning: failure)
    }

    private func failing() -> PostgresError {
        let reason = handle.message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return PostgresError(.unavailable, reason.isEmpty ? "the server cannot be reached" : reason)
    }

    private func setUp(role: Role?, until deadline: ContinuousClock.Instant) async throws(PostgresError) {
        let timeout = String(Self.serverTimeout.wholeMilliseconds)
        var setting: SQL = """
            select set_config('timezone', 'UTC', false),
                   set_config('search_path', 'pg_catalog, pg_temp', false)
            """
        if let role {
            setting = """
                \(setting),
                   set_config('statement_timeout', \(timeout), false),
                   set_config('idle_in_transaction_session_timeout', '60s', false),
                   set_config('role', \(role.rawValue), false)
                """
        }
        let results = try await send(
            [
                setting,
                "select current_user::text as name, rolsuper or rolbypassrls as unbound from pg_roles where rolname = current_user",
            ], until: deadline)
        guard let role else { return }
        guard let row = results[1].rows.first else {
            throw PostgresError(.denied, "the role of a connection is unknown")
        }
        let (name, isUnbound): (String, Bool) = (try row("name"), try row("unbound"))
        guard name == role.rawValue, !isUnbound else {
            throw PostgresError(
                .denied,
                "a pooled connection must be \(role.rawValue), bound by row security; it is \(name)"
                    + (isUnbound ? ", which is a superuser or bypasses row security" : ""))
        }
    }
}
