package import Postgres

/// How full the volume of a database is that may stand on another machine.
///
/// PostgreSQL does not say how large its disk is, to nobody. Its size is set by whoever runs it
/// (`REFUND_DESK_DATABASE_BYTES`), and compared with what the server says it takes: all databases that we may ask about,
/// and the write-ahead log, or as much of it as `max_wal_size` allows where it may not be looked at.
package struct DatabaseVolume: Sendable, Hashable, Codable {
    package let used: Int64
    package let size: Int64

    package init(used: Int64, size: Int64) {
        self.used = used
        self.size = size
    }

    /// Thousandths of the size.
    package var share: Int64 {
        size > 0 ? Int64(min(Double(used) / Double(size), 1000) * 1000) : 1000
    }

    /// Nil while there is room.
    package var severity: Severity? {
        if share >= 950 { return .error }
        return share >= 850 ? .warning : nil
    }

    /// What the server takes, in bytes. Needs no rights but to connect.
    package static func used(in database: Database) async throws -> Int64 {
        let row = try await database.rows(
            .house,
            """
            select
              (select coalesce(sum(pg_database_size(oid)), 0)::int8
               from pg_database
               where has_database_privilege(oid, 'connect') or pg_has_role('pg_read_all_stats', 'usage')) as data,
              pg_size_bytes(current_setting('max_wal_size')) as log_max,
              has_function_privilege('pg_ls_waldir()', 'execute') as may_look
            """)
        guard let row = row.first else { return 0 }
        let (data, most, mayLook): (Int64, Int64, Bool) = (try row("data"), try row("log_max"), try row("may_look"))
        guard mayLook else { return data + most }
        // A statement of its own: who may not call the function may not even name it.
        let log = try await database.rows(.house, "select coalesce(sum(size), 0)::int8 as size from pg_ls_waldir()")
        let size: Int64 = try log.first?("size") ?? most
        return data + size
    }
}
