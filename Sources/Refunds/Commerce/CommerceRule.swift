import Tenants
package import Time

/// The rules of Apple's three calls, checked before anything is sent and said in words at the member they are about.
///
/// Source: Advanced Commerce API, Request Transaction Refund, Revoke Subscription, Cancel a Subscription, Error codes
/// (read 2026-08). Where Apple publishes no rule, what is odd is a warning and not a refusal.
package enum CommerceRule {
    package static let noteBytesMax = 2000
    static let itemsMax = 100

    /// Everything that is wrong with an intention, in the order of its members; empty: it may be sent.
    ///
    /// - Parameter purchase: nil where nothing is known of it: then only what can be seen without it is checked.
    package static func troubles(
        of intention: CommerceIntention, against purchase: CommercePurchase?, at now: Moment
    ) -> [CommerceTrouble] {
        var troubles = form(of: intention)
        if let purchase { troubles += fit(of: intention, to: purchase, at: now) }
        return troubles
    }

    // MARK: what can be seen without the purchase

    private static func form(of intention: CommerceIntention) -> [CommerceTrouble] {
        var troubles: [CommerceTrouble] = []
        if !isTransactionID(intention.transactionID) {
            troubles.append(.init("transactionId", 4_000_006, "A transaction ID is 1 to 20 digits."))
        }
        if let currency = intention.currency, !isCapitals(currency) {
            troubles.append(.init("currency", 4_000_053, "A currency is three capital letters, such as EUR."))
        }
        if let storefront = intention.storefront, !isCapitals(storefront) {
            troubles.append(.init("storefront", 4_000_028, "A storefront is three capital letters, such as DEU."))
        }
        if let note = intention.note, note.utf8.count > noteBytesMax || note.utf8.contains(0) {
            troubles.append(.init("note", nil, "A note has at most \(noteBytesMax) bytes of text."))
        }
        switch intention.kind {
        case .refund: troubles += refundForm(intention)
        case .revoke: troubles += revokeForm(intention)
        case .cancel: troubles += cancelForm(intention)
        }
        return troubles
    }

    private static func refundForm(_ intention: CommerceIntention) -> [CommerceTrouble] {
        var troubles: [CommerceTrouble] = []
        if intention.items.isEmpty {
            troubles.append(.init("items", 4_000_160, "Choose at least one item to refund."))
        }
        if intention.items.count > itemsMax {
            troubles.append(.init("items", nil, "A request names at most \(itemsMax) items."))
        }
        if intention.refundReason != nil {
            troubles.append(.init("refundReason", nil, "In a refund each item has its own reason."))
        }
        if intention.refundType != nil {
            troubles.append(.init("refundType", nil, "In a refund each item has its own kind."))
        }
        troubles += risking(intention)
        var seen: Set<String> = []
        for (index, item) in intention.items.prefix(itemsMax).enumerated() {
            let at = "items[\(index)]"
            if item.sku.isEmpty { troubles.append(.init("\(at).SKU", 4_000_105, "The item has no SKU.")) }
            if item.sku.count > 128 || item.sku.utf8.contains(0) {
                troubles.append(.init("\(at).SKU", 4_000_087, "A SKU has at most 128 characters."))
            }
            if !seen.insert(item.sku).inserted {
                troubles.append(.init("\(at).SKU", 4_000_194, "The item is named twice. Name each item once."))
            }
            troubles += amountForm(item, at, currency: intention.currency)
            if item.refundReason == .simulateRefundDecline, intention.environment == .production {
                troubles.append(.init("\(at).refundReason", 4_000_158, simulationText))
            }
        }
        let simulated = intention.items.filter { $0.refundReason == .simulateRefundDecline }.count
        if simulated > 0, simulated < intention.items.count {
            troubles.append(
                .init("items", 4_000_184, "If one item simulates a decline, all items of the request must."))
        }
        return troubles
    }

    private static func amountForm(_ item: CommerceItem, _ at: String, currency: String?) -> [CommerceTrouble] {
        let member = "\(at).refundAmount"
        guard item.refundType == .custom else {
            return item.refundAmount == nil
                ? []
                : [.init(member, 4_000_155, "An amount belongs only to a refund of your own amount (CUSTOM).")]
        }
        guard let amount = item.refundAmount else {
            return [.init(member, 4_000_153, "A refund of your own amount needs the amount.")]
        }
        if amount <= 0 { return [.init(member, 4_000_154, "The amount must be more than nothing.")] }
        if amount > Int64(Int32.max) {
            return [
                .init(
                    member, 4_000_132,
                    "The amount is larger than the call can carry: at most \(CurrencyDecimals.text(Int64(Int32.max), currency))."
                )
            ]
        }
        return []
    }

    private static func revokeForm(_ intention: CommerceIntention) -> [CommerceTrouble] {
        var troubles: [CommerceTrouble] = []
        if !intention.items.isEmpty {
            troubles.append(.init("items", nil, "A revocation is about all items at once and names none."))
        }
        if let reason = intention.refundReason {
            if reason == .simulateRefundDecline, intention.environment == .production {
                troubles.append(.init("refundReason", 4_000_158, simulationText))
            }
        } else {
            troubles.append(.init("refundReason", 4_000_156, "Choose a reason."))
        }
        switch intention.refundType {
        case nil: troubles.append(.init("refundType", 4_000_157, "Choose the full or the prorated price."))
        case .custom:
            troubles.append(
                .init(
                    "refundType", 4_000_123,
                    "A revocation gives back the full or the prorated price. For an amount of your own, refund items."))
        case .full, .prorated: break
        }
        if intention.currency != nil {
            troubles.append(.init("currency", nil, "A revocation has no amount and so no currency."))
        }
        return troubles + risking(intention)
    }

    private static func cancelForm(_ intention: CommerceIntention) -> [CommerceTrouble] {
        let given: [(String, Bool)] = [
            ("items", !intention.items.isEmpty), ("refundReason", intention.refundReason != nil),
            ("refundType", intention.refundType != nil),
            ("refundRiskingPreference", intention.refundRiskingPreference != nil),
            ("currency", intention.currency != nil),
        ]
        return given.filter(\.1).map { .init($0.0, nil, "A cancellation gives no money back: leave this out.") }
    }

    private static func risking(_ intention: CommerceIntention) -> [CommerceTrouble] {
        intention.refundRiskingPreference == nil
            ? [
                .init(
                    "refundRiskingPreference", 4_000_159,
                    "Choose whether Apple may ask you for consumption data before it decides.")
            ] : []
    }

    private static let simulationText =
        "The reason that simulates a decline is for tests: it exists in Sandbox and TestFlight only."

    // MARK: what the purchase says

    private static func fit(
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
                    "Another request for this purchase is \(words(open.state)). Wait until Apple has decided it."))
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
        } else if !bought.refunds.isEmpty, item.refundType == .full {
            troubles.append(
                .init(
                    "\(at).refundType", 4_030_020, .warning,
                    "Part of this item's price was refunded before. Apple may answer that not enough is left."))
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

    // MARK: small things

    private static func words(_ state: CommerceRequestState) -> String {
        switch state {
        case .draft: "written down"
        case .awaitingApproval: "waiting for approval"
        case .queued: "in the queue"
        case .sending: "being sent"
        case .accepted: "at Apple and not decided yet"
        case .pendingAtApple: "waiting for Apple's decision"
        case .refunded, .declined, .failed, .cancelled: state.rawValue
        }
    }

    private static func isTransactionID(_ text: String) -> Bool {
        (1...20).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isCapitals(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    }
}
