import FoundationEssentials
import Postgres
import Queue
package import Tenants
import Time

/// What people say and set: approval, addendum, limits, costs, the checklist. Each leaves a trace.
extension CommerceDesk {
    /// Lets the stopped queue of an app and environment go on.
    package func release(
        app: App, environment: AppEnvironment, by actor: CommerceActor
    ) async throws -> CommerceAccess {
        let access = try await set(app, environment, actor, "commerce.released", [:]) { now, tx in
            try await CommerceAccessStore.release(
                app: app.id, environment: environment, tenant: app.tenant, at: now, in: tx)
        }
        bell.ring()
        return access
    }

    /// A person says as what Apple approved the app; nil: it is not.
    package func setApproval(
        _ approval: CommerceAccess.Approval?, app: App, environment: AppEnvironment, by actor: CommerceActor
    ) async throws -> CommerceAccess {
        try await set(
            app, environment, actor, "commerce.approval-set", ["approvedAs": .text(approval?.rawValue ?? "")]
        ) { now, tx in
            try await tx.execute(
                """
                update refunds.commerce_access
                set approved_as = \(approval?.rawValue), approved_by = \(actor.person?.rawValue), approved_at = \(now),
                  changed_at = \(now)
                where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
                  and environment = \(environment.rawValue)
                """)
        }
    }

    /// A person says that the addendum is accepted, which version and when (`2026-03-01`).
    package func setAddendum(
        version: String, on day: String, app: App, environment: AppEnvironment, by actor: CommerceActor
    ) async throws -> CommerceAccess {
        guard !version.isEmpty, Text.isWritten(version, bytesMax: 100) else {
            throw CommerceRefused.troubles([CommerceTrouble("version", nil, "A version has 1 to 100 bytes of text.")])
        }
        guard Self.isDay(day) else {
            throw CommerceRefused.troubles([CommerceTrouble("on", nil, "A day is written as 2026-03-01.")])
        }
        // Tomorrow is today already where the day begins earlier than in UTC.
        guard day <= (clock.now + .days(1)).iso8601.prefix(10) else {
            throw CommerceRefused.troubles([CommerceTrouble("on", nil, "This day is still to come.")])
        }
        return try await set(
            app, environment, actor, "commerce.addendum-set", ["version": .text(version), "on": .text(day)]
        ) { now, tx in
            try await tx.execute(
                """
                update refunds.commerce_access
                set addendum = 'accepted', addendum_version = \(version), addendum_on = \(day)::text::date,
                  decided_at = \(now), decided_by = \(actor.person?.rawValue), changed_at = \(now)
                where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
                  and environment = \(environment.rawValue)
                """)
        }
    }

    /// The limit above which a second person approves; nil takes it away.
    package func setLimit(_ milliunits: Int64?, currency: String, app: App, by actor: CommerceActor) async throws {
        try Self.check(currency: currency)
        if let milliunits, milliunits < 0 {
            throw CommerceRefused.troubles([CommerceTrouble("limit", nil, "A limit is nothing or more.")])
        }
        try await change(
            app, actor, "commerce.limit-set",
            ["currency": .text(currency), "limit": milliunits.map { .number($0) } ?? .none]
        ) { _, tx in
            if let milliunits {
                try await tx.execute(
                    """
                    insert into refunds.approval_limits (tenant_id, app_id, currency, milliunits)
                    values (\(app.tenant.rawValue), \(app.id.rawValue), \(currency), \(milliunits))
                    on conflict (tenant_id, app_id, currency) do update set milliunits = excluded.milliunits
                    """)
            } else {
                try await tx.execute(
                    """
                    delete from refunds.approval_limits
                    where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
                      and currency = \(currency)
                    """)
            }
        }
    }

    /// The first amount that no sale costs, in milliunits: Apple's dearest price is far below it in every currency.
    private static let costMilliunitsEnd: Int64 = 1_000_000_000_000
    private static let costNoteBytesMax = 500

