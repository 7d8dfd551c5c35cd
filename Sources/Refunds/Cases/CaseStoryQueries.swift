import AppStore
import FoundationEssentials
import Postgres
import Tenants
import Time

extension CaseQueries {
    /// Rows of each kind that a story shows: no case of a real customer comes near.
    private static let rowsMax = 200
    /// Other cases of the customer that a story names.
    static let othersMax = 20

    /// Everything about one case, in two round trips; nil where the tenant has none of this id.
    static func story(of tenant: TenantID, case id: UUID, in tx: Transaction) async throws -> CaseStory? {
        guard
            let row = try await tx.row(
                """
                select \(columns), p.bundle_id, p.name as app_name, p.rehearsal
                from refunds.cases c
                join tenants.apps p on p.tenant_id = c.tenant_id and p.app_id = c.app_id
                where c.case_id = \(id)
                """)
        else { return nil }
        let line = try CaseLine(row)
        let parts = try await tx.pipeline(
            core(of: [line.id]) + [
                consents(of: line), usage(of: line), remarks(of: line), notifications(of: line), others(of: line),
            ])
        let core = try StoryCore(parts)
        var story = CaseStory(
            line: line, bundleID: try row("bundle_id"), appName: try row("app_name"),
            isRehearsal: try row("rehearsal"),
            purchase: core.purchases[line.id], rounds: core.rounds[line.id] ?? [], facts: core.facts[line.id] ?? [],
            consents: try parts[4].map { try CaseStory.Consent($0) },
            usage: try parts[5].map { try CaseStory.UsageReport($0) },
            remarks: try parts[6].reversed().map { try CaseStory.Remark($0) },
            notifications: try parts[7].map { try NotificationLine($0) },
            others: try parts[8].map { try CaseLine($0) })
        story.asks = try await AskStore.asks(of: line.id, in: tx)
        if line.customer == nil {
            let environment = try Environment(stored: line.environment)
            let namings = try await tx.rows(
                NamingStore.all(line.originalTransactionID, environment, of: line.app, tenant: tenant)
            ).map { try CustomerNaming($0) }.filter { $0.withdrawnAt == nil }
            story.naming = namings.first { $0.by == .callback } ?? namings.first
        }
        return story
    }

    /// A page of cases with their requests and replies, in one more round trip for all of them.
    static func stories(of page: CasePage, app: App, in tx: Transaction) async throws -> [CaseStory] {
        if page.cases.isEmpty { return [] }
        let core = try StoryCore(try await tx.pipeline(self.core(of: page.cases.map(\.id))))
        return page.cases.map { line in
            CaseStory(
                line: line, bundleID: app.bundleID, appName: app.name, isRehearsal: app.isRehearsal,
                purchase: core.purchases[line.id],
                rounds: core.rounds[line.id] ?? [], facts: core.facts[line.id] ?? [], consents: [], usage: [],
                remarks: [], notifications: [])
        }
    }

    private static func core(of cases: [UUID]) -> [SQL] {
        [purchases(of: cases), rounds(of: cases), attempts(of: cases), facts(of: cases)]
    }

    private static func purchases(of cases: [UUID]) -> SQL {
        """
        select c.case_id, t.type, t.purchased_at, t.expires_at, t.storefront, t.ownership, t.signed_at, t.revoked_at,
          t.revocation_type, t.revocation_share, t.revocation_reason, t.bundle_id_missing, t.fields
        from refunds.cases c
        join refunds.transactions t
          on t.tenant_id = c.tenant_id and t.app_id = c.app_id and t.environment = c.environment
          and t.transaction_id = c.transaction_id
        where c.case_id = any(\(cases)::uuid[])
        order by c.case_id
        limit \(limitMax)
        """
    }

    private static func rounds(of cases: [UUID]) -> SQL {
        """
        select r.case_id, r.round_id, r.requested_at, r.deadline, r.state, r.state_reason, r.late,
          r.first_received_at, r.decision, r.decided_at, r.hold_until, r.ask_until, r.answer, f.reason,
          coalesce(n.deliveries, 1) as deliveries, y.api, y.body, y.frozen_at
        from refunds.rounds r
        join refunds.cases c on c.tenant_id = r.tenant_id and c.case_id = r.case_id
        left join refunds.replies y
          on y.tenant_id = r.tenant_id and y.case_id = r.case_id and y.round_id = r.round_id
        left join refunds.facts f
          on f.tenant_id = r.tenant_id and f.case_id = r.case_id and f.fact_id = r.round_id
        left join refunds.notifications n
          on n.tenant_id = r.tenant_id and n.app_id = c.app_id and n.notification_uuid = r.round_id
        where r.case_id = any(\(cases)::uuid[])
        order by r.case_id, r.requested_at desc, r.round_id desc
        limit \(rowsMax * 10)
        """
    }

