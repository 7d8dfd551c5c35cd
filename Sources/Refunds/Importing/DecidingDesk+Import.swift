import AppStore
import Postgres
import Queue
package import Tenants
import Time

extension DecidingDesk {
    /// How far the time before an app was added is read, by environment; nothing where it was not begun.
    package func imports(of app: App) async throws -> PerEnvironment<ImportStanding> {
        try await database.transaction(app.tenant.scope, isolation: .readOnly) { tx in
            try ImportStanding.byApp(try await tx.rows(ImportStore.standings([app.id])))[app.id] ?? PerEnvironment()
        }
    }

    /// Begins to read the time before an app was added, or begins it anew; what runs goes on. Audited.
    ///
    /// - Throws: `Refused.forbidden`; `Refused.field` where the history of that environment is not read at all.
    package func startImport(
        of app: App, _ environment: AppEnvironment, by person: PersonID, role: Tenants.Role, address: String?
    ) async throws {
        guard role >= .admin else { throw Refused.forbidden }
        let now = clock.now
        let place = Environment(environment)
        try await database.transaction(app.tenant.scope) { tx in
            guard
                let sweeps = try await ImportStore.sweeps(of: app.id, place, tenant: app.tenant, in: tx)
            else { throw Refused.field("environment", "The history is read from the first signing key on.") }
            let past = PastImport(
                environment: place, beginsAt: now - HistoryLimits.kept(in: place),
                endsAt: max(sweeps.heardAt ?? now, now - HistoryLimits.kept(in: place) + .seconds(1)),
                liveFrom: sweeps.beganAt - ReplyWindow.length(in: place), startedAt: now)
            try await ImportStore.start(past, of: app.id, tenant: app.tenant, by: person, in: tx)
            try await ImportStore.enqueue(app.id, place, tenant: app.tenant, at: nil, now: now, in: tx)
            try await Audit.write(
                AuditEntry(
                    tenant: app.tenant, at: now, actor: .person(person), address: address,
                    action: "past.import-started", subject: "\(app.id)",
                    detail: ["environment": .text(environment.rawValue)]), in: tx)
        }
        bell.ring()
    }

    /// Stops it; what was read stays. Audited.
    ///
    /// - Throws: `Refused.forbidden`.
    package func stopImport(
        of app: App, _ environment: AppEnvironment, by person: PersonID, role: Tenants.Role, address: String?
    ) async throws {
        guard role >= .admin else { throw Refused.forbidden }
        let now = clock.now
        try await database.transaction(app.tenant.scope) { tx in
            guard
                var past = try await ImportStore.lock(
                    app.id, Environment(environment), tenant: app.tenant, in: tx), past.state == .running
            else { return }
            past.end(.stopped, at: now)
            try await ImportStore.save(past, of: app.id, tenant: app.tenant, in: tx)
            try await Audit.write(
                AuditEntry(
                    tenant: app.tenant, at: now, actor: .person(person), address: address,
                    action: "past.import-stopped", subject: "\(app.id)",
                    detail: ["environment": .text(environment.rawValue)]), in: tx)
        }
    }
}
