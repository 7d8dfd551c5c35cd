import AppStore
import Crypto
import FoundationEssentials
import Postgres
import Tenants
import Time

/// A case's rows under its lock: the pure value, and what the database holds of its states.
struct LockedCase: Sendable {
    let tenant: TenantID
    let app: AppID
    let id: UUID
    let environment: Environment
    let transactionID: String
    var value: RefundCase
    /// As stored; the fold's result is written where it differs.
    var stored: [UUID: StoredRound]
    /// What Apple is told in a round: a preference or facts alone.
    var told: [UUID: String] = [:]

    struct StoredRound: Sendable, Hashable {
        var state: RoundState
        var reason: String?
        var late: Bool
        var heldUntil: Moment?
    }

    var lane: Int64 { App.lane(app, isSandbox: environment == .sandbox) }

    func round(_ id: UUID) -> Round? { value.rounds.first { $0.id == id } }

    mutating func set(withheld: Withholding?, of round: UUID) { change(round) { $0.withheld = withheld } }

    /// The attempt that is being begun, in the value as in the row.
    mutating func begin(_ number: Int, of round: UUID, at now: Moment) {
        change(round) { $0.attempts.append(Attempt(number: number, startedAt: now, giveUpAt: now)) }
    }

    mutating func change(_ round: UUID, _ body: (inout Round) -> Void) {
        guard let index = value.rounds.firstIndex(where: { $0.id == round }) else { return }
        body(&value.rounds[index])
    }
}

/// The SQL that writes cases. No code sets a state: `save` writes what `RefundCase` says.
enum CaseStore {
    // MARK: finding

    /// Locks a case until the transaction ends; nil where there is none.
    static func lock(_ id: UUID, tenant: TenantID, in tx: Transaction) async throws -> LockedCase? {
        try await load(
            """
            select case_id, app_id, environment, transaction_id
            from refunds.cases
            where tenant_id = \(tenant.rawValue) and case_id = \(id)
            for update
            """, tenant: tenant, in: tx)
    }

    /// Locks a case without reading it; false where there is none.
    @discardableResult
    static func hold(_ id: UUID, tenant: TenantID, in tx: Transaction) async throws -> Bool {
        try await tx.row(
            """
            select case_id
            from refunds.cases
            where tenant_id = \(tenant.rawValue) and case_id = \(id)
            for update
            """) != nil
    }

    /// Locks the case of a transaction; nil where there is none.
    ///
    /// Who may make it holds the lock of the transaction's row, so that nobody else makes it meanwhile.
    static func lock(
        transaction: String, app: AppID, environment: Environment, tenant: TenantID, in tx: Transaction
    ) async throws -> LockedCase? {
        try await load(
            """
            select case_id, app_id, environment, transaction_id
            from refunds.cases
            where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue)
              and environment = \(environment.rawValue) and transaction_id = \(transaction)
            for update
            """, tenant: tenant, in: tx)
    }

    private static func load(_ select: SQL, tenant: TenantID, in tx: Transaction) async throws -> LockedCase? {
        guard let row = try await tx.row(select) else { return nil }
        let id: UUID = try row("case_id")
        let environment = try Environment(stored: row("environment"))
        var locked = LockedCase(
            tenant: tenant, app: AppID(rawValue: try row("app_id")), id: id, environment: environment,
            transactionID: try row("transaction_id"), value: RefundCase(), stored: [:])
        try await read(&locked, in: tx)
        return locked
    }

