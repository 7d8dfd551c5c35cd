import HTTP
import Time

/// Get Transaction Info, Get Transaction History, Get Refund History and Look Up Order ID.
///
/// Source: the pages of these endpoints (apple sheet 4.4).
struct TransactionEndpoints {
    let shelves: Shelves
    let authority: CertificateAuthority

    private static let pageMax = 20

    var all: [Endpoint] {
        [
            Endpoint(
                method: .get, pattern: "/inApps/v1/transactions/{transactionId}", perSecond: 50,
                answer: { caller throws(AppleError) in try info(caller) }),
            Endpoint(
                method: .get, pattern: "/inApps/v2/history/{transactionId}", perSecond: 50,
                answer: { caller throws(AppleError) in try history(caller) }),
            Endpoint(
                method: .get, pattern: "/inApps/v2/refund/lookup/{transactionId}", perSecond: 10,
                answer: { caller throws(AppleError) in try refunds(caller) }),
            Endpoint(
                method: .get, pattern: "/inApps/v1/lookup/{orderId}", perSecond: 10,
                answer: { caller throws(AppleError) in try order(caller) }),
        ]
    }

    private func info(_ caller: Caller) throws(AppleError) -> Answer {
        let transaction = try find(caller, allowsAppTransactionID: false)
        return .json(["signedTransactionInfo": .string(try signed(transaction, caller))])
    }

    private func history(_ caller: Caller) throws(AppleError) -> Answer {
        let transaction = try find(caller, allowsAppTransactionID: true)
        let filter = try HistoryFilter(caller.query)
        var all = shelves.purchases(of: transaction.customer, bundleID: caller.app.bundleID, in: caller.environment)
            .filter { filter.wants($0) }
        if filter.isDescending { all.reverse() }
        // A revision goes on where it ended even if a later change came between: history is ordered by change.
        let start = filter.after.map { after in
            filter.isDescending ? all.filter { $0.revision < after } : all.filter { $0.revision > after }
        }
        let rest = start ?? all
        let page = rest.prefix(Self.pageMax)
        var members: JSONObject = [
            "revision": .string(filter.revision(after: page.last?.revision ?? filter.after ?? 0)),
            "hasMore": .bool(rest.count > page.count), "bundleId": .string(caller.app.bundleID),
        ]
        members["appAppleId"] = caller.environment == .production ? .int(caller.app.appAppleID) : nil
        members["environment"] = .string(caller.environment.rawValue)
        members["signedTransactions"] = .array(try list(page, caller))
        return .json(.object(members))
    }

    /// Only refunds that Apple approved, by their date; an empty list is a normal answer.
    private func refunds(_ caller: Caller) throws(AppleError) -> Answer {
        let transaction = try find(caller, allowsAppTransactionID: true)
        var all = shelves.purchases(of: transaction.customer, bundleID: caller.app.bundleID, in: caller.environment)
            .filter { Self.revocation($0).0 > 0 && $0.payload["revocationType"] != "FAMILY_REVOKE" }
            .sorted { Self.revocation($0) < Self.revocation($1) }
        var after: [Int64] = [0, 0]
        if let revision = caller.query.first("revision") {
            guard let numbers = Revision.read(revision, kind: "r"), numbers.count == 2 else {
                throw .invalidRequestRevision
            }
            after = numbers
            all = all.filter { Self.revocation($0) > (numbers[0], numbers[1]) }
        }
        let page = all.prefix(Self.pageMax)
        if let last = page.last { after = [Self.revocation(last).0, Self.revocation(last).1] }
        return .json([
            "hasMore": .bool(all.count > page.count), "revision": .string(Revision.text(after, kind: "r")),
            "signedTransactions": .array(try list(page, caller)),
        ])
    }

    /// Production only. An order that is unknown is a 200 with status 1, not a 404.
    private func order(_ caller: Caller) throws(AppleError) -> Answer {
        let order = caller.parameter("orderId")
        guard caller.environment == .production, (1...32).contains(order.utf8.count),
            order.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
        else { throw .generalBadRequest }
        let purchases = shelves.purchases(order: order, bundleID: caller.app.bundleID)
        guard !purchases.isEmpty else { return .json(["status": 1]) }
        return .json(["status": 0, "signedTransactions": .array(try list(purchases[...], caller))])
    }

    private func find(_ caller: Caller, allowsAppTransactionID: Bool) throws(AppleError) -> StoreTransaction {
        try TransactionLookup(shelves: shelves).find(
            caller.parameter("transactionId"), for: caller, allowsAppTransactionID: allowsAppTransactionID)
    }

    private func list(_ page: ArraySlice<StoreTransaction>, _ caller: Caller) throws(AppleError) -> [JSON] {
        var signedTransactions: [JSON] = []
        for transaction in page { signedTransactions.append(.string(try signed(transaction, caller))) }
        return signedTransactions
    }

    private func signed(_ transaction: StoreTransaction, _ caller: Caller) throws(AppleError) -> String {
        var payload = transaction.payload
        payload["signedDate"] = .int(caller.now.milliseconds)
        guard let jws = try? authority.sign(.object(payload)) else { throw .generalInternal }
        return jws
    }

    private static func revocation(_ transaction: StoreTransaction) -> (Int64, Int64) {
        (transaction.payload["revocationDate"]?.int ?? itemRefund(transaction), transaction.revision)
    }

    /// The newest refund of an item of an Advanced Commerce purchase that is not revoked as a whole.
    private static func itemRefund(_ transaction: StoreTransaction) -> Int64 {
        let items = transaction.payload["advancedCommerceInfo"]?["items"]?.array ?? []
        return items.flatMap { $0["refunds"]?.array ?? [] }.compactMap { $0["refundDate"]?.int }.max() ?? 0
    }
}
