import Refunds
import Tenants
import Time

/// One item of the purchase: whether it is refunded, why, how much, and what becomes of the access.
struct ItemPart {
    let index: Int
    let row: CommerceForm.Row
    let item: CommercePurchase.Item
    let purchase: CommercePurchase
    let reasons: [CommerceReason]
    let troubles: [CommerceForm.Trouble]

    var html: HTML {
        div(.class("item-card")) {
            input(.type("hidden"), .name("sku-\(index)"), .value(item.sku))
            if isOver {
                p {
                    strong { item.displayName ?? item.sku }
                    span(.class("subtext")) { "\(item.sku) · refunded before, with its whole price" }
                }
            } else {
                div(.class("choice item-take")) {
                    input(
                        [.type("checkbox"), .id("take-\(index)"), .name("take-\(index)"), .value("yes")]
                            + (row.isTaken ? [.checked] : []))
                    label(.for("take-\(index)")) {
                        strong { item.displayName ?? item.sku }
                        if let price = item.price {
                            " "
                            MoneyText(milliunits: price, currency: purchase.currency).html
                        }
                        span(.class("subtext")) { past }
                    }
                }
                if let error = error("take") { p(.class("field-help", .bad)) { error } }
                div(.class("item-fields")) { fields }
            }
        }
    }

    private var isOver: Bool { !item.refunds.isEmpty && item.remaining == 0 }

    private var past: String {
        var parts = [item.sku]
        if let refunded = item.refunded, refunded > 0 {
            parts.append("\(MoneyText(milliunits: refunded, currency: purchase.currency).text) refunded before")
        } else if !item.refunds.isEmpty {
            parts.append("refunded before in part")
        }
        if let ended = item.revokedAt { parts.append("access ended \(TimeText(ended).short)") }
        return parts.joined(separator: " · ")
    }

    private var fields: HTML {
        Field(
            "Reason", name: "reason-\(index)", choices: CommerceFormPart.reasonChoices(reasons), selected: row.reason,
            error: error("reason")
        ).html
            .and(
                Choices(
                    legend: "How much goes back?", name: "type-\(index)",
                    choices: CommerceRefundType.allCases.map {
                        .init(value: $0.rawValue, text: CommerceWords.label($0), more: Self.more($0))
                    }, chosen: row.type, error: error("type")
                ).html
            )
            .and(div(.class("item-amount")) { amount })
            .and(
                Choices(
                    legend: "And the access to it?", name: "access-\(index)",
                    choices: [
                        .init(
                            value: "ends", text: "Ends with the refund",
                            more: "When Apple's REFUND notification arrives, as of its revocationDate."),
                        .init(value: "stays", text: "Stays", more: "Money back, and the customer keeps the item."),
                    ], chosen: row.access, error: error("access")
                ).html)
    }

    private var amount: HTML {
        let currency = purchase.currency
        let example = currency.map { AmountText("", $0).example } ?? "12.50"
        return Field(
            "Amount" + (currency.map { " in \($0)" } ?? ""), name: "amount-\(index)",
            help: "For an amount of your own. \(CommercePreview.taxNote(storefront: purchase.storefront))",
            error: error("amount"), .value(row.amount), .inputmode("decimal"), .maxlength(24), .autocomplete("off"),
            .placeholder(example)
        ).html
    }

    private func error(_ field: String) -> String? { troubles.first { $0.field == "\(field)-\(index)" }?.text }

    static func more(_ type: CommerceRefundType) -> String? {
        type == .prorated ? "Apple reckons it; for the latest transaction of a subscription only." : nil
    }
}
