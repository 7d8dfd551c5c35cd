import AppStore
import Postgres
import Queue
package import Tenants
import Time

/// The look-up of an order number, as it stands on the receipt that a customer sends to support.
extension CommerceDesk {
    /// Asks Apple what an order holds, keeps it, and names the cases about it.
    ///
    /// - Throws: `CommerceRefused.noSuchTransaction` for what is no order number, `.notNow`.
    package func order(_ text: String, app: App) async throws -> Order {
        guard let id = Order.read(text) else {
            throw CommerceRefused.noSuchTransaction("an order number is digits and capital letters, such as MK5XY2ABCD")
        }
        let lane = Lane.records(app: app.id.rawValue, isSandbox: false)
        let (key, token) = try await leave(app, lane: lane)
        let answer = await apple.api(for: app).order(id, token: token)
        let (signed, failure): ([String], CallResult?) =
            switch answer {
            case .found(let signed, _): (signed, nil)
            case .failed(let result): ([], result)
            }
        let isWork = try await database.transaction(app.tenant.scope) { tx in
            try await learn(from: failure, key, app, lane: lane, in: tx)
        }
        if isWork { bell.ring() }
        if let failure { throw Self.refused(failure) }
        let now = clock.now
        let intake = PastIntake(apple: apple)
        let sorted: PastIntake.Sorted
        do {
            sorted = try await intake.sort(signed, of: app, .production, at: now)
        } catch let error as JWSError {
            throw CommerceRefused.notNow("what Apple signed could not be judged: \(error.text)")
        }
        if sorted.transactions.isEmpty, sorted.refused > 0 {
            throw CommerceRefused.notNow("what Apple signed could not be believed")
        }
        try await intake.keep(sorted.transactions, of: .transactions, app, .production, at: now, on: database)
        return Order(id: id, purchases: try await purchases(sorted.transactions, of: app))
    }

    private func purchases(_ found: [PastIntake.Believed], of app: App) async throws -> [Order.Purchase] {
        guard !found.isEmpty else { return [] }
        let lines = try await database.transaction(app.tenant.scope, isolation: .readOnly) { tx in
            try await tx.rows(
                """
                select \(CaseQueries.columns)
                from refunds.cases c
                where c.app_id = \(app.id.rawValue) and c.environment = 'Production'
                  and c.transaction_id = any(\(found.map(\.id))::text[])
                order by c.transaction_id
                limit 200
                """
            ).map { try CaseLine($0) }
        }
        let cases = Dictionary(lines.map { ($0.transactionID, $0) }) { first, _ in first }
        return found.map { one in
            let payload = one.payload
            return Order.Purchase(
                transactionID: one.id, originalTransactionID: payload.originalTransactionId ?? one.id,
                productID: payload.productId ?? "", price: payload.price, currency: payload.currency,
                purchasedAt: payload.purchaseDate, revokedAt: payload.revocationDate,
                customer: payload.appAccountToken.flatMap { $0.isEmpty ? nil : $0 }, line: cases[one.id])
        }
    }
}
