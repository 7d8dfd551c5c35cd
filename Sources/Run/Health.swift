import Gateway
import Journal
import Loop
import Postgres
import Schema
import Tenants

/// What readiness means here: the database answers, its schema is one we work with, and signatures can be
/// verified. All else is a warning.
final class Health: Sendable {
    private let house: House
    private let canVerify: Bool

    init(_ house: House, canVerify: Bool) {
        self.house = house
        self.canVerify = canVerify
    }

    func checks() async -> [HealthCheck] {
        var checks = await database()
        checks.append(HealthCheck("trust-roots", canVerify ? .ok : .fail))
        checks.append(HealthCheck("master-key", house.vault.hasMasterKey ? .ok : .warn))
        return checks
    }

    private func database() async -> [HealthCheck] {
        do {
            // Over the pool that takes notifications: another one's health would say nothing about it.
            _ = try await house.database.rows(.intake, "select 1 as one", within: .seconds(2))
        } catch {
            return [HealthCheck("database", .fail)]
        }
        do {
            let state = try await Schema.migrator(on: house.loops.here, journal: house.journal)
                .state(house.configuration.databaseURL.reveal())
            return [HealthCheck("database", .ok), HealthCheck("schema", state.trouble == nil ? .ok : .fail)]
        } catch {
            return [HealthCheck("database", .ok), HealthCheck("schema", .fail)]
        }
    }
}
