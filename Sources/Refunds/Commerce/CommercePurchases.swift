import AppStore
import FoundationEssentials
import Postgres
import Tenants
import Time

/// Reads what is known of a purchase.
enum CommercePurchases {
    /// Nil where we do not hold the transaction.
    static func find(
        _ id: String, environment: AppEnvironment, app: App, in tx: Transaction
    ) async throws -> CommercePurchase? {
        guard
            let stored = try await TransactionStore.find(
                id, environment: Environment(environment), app: app.id, tenant: app.tenant, in: tx)
        else { return nil }
        let payload = try stored.payload()
        let mine: SQL = """
            tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
              and environment = \(environment.rawValue)
            """
        let found = try await tx.pipeline([
            """
            select transaction_id
            from refunds.transactions
            where \(mine) and original_transaction_id = \(stored.original)
            order by purchased_at desc nulls last
            limit 1
            """,
            """
            select auto_renews, renewal_at
            from refunds.renewals
            where \(mine) and original_transaction_id = \(stored.original)
            """,
            """
            select c.case_id, c.outcome = 'pending' and exists (
                select from refunds.facts f
                where f.tenant_id = c.tenant_id and f.case_id = c.case_id and f.kind = 'request'
                  and not exists (
                    select from refunds.commerce_requests r
                    where r.tenant_id = f.tenant_id and r.case_id = f.case_id and r.round_id = f.fact_id)) as is_pending
            from refunds.cases c
            where \(mine) and c.transaction_id = \(id)
            """,
            """
            select r.request_id, r.kind, r.transaction_id, r.state,
              array(select i.sku from refunds.commerce_items i
                    where i.tenant_id = r.tenant_id and i.request_id = r.request_id order by i.item_no) as skus
            from refunds.commerce_requests r
            where \(mine) and original_transaction_id = \(stored.original)
              and state in ('draft', 'awaiting-approval', 'queued', 'sending', 'accepted', 'pending-at-apple')
            order by asked_at desc
            limit 50
            """,
        ])
        let latest: String? = try found[0].first.flatMap { try $0("transaction_id") }
        return CommercePurchase(
            environment: environment, transactionID: stored.id, originalTransactionID: stored.original,
            productID: stored.product, isSubscription: payload.type?.known == .autoRenewableSubscription,
            isAdvancedCommerce: payload.advancedCommerceInfo != nil,
            isFamilyShared: payload.inAppOwnershipType?.known == .familyShared,
            items: items(of: payload), price: payload.price, currency: payload.currency,
            storefront: payload.storefront, purchasedAt: payload.purchaseDate, expiresAt: payload.expiresDate,
            revokedAt: payload.revocationDate, autoRenews: try found[1].first.flatMap { try $0("auto_renews") },
            renewsAt: try found[1].first.flatMap { try $0("renewal_at") }, isLatest: latest == nil || latest == id,
            caseID: try found[2].first.flatMap { try $0("case_id") },
            hasPendingCustomerRequest: try found[2].first.map { try $0("is_pending") } ?? false,
            openRequests: try found[3].map { try CommercePurchase.OpenRequest($0) }, customer: stored.customer,
            signedAt: payload.signedDate)
    }

    private static func items(of payload: TransactionPayload) -> [CommercePurchase.Item] {
        let items = payload.advancedCommerceInfo?.items ?? []
        return items.prefix(CommerceRule.itemsMax).compactMap { item in
            guard let sku = item.sku else { return nil }
            return CommercePurchase.Item(
                // What is sold by itself costs what the transaction costs.
                sku: sku, displayName: item.displayName, price: item.price ?? (items.count == 1 ? payload.price : nil),
                refunds: item.refunds.map {
                    CommercePurchase.Refund(
                        amount: $0.refundAmount, at: $0.refundDate, reason: $0.refundReason?.raw,
                        type: $0.refundType?.raw)
                }, revokedAt: item.revocationDate)
        }
    }
}

extension CommercePurchase.OpenRequest {
    fileprivate init(_ row: Row) throws {
        let kind: String = try row("kind")
        let state: String = try row("state")
        guard let kind = CommerceKind(rawValue: kind), let state = CommerceRequestState(rawValue: state) else {
            throw PostgresError(.decoding, "a commerce request of an unknown kind or state")
        }
        self.init(
            id: try row("request_id"), kind: kind, transactionID: try row("transaction_id"), state: state,
            skus: try row("skus"))
    }
}