    /// Reads facts, rounds and attempts. A call that was given up without an end is unknown from now on.
    private static func read(_ locked: inout LockedCase, in tx: Transaction) async throws {
        let mine: SQL = "tenant_id = \(locked.tenant.rawValue) and case_id = \(locked.id)"
        let found = try await tx.pipeline([
            """
            update refunds.attempts
            set ended_at = date_trunc('milliseconds', clock_timestamp()), result = 'unknown',
              error = 'no end was recorded: Apple may have received it'
            where \(mine) and ended_at is null and give_up_at <= clock_timestamp()
            """,
            "select fact_id, kind, signed_at, source, reason from refunds.facts where \(mine)",
            """
            select round_id, requested_at, first_received_at, state, state_reason, late, withheld, hold_until,
              ask_until, answer, told
            from refunds.rounds
            where \(mine)
            """,
            """
            select round_id, attempt_no, started_at, give_up_at, ended_at, result, status
            from refunds.attempts
            where \(mine)
            order by attempt_no
            """,
        ])
        locked.value.facts = Set(try found[1].map { try CaseFact($0) })
        var attempts: [UUID: [Attempt]] = [:]
        for row in found[3] { attempts[try row("round_id"), default: []].append(try Attempt(row)) }
        for row in found[2] {
            let id: UUID = try row("round_id")
            let withheld: String? = try row("withheld")
            let state: String = try row("state")
            let source = locked.value.facts.first { $0.id == id && $0.kind == .request }?.source
            let heldUntil: Moment? = try row("hold_until")
            let answer: String? = try row("answer")
            let askedUntil: Moment? = try row("ask_until")
            locked.value.rounds.append(
                Round(
                    id: id,
                    window: ReplyWindow(
                        signedAt: try row("requested_at"), firstReceivedAt: try row("first_received_at"),
                        environment: locked.environment),
                    arrival: Round.Arrival(source), withheld: withheld.flatMap(Withholding.init),
                    heldUntil: answer == nil ? askedUntil : nil, askedUntil: askedUntil,
                    answer: answer.flatMap(HeldAnswer.init), attempts: attempts[id] ?? []))
            locked.stored[id] = LockedCase.StoredRound(
                state: RoundState(rawValue: state) ?? .open, reason: try row("state_reason"), late: try row("late"),
                heldUntil: heldUntil)
            locked.told[id] = try row("told") as String?
        }
    }

    // MARK: adding

    /// Makes the case of a transaction that has none, from its first fact.
    static func make(
        transaction: StoredTransaction, app: AppID, environment: Environment, tenant: TenantID, first: CaseFact,
        in tx: Transaction
    ) async throws -> LockedCase {
        let id = Random.uuid()
        let value = RefundCase(facts: [first])
        let standing = value.standing(at: first.signedAt)
        try await tx.execute(
            """
            insert into refunds.cases
              (tenant_id, case_id, app_id, environment, transaction_id, original_transaction_id, product_id, customer,
               state, outcome, price, currency, listed_at)
            values (\(tenant.rawValue), \(id), \(app.rawValue), \(environment.rawValue), \(transaction.id),
              \(transaction.original), \(transaction.product), \(transaction.customer), \(standing.state.rawValue),
              \(standing.outcome.rawValue), \(transaction.price), \(transaction.currency), \(first.signedAt))
            """)
        return LockedCase(
            tenant: tenant, app: app, id: id, environment: environment, transactionID: transaction.id, value: value,
            stored: [:])
    }

    /// Adds a fact; one that is known already changes nothing.
    static func add(
        _ fact: CaseFact, revocation: Revocation? = nil, to locked: inout LockedCase, at now: Moment,
        in tx: Transaction
    ) async throws {
        locked.value.facts.insert(fact)
        try await tx.execute(
            """
            insert into refunds.facts
              (tenant_id, case_id, fact_id, kind, signed_at, source, learned_at, reason, revoked_at, revocation_type,
               revocation_share, revocation_reason)
            values (\(locked.tenant.rawValue), \(locked.id), \(fact.id), \(fact.kind.rawValue), \(fact.signedAt),
              \(fact.source.rawValue), \(now), \(fact.reason), \(revocation?.date), \(revocation?.type),
              \(revocation?.share), \(revocation?.reason))
            on conflict (tenant_id, case_id, fact_id) do nothing
            """)
    }

    /// Opens the round of a request; one that is there already stays as it is.
    static func open(_ round: Round, in locked: inout LockedCase, in tx: Transaction) async throws {
        guard locked.round(round.id) == nil else { return }
        locked.value.rounds.append(round)
        locked.stored[round.id] = LockedCase.StoredRound(
            state: .open, reason: nil, late: round.isLate, heldUntil: nil)
        try await tx.execute(
            """
            insert into refunds.rounds
              (tenant_id, case_id, round_id, requested_at, deadline, state, late, first_received_at)
            values (\(locked.tenant.rawValue), \(locked.id), \(round.id), \(round.window.signedAt),
              \(round.window.deadline), 'open', \(round.isLate), \(round.window.firstReceivedAt))
            on conflict (tenant_id, case_id, round_id) do nothing
            """)
    }

    /// Notifications of the transaction that came before its case are part of its story.
    static func addEarlier(to locked: inout LockedCase, at now: Moment, in tx: Transaction) async throws {
        let rows = try await tx.rows(
            """
            select notification_uuid, signed_at, source
            from refunds.notifications
            where tenant_id = \(locked.tenant.rawValue) and app_id = \(locked.app.rawValue)
              and transaction_id = \(locked.transactionID) and environment = \(locked.environment.rawValue)
              and type not in ('CONSUMPTION_REQUEST', 'REFUND', 'REFUND_DECLINED', 'REFUND_REVERSED')
            order by signed_at
            limit 100
            """)
        for row in rows {
            let source: String = try row("source")
            let fact = CaseFact(
                id: try row("notification_uuid"), kind: .seen, signedAt: try row("signed_at"),
                source: CaseFact.Source(ofNotification: source))
            guard !locked.value.facts.contains(where: { $0.id == fact.id }) else { continue }
            try await add(fact, to: &locked, at: now, in: tx)
        }
    }

