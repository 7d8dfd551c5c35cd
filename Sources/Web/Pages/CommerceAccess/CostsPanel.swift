import Refunds
import Tenants

/// What is spent when something is sold, and does not come back with a refund.
struct CostsPanel {
    /// The page stays readable; the others are found by setting them anew.
    private static let shownMax = 500

    let page: CommerceAccessPage
    private var costs: [SKUCost] { page.model.costs }

    var html: HTML {
        section(.class("panel step"), .id("costs"), .ariaLabelledBy("title-costs")) {
            h2(.id("title-costs")) { "What a sale costs you" }
            p(.class("step-lead")) {
                "Payouts, licences, compute: what is spent on a SKU when it is sold and does not come back with a refund. Whoever asks for a refund sees it before sending."
            }
            page.answer(to: .cost, .costRemoval)
            if costs.isEmpty {
                p(.class("quiet")) { "No cost is set: the preview of a request shows the price alone." }
            } else {
                list
                if costs.count > Self.shownMax {
                    p(.class("quiet")) { "The first \(Self.shownMax) of \(costs.count) are shown, by SKU." }
                }
            }
            if page.canChange { form }
        }
    }

    private var list: HTML {
        DataTable(
            caption: "Costs by SKU",
            columns: [
                .init("SKU") { cost in span(.class("mono")) { cost.sku } },
                .init("For") { cost in span { cost.kind.text } },
                .init("Amount", isNumber: true) { cost in
                    span {
                        MoneyText(milliunits: cost.milliunits, currency: cost.currency).html
                        if cost.basis != .sale { span(.class("subtext")) { "for \(cost.basis.text)" } }
                    }
                },
                .init("Note") { cost in
                    if let note = cost.note, !note.isEmpty { span { note } } else { span(.class("quiet")) { "–" } }
                },
            ]
                + (page.canChange
                    ? [
                        .init("Remove") { cost in
                            Web.form(.post, page.action(.costRemoval)) {
                                input(.type("hidden"), .name("sku"), .value(cost.sku))
                                input(.type("hidden"), .name("kind"), .value(cost.kind.rawValue))
                                button(
                                    .class("button"), .type("submit"),
                                    .ariaLabel("Remove the cost of \(cost.sku), \(cost.kind.text)")
                                ) { "Remove" }
                            }
                        }
                    ] : []),
            rows: Array(costs.prefix(Self.shownMax))
        ).html
    }

    private var form: HTML {
        details(.class("opening"), page.isAnswered(.cost) || costs.isEmpty ? .open : .id("change-costs")) {
            summary { "Set a cost" }
            Web.form(.class("step-form"), .post, page.action(.cost)) {
                Field(
                    "SKU", name: "sku", id: "cost-sku", error: page.wrong("sku", in: .cost), .type("text"), .required,
                    .maxlength(128), .autocomplete("off"), .noSpellcheck, .value(page.typed("sku", in: .cost))
                ).html
                Choices(
                    legend: "For", name: "kind",
                    choices: SKUCost.Kind.allCases.map {
                        .init(value: $0.rawValue, text: $0.text, more: $0.more)
                    },
                    chosen: page.typed("kind", in: .cost), error: page.wrong("kind", in: .cost)
                ).html
                div(.class("field-row")) {
                    Field(
                        "Amount", name: "amount", id: "cost-amount", help: "For one sale.",
                        error: page.wrong("amount", in: .cost), .type("text"), .required, .inputmode("decimal"),
                        .maxlength(20), .autocomplete("off"), .value(page.typed("amount", in: .cost))
                    ).html
                    Field(
                        "Currency", name: "currency", id: "cost-currency", help: "Three letters, such as EUR or JPY.",
                        error: page.wrong("currency", in: .cost), .type("text"), .required, .maxlength(3),
                        .autocomplete("off"), .noSpellcheck, .value(page.typed("currency", in: .cost))
                    ).html
                }
                Field(
                    "Note", name: "note", id: "cost-note", error: page.wrong("note", in: .cost), .type("text"),
                    .maxlength(500), .value(page.typed("note", in: .cost))
                ).html
                button(.class("button"), .type("submit")) { "Set the cost" }
            }
        }
    }
}