    private static func attempts(of cases: [UUID]) -> SQL {
        """
        select round_id, attempt_no, started_at, ended_at, result, status, apple_code, apple_message,
          apple_request_id, error, retry_at
        from refunds.attempts
        where case_id = any(\(cases)::uuid[])
        order by round_id, attempt_no
        limit \(rowsMax * 50)
        """
    }

    private static func facts(of cases: [UUID]) -> SQL {
        """
        select case_id, fact_id, kind, signed_at, learned_at, source, reason, revoked_at, revocation_type,
          revocation_share, revocation_reason
        from refunds.facts
        where case_id = any(\(cases)::uuid[])
        order by case_id, signed_at, fact_id
        limit \(rowsMax * 10)
        """
    }

    private static func consents(of line: CaseLine) -> SQL {
        """
        select of, consented, given_at, learned_at, wording, source
        from refunds.consent_changes
        where app_id = \(line.app.rawValue)
          and ((of = 'customer' and subject = \(line.customer ?? ""))
            or (of = 'purchase' and subject in (\(line.transactionID), \(line.originalTransactionID))))
        order by learned_at, change_no
        limit \(rowsMax)
        """
    }

    private static func usage(of line: CaseLine) -> SQL {
        """
        select delivery_status, share, sample_content, credits_used, credits_granted, items_used, items_granted,
          observed_at, learned_at, source
        from refunds.usage
        where app_id = \(line.app.rawValue) and transaction_id = \(line.transactionID)
        order by usage_no
        limit \(rowsMax)
        """
    }

    /// The newest ones, newest first.
    private static func remarks(of line: CaseLine) -> SQL {
        """
        select at, kind, detail, person_id
        from refunds.case_notes
        where case_id = \(line.id)
        order by note_no desc
        limit \(rowsMax)
        """
    }

    /// By the app's word for its customer, and by the purchase that this one renews.
    static func others(of line: CaseLine) -> SQL {
        """
        with k as materialized (
          (select c.case_id
           from refunds.cases c
           where c.app_id = \(line.app.rawValue) and c.customer = \(line.customer) and c.case_id <> \(line.id)
           order by c.listed_at desc
           limit \(othersMax))
          union
          (select c.case_id
           from refunds.cases c
           where c.app_id = \(line.app.rawValue) and c.original_transaction_id = \(line.originalTransactionID)
             and c.case_id <> \(line.id)
           order by c.listed_at desc
           limit \(othersMax)))
        select \(columns)
        from k
        join refunds.cases c using (case_id)
        order by c.listed_at desc, c.case_id desc
        limit \(othersMax)
        """
    }

    private static func notifications(of line: CaseLine) -> SQL {
        """
        select \(NotificationQueries.columns)
        from refunds.notifications n
        where n.app_id = \(line.app.rawValue) and n.transaction_id = \(line.transactionID)
          and n.environment = \(line.environment)
        order by n.signed_at, n.notification_uuid
        limit \(rowsMax)
        """
    }
}

/// The parts that every form of a case has, by case.
private struct StoryCore {
    let purchases: [UUID: CaseStory.Purchase]
    let rounds: [UUID: [CaseStory.Round]]
    let facts: [UUID: [CaseStory.Fact]]

    /// - Parameter parts: the answers to `CaseQueries.core`, and whatever follows them.
    init(_ parts: [[Row]]) throws {
        var purchases: [UUID: CaseStory.Purchase] = [:]
        for row in parts[0] { purchases[try row("case_id")] = try CaseStory.Purchase(row) }
        var attempts: [UUID: [CaseStory.Attempt]] = [:]
        for row in parts[2] { attempts[try row("round_id"), default: []].append(try CaseStory.Attempt(row)) }
        var rounds: [UUID: [CaseStory.Round]] = [:]
        for row in parts[1] {
            let round: UUID = try row("round_id")
            rounds[try row("case_id"), default: []].append(
                try CaseStory.Round(row, attempts: attempts[round] ?? []))
        }
        var facts: [UUID: [CaseStory.Fact]] = [:]
        for row in parts[3] { facts[try row("case_id"), default: []].append(try CaseStory.Fact(row)) }
        self.purchases = purchases
        self.rounds = rounds
        self.facts = facts
    }
}

