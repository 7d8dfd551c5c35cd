import AppStore
import FoundationEssentials
import Postgres
import Queue
import Tenants
import Time

/// A request's rows under its lock, and what they amount to.
struct LockedCommerce: Sendable {
    var request: CommerceRequest
    var progress: CommerceProgress

    var lane: Int64 { Lane.commerce(app: request.app.rawValue, isSandbox: request.environment == .sandbox) }
}

/// The SQL of commerce requests. No code sets a state: `save` writes what `CommerceProgress` says.
enum CommerceStore {
    // MARK: reading

    /// Requests of a tenant that fit a condition on the row `r`, in an order, whole.
    static func read(
        of tenant: TenantID, where condition: SQL, order: SQL, limit: Int, in tx: Transaction
    ) async throws -> [CommerceRequest] {
        let rows = try await tx.rows(
            """
            \(requests(of: tenant, where: condition, currency: purchaseCurrency))
            order by \(order)
            limit \(limit)
            """)
        if rows.isEmpty { return [] }
        let ids: [UUID] = try rows.map { try $0("request_id") }
        let found = try await tx.pipeline([items(of: ids, tenant), attempts(of: ids, tenant)])
        return try whole(rows, items: found[0], attempts: found[1], tenant)
    }

    private static func whole(
        _ rows: [Row], items: [Row], attempts: [Row], _ tenant: TenantID
    ) throws -> [CommerceRequest] {
        var itemsOf: [UUID: [CommerceRequest.Item]] = [:]
        for row in items { itemsOf[try row("request_id"), default: []].append(try CommerceRequest.Item(row)) }
        var attemptsOf: [UUID: [CommerceAttempt]] = [:]
        for row in attempts { attemptsOf[try row("request_id"), default: []].append(try CommerceAttempt(row)) }
        return try rows.map { row in
            let id: UUID = try row("request_id")
            return try CommerceRequest(
                row, tenant: tenant, id: id, items: itemsOf[id] ?? [], attempts: attemptsOf[id] ?? [])
        }
    }

    private static let purchaseCurrency: SQL = """
        coalesce(r.currency, (
          select t.currency from refunds.transactions t
          where t.tenant_id = r.tenant_id and t.app_id = r.app_id and t.environment = r.environment
            and t.transaction_id = r.transaction_id))
        """

    private static func requests(of tenant: TenantID, where condition: SQL, currency: SQL) -> SQL {
        """
        select r.request_id, r.app_id, r.environment, r.kind, r.transaction_id, r.original_transaction_id,
          r.product_id, r.request_reference_id, r.state, r.state_reason, r.body, r.refund_reason, r.refund_type,
          r.refund_risking, r.currency, r.storefront, r.amount_estimate, r.note, r.asked_at, r.asked_by,
          r.asked_by_token, r.submitted_at, r.submitted_by, r.submitted_by_token, r.needs_approval, r.approved_by, r.approved_at, r.cancelled_by,
          r.cancelled_at, r.give_up_at, r.case_id, r.round_id, r.answer_status, r.answer_code, r.answer_message,
          r.answer_body, r.answered_at, r.listed_at, r.changed_at, r.version,
          \(currency) as purchase_currency
        from refunds.commerce_requests r
        where r.tenant_id = \(tenant.rawValue) and \(condition)
        """
    }

    private static func items(of ids: [UUID], _ tenant: TenantID) -> SQL {
        """
        select request_id, sku, refund_reason, refund_type, refund_amount, revoke, price, refunded_amount,
          refunded_at, revoked_at
        from refunds.commerce_items
        where tenant_id = \(tenant.rawValue) and \(among(ids))
        order by request_id, item_no
        """
    }

    private static func attempts(of ids: [UUID], _ tenant: TenantID) -> SQL {
        """
        select request_id, attempt_no, started_at, ended_at, result, status, apple_code, apple_message, error,
          apple_request_id, give_up_at, ended_at is null and give_up_at <= clock_timestamp() as is_given_up
        from refunds.commerce_attempts
        where tenant_id = \(tenant.rawValue) and \(among(ids))
        order by request_id, attempt_no
        """
    }

    /// One by itself: a list of one is planned anew each time, since it looks cheaper than any list.
    private static func among(_ ids: [UUID]) -> SQL {
        ids.count == 1 ? "request_id = \(ids[0])" : "request_id = any(\(ids))"
    }

    /// Of a call that was given up without an end nobody knows what came of it.
    private static func giveUp(_ ids: [UUID], _ tenant: TenantID) -> SQL {
        """
        update refunds.commerce_attempts
        set ended_at = date_trunc('milliseconds', clock_timestamp()), result = 'unknown',
          error = 'no end was recorded: Apple may have received it'
        where tenant_id = \(tenant.rawValue) and \(among(ids)) and ended_at is null
          and give_up_at <= clock_timestamp()
        """
    }

