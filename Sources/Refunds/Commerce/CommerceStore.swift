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
            \(requests(of: tenant, where: condition))
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

    private static func requests(of tenant: TenantID, where condition: SQL) -> SQL {
        """
        select r.request_id, r.app_id, r.environment, r.kind, r.transaction_id, r.original_transaction_id,
          r.product_id, r.request_reference_id, r.state, r.state_reason, r.body, r.refund_reason, r.refund_type,
          r.refund_risking, r.currency, r.storefront, r.amount_estimate, r.note, r.asked_at, r.asked_by,
          r.asked_by_token, r.submitted_at, r.submitted_by, r.submitted_by_token, r.needs_approval, r.approved_by, r.approved_at, r.cancelled_by,
          r.cancelled_at, r.give_up_at, r.case_id, r.round_id, r.answer_status, r.answer_code, r.answer_message,
          r.answer_body, r.answered_at, r.listed_at, r.changed_at, r.version,
          coalesce(r.currency, (
            select t.currency from refunds.transactions t
            where t.tenant_id = r.tenant_id and t.app_id = r.app_id and t.environment = r.environment
              and t.transaction_id = r.transaction_id)) as purchase_currency
        from refunds.commerce_requests r
        where r.tenant_id = \(tenant.rawValue) and \(condition)
        """
    }

    private static func items(of ids: [UUID], _ tenant: TenantID) -> SQL {
        """
        select request_id, sku, refund_reason, refund_type, refund_amount, revoke, price, refunded_amount,
          refunded_at, revoked_at
        from refunds.commerce_items
        where tenant_id = \(tenant.rawValue) and request_id = any(\(ids))
        order by request_id, item_no
        """
    }

    private static func attempts(of ids: [UUID], _ tenant: TenantID) -> SQL {
        """
        select request_id, attempt_no, started_at, ended_at, result, status, apple_code, apple_message, error,
          apple_request_id, give_up_at
        from refunds.commerce_attempts
        where tenant_id = \(tenant.rawValue) and request_id = any(\(ids))
        order by request_id, attempt_no
        """
    }

    /// Locks a request until the transaction ends. A call that was given up without an end is unknown from now on.
    static func lock(_ id: UUID, tenant: TenantID, in tx: Transaction) async throws -> LockedCommerce? {
        // One round trip: each statement sees what was committed before it, so the lock comes first.
        let found = try await tx.pipeline([
            """
            \(requests(of: tenant, where: "r.request_id = \(id)"))
            for update
            """,
            """
            update refunds.commerce_attempts
            set ended_at = date_trunc('milliseconds', clock_timestamp()), result = 'unknown',
              error = 'no end was recorded: Apple may have received it'
            where tenant_id = \(tenant.rawValue) and request_id = \(id) and ended_at is null
              and give_up_at <= clock_timestamp()
            """,
            items(of: [id], tenant), attempts(of: [id], tenant), facts(of: id, tenant),
        ])
        guard let row = found[0].first,
            let request = try whole([row], items: found[2], attempts: found[3], tenant).first
        else { return nil }
        return LockedCommerce(
            request: request,
            progress: CommerceProgress(
                kind: request.kind, skus: request.intention.items.map(\.sku), isSubmitted: request.submittedAt != nil,
                needsApproval: request.needsApproval, isApproved: request.approvedAt != nil,
                isCancelled: request.cancelledAt != nil, giveUpAt: try row("give_up_at"), attempts: request.attempts,
                facts: Set(try found[4].map { try CommerceFact($0) })))
    }

    /// What Apple signed about a request.
    static func facts(of id: UUID, tenant: TenantID, in tx: Transaction) async throws -> [CommerceFact] {
        try await tx.rows(facts(of: id, tenant)).map { try CommerceFact($0) }
    }

    private static func facts(of id: UUID, _ tenant: TenantID) -> SQL {
        """
        select fact_id, sku, kind, signed_at, amount, refunded_at, revoked_at
        from refunds.commerce_facts
        where tenant_id = \(tenant.rawValue) and request_id = \(id)
        order by signed_at
        limit 1000
        """
    }

    // MARK: writing

    /// Writes the state that acts, attempts and facts amount to now.
    ///
    /// - Parameter earlier: goes before it, in the same round trip.
    static func save(
        _ locked: LockedCommerce, after earlier: [SQL] = [], at now: Moment, in tx: Transaction
    ) async throws {
        let standing = locked.progress.standing(at: now)
        let request = locked.request
        var statements =
            earlier + [
                """
                update refunds.commerce_requests
                set state = \(standing.state.rawValue), state_reason = \(standing.reason?.rawValue), changed_at = \(now),
                  version = version + 1
                where tenant_id = \(request.tenant.rawValue) and request_id = \(request.id)
                  and (state, state_reason) is distinct from (\(standing.state.rawValue), \(standing.reason?.rawValue))
                """
            ]
        for item in request.items {
            let mine = locked.progress.facts
                .filter { $0.kind == .refunded && $0.sku == item.asked.sku }.max()
            let whole = locked.progress.facts.filter { $0.kind == .refunded && $0.sku == nil }.max()
            guard let fact = mine ?? whole else { continue }
            statements.append(
                """
                update refunds.commerce_items
                set refunded_amount = \(mine?.amount), refunded_at = \(fact.refundedAt ?? fact.signedAt),
                  revoked_at = \(fact.revokedAt)
                where tenant_id = \(request.tenant.rawValue) and request_id = \(request.id)
                  and sku = \(item.asked.sku)
                """)
        }
        _ = try await tx.pipeline(statements)
    }

    /// Begins an attempt. Its times are the database's, counted from the permit's moment.
    static func beginning(
        _ number: Int, of request: CommerceRequest, wait: Duration, worker: Int64, key: SigningKeyID
    ) -> SQL {
        let sendBy = wait + CallPermit.permission
        let giveUp = sendBy + CallPermit.callTotal + CallPermit.settleAllowance
        return """
            insert into refunds.commerce_attempts
              (tenant_id, request_id, attempt_no, app_id, environment, worker, started_at, send_by, give_up_at,
               signing_key_id)
            select \(request.tenant.rawValue), \(request.id), \(Int32(number)), \(request.app.rawValue),
              \(request.environment.rawValue), \(worker), t.now + \(wait), t.now + \(sendBy), t.now + \(giveUp),
              \(key.rawValue)
            from (select date_trunc('milliseconds', clock_timestamp()) as now) t
            """
    }

    /// Records how an attempt ended; see `ReplyStore.end`. The progress has it then, as far as it counts.
    static func end(
        _ number: Int, of locked: inout LockedCommerce, with result: CommerceAttempt.Result, answer: AppleAnswer?,
        error: String?, retryAt: Moment?, in tx: Transaction
    ) async throws {
        let request = locked.request
        let ended = try await tx.row(
            """
            update refunds.commerce_attempts
            set ended_at = date_trunc('milliseconds', clock_timestamp()),
              result = case
                when \(result == .accepted) and exists (
                  select from refunds.commerce_attempts other
                  where other.tenant_id = \(request.tenant.rawValue) and other.request_id = \(request.id)
                    and other.result = 'accepted')
                then 'unknown' else \(result.rawValue) end,
              status = \(answer.map { Int32($0.status) }), apple_code = \(answer?.code),
              apple_message = \(answer?.message), apple_request_id = \(answer?.requestID), error = \(error),
              retry_at = \(retryAt)
            where tenant_id = \(request.tenant.rawValue) and request_id = \(request.id)
              and attempt_no = \(Int32(number)) and (ended_at is null or result = 'unknown')
            returning ended_at, result
            """)
        guard let ended, let index = locked.progress.attempts.firstIndex(where: { $0.number == number }) else { return }
        let recorded: CommerceAttempt.Result = try ended.word("result")
        locked.progress.attempts[index].result = recorded
        locked.progress.attempts[index].endedAt = try ended("ended_at")
        locked.progress.attempts[index].status = answer?.status
        locked.progress.attempts[index].code = answer?.code
    }

    /// Keeps Apple's newest answer beside the request.
    static func keeping(_ answer: AppleAnswer, body: [UInt8], of request: CommerceRequest, at now: Moment) -> SQL {
        // A 200's body is two signed texts of some kilobytes, kept elsewhere as what they say.
        let kept = (200...299).contains(answer.status) ? [] : body
        return """
            update refunds.commerce_requests
            set answer_status = \(Int32(answer.status)), answer_code = \(answer.code),
              answer_message = \(answer.message), answer_body = \(kept), answered_at = \(now), changed_at = \(now)
            where tenant_id = \(request.tenant.rawValue) and request_id = \(request.id)
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
