import Time

/// What a well-formed request may do to the purchase that it names.
///
/// Source: the pages of the three calls and their errors (apple sheets 6.5, 6.6, 6.12). The pages do not say in which
/// order rules are looked at, nor which number some of them have; the numbers are of each call's own list.
struct CommerceRules {
    /// The transaction that a refund names, or the latest one of the subscription.
    let transaction: StoreTransaction
    /// The latest transaction of the same subscription; the transaction itself where there is none.
    let latest: StoreTransaction
    /// Whether a refund of the transaction waits for a decision, whoever asked for it.
    let isPending: Bool
    /// The number with which every request for this purchase is refused.
    let standingRefusal: Int64?
    let now: Moment

    func check(_ asked: CommerceAsked, in environment: StoreEnvironment) throws(AppleError) {
        if asked.simulatesDecline, environment == .production { throw CommerceError.simulateRefundDeclineOnlyInSandbox }
        guard let goods = CommerceGoods(transaction.payload) else { throw CommerceError.operationNotAllowed }
        if asked.kind != .refund, !transaction.isAutoRenewable { throw CommerceError.subscriptionDoesNotExist }
        guard transaction.payload["inAppOwnershipType"] == "PURCHASED" else { throw CommerceError.productNotOwned }
        if let code = standingRefusal { throw AppleError(code, "This request can't be carried out.") }
        if let storefront = asked.storefront, storefront != transaction.payload["storefront"]?.string {
            throw CommerceError.mismatchedStorefront
        }
        // No number is published for a currency that is another one than the transaction's.
        if let currency = asked.currency, currency != transaction.payload["currency"]?.string {
            throw CommerceError.operationNotAllowed
        }
        switch asked.kind {
        case .refund: try checkRefund(asked, goods)
        case .revoke: try checkRevocation(goods)
        case .cancel: try checkCancellation()
        }
    }

    private func checkRefund(_ asked: CommerceAsked, _ goods: CommerceGoods) throws(AppleError) {
        for item in asked.items where goods.item(item.sku) == nil { throw CommerceError.productNotOwned }
        let ending = Set(asked.items.filter(\.revokes).map(\.sku))
        if isActive, transaction.id == latest.id, goods.items.allSatisfy({ $0.isRevoked || ending.contains($0.sku) }) {
            throw CommerceError.removalAllNotAllowed
        }
        if transaction.isAutoRenewable, transaction.id != latest.id,
            asked.items.contains(where: { $0.type == "PRORATED" })
        {
            throw CommerceError.proratedOnlyLatestTransaction
        }
        if isPending { throw CommerceError.pendingRefund }
        for wanted in asked.items {
            guard let item = goods.item(wanted.sku) else { continue }
            guard item.price > 0 else { throw CommerceError.transactionNotRefundable }
            guard item.left > 0 else { throw CommerceError.alreadyRefunded }
            // What happens above the price is not published; there is a number for money that is not there.
            if let amount = wanted.amount, amount > item.left { throw CommerceError.insufficientFunds }
        }
    }

    private func checkRevocation(_ goods: CommerceGoods) throws(AppleError) {
        guard isActive else { throw CommerceError.revokeOnInactiveSubscription }
        if isPending { throw CommerceError.pendingRefund }
        guard goods.items.contains(where: { $0.left > 0 }) else { throw CommerceError.alreadyRefunded }
    }

    private func checkCancellation() throws(AppleError) {
        guard isActive else { throw CommerceError.subscriptionNotEligible }
        guard latest.renewal?["autoRenewStatus"] != 0 else { throw CommerceError.operationNotAllowed }
    }

    private var isActive: Bool {
        latest.isAutoRenewable && NotificationWriter.status(of: latest.payload, at: now) == 1
    }
}