    /// Locks a request until the transaction ends. A call that was given up without an end is unknown from now on.
    static func lock(_ id: UUID, tenant: TenantID, in tx: Transaction) async throws -> LockedCommerce? {
        try await lock([id], tenant: tenant, in: tx).requests[id]
    }

    /// Locks several requests, in the order of their ids.
    ///
    /// - Parameter also: carried out after it in the same round trip.
    static func lock(
        _ ids: [UUID], tenant: TenantID, also: [SQL] = [], in tx: Transaction
    ) async throws -> (requests: [UUID: LockedCommerce], also: [[Row]]) {
        // One round trip: each statement sees what was committed before it, so the lock comes first.
        let found = try await tx.pipeline(
            [
                """
                \(requests(of: tenant, where: "r.\(among(ids))", currency: "r.currency"))
                order by r.request_id
                for update
                """,
                items(of: ids, tenant), attempts(of: ids, tenant), facts(of: ids, tenant),
            ] + also)
        var attempts = found[2]
        if try attempts.contains(where: { try $0("is_given_up") }) {
            attempts = try await tx.pipeline([giveUp(ids, tenant), Self.attempts(of: ids, tenant)])[1]
        }
        var factsOf: [UUID: Set<CommerceFact>] = [:]
        for row in found[3] { factsOf[try row("request_id"), default: []].insert(try CommerceFact(row)) }
        var locked: [UUID: LockedCommerce] = [:]
        let whole = try whole(found[0], items: found[1], attempts: attempts, tenant)
        for (request, row) in zip(whole, found[0]) {
            locked[request.id] = LockedCommerce(
                request: request,
                progress: CommerceProgress(
                    kind: request.kind, skus: request.intention.items.map(\.sku),
                    isSubmitted: request.submittedAt != nil, needsApproval: request.needsApproval,
                    isApproved: request.approvedAt != nil, isCancelled: request.cancelledAt != nil,
                    giveUpAt: try row("give_up_at"), attempts: request.attempts, facts: factsOf[request.id] ?? []))
        }
        return (locked, Array(found.dropFirst(4)))
    }

    /// What Apple signed about a request.
    static func facts(of id: UUID, tenant: TenantID, in tx: Transaction) async throws -> [CommerceFact] {
        try await tx.rows(facts(of: [id], tenant)).map { try CommerceFact($0) }
    }

    /// In the order of their signatures, at most 1000 of each request.
    private static func facts(of ids: [UUID], _ tenant: TenantID) -> SQL {
        if ids.count == 1 {
            return """
                select request_id, fact_id, sku, kind, signed_at, amount, refunded_at, revoked_at
                from refunds.commerce_facts
                where tenant_id = \(tenant.rawValue) and \(among(ids))
                order by signed_at
                limit 1000
                """
        }
        return """
            select f.*
            from unnest(\(ids)) as r(id) cross join lateral (
              select request_id, fact_id, sku, kind, signed_at, amount, refunded_at, revoked_at
              from refunds.commerce_facts
              where tenant_id = \(tenant.rawValue) and request_id = r.id
              order by signed_at
              limit 1000) f
            """
    }

    // MARK: writing

    /// Writes the state that acts, attempts and facts amount to now.
    ///
    /// - Parameter earlier: goes before it, in the same round trip.
    static func save(
        _ locked: LockedCommerce, after earlier: [SQL] = [], at now: Moment, in tx: Transaction
    ) async throws {
        _ = try await tx.pipeline(earlier + saving(locked, at: now))
    }

    /// The statements of `save`.
    ///
    /// - Parameter answer: Apple's newest one, kept beside the request by the same statement.
    static func saving(_ locked: LockedCommerce, answer: (AppleAnswer, [UInt8])? = nil, at now: Moment) -> [SQL] {
        let standing = locked.progress.standing(at: now)
        let request = locked.request
        let mine: SQL = "tenant_id = \(request.tenant.rawValue) and request_id = \(request.id)"
        var statements: [SQL] = []
        if let (answer, body) = answer {
            // A 200's body is two signed texts of some kilobytes, kept elsewhere as what they say.
            let kept = (200...299).contains(answer.status) ? [] : body
            statements.append(
                """
                update refunds.commerce_requests
                set state = \(standing.state.rawValue), state_reason = \(standing.reason?.rawValue),
                  answer_status = \(Int32(answer.status)), answer_code = \(answer.code),
                  answer_message = \(answer.message), answer_body = \(kept), answered_at = \(now), changed_at = \(now),
                  version = version + 1
                where \(mine)
                """)
        } else {
            statements.append(
                """
                update refunds.commerce_requests
                set state = \(standing.state.rawValue), state_reason = \(standing.reason?.rawValue), changed_at = \(now),
                  version = version + 1
                where \(mine)
                  and (state, state_reason) is distinct from (\(standing.state.rawValue), \(standing.reason?.rawValue))
                """)
        }
        let refunds = locked.progress.facts.filter { $0.kind == .refunded }
        for item in request.items where !refunds.isEmpty {
            let own = refunds.filter { $0.sku == item.asked.sku }.max()
            guard let fact = own ?? refunds.filter({ $0.sku == nil }).max() else { continue }
            statements.append(
                """
                update refunds.commerce_items
                set refunded_amount = \(own?.amount), refunded_at = \(fact.refundedAt ?? fact.signedAt),
                  revoked_at = \(fact.revokedAt)
                where \(mine) and sku = \(item.asked.sku)
                """)
        }
        return statements
    }

