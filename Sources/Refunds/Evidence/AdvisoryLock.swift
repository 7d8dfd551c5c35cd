import Postgres

/// A lock on a name, for what has no row yet; held to the end of the transaction.
enum AdvisoryLock {
    static func sql(_ name: String, exclusively: Bool) -> SQL {
        exclusively
            ? "select pg_advisory_xact_lock(hashtextextended(\(name), 0))"
            : "select pg_advisory_xact_lock_shared(hashtextextended(\(name), 0))"
    }
}
