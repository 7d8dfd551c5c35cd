import AppStore
import FoundationEssentials
import Postgres
import Queue
import Tenants
import Time

/// Looks again at requests that were withheld, when what was missing becomes known in time, and at those that wait for a
/// person, when consent may have ended.
///
/// Nothing is changed here: the reply's job looks at each under the case's lock and decides again. The
/// caller holds the lock that senders hold shared, so a withholding is either committed and found here,
/// or not decided yet.
enum CaseReopening {
    /// Rows looked at for one report: a customer has few purchases, and fewer withheld ones.
    private static let casesMax = 200

    static func consentChanged(_ key: ConsentLedger.Key, in tx: Transaction, now: Moment) async throws {
        let found: SQL =
            key.of == "customer"
            ? "c.customer = \(key.subject)"
            : "(c.original_transaction_id = \(key.subject) or c.transaction_id = \(key.subject))"
        try await lookAgain(
            .noConsent, which: found, tenant: key.tenant, app: key.app, in: tx, now: now)
        guard key.of == "customer" else { return }
        // Purchases that name nobody, and whose other transactions name this customer.
        let kin: SQL = """
            (select k.original_transaction_id, k.app_transaction_id
             from refunds.transactions k
             where k.tenant_id = \(key.tenant.rawValue) and k.app_id = \(key.app.rawValue) and k.customer = \(key.subject)
             order by k.purchased_at desc
             limit \(casesMax))
            """
        // Two joins and no "or": each has an index of its own.
        func named(_ same: SQL) -> SQL {
            """
            select t.transaction_id
            from \(kin) k
            join refunds.transactions t
              on t.tenant_id = \(key.tenant.rawValue) and t.app_id = \(key.app.rawValue) and \(same)
            where t.customer is null
            """
        }
        let unnamed: SQL = """
            c.customer is null and c.transaction_id in (
                \(named("t.original_transaction_id = k.original_transaction_id"))
                union all
                \(named("t.app_transaction_id = k.app_transaction_id")))
            """
        try await lookAgain(
            .noConsent, which: unnamed, tenant: key.tenant, app: key.app, in: tx, now: now)
        let told: SQL = """
            c.customer is null
                and (c.environment, c.original_transaction_id) in (
                  select n.environment, n.original_transaction_id
                  from refunds.named_customers n
                  where n.tenant_id = \(key.tenant.rawValue) and n.app_id = \(key.app.rawValue)
                    and n.customer = \(key.subject) and n.withdrawn_at is null)
            """
        try await lookAgain(
            .noConsent, which: told, tenant: key.tenant, app: key.app, in: tx, now: now)
    }

    /// Who the customer of a purchase is was named, or taken back: their consent counts now, and rules see another
    /// customer.
    static func customerNamed(
        _ original: String, _ environment: Environment, tenant: TenantID, app: AppID, in tx: Transaction, now: Moment
    ) async throws {
        try await lookAgain(
            .noConsent, .policy,
            which: """
                c.environment = \(environment.rawValue)
                  and c.original_transaction_id = \(original) and c.customer is null
                """, tenant: tenant, app: app, in: tx, now: now)
    }

    /// A parent withdrew consent for what was bought under an `appTransactionId`, or a person let replies go on for it.
    static func rescissionChanged(
        _ appTransaction: String, _ environment: Environment, tenant: TenantID, app: AppID, in tx: Transaction,
        now: Moment
    ) async throws {
        let bought: SQL = """
            c.environment = \(environment.rawValue) and c.transaction_id in (
                select t.transaction_id
                from refunds.transactions t
                where t.tenant_id = \(tenant.rawValue) and t.app_id = \(app.rawValue)
                  and t.environment = \(environment.rawValue) and t.app_transaction_id = \(appTransaction))
            """
        try await lookAgain(
            .noConsent, which: bought, tenant: tenant, app: app, in: tx, now: now)
    }

    static func deliveryReported(
        _ transactionID: String, tenant: TenantID, app: AppID, in tx: Transaction, now: Moment
    ) async throws {
        try await lookAgain(
            .deliveryUnreported, which: "c.transaction_id = \(transactionID)", tenant: tenant, app: app, in: tx,
            now: now)
    }

    /// - Parameter withheld: for want of what; where that is consent, a request that waits for a person is looked at too.
    private static func lookAgain(
        _ withheld: Withholding..., which: SQL, tenant: TenantID, app: AppID, in tx: Transaction, now: Moment
    ) async throws {
        let isHeldToo = withheld.contains(.noConsent)
        let rows = try await tx.rows(
            """
            select c.case_id, c.environment, r.round_id, r.deadline
            from refunds.cases c
            join refunds.rounds r on r.tenant_id = c.tenant_id and r.case_id = c.case_id and r.state = c.state
            where c.tenant_id = \(tenant.rawValue) and c.app_id = \(app.rawValue)
              and (c.state = 'withheld' and c.state_reason = any(\(withheld.map(\.rawValue)))
                or \(isHeldToo) and c.state = 'held')
              and r.deadline > \(now) and \(which)
            order by c.listed_at desc
            limit \(casesMax)
            """)
        for row in rows {
            let round: UUID = try row("round_id")
            let environment: String = try row("environment")
            let subject = ReplySubject(case: try row("case_id"), round: round)
            let isNew = try await Enqueue.add(
                subject.job(
                    tenant: tenant, lane: App.lane(app, isSandbox: environment == "Sandbox"),
                    deadline: try row("deadline")),
                in: tx)
            // The job of a request that waits for a person waits with it.
            if !isNew { try await subject.hurry(tenant: tenant, in: tx) }
        }
    }
}