    /// A call that is about to be begun.
    struct Beginning {
        let request: CommerceRequest
        let number: Int
        /// Until its permit's moment.
        let wait: Duration
    }

    /// Begins attempts. Their times are the database's, counted from the permits' moments.
    static func begin(_ calls: [Beginning], of tenant: TenantID, worker: Int64, key: SigningKeyID) -> SQL {
        let permission = CallPermit.permission
        let giveUp = permission + CallPermit.callTotal + CallPermit.settleAllowance
        return """
            insert into refunds.commerce_attempts
              (tenant_id, request_id, attempt_no, app_id, environment, worker, started_at, send_by, give_up_at,
               signing_key_id)
            select \(tenant.rawValue), c.request_id, c.attempt_no, \(calls.first?.request.app.rawValue),
              \(calls.first?.request.environment.rawValue), \(worker), t.now + c.wait, t.now + c.wait + \(permission),
              t.now + c.wait + \(giveUp), \(key.rawValue)
            from (select date_trunc('milliseconds', clock_timestamp()) as now) t,
              unnest(\(calls.map(\.request.id)), \(calls.map { Int32($0.number) }), \(calls.map(\.wait)))
                as c(request_id, attempt_no, wait)
            """
    }

    /// Marks requests as being sent, whose attempts were begun just now and of which Apple has signed nothing.
    static func sending(_ ids: [UUID], of tenant: TenantID, at now: Moment) -> SQL {
        """
        update refunds.commerce_requests
        set state = 'sending', state_reason = null, changed_at = \(now), version = version + 1
        where tenant_id = \(tenant.rawValue) and request_id = any(\(ids))
        """
    }

    /// Records how an attempt ended; see `ReplyStore.end`. The progress has it then, as far as it counts: a second
    /// acceptance counts as unknown, and an attempt that was ended otherwise stays as it was.
    ///
    /// - Returns: to be carried out before the lock ends; nil where nothing is recorded.
    static func end(
        _ number: Int, of locked: inout LockedCommerce, with result: CommerceAttempt.Result, answer: AppleAnswer?,
        error: String?, retryAt: Moment?, at now: Moment
    ) -> SQL? {
        let request = locked.request
        var attempts = locked.progress.attempts
        guard let index = attempts.firstIndex(where: { $0.number == number }),
            attempts[index].result == nil || attempts[index].result == .unknown
        else { return nil }
        let isSecond = result == .accepted && attempts.contains { $0.number != number && $0.result == .accepted }
        let recorded = isSecond ? .unknown : result
        attempts[index].result = recorded
        attempts[index].endedAt = now
        attempts[index].status = answer?.status
        attempts[index].code = answer?.code
        locked.progress.attempts = attempts
        return """
            update refunds.commerce_attempts
            set ended_at = date_trunc('milliseconds', clock_timestamp()), result = \(recorded.rawValue),
              status = \(answer.map { Int32($0.status) }), apple_code = \(answer?.code),
              apple_message = \(answer?.message), apple_request_id = \(answer?.requestID), error = \(error),
              retry_at = \(retryAt)
            where tenant_id = \(request.tenant.rawValue) and request_id = \(request.id)
              and attempt_no = \(Int32(number)) and (ended_at is null or result = 'unknown')
            """
    }

    /// The job that sends a request; the lane's others wait for their turn by its deadline.
    static func enqueue(
        _ request: UUID, app: AppID, environment: AppEnvironment, tenant: TenantID, at now: Moment, in tx: Transaction
    ) async throws {
        let lane = Lane.commerce(app: app.rawValue, isSandbox: environment == .sandbox)
        try await Lane.ensure(lane, in: tx)
        try await Enqueue.add(
            NewJob(
                tenant: tenant.rawValue, lane: lane, kind: RefundJobs.Kind.commerce.rawValue,
                subject: #"{"request":"\#(request.text)"}"#, deadline: now + .days(7), uniqueKey: request.text), in: tx)
    }
}
