/// Finds the purchase that a path names, for the app of the token and the environment of the host.
///
/// Source: Get Transaction Info and the other endpoints' error lists (apple sheet 4.4, 4.6): a malformed id
/// is 400/4000006; one that is unknown, another app's or of the other environment is 404/4040010.
struct TransactionLookup {
    let shelves: Shelves

    /// - Parameter allowsAppTransactionID: what the documentation calls `anyTransactionId`; elsewhere an
    ///   appTransactionId is 400/4000048.
    func find(_ id: String, for caller: Caller, allowsAppTransactionID: Bool) throws(AppleError) -> StoreTransaction {
        guard (1...20).contains(id.utf8.count), id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .invalidTransactionId
        }
        if let transaction = shelves.transaction(id, in: caller.environment),
            transaction.bundleID == caller.app.bundleID
        {
            return transaction
        }
        if shelves.isAppTransactionID(id, in: caller.environment) {
            guard allowsAppTransactionID else { throw .appTransactionIdNotSupported }
            let owned = shelves.transactions(in: caller.environment).first {
                $0.bundleID == caller.app.bundleID && $0.payload["appTransactionId"]?.string == id
            }
            if let owned { return owned }
        }
        throw .transactionIdNotFound
    }
}
