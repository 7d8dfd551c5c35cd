import AppStore
import Postgres
import Tenants
import Time

/// The newest signed form of a transaction, as far as cases and decisions need it.
struct StoredTransaction: Sendable, Hashable {
    let id: String
    let original: String
    let product: String
    /// The app's word for its customer; nil where there is none.
    let customer: String?
    let price: Int64?
    let currency: String?
    /// ISO 3166-1, three letters.
    var storefront: String?
    /// Stands for whoever got the app: one for each Apple account and app.
    var appTransaction: String?
    let fields: [UInt8]

    /// The verified payload.
    func payload() throws -> TransactionPayload { try TransactionPayload(json: fields) }
}

/// The newest signed form of each transaction. Order is by Apple's date, never by arrival.
enum TransactionStore {
    /// Takes a verified form in where it is newer than the stored one, and gives the newest.
    ///
    /// Locks the row: work about one transaction goes one after the other. At equal dates the greater
    /// bytes win, so that the order of arrival does not matter.
    static func take(
        _ payload: TransactionPayload, id: String, environment: Environment, app: AppID, tenant: TenantID,
        signedAt: Moment, in tx: Transaction
    ) async throws -> StoredTransaction {
        let original = payload.originalTransactionId.flatMap { $0.isEmpty ? nil : $0 } ?? id
        let customer = payload.appAccountToken.flatMap { $0.isEmpty ? nil : ConsentLedger.Key.spelled($0) }
        let share = payload.revocationPercentage.map { Int32(clamping: $0) }
        let appTransaction = payload.appTransactionId.flatMap { id in
            id.isEmpty || !Text.isKept(id, bytesMax: 64) ? nil : id
        }
        try await tx.execute(
            """
            insert into refunds.transactions as t
              (tenant_id, app_id, environment, transaction_id, original_transaction_id, signed_at, product_id, type,
               customer, purchased_at, expires_at, price, currency, storefront, ownership, revoked_at,
               revocation_type, revocation_share, revocation_reason, fields, bundle_id_missing, app_transaction_id)
            values (\(tenant.rawValue), \(app.rawValue), \(environment.rawValue), \(id), \(kept(original)),
              \(signedAt), \(kept(payload.productId) ?? ""), \(kept(payload.type?.raw)), \(kept(customer)),
              \(dated(payload.purchaseDate)), \(dated(payload.expiresDate)), \(payload.price), \(kept(payload.currency)),
              \(kept(payload.storefront)), \(kept(payload.inAppOwnershipType?.raw)), \(dated(payload.revocationDate)),
              \(kept(payload.revocationType?.raw)), \(share), \(payload.revocationReason?.raw), \(payload.raw),
              \(payload.bundleId == nil), \(appTransaction))
            on conflict (tenant_id, app_id, environment, transaction_id) do update
              set original_transaction_id = excluded.original_transaction_id, signed_at = excluded.signed_at,
                product_id = excluded.product_id, type = excluded.type, customer = excluded.customer,
                purchased_at = excluded.purchased_at, expires_at = excluded.expires_at, price = excluded.price,
                currency = excluded.currency, storefront = excluded.storefront, ownership = excluded.ownership,
                revoked_at = excluded.revoked_at, revocation_type = excluded.revocation_type,
                revocation_share = excluded.revocation_share, revocation_reason = excluded.revocation_reason,
                fields = excluded.fields, bundle_id_missing = excluded.bundle_id_missing,
                app_transaction_id = excluded.app_transaction_id
              where (excluded.signed_at, excluded.fields) > (t.signed_at, t.fields)
            """)
        guard let stored = try await find(id, environment: environment, app: app, tenant: tenant, lock: true, in: tx)
        else { throw PostgresError(.misuse, "a transaction vanished under its lock") }
        return stored
    }

    static func find(
        _ id: String, environment: Environment, app: AppID, tenant: TenantID, lock: Bool = false, in tx: Transaction
    ) async throws -> StoredTransaction? {
        let row = try await tx.row(
            """
            select transaction_id, original_transaction_id, product_id, customer, price, currency, storefront,
              app_transaction_id, fields
            from refunds.transactions
            where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue)
              and environment = \(environment.rawValue) and transaction_id = \(id)
            \(lock ? "for update" as SQL : "")
            """)
        return try row.map { row in
            StoredTransaction(
                id: try row("transaction_id"), original: try row("original_transaction_id"),
                product: try row("product_id"), customer: try row("customer"), price: try row("price"),
                currency: try row("currency"), storefront: try row("storefront"),
                appTransaction: try row("app_transaction_id"), fields: try row("fields"))
        }
    }

    private static func kept(_ text: String) -> String { Text.kept(text, bytesMax: 1000) }
    private static func kept(_ text: String?) -> String? { text.map { kept($0) } }

    /// A date that a calendar has; the text keeps whatever Apple wrote.
    private static func dated(_ moment: Moment?) -> Moment? {
        moment.flatMap { (0...253_402_300_799_999).contains($0.milliseconds) ? $0 : nil }
    }
}
