package import FoundationEssentials
package import Postgres
package import Time

/// The processes that serve now, and which master keys each of them knows.
///
/// A change of master key waits until every one of them has told that it knows the new key.
package enum ProcessList {
    /// How often a process tells that it is there.
    package static let every = Duration.seconds(30)
    /// After so long without a word a process counts as gone.
    package static let goneAfter = Duration.seconds(120)
    /// After so long without a word a process has missed one, and is hardly there any more.
    package static let silentAfter = Duration.seconds(60)

    /// Tells that this process is there.
    ///
    /// - Parameter facts: what it knows of its machine, as text that its own kind understands.
    package static func announce(
        _ process: UUID, host: String, keyring: MasterKeyring, facts: String? = nil, at now: Moment,
        in database: Database
    ) async throws {
        _ = try await database.rows(
            .house,
            """
            insert into tenants.processes as p (process_id, host, started_at, seen_at, master_key_ids, facts)
            values (\(process), \(host), \(now), \(now), \(keyring.ids), \(facts))
            on conflict (process_id) do update
            set seen_at = excluded.seen_at, master_key_ids = excluded.master_key_ids, facts = excluded.facts
            returning p.process_id
            """)
    }

    /// Tells that this process ends, and forgets those that ended without a word.
    package static func leave(_ process: UUID, at now: Moment, in database: Database) async throws {
        _ = try await database.rows(
            .house,
            """
            delete from tenants.processes
            where process_id = \(process) or seen_at < \(now - .days(1))
            returning process_id
            """)
    }

    /// What the other processes told of themselves, at most 200 of them.
    ///
    /// - Parameter within: how long ago they last told, at most.
    package static func others(
        than process: UUID, within: Duration = ProcessList.goneAfter, at now: Moment, in database: Database
    ) async throws(PostgresError) -> [(host: String, facts: String)] {
        try await database.rows(
            .house,
            """
            select host, facts
            from tenants.processes
            where seen_at > \(now - within) and process_id <> \(process) and facts is not null
            order by host, process_id
            limit 200
            """
        ).map { row throws(PostgresError) in (try row("host"), try row("facts")) }
    }

    static func requireKey(_ id: [UInt8], at now: Moment, in database: Database) async throws {
        let rows = try await database.rows(
            .house,
            """
            select process_id, host
            from tenants.processes
            where seen_at > \(now - goneAfter) and not \(id) = any (master_key_ids)
            order by host, process_id
            limit 20
            """)
        guard !rows.isEmpty else { return }
        throw ProcessLacksKey(
            processes: try rows.map { row in
                let process: UUID = try row("process_id")
                let host: String = try row("host")
                return "\(host) \(process.uuidString.prefix(8).lowercased())"
            })
    }
}
