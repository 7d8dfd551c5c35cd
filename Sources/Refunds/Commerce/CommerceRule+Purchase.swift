import Tenants
import Time

/// What the purchase says of an intention.
extension CommerceRule {
    static func fit(
        of intention: CommerceIntention, to purchase: CommercePurchase, at now: Moment
    ) -> [CommerceTrouble] {
        guard purchase.isAdvancedCommerce else {
            return [
                .init(
                    "transactionId", nil,
                    "This purchase was not made with the Advanced Commerce API. Apple refunds it at the customer's own request only."
                )
            ]
        }
        if purchase.isFamilyShared {
            return [
                .init(
                    "transactionId", 4_030_013,
                    "This is a family member's copy. Only the purchase of the person who paid can be refunded.")
            ]
        }
        var troubles = standing(of: purchase, for: intention.kind)
        if let storefront = intention.storefront, let real = purchase.storefront, storefront != real {
            troubles.append(
                .init(
                    "storefront", 4_000_133,
                    "The purchase was made in \(Storefronts.text(real)). Leave the storefront out, or write \(real)."))
        }
        if let currency = intention.currency, let real = purchase.currency, currency != real {
            troubles.append(.init("currency", 4_000_053, "The purchase was paid in \(real). Amounts are in \(real)."))
        }
        switch intention.kind {
        case .refund: troubles += refundFit(intention, purchase, now)
        case .revoke: troubles += revokeFit(intention, purchase, now)
        case .cancel: troubles += cancelFit(purchase, now)
        }
        return troubles
    }

    /// What stands in the way whatever exactly is asked for.
    private static func standing(of purchase: CommercePurchase, for kind: CommerceKind) -> [CommerceTrouble] {
        guard kind != .cancel else { return [] }
        var troubles: [CommerceTrouble] = []
        if purchase.revokedAt != nil {
            troubles.append(.init("transactionId", 4_030_021, "This purchase was refunded before."))
        }
        if purchase.price == 0, purchase.items.allSatisfy({ ($0.price ?? 0) == 0 }) {
            troubles.append(.init("transactionId", 4_030_024, "Nothing was paid for this purchase."))
        }
        if let open = purchase.openRequests.first(where: {
            $0.state.isUnderWay && $0.kind != .cancel
                && ($0.transactionID == purchase.transactionID || kind == .revoke || $0.kind == .revoke)
        }) {
            troubles.append(
                .init(
                    "transactionId", 4_000_181,
                    "Another request for this purchase is \(words(open.state)). \(wayOn(open.state))"))
        }
        if purchase.hasPendingCustomerRequest {
            troubles.append(
                .init(
                    "transactionId", 4_000_181, .warning,
                    "The customer has asked Apple for a refund of this purchase, and we know of no decision. Apple will probably answer that a refund is pending."
                ))
        }
        return troubles
    }

    private static func refundFit(
        _ intention: CommerceIntention, _ purchase: CommercePurchase, _ now: Moment
    ) -> [CommerceTrouble] {
        var troubles: [CommerceTrouble] = []
        for (index, item) in intention.items.prefix(itemsMax).enumerated() {
            let at = "items[\(index)]"
            guard let bought = purchase.item(item.sku) else {
                if !purchase.items.isEmpty {
                    troubles.append(
                        .init("\(at).SKU", 4_000_122, "The purchase has no item \(item.sku.debugDescription)."))
                }
                continue
            }
            troubles += itemFit(item, at, bought, purchase)
        }
        if purchase.isActive(at: now) {
            let revoked = Set(intention.items.filter(\.revoke).map(\.sku))
            let live = purchase.liveItems.map(\.sku)
            if !live.isEmpty, live.allSatisfy(revoked.contains) {
                troubles.append(
                    .init(
                        "items", 4_000_168,
                        "This would end every item of a running subscription, and one must stay. To end all of them, revoke the subscription."
                    ))
            }
        }
        return troubles
    }

