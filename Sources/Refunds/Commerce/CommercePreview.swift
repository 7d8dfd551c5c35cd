package import Time

/// What a request would do, in words, before it is sent.
package struct CommercePreview: Sendable, Hashable {
    package struct Line: Sendable, Hashable {
        package let sku: String
        package let displayName: String?
        /// Milliunits; nil: Apple reckons it.
        package let amount: Int64?
        /// Milliunits; at most this, where Apple reckons the amount.
        package let amountMax: Int64?
        package let endsAccess: Bool
    }

    /// What was spent when the item was sold and does not come back.
    package struct Spent: Sendable, Hashable {
        package let sku: String
        package let cost: SKUCost
    }

    package let lines: [Line]
    /// Milliunits; nil where Apple reckons part of it.
    package let total: Int64?
    /// Milliunits; nil where a price is not known.
    package let totalMax: Int64?
    package let currency: String?
    /// Whether amounts hold tax, with the storefront's name.
    package let taxNote: String
    package let endsWhen: String
    package let spent: [Spent]
    /// Items that stay as they are.
    package let stays: [CommercePurchase.Item]
    package let otherConsequences: [String]

    /// Pure.
    package init(
        _ intention: CommerceIntention, of purchase: CommercePurchase, costs: [SKUCost], at now: Moment
    ) {
        currency = purchase.currency ?? intention.currency
        taxNote = Self.taxNote(storefront: purchase.storefront ?? intention.storefront)
        switch intention.kind {
        case .refund:
            lines = intention.items.map { item in Self.line(item, purchase.item(item.sku)) }
            let named = Set(intention.items.map(\.sku))
            stays = purchase.liveItems.filter { !named.contains($0.sku) }
        case .revoke:
            lines = purchase.liveItems.map { item in
                Line(
                    sku: item.sku, displayName: item.displayName,
                    amount: intention.refundType == .full ? item.remaining ?? item.price : nil,
                    amountMax: item.remaining ?? item.price, endsAccess: true)
            }
            stays = []
        case .cancel:
            lines = []
            stays = purchase.liveItems
        }
        let isOfWhole = lines.isEmpty && intention.kind == .revoke
        total =
            isOfWhole && intention.refundType == .full
            ? purchase.price : isOfWhole ? nil : Self.sum(lines.map(\.amount))
        totalMax = isOfWhole ? purchase.price : Self.sum(lines.map { $0.amount ?? $0.amountMax })
        endsWhen = Self.end(intention, purchase)
        let touched = Set(lines.map(\.sku))
        spent = costs.filter { touched.contains($0.sku) && $0.basis == .sale }.map { Spent(sku: $0.sku, cost: $0) }
        otherConsequences = Self.consequences(intention, purchase)
    }

    private static func line(_ item: CommerceItem, _ bought: CommercePurchase.Item?) -> Line {
        let left = bought.flatMap { $0.remaining ?? $0.price }
        return switch item.refundType {
        case .full: Line(item, bought, amount: left, amountMax: left)
        case .prorated: Line(item, bought, amount: nil, amountMax: left)
        case .custom: Line(item, bought, amount: item.refundAmount, amountMax: item.refundAmount)
        }
    }

    private static func sum(_ amounts: [Int64?]) -> Int64? {
        var sum: Int64 = 0
        for amount in amounts {
            guard let amount else { return nil }
            let (new, isTooMuch) = sum.addingReportingOverflow(amount)
            if isTooMuch { return nil }
            sum = new
        }
        return sum
    }

    /// Whether amounts of a purchase hold tax, with the storefront's name.
    package static func taxNote(storefront: String?) -> String {
        switch storefront {
        case nil: "Amounts include tax, but for purchases in Canada and the United States."
        case "CAN"?, "USA"?: "The purchase was made in \(Storefronts.text(storefront ?? "")): amounts are without tax."
        case .some(let storefront): "The purchase was made in \(Storefronts.text(storefront)): amounts include tax."
        }
    }

    private static func end(_ intention: CommerceIntention, _ purchase: CommercePurchase) -> String {
        let notification = "when Apple's REFUND notification arrives, as of the date that it names"
        switch intention.kind {
        case .cancel:
            let end = purchase.expiresAt.map { " on \($0.iso8601.prefix(10))" } ?? ""
            return "Access stays to the end of the period\(end); then it is not renewed."
        case .revoke: return "All access ends \(notification); not before."
        case .refund:
            return intention.items.contains(where: \.revoke)
                ? "Access to the items marked to be revoked ends \(notification); not before."
                : "Access stays: no item is marked to be revoked."
        }
    }

    private static func consequences(_ intention: CommerceIntention, _ purchase: CommercePurchase) -> [String] {
        var out: [String] = []
        switch intention.kind {
        case .cancel: out.append("No money is given back.")
        case .revoke:
            out.append("The subscription does not renew any more.")
            out.append("Apple decides whether it grants the refund.")
        case .refund:
            if purchase.isSubscription { out.append("The subscription goes on and renews as before.") }
            out.append("Apple decides whether it grants the refund.")
        }
        if intention.refundRiskingPreference == true {
            out.append("Apple may ask for consumption data first. The answer will not oppose this request.")
        }
        return out
    }
}

extension CommercePreview.Line {
    fileprivate init(_ item: CommerceItem, _ bought: CommercePurchase.Item?, amount: Int64?, amountMax: Int64?) {
        self.init(
            sku: item.sku, displayName: bought?.displayName, amount: amount, amountMax: amountMax,
            endsAccess: item.revoke)
    }
}

/// What is spent when an item is sold.
package struct SKUCost: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case payout, royalty, licence, compute, calls, other
    }

    /// What the amount is for.
    package enum Basis: String, Sendable, CaseIterable {
        /// One sale, used or not.
        case sale
        /// All of its use; the part that was used is what it cost.
        case use
    }

    package let sku: String
    package let kind: Kind
    package let milliunits: Int64
    package let currency: String
    package let note: String?
    package let basis: Basis

    package init(
        sku: String, kind: Kind, milliunits: Int64, currency: String, note: String? = nil, basis: Basis = .sale
    ) {
        self.sku = sku
        self.kind = kind
        self.milliunits = milliunits
        self.currency = currency
        self.note = note
        self.basis = basis
    }
}
