package import HTTP
package import Journal
import Time

/// The calls about what Apple's own records say of a customer.
///
/// Source: App Store Server API, Get Transaction History v2, Get Refund History v2, Look Up Order ID (read 2026-08).
extension AppStoreServerAPI {
    /// A page has twenty transactions, each some five kilobytes.
    private static let pageBytesMax = 4 * 1024 * 1024

    /// Get Transaction History, version 2: one page of everything that the customer of a transaction bought in the app,
    /// the longest unchanged first. What is refunded or upgraded later comes again.
    ///
    /// - Parameters:
    ///   - transactionID: any of the customer's.
    ///   - revision: of the page before; nil for the first one, and never empty: Apple refuses that (4000005).
    package func transactionHistory(
        of transactionID: String, revision: String?, environment: Environment, token: Redacted<String>,
        until deadline: Deadline = .never
    ) async -> TransactionsResult {
        await page(
            "/inApps/v2/history/\(segment(transactionID))", "transaction-history", revision, environment, token,
            deadline)
    }

    /// Get Refund History, version 2: one page of the refunds that Apple approved for the customer of a transaction, the
    /// oldest first. None is a normal answer; what was declined is not among them.
    package func refundHistory(
        of transactionID: String, revision: String?, environment: Environment, token: Redacted<String>,
        until deadline: Deadline = .never
    ) async -> TransactionsResult {
        await page(
            "/inApps/v2/refund/lookup/\(segment(transactionID))", "refund-history", revision, environment, token,
            deadline)
    }

    /// Look Up Order ID: the transactions behind the number on a customer's receipt. Production only: the Sandbox has no
    /// orders.
    package func order(
        _ orderID: String, token: Redacted<String>, until deadline: Deadline = .never
    ) async -> OrderResult {
        var request = request(.get, .production, "/inApps/v1/lookup/\(segment(orderID))", token)
        request.responseBytesMax = Self.pageBytesMax
        let (result, body) = await call(request, .production, "order-look-up", until: deadline)
        guard case .accepted(let answer) = result else { return .failed(result) }
        guard let read = body.flatMap({ NotificationAnswers.read(OrderBody.self, $0) }) else {
            return .failed(.retry(answer.saying("the answer holds no status"), notBefore: nil))
        }
        return .found(read.status == 0 ? read.signedTransactions : [], answer)
    }

    private func page(
        _ path: String, _ name: String, _ revision: String?, _ environment: Environment, _ token: Redacted<String>,
        _ deadline: Deadline
    ) async -> TransactionsResult {
        let query = revision.flatMap { $0.isEmpty ? nil : "?revision=\(segment($0))" } ?? ""
        var request = request(.get, environment, path + query, token)
        request.responseBytesMax = Self.pageBytesMax
        let (result, body) = await call(request, environment, name, until: deadline)
        guard case .accepted(let answer) = result else { return .failed(result) }
        guard let read = body.flatMap({ NotificationAnswers.read(TransactionsBody.self, $0) }) else {
            return .failed(.retry(answer.saying("the answer holds no signedTransactions"), notBefore: nil))
        }
        return .page(
            SignedTransactionsPage(
                signedTransactions: read.signedTransactions, revision: read.revision, hasMore: read.hasMore,
                answer: answer))
    }
}
