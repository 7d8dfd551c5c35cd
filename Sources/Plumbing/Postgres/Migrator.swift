package import Journal
package import Loop

/// Applies the ordered list of migrations to a database.
package struct Migrator: Sendable {
    /// What was found and what was done.
    package struct Report: Sendable, Equatable {
        /// The version before; 0 for an empty database.
        package let from: Int
        package let to: Int
        package let applied: [String]

        package init(from: Int, to: Int, applied: [String]) {
            self.from = from
            self.to = to
            self.applied = applied
        }
    }

    /// How the database's schema compares with the one this release was built for.
    package struct State: Sendable, Equatable {
        /// The recorded version; 0 where nothing was ever applied.
        package let current: Int
        /// The version this release brings.
        package let needed: Int
        /// The oldest release that works with the recorded schema.
        package let minimumRelease: Int
        /// Why this release must not serve from it; nil: it may.
        package let trouble: String?

        package init(current: Int, needed: Int, minimumRelease: Int, trouble: String?) {
            self.current = current
            self.needed = needed
            self.minimumRelease = minimumRelease
            self.trouble = trouble
        }
    }

    let migrations: [Migration]
    let release: Int
    let afterwards: [SQL]
    let loop: EventLoop
    let journal: Journal

    /// One process at a time, in the whole database.
    private static let lock = SessionLock(space: 0x6465_736B, number: 0)
    /// For one migration, and for waiting until another process has done all of them.
    private static let patience: Duration = .seconds(3600)

    /// - Parameters:
    ///   - release: the number of this release, compared with `minimumRelease` of newer schemas.
    ///   - afterwards: statements that every run ends with, such as making next year's partitions;
    ///     each may be carried out any number of times.
    package init(
        migrations: [Migration], release: Int, afterwards: [SQL] = [], loop: EventLoop, journal: Journal
    ) {
        for (index, migration) in migrations.enumerated() {
            precondition(migration.version == index + 1, "migrations are numbered from 1 without a gap")
        }
        self.migrations = migrations
        self.release = release
        self.afterwards = afterwards
        self.loop = loop
        self.journal = journal
    }

    /// Brings the schema up to this release: forward only, each step in a transaction of its own.
    ///
    /// Any number of processes may start it at once. A schema that is newer and still serves this
    /// release is left as it is.
    ///
    /// - Throws: `.misuse` with a text for people: a step that was applied in another form, a newer
    ///   schema that this release does not know how to work with, roles that may not be made.
    package func migrate(_ url: String) async throws(PostgresError) -> Report {
        try await withConnection(url) { connection throws(PostgresError) in
            _ = try await connection.single(
                .house, "select pg_advisory_lock(\(Self.lock.space), \(Self.lock.number))", within: Self.patience)
            var recorded = try await recorded(connection)
            if recorded == nil {
                try await RoleCheck.mayMakeRoles(connection)
                try await connection.script(Self.recordSQL, within: Self.patience)
                recorded = []
            }
            let steps = recorded ?? []
            if let trouble = compare(steps).trouble, steps.count >= migrations.count || isChanged(steps) {
                throw PostgresError(.misuse, trouble)
            }
            var applied: [String] = []
            for migration in migrations.dropFirst(steps.count) {
                try await apply(migration, on: connection)
                applied.append("v\(migration.version) \(migration.name)")
            }
            if steps.count <= migrations.count {
                for statement in afterwards {
                    _ = try await connection.single(.house, statement, within: Self.patience)
                }
            }
            return Report(from: steps.count, to: max(steps.count, migrations.count), applied: applied)
        }
    }

    /// How the schema stands; changes nothing.
    package func state(_ url: String) async throws(PostgresError) -> State {
        try await withConnection(url) { connection throws(PostgresError) in
            compare(try await recorded(connection) ?? [])
        }
    }

    // MARK: Parts

    private struct Step {
        let version: Int
        let name: String
        let checksum: String
        let minimumRelease: Int
    }

    private static let recordSQL = """
        begin;
        create schema desk;
        -- What was applied, in which form. The newest row says which releases still work with it.
        create table desk.schema_versions (
          version int primary key,
          name text not null,
          checksum text not null,
          minimum_release int not null,
          applied_at timestamptz not null default clock_timestamp());
        commit;
        """

    private func withConnection<R>(
        _ url: String, _ body: (Connection) async throws(PostgresError) -> R
    ) async throws(PostgresError) -> R {
        let connection = try await Connection.open(
            ConnectionSettings(url), role: nil, within: .seconds(10), on: loop, helpers: ConnectionHelpers())
        do throws(PostgresError) {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Nil where nothing was ever applied.
    private func recorded(_ connection: Connection) async throws(PostgresError) -> [Step]? {
        let exists: Bool =
            try await connection.single(
                .house, "select to_regclass('desk.schema_versions') is not null as it", within: .seconds(10)
            ).rows[0]("it")
        guard exists else { return nil }
        var steps: [Step] = []
        let rows = try await connection.single(
            .house, "select version, name, checksum, minimum_release from desk.schema_versions order by version",
            within: .seconds(10)
        ).rows
        for row in rows {
            steps.append(
                Step(
                    version: try row("version"), name: try row("name"), checksum: try row("checksum"),
                    minimumRelease: try row("minimum_release")))
        }
        return steps
    }

    private func changed(_ steps: [Step]) -> Step? {
        zip(steps, migrations).first { $0.version != $1.version || $0.checksum != $1.checksum }?.0
    }

    private func isChanged(_ steps: [Step]) -> Bool { changed(steps) != nil }

    private func compare(_ steps: [Step]) -> State {
        let (current, needed) = (steps.count, migrations.count)
        let minimum = steps.last?.minimumRelease ?? 0
        var trouble: String?
        if let step = changed(steps) {
            trouble = """
                step \(step.version) (\(step.name)) of the database's schema was applied in another form than this \
                release knows: it is the database of another build, and is left as it is
                """
        } else if current < needed {
            trouble = """
                the database's schema is version \(current) and this release needs \(needed): run "refund-desk migrate"
                """
        } else if current > needed, minimum > release {
            trouble = """
                the database's schema is version \(current) and works with release \(minimum) and newer; this is \
                release \(release): install the newer one
                """
        }
        return State(current: current, needed: needed, minimumRelease: minimum, trouble: trouble)
    }

    private func apply(_ migration: Migration, on connection: Connection) async throws(PostgresError) {
        precondition(
            migration.name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }, "a name of small letters")
        journal.info("migrating", ["version": JournalValue(migration.version), "name": .string(migration.name)])
        let script = """
            begin;
            \(migration.sql)
            insert into desk.schema_versions (version, name, checksum, minimum_release)
            values (\(migration.version), '\(migration.name)', '\(migration.checksum)', \(migration.minimumRelease));
            commit;
            """
        do throws(PostgresError) {
            try await connection.script(script, within: Self.patience)
        } catch {
            throw PostgresError(
                error.kind, "step \(migration.version) (\(migration.name)) was not applied: \(error.text)",
                sqlState: error.sqlState, outcomeIsUnknown: error.outcomeIsUnknown)
        }
    }
}
