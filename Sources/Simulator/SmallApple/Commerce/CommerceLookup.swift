import Time

/// Finds the purchase that a path names, and what belongs to it.
///
/// A refund names the transaction itself; the other two calls take any transaction of the subscription, the original
/// one too (apple sheet 6.3). Their lists of errors have one number for an id that leads nowhere, whatever its form.
struct CommerceLookup {
    let shelves: Shelves

    struct Found {
        let transaction: StoreTransaction
        /// The newest transaction of the subscription; the same one for what is no subscription.
        let latest: StoreTransaction
    }

    func find(
        _ id: String, for kind: CommerceKind, of bundleID: String, in environment: StoreEnvironment
    ) throws(AppleError) -> Found {
        let exact = shelves.transaction(id, in: environment).flatMap { $0.bundleID == bundleID ? $0 : nil }
        guard kind != .refund else {
            guard let exact else { throw .transactionIdNotFound }
            return Found(transaction: exact, latest: latest(of: exact))
        }
        if let exact {
            let latest = latest(of: exact)
            return Found(transaction: latest, latest: latest)
        }
        // The original transaction may have been bought before this small Apple was there.
        let all = shelves.purchases(of: id, bundleID: bundleID, in: environment)
        guard let some = all.first(where: { $0.payload["originalTransactionId"]?.string == id }) else {
            throw .transactionIdNotFound
        }
        let latest = latest(of: some)
        return Found(transaction: latest, latest: latest)
    }

    func latest(of transaction: StoreTransaction) -> StoreTransaction {
        chain(of: transaction).max { Self.bought($0) < Self.bought($1) } ?? transaction
    }

    /// All transactions of one subscription.
    func chain(of transaction: StoreTransaction) -> [StoreTransaction] {
        guard transaction.isAutoRenewable else { return [transaction] }
        return shelves.purchases(
            of: transaction.customer, bundleID: transaction.bundleID, in: transaction.environment
        ).filter { $0.payload["originalTransactionId"] == transaction.payload["originalTransactionId"] }
    }

    private static func bought(_ transaction: StoreTransaction) -> Int64 {
        transaction.payload["purchaseDate"]?.int ?? 0
    }
}
