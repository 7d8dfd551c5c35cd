import AppStore
import FoundationEssentials
import Postgres
import Tenants
import Time

/// What Apple signed beside the requests: renewals, and what was sold.
extension CommerceStore {
    /// Takes a verified renewal in where it is newer than the stored one.
    static func take(
        _ renewal: RenewalPayload, original: String, environment: Environment, app: AppID, tenant: TenantID,
        signedAt: Moment, in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            insert into refunds.renewals as r
              (tenant_id, app_id, environment, original_transaction_id, signed_at, auto_renews, renewal_at, fields)
            values (\(tenant.rawValue), \(app.rawValue), \(environment.rawValue), \(original),
              \(renewal.signedDate ?? signedAt), \(renewal.autoRenewStatus.map { $0 == 1 }), \(renewal.renewalDate),
              \(renewal.raw))
            on conflict (tenant_id, app_id, environment, original_transaction_id) do update
              set signed_at = excluded.signed_at, auto_renews = excluded.auto_renews,
                renewal_at = excluded.renewal_at, fields = excluded.fields
              where (excluded.signed_at, excluded.fields) > (r.signed_at, r.fields)
            """)
    }

    /// Counts what an Advanced Commerce transaction sold, once.
    static func count(
        sold transaction: TransactionPayload, id: String, environment: Environment, app: AppID, tenant: TenantID,
        in tx: Transaction
    ) async throws {
        guard let info = transaction.advancedCommerceInfo, let soldAt = transaction.purchaseDate,
            transaction.inAppOwnershipType?.known != .familyShared
        else { return }
        for item in info.items.prefix(CommerceRule.itemsMax) {
            guard let sku = item.sku, Text.isKept(sku, bytesMax: 512), !sku.isEmpty else { continue }
            try await tx.execute(
                """
                insert into refunds.commerce_sales
                  (tenant_id, app_id, environment, transaction_id, sku, sold_at, price, currency)
                values (\(tenant.rawValue), \(app.rawValue), \(environment.rawValue), \(id), \(sku), \(soldAt),
                  \(item.price), \(transaction.currency.map { Text.kept($0, bytesMax: 10) }))
                on conflict do nothing
                """)
        }
    }
}
