import AppStore
import FoundationEssentials
import Postgres
import Tenants
import Time

/// What a notification says of our own requests: their outcome, and the CONSUMPTION_REQUEST that one brought about.
enum CommerceFacts {
    /// Clocks differ, and Apple dates what it signs by its own.
    static let leeway: Duration = .minutes(10)
    private static let requestsMax = 20

    /// After the case: everybody locks transaction, case and request in this order.
    static func take(
        _ type: NotificationType, _ payload: TransactionPayload, notification: UUID, signedAt: Moment,
        case locked: LockedCase, transaction: StoredTransaction, at now: Moment, in tx: Transaction
    ) async throws {
        guard payload.advancedCommerceInfo != nil else { return }
        let rows = try await tx.rows(
            """
            select request_id
            from refunds.commerce_requests
            where tenant_id = \(locked.tenant.rawValue) and app_id = \(locked.app.rawValue)
              and environment = \(locked.environment.rawValue) and kind <> 'cancel'
              and (transaction_id = \(transaction.id)
                or (kind = 'revoke' and original_transaction_id = \(transaction.original)))
              and state in ('queued', 'sending', 'accepted', 'refunded', 'declined', 'failed', 'pending-at-apple')
            order by request_id
            limit \(requestsMax)
            """)
        var requests: [(request: LockedCommerce, begun: Moment)] = []
        for row in rows {
            guard
                let request = try await CommerceStore.lock(try row("request_id"), tenant: locked.tenant, in: tx),
                let begun = request.progress.attempts.map(\.startedAt).min(), signedAt >= begun - leeway
            else { continue }
            requests.append((request, begun))
        }
        // Locked in the order of their ids, read in the order in which Apple was asked.
        requests.sort { $0.begun < $1.begun }
        var taken = TakenRefunds(requests.map(\.request))
        for (request, begun) in requests {
            if type == .consumptionRequest {
                try await link(request, to: notification, of: locked, at: now, in: tx)
            } else {
                try await add(
                    facts(type, payload, request, notification, signedAt, since: begun - leeway, taken: &taken),
                    to: request, case: locked, at: now, in: tx)
            }
        }
    }

    /// Which of Apple's refunds of an item belongs to which request: Apple lists all of an item's, whoever asked.
    struct TakenRefunds {
        private struct Key: Hashable {
            let sku: String
            let at: Moment
        }

        private var owners: [Key: UUID] = [:]

        init(_ requests: [LockedCommerce] = []) {
            for request in requests {
                for fact in request.progress.facts where fact.kind == .refunded {
                    if let sku = fact.sku, let at = fact.refundedAt {
                        owners[Key(sku: sku, at: at)] = request.request.id
                    }
                }
            }
        }

        /// The refund of an item that is this request's: the one it has, or the earliest that nobody has.
        mutating func take(
            _ refunds: [AdvancedCommerceTransactionInfo.Refund], of sku: String, for request: UUID
        ) -> AdvancedCommerceTransactionInfo.Refund? {
            let dated = refunds.compactMap { refund in refund.refundDate.map { (at: $0, refund: refund) } }
            if let own = dated.last(where: { owners[Key(sku: sku, at: $0.at)] == request }) { return own.refund }
            let free = dated.filter { owners[Key(sku: sku, at: $0.at)] == nil }.min { $0.at < $1.at }
            if let free { owners[Key(sku: sku, at: free.at)] = request }
            return free?.refund ?? refunds.first { $0.refundDate == nil }
        }
    }

