import AppStore
package import FoundationEssentials
import Postgres
import Queue
package import Tenants
package import Time

extension DecidingDesk {
    // MARK: Looking

    /// What an app's page about consent shows.
    package func consentBook(of app: App) async throws -> ConsentBook {
        let now = clock.now
        return try await database.transaction(app.tenant.scope, isolation: .readOnly) { tx in
            let parts = try await tx.pipeline([
                WordingStore.all(of: app), Self.unknownWordings(of: app), Rescissions.all(of: app),
                ConsentCost.count(app.id, tenant: app.tenant, at: now),
            ])
            return ConsentBook(
                wordings: try parts[0].map { try ConsentWording($0) },
                unknownWordings: try parts[1].map { row in
                    let n: Int64 = try row("n")
                    return (try row("wording"), Int(n))
                }, rescissions: try parts[2].map { try Rescission($0) }, cost: try ConsentCost(parts[3]))
        }
    }

    /// What is known of one customer's consent; nil for a name that nobody can have.
    package func consentHistory(of subject: ConsentLedger.Subject, app: App) async throws -> ConsentHistory? {
        try await database.transaction(app.tenant.scope, isolation: .readOnly) { tx in
            let key: ConsentLedger.Key
            do {
                key = try await ConsentLedger.Key(subject, tenant: app.tenant, app: app.id, in: tx)
            } catch is ConsentLedger.Refusal {
                return nil
            }
            var filter = CaseFilter()
            if key.of == "customer" {
                filter.appAccountToken = key.subject
            } else {
                filter.originalTransactionID = key.subject
            }
            let cases = try await CaseQueries.list(
                of: app.tenant, apps: [app.id], filter: filter, after: nil, limit: 50, in: tx)
            let whose: SQL =
                key.of == "customer"
                ? "t.customer = \(key.subject)" : "t.original_transaction_id = \(key.subject)"
            let rescissions = try await tx.rows(
                """
                select \(Rescissions.columns)
                from refunds.rescissions r
                where r.tenant_id = \(app.tenant.rawValue) and r.app_id = \(app.id.rawValue)
                  and (r.environment, r.app_transaction_id) in (
                    select t.environment, t.app_transaction_id
                    from refunds.transactions t
                    where t.tenant_id = \(app.tenant.rawValue) and t.app_id = \(app.id.rawValue) and \(whose)
                      and t.app_transaction_id is not null)
                order by r.learned_at desc, r.notification_uuid
                limit \(Rescissions.listMax)
                """)
            return ConsentHistory(
                subject: subject,
                state: try await ConsentLedger.state(of: subject, tenant: app.tenant, app: app.id, in: tx),
                cases: cases.cases, rescissions: try rescissions.map { try Rescission($0) })
        }
    }

    /// On what consent the replies of a case rest; nil where the tenant has none of this id.
    package func consent(of id: UUID, tenant: TenantID) async throws -> CaseConsent? {
        try await database.transaction(tenant.scope, isolation: .readOnly) { tx in
            guard
                let row = try await tx.row(
                    """
                    select app_id, environment, transaction_id
                    from refunds.cases
                    where tenant_id = \(tenant.rawValue) and case_id = \(id)
                    """)
            else { return nil }
            let (app, environment) = (AppID(rawValue: try row("app_id")), try Environment(stored: row("environment")))
            guard
                let settings = try await TenantStore.apps(of: tenant, includingRemoved: true, in: tx)
                    .first(where: { $0.id == app }),
                let transaction = try await TransactionStore.find(
                    try row("transaction_id"), environment: environment, app: app, tenant: tenant, in: tx)
            else { return nil }
            return try await Self.consent(of: id, transaction, environment, settings, in: tx)
        }
    }

