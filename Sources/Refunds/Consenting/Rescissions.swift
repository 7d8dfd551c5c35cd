import AppStore
import FoundationEssentials
import Postgres
import Tenants
import Time

/// The SQL of consent that Apple took back.
enum Rescissions {
    /// Those of an app that a page lists.
    static let listMax = 200

    static let columns: SQL = """
        r.notification_uuid, r.environment, r.app_transaction_id, r.signed_at, r.learned_at, r.decision, r.decided_by,
          r.decided_at
        """

    /// Takes in what a verified RESCIND_CONSENT says; the same one again changes nothing. Audited.
    ///
    /// What waits for a person about these purchases is decided anew; ring the bell after the commit. Senders hold the lock shared: whoever commits first wins.
    static func take(
        _ appTransaction: String, _ stored: NotificationStore.Stored, at now: Moment, in tx: Transaction
    ) async throws {
        try await tx.execute(
            lock(
                appTransaction, stored.environment, of: stored.app, tenant: stored.tenant, exclusively: true))
        let isNew = try await tx.execute(
            """
            insert into refunds.rescissions
              (tenant_id, app_id, notification_uuid, environment, app_transaction_id, signed_at, learned_at)
            values (\(stored.tenant.rawValue), \(stored.app.rawValue), \(stored.uuid), \(stored.environment.rawValue),
              \(appTransaction), \(stored.signedAt), \(now))
            on conflict do nothing
            """)
        guard isNew == 1 else { return }
        try await CaseReopening.rescissionChanged(
            appTransaction, stored.environment, tenant: stored.tenant, app: stored.app, in: tx, now: now)
        try await Audit.write(
            AuditEntry(
                tenant: stored.tenant, at: now, actor: .program, action: "consent.rescinded", subject: "\(stored.app)",
                detail: ["environment": .text(stored.environment.rawValue)]), in: tx)
    }

    /// What stops replies about a transaction: its column `rescinded_at` is null where nothing does.
    static func stopping(_ appTransaction: String?, _ environment: Environment, of app: App) -> SQL {
        """
        select max(signed_at) as rescinded_at
        from refunds.rescissions
        where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
          and environment = \(environment.rawValue) and app_transaction_id = \(appTransaction ?? "")
          and decision is distinct from 'answer-again'
        """
    }

    static func lock(
        _ appTransaction: String, _ environment: Environment, of app: AppID, tenant: TenantID, exclusively: Bool
    ) -> SQL {
        AdvisoryLock.sql(
            "rescission \(tenant.rawValue) \(app.rawValue) \(environment.rawValue) \(appTransaction)",
            exclusively: exclusively)
    }

    /// Newest first.
    static func all(of app: App) -> SQL {
        """
        select \(columns)
        from refunds.rescissions r
        where r.tenant_id = \(app.tenant.rawValue) and r.app_id = \(app.id.rawValue)
        order by r.learned_at desc, r.notification_uuid
        limit \(listMax)
        """
    }

    /// How many of each app nobody looked at yet.
    static func unseen(_ apps: [AppID]) -> SQL {
        """
        select r.app_id, count(*) as n
        from refunds.rescissions r
        where r.app_id = any(\(apps.map(\.rawValue))::int8[]) and r.decision is null
        group by r.app_id
        order by r.app_id
        limit 1000
        """
    }
}