    /// What a notification says of one request. Pure.
    static func facts(
        _ type: NotificationType, _ payload: TransactionPayload, _ request: LockedCommerce, _ id: UUID,
        _ signedAt: Moment, since: Moment, taken: inout TakenRefunds
    ) -> [CommerceFact] {
        let items = payload.advancedCommerceInfo?.items ?? []
        switch type {
        case .refundDeclined: return [CommerceFact(id: id, kind: .declined, signedAt: signedAt)]
        case .refundReversed: return [CommerceFact(id: id, kind: .reversed, signedAt: signedAt)]
        case .refund:
            let skus = request.progress.skus
            var found: [CommerceFact] = []
            if skus.isEmpty || items.isEmpty {
                let amounts = items.flatMap(\.refunds).filter { ($0.refundDate ?? since) >= since }
                found.append(
                    CommerceFact(
                        id: id, kind: .refunded, signedAt: signedAt, amount: sum(amounts.map(\.refundAmount)),
                        refundedAt: amounts.compactMap(\.refundDate).max(),
                        revokedAt: payload.revocationDate ?? items.compactMap(\.revocationDate).max()))
            }
            // Of a revocation Apple speaks as a whole, and beside it of each item's money.
            return found
                + (skus.isEmpty ? request.request.items.map(\.asked.sku) : skus).compactMap { sku in
                    guard let item = items.first(where: { $0.sku == sku }) else { return nil }
                    let possible = item.refunds.filter { ($0.refundDate ?? signedAt) >= since }
                    let own = taken.take(possible, of: sku, for: request.request.id)
                    let revokedAt = item.revocationDate.flatMap { $0 >= since ? $0 : nil }
                    guard own != nil || revokedAt != nil else { return nil }
                    return CommerceFact(
                        id: id, kind: .refunded, sku: sku, signedAt: signedAt, amount: own?.refundAmount,
                        refundedAt: own?.refundDate, revokedAt: item.revocationDate)
                }
        default: return []
        }
    }

    private static func sum(_ amounts: [Int64?]) -> Int64? {
        if amounts.isEmpty { return nil }
        var sum: Int64 = 0
        for amount in amounts {
            guard let amount else { return nil }
            let (new, isTooMuch) = sum.addingReportingOverflow(amount)
            if isTooMuch { return nil }
            sum = new
        }
        return sum
    }

    private static func add(
        _ facts: [CommerceFact], to request: LockedCommerce, case locked: LockedCase, at now: Moment,
        in tx: Transaction
    ) async throws {
        if facts.isEmpty { return }
        var request = request
        for fact in facts {
            request.progress.facts.insert(fact)
            try await tx.execute(
                """
                insert into refunds.commerce_facts
                  (tenant_id, request_id, fact_id, sku, kind, signed_at, amount, refunded_at, revoked_at, learned_at)
                values (\(request.request.tenant.rawValue), \(request.request.id), \(fact.id), \(fact.sku ?? ""),
                  \(fact.kind.rawValue), \(fact.signedAt), \(fact.amount), \(fact.refundedAt), \(fact.revokedAt),
                  \(now))
                on conflict do nothing
                """)
        }
        try await tx.execute(
            """
            update refunds.commerce_requests
            set case_id = \(locked.id)
            where tenant_id = \(locked.tenant.rawValue) and request_id = \(request.request.id) and case_id is null
            """)
        try await CommerceStore.save(request, at: now, in: tx)
    }

    /// A CONSUMPTION_REQUEST after our call, where we let Apple ask, is about our own request.
    private static func link(
        _ request: LockedCommerce, to round: UUID, of locked: LockedCase, at now: Moment, in tx: Transaction
    ) async throws {
        guard request.request.refundRiskingPreference == true, request.request.state != .pendingAtApple,
            request.request.state != .failed
        else { return }
        try await tx.execute(
            """
            update refunds.commerce_requests
            set case_id = \(locked.id), round_id = coalesce(round_id, \(round)), changed_at = \(now)
            where tenant_id = \(locked.tenant.rawValue) and request_id = \(request.request.id)
            """)
    }

    /// Whether we asked Apple for this refund ourselves, so that no answer of ours may oppose it.
    static func ownRequest(
        transaction: StoredTransaction, environment: Environment, app: AppID, tenant: TenantID
    ) -> SQL {
        """
        select request_id
        from refunds.commerce_requests
        where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue)
          and environment = \(environment.rawValue)
          and (transaction_id = \(transaction.id)
            or (kind = 'revoke' and original_transaction_id = \(transaction.original)))
          and kind <> 'cancel'
          and state in ('awaiting-approval', 'queued', 'sending', 'accepted', 'refunded', 'pending-at-apple')
        order by asked_at desc
        limit 1
        """
    }
}