    /// Keeps what was decided about a round, and why nothing is sent where that is the decision.
    static func keeping(
        _ decision: Decision, of round: UUID, in locked: inout LockedCase, at now: Moment
    ) throws -> SQL {
        locked.set(withheld: decision.withheld, of: round)
        locked.told[round] = decision.withheld == nil ? decision.answer.rawValue : nil
        return """
            update refunds.rounds
            set decision = \(try json(decision)), withheld = \(decision.withheld?.rawValue), decided_at = \(now),
              told = \(locked.told[round])
            where tenant_id = \(locked.tenant.rawValue) and case_id = \(locked.id) and round_id = \(round)
            """
    }

    /// Asks a person about a round until a moment; what would go out without them is kept with it.
    static func asking(
        _ decision: Decision, until: Moment, about round: UUID, in locked: inout LockedCase, at now: Moment
    ) throws -> SQL {
        locked.change(round) { round in
            round.withheld = nil
            round.heldUntil = until
            round.askedUntil = until
        }
        return """
            update refunds.rounds
            set decision = \(try json(decision)), withheld = null, decided_at = \(now), ask_until = \(until)
            where tenant_id = \(locked.tenant.rawValue) and case_id = \(locked.id) and round_id = \(round)
            """
    }

    /// Keeps what a person said about a round, which is held no more.
    static func answering(
        _ answer: HeldAnswer, about round: UUID, in locked: inout LockedCase, at now: Moment
    ) throws -> SQL {
        locked.change(round) { round in
            round.heldUntil = nil
            round.answer = answer
        }
        return """
            update refunds.rounds
            set answer = \(try answer.json), answered_at = \(now)
            where tenant_id = \(locked.tenant.rawValue) and case_id = \(locked.id) and round_id = \(round)
              and answer is null
            """
    }

    /// Withholds or reopens a round whose decision stays as it was: its body is frozen.
    static func setting(withheld: Withholding?, of round: UUID, in locked: inout LockedCase) -> SQL {
        locked.set(withheld: withheld, of: round)
        return """
            update refunds.rounds
            set withheld = \(withheld?.rawValue)
            where tenant_id = \(locked.tenant.rawValue) and case_id = \(locked.id) and round_id = \(round)
            """
    }

    /// Adds a remark to the case's story.
    static func noting(_ kind: String, detail: String, of locked: LockedCase, at now: Moment) -> SQL {
        noting(kind, detail: detail, by: nil, of: locked.id, tenant: locked.tenant, at: now)
    }

    /// The same for a case whose lock is held.
    ///
    /// - Parameter person: nil: the program by itself.
    static func noting(
        _ kind: String, detail: String, by person: UUID?, of id: UUID, tenant: TenantID, at now: Moment
    ) -> SQL {
        """
        insert into refunds.case_notes (tenant_id, case_id, note_no, at, kind, person_id, detail)
        select \(tenant.rawValue), \(id), coalesce(max(note_no), 0) + 1, \(now), \(kind), \(person), \(detail)
        from refunds.case_notes
        where tenant_id = \(tenant.rawValue) and case_id = \(id)
        """
    }

    /// What is counted by: the build that Apple named, and a refund as Apple booked it. The newest fact of its kind tells.
    static func marking(
        _ fact: CaseFact, build: String?, revocation: Revocation, of locked: LockedCase
    ) -> [SQL] {
        guard fact.kind == .request || fact.kind == .refund,
            locked.value.facts.allSatisfy({ $0.kind != fact.kind || $0 <= fact })
        else { return [] }
        let mine: SQL = "tenant_id = \(locked.tenant.rawValue) and case_id = \(locked.id)"
        var statements: [SQL] = []
        if let build {
            statements.append(
                "update refunds.cases set build = \(build) where \(mine) and build is distinct from \(build)")
        }
        if fact.kind == .refund {
            let at = revocation.date ?? fact.signedAt
            statements.append(
                """
                update refunds.cases
                set refunded_at = \(at), refund_reason = \(revocation.reason)
                where \(mine) and (refunded_at, refund_reason) is distinct from (\(at), \(revocation.reason))
                """)
        }
        return statements
    }

