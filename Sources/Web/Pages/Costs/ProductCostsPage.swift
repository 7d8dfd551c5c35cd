import Refunds
import Tenants

/// What a sale of each product costs beyond the price, and does not come back with a refund.
struct ProductCostsPage {
    let frame: Frame
    let slug: String
    let app: App
    let costs: [SKUCost]
    let canChange: Bool
    var typed: [String: String] = [:]
    var wrong: [String: String] = [:]

    private var place: Site { .productCosts(slug, bundleID: app.bundleID) }
    private static let shownMax = 500

    var html: HTML {
        Layout(frame, title: "What a sale of \(app.name) costs").console {
            nav(.class("crumbs"), .ariaLabel("Way back")) { a(.href(.apps(slug))) { "Apps" } }
            PageHeader("What a sale costs you") {
                "Payouts, royalties, machines: what is spent on a product of \(app.name) and does not come back with a refund. Outcomes count it for each refund; whoever asks for one sees it before."
            }.html
            if costs.isEmpty {
                EmptyState(.register, "No cost is filled in") {
                    p { "Until then a refund seems to cost the price alone." }
                }.html
            } else {
                list
            }
            if canChange { form }
        }
    }

    private var list: HTML {
        DataTable(
            caption: "Costs by product",
            columns: [
                .init("Product or SKU") { cost in span(.class("mono")) { NameText(cost.sku).html } },
                .init("For") { cost in span { cost.kind.text } },
                .init("Amount", isNumber: true) { cost in
                    span {
                        MoneyText(milliunits: cost.milliunits, currency: cost.currency).html
                        span(.class("subtext")) { "for \(cost.basis.text)" }
                    }
                },
                .init("Note") { cost in
                    if let note = cost.note, !note.isEmpty {
                        span(.class("answer-text")) { note }
                    } else {
                        span(.class("quiet")) { "–" }
                    }
                },
            ] + (canChange ? [.init("Remove") { cost in removal(cost) }] : []),
            rows: Array(costs.prefix(Self.shownMax))
        ).html
    }

    private func removal(_ cost: SKUCost) -> HTML {
        Web.form(.post, .action(place)) {
            HiddenFields(fields: [("sku", cost.sku), ("kind", cost.kind.rawValue)]).html
            button(
                .class("button"), .type("submit"), .name("do"), .value("remove"),
                .ariaLabel("Remove the cost of \(cost.sku), \(cost.kind.text)")
            ) { "Remove" }
        }
    }

    private var form: HTML {
        section(.class("panel step"), .ariaLabelledBy("cost-title")) {
            h2(.id("cost-title")) { "Set a cost" }
            Web.form(.class("step-form"), .post, .action(place)) {
                Field(
                    "productId or SKU", name: "sku", error: wrong["sku"], .type("text"), .required, .maxlength(128),
                    .autocomplete("off"), .noSpellcheck, .value(typed["sku"] ?? "")
                ).html
                div(.class("pair")) {
                    Choices(
                        legend: "For", name: "kind",
                        choices: SKUCost.Kind.allCases.map {
                            .init(value: $0.rawValue, text: $0.text, more: $0.more)
                        }, chosen: typed["kind"], error: wrong["kind"]
                    ).html
                    Choices(
                        legend: "The amount is for", name: "basis",
                        choices: SKUCost.Basis.allCases.map {
                            .init(value: $0.rawValue, text: Words.sentence($0.text), more: $0.more)
                        }, chosen: typed["basis"] ?? SKUCost.Basis.sale.rawValue, error: wrong["basis"]
                    ).html
                }
                div(.class("field-row")) {
                    Field(
                        "Amount", name: "amount", error: wrong["amount"], .type("text"), .required,
                        .inputmode("decimal"), .maxlength(20), .autocomplete("off"), .value(typed["amount"] ?? "")
                    ).html
                    Field(
                        "Currency", name: "currency", help: "Three letters, such as EUR or JPY.",
                        error: wrong["currency"], .type("text"), .required, .maxlength(3), .autocomplete("off"),
                        .noSpellcheck, .value(typed["currency"] ?? "")
                    ).html
                }
                Field(
                    "Note", name: "note", error: wrong["note"], .type("text"), .maxlength(500),
                    .value(typed["note"] ?? "")
                ).html
                button(.class("button button-main"), .type("submit"), .name("do"), .value("set")) { "Set the cost" }
            }
        }
    }
}
