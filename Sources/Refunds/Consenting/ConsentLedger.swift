import AppStore
import Crypto
package import Postgres
import Queue
package import Tenants
package import Time

/// Who agreed to what, when, and withdrew when.
///
/// Reports may come in any order: the newest `givenAt` wins, at a tie the withdrawal. Changes are only
/// ever added; how a subject stands now is one row, folded from them.
package enum ConsentLedger {
    /// Whose consent.
    package enum Subject: Sendable, Hashable {
        /// A customer, by the app's own word for them.
        case customer(appAccountToken: String)
        /// A buyer without such a word, by any transaction; counts for its `originalTransactionId`.
        case purchase(transactionID: String)
    }

    /// What the app's server says.
    package struct Report: Sendable, Hashable {
        package var consented: Bool
        /// When the customer said so; nil: now.
        package var recordedAt: Moment?
        package var wordingVersion: String?
        package var source: String?

        package init(
            consented: Bool, recordedAt: Moment? = nil, wordingVersion: String? = nil, source: String? = nil
        ) {
            self.consented = consented
            self.recordedAt = recordedAt
            self.wordingVersion = wordingVersion
            self.source = source
        }
    }

    /// How a subject stands, with how it came to stand so.
    package struct State: Sendable, Hashable {
        package let consented: Bool
        package let givenAt: Moment
        /// Oldest first by the customer's own time; at most `historyMax`, the newest of them.
        package let history: [ConsentChange]
    }

    package enum Refusal: Error, Hashable, CustomStringConvertible {
        case recordedInFuture
        case badSubject
        case textTooLong(member: String)

        package var description: String {
            switch self {
            case .recordedInFuture: "recordedAt lies in the future"
            case .badSubject: "the identifier is empty, too long, or holds a character that cannot be kept"
            case .textTooLong(let member): "\(member) is too long, or holds a character that cannot be kept"
            }
        }
    }

    package static let historyMax = 1000
    /// Clocks differ a little: so much of the future counts as now.
    package static let futureAllowed: Duration = .seconds(5)

    /// Takes a report in. The same report again changes nothing.
    ///
    /// Requests that were withheld for want of this consent are looked at again, if there is time; ring
    /// the bell after the commit.
    ///
    /// - Throws: `Refusal`, and what the database throws.
    @discardableResult
    package static func record(
        _ report: Report, of subject: Subject, tenant: TenantID, app: AppID, at now: Moment, in tx: Transaction
    ) async throws -> State {
        guard (report.recordedAt ?? now) <= now + futureAllowed else { throw Refusal.recordedInFuture }
        guard isKept(report.wordingVersion) else { throw Refusal.textTooLong(member: "wordingVersion") }
        guard isKept(report.source) else { throw Refusal.textTooLong(member: "source") }
        let key = try await Key(subject, tenant: tenant, app: app, in: tx)
        try await tx.execute(key.lock(exclusively: true))
        let givenAt = min(report.recordedAt ?? now, now)
        try await add(report, key, givenAt: givenAt, learnedAt: now, in: tx)
        try await CaseReopening.consentChanged(key, in: tx, now: now)
        return try await state(key, in: tx) ?? State(consented: report.consented, givenAt: givenAt, history: [])
    }

    /// How a subject stands; nil when nothing was ever reported.
    package static func state(
        of subject: Subject, tenant: TenantID, app: AppID, in tx: Transaction
    ) async throws -> State? {
        try await state(Key(subject, tenant: tenant, app: app, in: tx), in: tx)
    }

    // MARK: within the room

    /// One subject's name in the tables.
    struct Key: Sendable, Hashable, Comparable {
        let tenant: TenantID
        let app: AppID
        /// `customer` or `purchase`.
        let of: String
        let subject: String

        init(tenant: TenantID, app: AppID, customer: String) {
            self.tenant = tenant
            self.app = app
            of = "customer"
            subject = Key.spelled(customer)
        }

        init(tenant: TenantID, app: AppID, purchase: String) {
            self.tenant = tenant
            self.app = app
            of = "purchase"
            subject = purchase
        }

        /// A transaction we know stands for its original one.
        init(_ subject: Subject, tenant: TenantID, app: AppID, in tx: Transaction) async throws {
            switch subject {
            case .customer(let token):
                guard Text.isKept(token, bytesMax: 200), !token.isEmpty else { throw Refusal.badSubject }
                self.init(tenant: tenant, app: app, customer: token)
            case .purchase(let id):
                guard Text.isKept(id, bytesMax: 64), !id.isEmpty else { throw Refusal.badSubject }
                let known = try await tx.rows(
                    """
                    select original_transaction_id
                    from refunds.transactions
                    where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue)
                      and environment in ('Production', 'Sandbox') and transaction_id = \(id)
                    order by environment
                    limit 1
                    """
                ).first
                let original: String? = try known.map { try $0("original_transaction_id") }
                self.init(tenant: tenant, app: app, purchase: original ?? id)
            }
        }

        /// UUIDs are the same in either case; other words are kept to the letter.
        static func spelled(_ token: String) -> String { Text.isUUID(token) ? token.lowercased() : token }

        static func < (a: Key, b: Key) -> Bool { (a.of, a.subject) < (b.of, b.subject) }

        /// Held to the end of the transaction.
        ///
        /// A sender holds it shared while it decides and begins a call, a report exclusively: whoever
        /// commits first wins. The row itself cannot be locked where there is none yet, as under
        /// consent of all from a date.
        func lock(exclusively: Bool) -> SQL {
            AdvisoryLock.sql("consent \(tenant.rawValue) \(app.rawValue) \(of) \(subject)", exclusively: exclusively)
        }
    }

    /// Whose consent covers a purchase: the customer's, and what was reported for the purchase itself.
    ///
    /// - Parameter customer: as the purchase names them, or as they were matched.
    static func keys(customer: String?, original: String, transaction: String, app: App) -> [Key] {
        var keys: Set<Key> = [
            Key(tenant: app.tenant, app: app.id, purchase: original),
            Key(tenant: app.tenant, app: app.id, purchase: transaction),
        ]
        if let customer, !customer.isEmpty { keys.insert(Key(tenant: app.tenant, app: app.id, customer: customer)) }
        return keys.sorted()
    }

    /// The changes of some subjects, the newest of them.
    static func changes(of keys: [Key], app: App) -> SQL {
        """
        select c.change_no, c.consented, c.given_at, c.learned_at, c.wording, c.source
        from unnest(\(keys.map(\.of)), \(keys.map(\.subject))) as s(of, subject)
        join refunds.consent_changes c
          on c.tenant_id = \(app.tenant.rawValue) and c.app_id = \(app.id.rawValue)
          and c.of = s.of and c.subject = s.subject
        order by c.given_at desc, c.change_no desc
        limit \(historyMax)
        """
    }

    /// How those changes and the app's setting stand towards one request.
    ///
    /// - Parameter rescindedAt: when Apple took it back, where nobody let replies go on since.
    static func standing(
        _ rows: [Row], rescindedAt: Moment?, boughtAt: Moment?, signedAt: Moment, app: App
    ) throws -> ConsentStanding {
        if let rescindedAt { return .rescinded(at: rescindedAt) }
        var allFrom: Moment?
        if case .allFrom(let moment, _) = app.consent { allFrom = moment }
        return ConsentStanding.of(
            try rows.map { try ConsentChange($0) }, signedAt: signedAt, allFrom: allFrom, boughtAt: boughtAt)
    }

    /// What was reported under a transaction's own id, before we knew its original, counts for the original.
    ///
    /// - Returns: whether there was anything.
    static func link(
        transaction: String, original: String, tenant: TenantID, app: AppID, at now: Moment, in tx: Transaction
    ) async throws -> Bool {
        guard transaction != original else { return false }
        let own = Key(tenant: tenant, app: app, purchase: transaction)
        let rows = try await tx.rows(
            """
            select change_no, consented, given_at, learned_at, wording, source
            from refunds.consent_changes
            where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and of = 'purchase'
              and subject = \(own.subject)
            order by given_at desc, change_no desc
            limit \(historyMax)
            """)
        guard !rows.isEmpty else { return false }
        let key = Key(tenant: tenant, app: app, purchase: original)
        try await tx.execute(key.lock(exclusively: true))
        for change in try rows.map({ try ConsentChange($0) }).reversed() {
            let report = Report(
                consented: change.consented, recordedAt: change.givenAt, wordingVersion: change.wording,
                source: change.source)
            try await add(report, key, givenAt: change.givenAt, learnedAt: now, in: tx)
        }
        try await CaseReopening.consentChanged(key, in: tx, now: now)
        return true
    }

    private static func add(
        _ report: Report, _ key: Key, givenAt: Moment, learnedAt: Moment, in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            with change as (
              insert into refunds.consent_changes
                (tenant_id, app_id, of, subject, consented, given_at, learned_at, wording, source)
              select \(key.tenant.rawValue), \(key.app.rawValue), \(key.of), \(key.subject), \(report.consented),
                \(givenAt), \(learnedAt), \(report.wordingVersion), \(report.source)
              where not exists (
                select from refunds.consent_changes c
                where c.tenant_id = \(key.tenant.rawValue) and c.app_id = \(key.app.rawValue) and c.of = \(key.of)
                  and c.subject = \(key.subject) and c.consented = \(report.consented) and c.given_at = \(givenAt)
                  and c.wording is not distinct from \(report.wordingVersion)
                  and c.source is not distinct from \(report.source))
              returning tenant_id, app_id, of, subject, consented, given_at, learned_at, change_no)
            insert into refunds.consents as c
              (tenant_id, app_id, of, subject, consented, given_at, learned_at, change_no)
            select tenant_id, app_id, of, subject, consented, given_at, learned_at, change_no
            from change
            on conflict (tenant_id, app_id, of, subject) do update
              set consented = excluded.consented, given_at = excluded.given_at, learned_at = excluded.learned_at,
                change_no = excluded.change_no
              where excluded.given_at > c.given_at or (excluded.given_at = c.given_at and not excluded.consented)
            """)
    }

    private static func state(_ key: Key, in tx: Transaction) async throws -> State? {
        let found = try await tx.pipeline([
            """
            select consented, given_at
            from refunds.consents
            where tenant_id = \(key.tenant.rawValue) and app_id = \(key.app.rawValue) and of = \(key.of)
              and subject = \(key.subject)
            """,
            """
            select c.change_no, c.consented, c.given_at, c.learned_at, c.wording, c.source,
              exists (
                select from tenants.wordings w
                where w.tenant_id = c.tenant_id and w.app_id = c.app_id and w.version = c.wording) as wording_kept
            from refunds.consent_changes c
            where c.tenant_id = \(key.tenant.rawValue) and c.app_id = \(key.app.rawValue) and c.of = \(key.of)
              and c.subject = \(key.subject)
            order by c.given_at desc, c.change_no desc
            limit \(historyMax)
            """,
        ])
        guard let now = found[0].first else { return nil }
        return State(
            consented: try now("consented"), givenAt: try now("given_at"),
            history: try found[1].reversed().map { row in
                var change = try ConsentChange(row)
                if change.wording != nil { change.isWordingKept = try row("wording_kept") }
                return change
            })
    }

    private static func isKept(_ text: String?) -> Bool { text.map { Text.isWritten($0, bytesMax: 500) } ?? true }
}

extension ConsentChange {
    init(_ row: Row) throws(PostgresError) {
        self.init(
            changeNo: try row("change_no"), consented: try row("consented"), givenAt: try row("given_at"),
            learnedAt: try row("learned_at"), wording: try row("wording"), source: try row("source"))
    }
}