    private static func itemFit(
        _ item: CommerceItem, _ at: String, _ bought: CommercePurchase.Item, _ purchase: CommercePurchase
    ) -> [CommerceTrouble] {
        var troubles: [CommerceTrouble] = []
        let currency = purchase.currency
        if !bought.refunds.isEmpty, bought.remaining == 0 {
            troubles.append(.init("\(at).SKU", 4_030_021, "This item was refunded before, with its whole price."))
        } else if !bought.refunds.isEmpty {
            let before = bought.refunded.map { CurrencyDecimals.text($0, currency) } ?? "Part of this item's price"
            let count = bought.refunds.count
            troubles.append(
                .init(
                    "\(at).SKU", 4_030_020, .warning,
                    "\(before) of this item \(bought.refunded == nil ? "was" : "were") refunded before\(count > 1 ? ", in \(count) refunds" : "").\(item.refundType == .full ? " Apple may answer that not enough is left." : "")"
                ))
        }
        if item.refundType == .prorated {
            if !purchase.isSubscription {
                troubles.append(
                    .init(
                        "\(at).refundType", 4_000_182,
                        "Prorated means by the time that is left, which only a subscription has."))
            } else if !purchase.isLatest {
                troubles.append(
                    .init(
                        "\(at).refundType", 4_000_182,
                        "A prorated refund exists only for the latest transaction of a subscription."))
            }
        }
        if item.revoke, bought.revokedAt != nil {
            troubles.append(.init("\(at).revoke", 4_030_013, "The access to this item has ended already."))
        }
        guard item.refundType == .custom, let amount = item.refundAmount, amount > 0, amount <= Int64(Int32.max) else {
            return troubles
        }
        if let currency, let step = CurrencyDecimals.step(of: currency), amount % step != 0 {
            troubles.append(
                .init(
                    "\(at).refundAmount", 4_000_132,
                    step == 1000
                        ? "\(currency) has no decimals: the amount is a multiple of 1000 milliunits."
                        : "\(currency) has two decimals: the amount is a multiple of 10 milliunits."))
        }
        if let price = bought.price, amount > price {
            troubles.append(
                .init(
                    "\(at).refundAmount", 4_000_132, .warning,
                    "\(CurrencyDecimals.text(amount, currency)) is more than the \(CurrencyDecimals.text(price, currency)) that were paid. Apple has not published what it does then."
                ))
        } else if let left = bought.remaining, left > 0, amount > left {
            troubles.append(
                .init(
                    "\(at).refundAmount", 4_030_020, .warning,
                    "Only \(CurrencyDecimals.text(left, currency)) are left of the price after earlier refunds."))
        }
        return troubles
    }

    private static func revokeFit(
        _ intention: CommerceIntention, _ purchase: CommercePurchase, _ now: Moment
    ) -> [CommerceTrouble] {
        guard purchase.isSubscription else {
            return [.init("kind", 4_030_008, "This is no subscription. Refund its items instead.")]
        }
        guard purchase.isActive(at: now) else {
            return [
                .init(
                    "kind", 4_000_186,
                    "Only a running subscription can be revoked, and this one has ended. Refund its items instead.")
            ]
        }
        var troubles: [CommerceTrouble] = []
        if purchase.liveItems.count > 1 {
            let names = purchase.liveItems.map { $0.displayName ?? $0.sku }.joined(separator: ", ")
            troubles.append(
                .init(
                    "kind", nil, .warning,
                    "A revocation refunds and ends all \(purchase.liveItems.count) items: \(names). If only one of them is disputed, refund that one."
                ))
        }
        return troubles
    }

    private static func cancelFit(_ purchase: CommercePurchase, _ now: Moment) -> [CommerceTrouble] {
        guard purchase.isSubscription else {
            return [.init("kind", 4_030_008, "This is no subscription: there is nothing to cancel.")]
        }
        guard purchase.isActive(at: now) else {
            return [.init("kind", 4_030_008, "The subscription has ended: there is nothing to cancel.")]
        }
        if let open = purchase.openRequests.first(where: {
            !$0.state.isOver && $0.kind != .refund
        }) {
            return [
                .init("kind", nil, "Another request that ends this subscription is \(words(open.state)).")
            ]
        }
        if purchase.autoRenews == false {
            return [
                .init("kind", nil, .warning, "The subscription does not renew any more: it was cancelled before.")
            ]
        }
        return []
    }

    private static func wayOn(_ state: CommerceRequestState) -> String {
        switch state {
        case .draft: "Hand it in, or take it back."
        case .awaitingApproval: "Have it approved, or take it back."
        default: "Wait until Apple has decided it."
        }
    }

    private static func words(_ state: CommerceRequestState) -> String {
        switch state {
        case .draft: "kept as a draft"
        case .awaitingApproval: "waiting for approval"
        case .queued: "in the queue"
        case .sending: "being sent"
        case .accepted: "at Apple and not decided yet"
        case .pendingAtApple: "waiting for Apple's decision"
        case .refunded, .declined, .failed, .cancelled: state.rawValue
        }
    }
}