    // MARK: folding

    /// Writes the states that the facts and acts amount to now.
    ///
    /// - Parameter earlier: statements of acts that go before, in the same round trip.
    /// - Returns: whether the case's row became another one by it.
    @discardableResult
    static func save(
        _ locked: inout LockedCase, after earlier: [SQL] = [], transaction: StoredTransaction? = nil, at now: Moment,
        in tx: Transaction
    ) async throws -> Bool {
        var statements = earlier
        for round in locked.value.rounds {
            let standing = locked.value.standing(of: round, at: now)
            let new = LockedCase.StoredRound(
                state: standing.state, reason: standing.reason, late: standing.late,
                heldUntil: standing.state == .held ? round.heldUntil : nil)
            guard locked.stored[round.id] != new else { continue }
            locked.stored[round.id] = new
            statements.append(
                """
                update refunds.rounds
                set state = \(new.state.rawValue), state_reason = \(new.reason), late = \(new.late),
                  hold_until = \(new.heldUntil), version = version + 1
                where tenant_id = \(locked.tenant.rawValue) and case_id = \(locked.id) and round_id = \(round.id)
                """)
        }
        let whole = locked.value.standing(at: now)
        guard let listedAt = whole.listedAt else {
            throw PostgresError(.misuse, "a case without a fact")
        }
        let told = whole.state == .answered ? locked.value.newestRound.flatMap { locked.told[$0.id] } : nil
        let place = statements.count
        // A row that does not change is not written: it would move in five indexes.
        statements.append(
            """
            update refunds.cases
            set state = \(whole.state.rawValue), state_reason = \(whole.stateReason),
              outcome = \(whole.outcome.rawValue), reason = \(whole.reason), listed_at = \(listedAt),
              deadline = \(whole.deadline), told = \(told), changed_at = \(now), version = version + 1
            where tenant_id = \(locked.tenant.rawValue) and case_id = \(locked.id)
              and (state, state_reason, outcome, reason, listed_at, deadline, told) is distinct from
                (\(whole.state.rawValue), \(whole.stateReason), \(whole.outcome.rawValue), \(whole.reason),
                 \(listedAt), \(whole.deadline), \(told))
            returning case_id
            """)
        if let transaction {
            statements.append(
                """
                update refunds.cases
                set original_transaction_id = \(transaction.original), product_id = \(transaction.product),
                  customer = \(transaction.customer), price = \(transaction.price), currency = \(transaction.currency),
                  storefront = \(transaction.storefront), changed_at = \(now), version = version + 1
                where tenant_id = \(locked.tenant.rawValue) and case_id = \(locked.id)
                  and (original_transaction_id, product_id, customer, price, currency, storefront) is distinct from
                    (\(transaction.original), \(transaction.product), \(transaction.customer), \(transaction.price),
                     \(transaction.currency), \(transaction.storefront))
                """)
        }
        return try await !tx.pipeline(statements)[place].isEmpty
    }

    static func json(_ decision: Decision) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(decision), as: UTF8.self)
    }
}

/// What a signed transaction says of a refund; kept with the fact.
struct Revocation: Sendable, Hashable {
    let date: Moment?
    let type: String?
    let share: Int32?
    let reason: Int32?
}

extension CaseFact {
    init(_ row: Row) throws {
        let kind: String = try row("kind")
        let source: String = try row("source")
        guard let kind = Kind(rawValue: kind), let source = Source(rawValue: source) else {
            throw PostgresError(.decoding, "a fact of an unknown kind or source")
        }
        self.init(
            id: try row("fact_id"), kind: kind, signedAt: try row("signed_at"), source: source,
            reason: try row("reason"))
    }
}

extension Attempt {
    init(_ row: Row) throws {
        let number: Int32 = try row("attempt_no")
        let result: String? = try row("result")
        let status: Int32? = try row("status")
        self.init(
            number: Int(number), startedAt: try row("started_at"), giveUpAt: try row("give_up_at"),
            endedAt: try row("ended_at"), result: result.flatMap(Result.init), status: status.map(Int.init))
    }
}

extension Round.Arrival {
    init(_ source: CaseFact.Source?) {
        switch source {
        case .imported: self = .imported
        case .history, .refundHistory, .transaction: self = .history
        case .notification, nil: self = .posted
        }
    }
}

extension Environment {
    init(stored text: String) throws {
        guard let known = Environment(rawValue: text) else {
            throw PostgresError(.decoding, "an environment that is neither Production nor Sandbox")
        }
        self = known
    }
}