    private static func consent(
        of id: UUID, _ transaction: StoredTransaction, _ environment: Environment, _ app: App, in tx: Transaction
    ) async throws -> CaseConsent {
        var match: CustomerMatch?
        var guesses: [CaseConsent.Guess] = []
        var namings: [CustomerNaming] = []
        if transaction.customer == nil {
            namings = try await tx.rows(
                NamingStore.all(transaction.original, environment, of: app.id, tenant: app.tenant)
            ).map { try CustomerNaming($0) }
            match = try CustomerMatch(
                try await tx.rows(
                    CustomerMatch.candidates(of: transaction, environment, app: app.id, tenant: app.tenant)))
            if match == nil, let boughtAt = try transaction.payload().purchaseDate, boughtAt.isOrdinary {
                guesses = try await tx.rows(
                    CustomerMatch.guesses(
                        at: transaction, boughtAt: boughtAt, environment, app: app.id, tenant: app.tenant)
                ).map { CaseConsent.Guess(customer: try $0("customer"), boughtAt: try $0("purchased_at")) }
            }
        }
        let keys = ConsentLedger.keys(
            customer: transaction.customer ?? match?.customer, original: transaction.original,
            transaction: transaction.id, app: app)
        let parts = try await tx.pipeline([
            """
            select c.of, c.change_no, c.consented, c.given_at, c.learned_at, c.wording, c.source,
              exists (
                select from tenants.wordings w
                where w.tenant_id = c.tenant_id and w.app_id = c.app_id and w.version = c.wording) as wording_kept
            from unnest(\(keys.map(\.of)), \(keys.map(\.subject))) as s(of, subject)
            join refunds.consent_changes c
              on c.tenant_id = \(app.tenant.rawValue) and c.app_id = \(app.id.rawValue)
              and c.of = s.of and c.subject = s.subject
            order by c.given_at, c.change_no
            limit \(ConsentLedger.historyMax)
            """,
            """
            select r.requested_at, y.consent_change_no
            from refunds.replies y
            join refunds.rounds r
              on r.tenant_id = y.tenant_id and r.case_id = y.case_id and r.round_id = y.round_id
            where y.tenant_id = \(app.tenant.rawValue) and y.case_id = \(id)
            order by r.requested_at desc
            limit 100
            """,
            """
            select \(Rescissions.columns)
            from refunds.rescissions r
            where r.tenant_id = \(app.tenant.rawValue) and r.app_id = \(app.id.rawValue)
              and r.environment = \(environment.rawValue) and r.app_transaction_id = \(transaction.appTransaction ?? "")
            order by r.learned_at desc, r.notification_uuid
            limit \(Rescissions.listMax)
            """,
        ])
        return CaseConsent(
            app: app,
            entries: try parts[0].map { row in
                var change = try ConsentChange(row)
                if change.wording != nil { change.isWordingKept = try row("wording_kept") }
                return CaseConsent.Entry(subject: try row.word("of"), change: change)
            },
            replies: try parts[1].map {
                CaseConsent.Reply(requestedAt: try $0("requested_at"), changeNo: try $0("consent_change_no"))
            }, rescissions: try parts[2].map { try Rescission($0) }, match: match, guesses: guesses,
            namings: namings, namesCustomer: transaction.customer != nil)
    }

    private static func unknownWordings(of app: App) -> SQL {
        """
        select c.wording, count(*) as n
        from (
          select wording
          from refunds.consent_changes
          where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue) and wording is not null
          limit 100000) c
        where not exists (
          select from tenants.wordings w
          where w.tenant_id = \(app.tenant.rawValue) and w.app_id = \(app.id.rawValue) and w.version = c.wording)
        group by c.wording
        order by count(*) desc, c.wording
        limit 20
        """
    }

    // MARK: Changing

    /// Keeps a text that customers agreed to; audited.
    ///
    /// Throws `Refused.forbidden`, and `AppChangeError` naming `wordingVersion`, `wordingText` or `wordingFrom`.
    package func addWording(
        _ version: String, text: String, shownFrom: Moment, of app: App, by person: PersonID, role: Tenants.Role,
        address: String?
    ) async throws {
        guard role >= .admin else { throw Refused.forbidden }
        let wording = ConsentWording(
            version: version, text: text, shownFrom: shownFrom, author: person, madeAt: clock.now)
        try await database.transaction(app.tenant.scope) { tx in
            try await WordingStore.add(wording, to: app, by: .person(person), address: address, in: tx)
        }
    }

    /// Takes what a person decides about consent that Apple took back: of every such notice about the same customer.
    /// Audited.
    ///
    /// - Throws: `Refused.forbidden`, and `Refused.field` where there is no such notice.
    package func decide(
        _ choice: Rescission.Choice, about id: UUID, of app: App, by person: PersonID, role: Tenants.Role,
        address: String?
    ) async throws {
        guard role >= .support else { throw Refused.forbidden }
        let now = clock.now
        try await database.transaction(app.tenant.scope) { tx in
            guard
                let found = try await tx.row(
                    """
                    select \(Rescissions.columns)
                    from refunds.rescissions r
                    where r.tenant_id = \(app.tenant.rawValue) and r.app_id = \(app.id.rawValue)
                      and r.notification_uuid = \(id)
                    """
                ).map({ try Rescission($0) })
            else { throw Refused.field("rescission", "There is no such notice.") }
            let environment: Environment = found.isSandbox ? .sandbox : .production
            try await tx.execute(
                Rescissions.lock(
                    found.appTransactionID, environment, of: app.id, tenant: app.tenant, exclusively: true))
            try await tx.execute(
                """
                update refunds.rescissions
                set decision = \(choice.rawValue), decided_by = \(person.rawValue), decided_at = \(now)
                where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
                  and environment = \(environment.rawValue) and app_transaction_id = \(found.appTransactionID)
                  and decision is distinct from \(choice.rawValue)
                """)
            try await CaseReopening.rescissionChanged(
                found.appTransactionID, environment, tenant: app.tenant, app: app.id, in: tx, now: now)
            try await Audit.write(
                AuditEntry(
                    tenant: app.tenant, at: now, actor: .person(person), address: address,
                    action: "consent.rescission-decided", subject: "\(app.id)",
                    detail: ["choice": .text(choice.rawValue), "environment": .text(environment.rawValue)]), in: tx)
        }
        bell.ring()
    }
}

extension Moment {
    /// A moment that the database can hold, with days around it.
    fileprivate var isOrdinary: Bool { (86_400_000...253_402_000_000_000).contains(milliseconds) }
}
