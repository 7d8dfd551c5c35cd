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
        if let note = intention.note, !Text.isKept(note, bytesMax: noteBytesMax) {
            troubles.append(.init("note", nil, "A note has at most \(noteBytesMax) bytes of text."))
        } else if let note = intention.note, !Text.isPlain(note) {
            troubles.append(.init("note", nil, "The note \(Text.notPlain)."))
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

    // MARK: small things

    private static func isTransactionID(_ text: String) -> Bool {
        (1...20).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isCapitals(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    }
}
