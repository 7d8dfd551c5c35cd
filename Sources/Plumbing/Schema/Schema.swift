package import Journal
package import Loop
package import Postgres

/// The history of the database, oldest first. The order is a decision, so it is written by hand;
/// HouseTests compare it with the folder.
package enum Schema {
    /// The number of this release. A schema says which releases can still work with it.
    package static let release = 1

    package static let migrations: [Migration] = [
        step(1, "tenants", PackageResources.v0001_tenants_sql),
        step(2, "refunds", PackageResources.v0002_refunds_sql),
        step(3, "queue", PackageResources.v0003_queue_sql),
        step(4, "access", PackageResources.v0004_access_sql),
        step(5, "retention", PackageResources.v0005_retention_sql),
        step(6, "people", PackageResources.v0006_people_sql),
        step(7, "onboarding", PackageResources.v0007_onboarding_sql),
        step(8, "commerce", PackageResources.v0008_commerce_sql),
        step(9, "alerting", PackageResources.v0009_alerting_sql),
        step(10, "watching", PackageResources.v0010_watching_sql),
        step(11, "history", PackageResources.v0011_history_sql),
        step(12, "policies", PackageResources.v0012_policies_sql),
        step(13, "evidence", PackageResources.v0013_evidence_sql),
        step(14, "past", PackageResources.v0014_past_sql),
        step(15, "experiments", PackageResources.v0015_experiments_sql),
    ]

    /// Months for which bodies of notifications have a partition ahead of time.
    static let monthsAhead = 24

    /// What brings a database up to this release.
    package static func migrator(on loop: EventLoop, journal: Journal) -> Migrator {
        Migrator(
            migrations: migrations, release: release,
            afterwards: ["select refunds.make_partitions(\(Int32(monthsAhead))) as made"], loop: loop, journal: journal)
    }

    /// - Parameter minimumRelease: the oldest release that works with the schema after this step.
    private static func step(_ version: Int, _ name: String, _ bytes: [UInt8], minimumRelease: Int = 1) -> Migration {
        Migration(
            version: version, name: name, sql: String(decoding: bytes, as: UTF8.self), minimumRelease: minimumRelease)
    }
}