    /// Sets what a sale of a product costs, in place of what was set before.
    ///
    /// - Throws: `CommerceRefused`; troubles name `sku`, `amount` or `note`.
    package func setCost(_ cost: SKUCost, app: App, by actor: CommerceActor) async throws {
        try Self.check(currency: cost.currency)
        guard (1...512).contains(cost.sku.utf8.count), !cost.sku.utf8.contains(0), cost.sku.count <= 128 else {
            throw CommerceRefused.troubles([CommerceTrouble("sku", nil, "A SKU has 1 to 128 characters.")])
        }
        guard cost.milliunits >= 0 else {
            throw CommerceRefused.troubles([CommerceTrouble("amount", nil, "A cost is nothing or more.")])
        }
        guard cost.milliunits < Self.costMilliunitsEnd else {
            throw CommerceRefused.troubles([
                CommerceTrouble("amount", nil, "A cost of one sale lies below 1,000,000,000 of its currency.")
            ])
        }
        let note = cost.note
        guard note.map({ Text.isWritten($0, bytesMax: Self.costNoteBytesMax) }) ?? true else {
            throw CommerceRefused.troubles([
                CommerceTrouble("note", nil, "The note has at most \(Self.costNoteBytesMax) bytes.")
            ])
        }
        try await change(
            app, actor, "commerce.cost-set",
            [
                "sku": .text(cost.sku), "kind": .text(cost.kind.rawValue), "milliunits": .number(cost.milliunits),
                "currency": .text(cost.currency),
            ]
        ) { _, tx in
            try await tx.execute(
                """
                insert into refunds.sku_costs (tenant_id, app_id, sku, kind, milliunits, currency, note, basis)
                values (\(app.tenant.rawValue), \(app.id.rawValue), \(cost.sku), \(cost.kind.rawValue),
                  \(cost.milliunits), \(cost.currency), \(note), \(cost.basis.rawValue))
                on conflict (tenant_id, app_id, sku, kind) do update
                  set milliunits = excluded.milliunits, currency = excluded.currency, note = excluded.note,
                    basis = excluded.basis
                """)
        }
    }

    package func removeCost(sku: String, kind: SKUCost.Kind, app: App, by actor: CommerceActor) async throws {
        try await change(
            app, actor, "commerce.cost-removed", ["sku": .text(sku), "kind": .text(kind.rawValue)]
        ) { _, tx in
            try await tx.execute(
                """
                delete from refunds.sku_costs
                where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue) and sku = \(sku)
                  and kind = \(kind.rawValue)
                """)
        }
    }

    package func setChecklist(
        refundPath: String?, approvalsOwner: PersonID?, app: App, by actor: CommerceActor
    ) async throws {
        let path = refundPath.map { Text.kept($0, bytesMax: 500) }.flatMap { $0.isEmpty ? nil : $0 }
        try await change(
            app, actor, "commerce.checklist-set",
            ["refundPath": .text(path ?? ""), "owner": .text(approvalsOwner?.rawValue.text ?? "")]
        ) { now, tx in
            try await tx.execute(
                """
                insert into refunds.commerce_checklists (tenant_id, app_id, refund_path, approvals_owner, changed_at)
                values (\(app.tenant.rawValue), \(app.id.rawValue), \(path), \(approvalsOwner?.rawValue), \(now))
                on conflict (tenant_id, app_id) do update
                  set refund_path = excluded.refund_path, approvals_owner = excluded.approvals_owner,
                    changed_at = excluded.changed_at
                """)
        }
    }

    // MARK: small things

    private func change(
        _ app: App, _ actor: CommerceActor, _ action: String, _ detail: [String: AuditEntry.Value],
        _ body: (Moment, Transaction) async throws -> Void
    ) async throws {
        guard actor.maySet else { throw CommerceRefused.forbidden("your role does not change settings") }
        try await database.transaction(app.tenant.scope) { tx in
            let now = clock.now
            try await body(now, tx)
            try await auditAccess(action, app, nil, actor, at: now, detail, in: tx)
        }
    }

    private func set(
        _ app: App, _ environment: AppEnvironment, _ actor: CommerceActor, _ action: String,
        _ detail: [String: AuditEntry.Value], _ body: (Moment, Transaction) async throws -> Void
    ) async throws -> CommerceAccess {
        guard actor.maySet else { throw CommerceRefused.forbidden("your role does not change settings") }
        return try await database.transaction(app.tenant.scope) { tx in
            let now = clock.now
            try await CommerceAccessStore.ensure(
                app: app.id, environment: environment, tenant: app.tenant, at: now, in: tx)
            try await body(now, tx)
            try await auditAccess(action, app, environment, actor, at: now, detail, in: tx)
            return try await CommerceAccessStore.read(of: app, environment: environment, in: tx)
        }
    }

    private static func check(currency: String) throws {
        guard currency.utf8.count == 3, currency.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
            throw CommerceRefused.troubles([
                CommerceTrouble("currency", nil, "A currency is three capital letters, such as EUR.")
            ])
        }
    }

    /// `2026-03-01`, a day that exists.
    private static func isDay(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), year > 2000,
            (1...12).contains(month)
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...days[month - 1]).contains(day)
    }
}