extension CaseStory.Purchase {
    fileprivate init(_ row: Row) throws {
        let fields: [UInt8] = try row("fields")
        let share: Int32? = try row("revocation_share")
        let reason: Int32? = try row("revocation_reason")
        let payload = try? TransactionPayload(json: fields)
        self.init(
            type: try row("type"), purchasedAt: try row("purchased_at"), expiresAt: try row("expires_at"),
            storefront: try row("storefront"), ownership: try row("ownership"), signedAt: try row("signed_at"),
            revokedAt: try row("revoked_at"), revocationType: try row("revocation_type"),
            revocationShare: share.map(Int.init), revocationReason: reason.map(Int.init),
            isBundleIDMissing: try row("bundle_id_missing"),
            items: (payload?.advancedCommerceInfo?.items ?? []).map { item in
                CaseStory.Item(
                    sku: item.sku ?? "", name: item.displayName, price: item.price,
                    refundedAmount: item.refunds.isEmpty ? nil : item.refunds.compactMap(\.refundAmount).reduce(0, +),
                    revokedAt: item.revocationDate)
            },
            fields: fields)
    }
}

extension CaseStory.Round {
    init(_ row: Row, attempts: [CaseStory.Attempt]) throws {
        let decision: String? = try row("decision")
        let deliveries: Int32 = try row("deliveries")
        let api: Int16? = try row("api")
        let answer: String? = try row("answer")
        self.init(
            id: try row("round_id"), requestedAt: try row("requested_at"), deadline: try row("deadline"),
            state: try row.word("state"), stateReason: try row("state_reason"), isLate: try row("late"),
            firstReceivedAt: try row("first_received_at"), reason: try row("reason"), deliveries: Int(deliveries),
            decision: decision.flatMap(Decision.init(json:)),
            decidedAt: try row("decided_at"), holdUntil: try row("hold_until"),
            askedUntil: try row("ask_until"), answer: answer.flatMap(HeldAnswer.init),
            reply: try api.map { api in
                CaseStory.Reply(
                    api: Int(api), body: try row("body"), frozenAt: try row("frozen_at"), attempts: attempts)
            })
    }
}

extension CaseStory.Attempt {
    init(_ row: Row) throws {
        let number: Int32 = try row("attempt_no")
        let status: Int32? = try row("status")
        self.init(
            number: Int(number), startedAt: try row("started_at"), endedAt: try row("ended_at"),
            result: try row.wordIfAny("result"), status: status.map(Int.init), appleCode: try row("apple_code"),
            appleMessage: try row("apple_message"), appleRequestID: try row("apple_request_id"),
            error: try row("error"), retryAt: try row("retry_at"))
    }
}

extension CaseStory.Fact {
    init(_ row: Row) throws {
        let share: Int32? = try row("revocation_share")
        let reason: Int32? = try row("revocation_reason")
        self.init(
            id: try row("fact_id"), kind: try row.word("kind"), signedAt: try row("signed_at"),
            learnedAt: try row("learned_at"), source: try row.word("source"), reason: try row("reason"),
            revokedAt: try row("revoked_at"), revocationType: try row("revocation_type"),
            revocationShare: share.map(Int.init), revocationReason: reason.map(Int.init))
    }
}

extension CaseStory.Consent {
    init(_ row: Row) throws {
        self.init(
            subject: try row.word("of"), consented: try row("consented"), givenAt: try row("given_at"),
            learnedAt: try row("learned_at"), wording: try row("wording"), source: try row("source"))
    }
}

extension CaseStory.Remark {
    init(_ row: Row) throws {
        self.init(
            at: try row("at"), kind: try row("kind"), detail: try row("detail"), person: try row("person_id"))
    }
}

extension CaseStory.UsageReport {
    init(_ row: Row) throws {
        let share: Int32? = try row("share")
        self.init(
            deliveryStatus: try row("delivery_status"), share: share.map(Int.init),
            sampleContent: try row("sample_content"), observedAt: try row("observed_at"),
            learnedAt: try row("learned_at"), source: try row("source"))
        if let used: Int64 = try row("credits_used") {
            credits = UsageCount(used: used, granted: try row("credits_granted"))
        }
        if let used: Int64 = try row("items_used") { items = UsageCount(used: used, granted: try row("items_granted")) }
    }
}
