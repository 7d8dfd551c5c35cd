import Crypto
package import FoundationEssentials
import Postgres
package import Tenants
package import Time

/// Answers that are fixed for single customers.
extension DecidingDesk {
    /// Somebody else fixed, changed or removed what is answered to the same customer meanwhile.
    package struct OverrideOvertaken: Error {
        /// What is fixed by now; nil: nothing.
        package let current: CustomerOverride?
    }

    /// Overrides that a page lists.
    package static let overridesMax = 500

    /// Those of an app, newest first, those that count no more among them.
    package func overrides(of app: App) async throws -> [CustomerOverride] {
        try await database.transaction(app.tenant.scope, isolation: .readOnly) { tx in
            try await tx.rows(OverrideStore.list(of: app, limit: Self.overridesMax)).compactMap {
                try CustomerOverride($0)
            }
        }
    }

    /// A page of them, for the API; with the cursor behind which the next one begins.
    package func overrides(
        of app: App, after: ListCursor?, limit: Int
    ) async throws -> (overrides: [CustomerOverride], next: ListCursor?) {
        try await database.transaction(app.tenant.scope, isolation: .readOnly) { tx in
            let rows = try await tx.rows(OverrideStore.list(of: app, after: after, limit: limit + 1))
            let next: ListCursor? =
                try rows.count > limit
                ? ListCursor(at: rows[limit - 1]("made_at"), id: rows[limit - 1]("override_id")) : nil
            return (try rows.prefix(limit).compactMap { try CustomerOverride($0) }, next)
        }
    }

    /// What is fixed for a customer, whether it still counts or not.
    package func override(of customer: String, in app: AppID, of tenant: TenantID) async throws -> CustomerOverride? {
        try await database.transaction(tenant.scope, isolation: .readOnly) { tx in
            try await tx.row(OverrideStore.find(ConsentLedger.Key.spelled(customer), of: app, tenant: tenant)).flatMap {
                try CustomerOverride($0)
            }
        }
    }

    /// Whether a purchase of the app names this customer.
    package func isCustomer(_ customer: String, of app: App) async throws -> Bool {
        guard !customer.isEmpty, Text.isKept(customer, bytesMax: 1000) else { return false }
        return try await database.transaction(app.tenant.scope, isolation: .readOnly) { tx in
            let row = try await tx.row(
                """
                select exists (
                  select from refunds.transactions
                  where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
                    and customer = \(ConsentLedger.Key.spelled(customer))) as is_known
                """)
            guard let row else { return false }
            return try row("is_known")
        }
    }

    /// Fixes what is answered to a customer, in place of what was fixed before; audited without naming the customer.
    ///
    /// - Parameters:
    ///   - until: from then on it counts no more; nil: for ever.
    ///   - basedOn: what was fixed when whoever fixes it looked; nil: nothing.
    /// - Throws: `Refused`, and `OverrideOvertaken` where something else is fixed by now.
    package func setOverride(
        _ action: CustomerOverride.Action, for customer: String, reason: String, until: Moment?, basedOn: UUID?,
        of app: App, by who: CaseActor, role: Tenants.Role, address: String?
    ) async throws {
        guard role >= .support else { throw Refused.forbidden }
        guard !customer.isEmpty, Text.isKept(customer, bytesMax: 1000) else {
            throw Refused.field("customer", "Name the customer by the appAccountToken that the app gave.")
        }
        let reason = reason.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !Text.isBlank(reason) else {
            throw Refused.field("reason", "Say why: it is shown on each of their cases.")
        }
        guard Text.isKept(reason, bytesMax: 1000) else {
            throw Refused.field("reason", "The reason has at most 1,000 bytes.")
        }
        guard Text.isPlain(reason) else { throw Refused.field("reason", "The reason \(Text.notPlain).") }
        try who.check("setBy")
        let now = clock.now
        if let until, until <= now { throw Refused.field("until", "That day is over.") }
        let override = CustomerOverride(
            id: Random.uuid(), customer: ConsentLedger.Key.spelled(customer), action: action, reason: reason,
            author: who.person, token: who.token, authorName: who.name, madeAt: now, until: until)
        try await database.transaction(app.tenant.scope) { tx in
            guard try await tx.execute(OverrideStore.set(override, of: app, basedOn: basedOn)) > 0 else {
                let current = try await tx.row(OverrideStore.find(override.customer, of: app.id, tenant: app.tenant))
                throw OverrideOvertaken(current: try current.flatMap { try CustomerOverride($0) })
            }
            try await note(
                "override.set", app, ["kind": .text(action.rawValue), "is": .text(override.id.text)],
                by: who.actor, address, at: now, in: tx)
        }
    }

    /// Takes it away; rules decide again. Audited.
    ///
    /// - Returns: false where it was gone already.
    package func removeOverride(
        _ id: UUID, of app: App, by who: CaseActor, role: Tenants.Role, address: String?
    ) async throws -> Bool {
        guard role >= .support else { throw Refused.forbidden }
        return try await database.transaction(app.tenant.scope) { tx in
            guard try await tx.execute(OverrideStore.remove(id, of: app)) > 0 else { return false }
            try await note(
                "override.removed", app, ["is": .text(id.text)], by: who.actor, address, at: clock.now, in: tx)
            return true
        }
    }

    func note(
        _ action: String, _ app: App, _ detail: [String: AuditEntry.Value], _ person: PersonID, _ address: String?,
        at now: Moment, in tx: Transaction
    ) async throws {
        try await note(action, app, detail, by: .person(person), address, at: now, in: tx)
    }

    private func note(
        _ action: String, _ app: App, _ detail: [String: AuditEntry.Value], by actor: AuditEntry.Actor,
        _ address: String?, at now: Moment, in tx: Transaction
    ) async throws {
        try await Audit.write(
            AuditEntry(
                tenant: app.tenant, at: now, actor: actor, address: address, action: action,
                subject: "app \(app.id.rawValue)", detail: detail), in: tx)
    }
}
