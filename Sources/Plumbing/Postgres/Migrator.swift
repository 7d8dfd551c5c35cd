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
    }

    let migrations: [Migration]
    let release: Int
    let loop: EventLoop
    let journal: Journal

    /// - Parameter release: the number of this release, compared with `minimumRelease` of newer schemas.
    package init(migrations: [Migration], release: Int, loop: EventLoop, journal: Journal) {
        self.migrations = migrations
        self.release = release
        self.loop = loop
        self.journal = journal
    }

    package func migrate(_ url: String) async throws(PostgresError) -> Report { preconditionFailure("follows") }
    package func state(_ url: String) async throws(PostgresError) -> State { preconditionFailure("follows") }
}
