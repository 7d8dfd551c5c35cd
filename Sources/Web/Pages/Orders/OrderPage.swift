import Refunds
import Tenants
import Time

/// What stands behind an order number: a customer writes to support and sends a receipt, which names nothing else.
struct OrderPage {
    let frame: Frame
    let slug: String
    /// The apps in use.
    let apps: [App]
    var bundleID = ""
    var typed = ""
    var wrong: String?
    var notice: Notice?
    var order: Order?

    var html: HTML {
        Layout(frame, title: "Look up an order").console {
            nav(.class("crumbs"), .ariaLabel("Way back")) {
                a(.href(.cases(slug, CaseListQuery()))) { "Cases" }
            }
            PageHeader("Look up an order") {
                "The order number on a receipt from Apple, such as MK5XY2ABCD. Apple is asked what it holds; the Sandbox has no orders."
            }.html
            if let notice { notice.html }
            form
            if let order { found(order) }
        }
    }

    private var form: HTML {
        section(.class("panel"), .ariaLabelledBy("order-title")) {
            h2(.id("order-title")) { "Which order?" }
            if apps.isEmpty {
                p { "There is no app in use." }
            } else {
                Web.form(.class("step-form"), .post, .action(.orders(slug))) {
                    Field(
                        "App", name: "app", choices: apps.map { ($0.bundleID, $0.label) },
                        selected: bundleID.isEmpty ? apps[0].bundleID : bundleID
                    ).html
                    Field(
                        "Order number", name: "order", error: wrong, .type("text"), .maxlength(64),
                        .autocomplete("off"), .noSpellcheck, .value(typed), .required
                    ).html
                    button(.class("button button-main"), .type("submit")) { "Ask Apple" }
                }
            }
        }
    }

    private func found(_ order: Order) -> HTML {
        section(.class("panel"), .id("found"), .ariaLabelledBy("found-title")) {
            h2(.id("found-title")) {
                "Order "
                span(.class("mono")) { order.id }
            }
            if order.purchases.isEmpty {
                p { "Apple knows no such order of this app. Look at the number, and whether it is another app's." }
            } else {
                DataTable(
                    caption: "What the order holds",
                    columns: [
                        .init("Purchase") { one in
                            span { NameText(one.productID).html }
                            span(.class("subtext mono")) { one.transactionID }
                        },
                        .init("Bought") { one in
                            if let at = one.purchasedAt { TimeText(at).shortHTML } else { span { "–" } }
                        },
                        .init("Price", isNumber: true) { one in
                            if let price = one.price {
                                MoneyText(milliunits: price, currency: one.currency).html
                            } else {
                                span(.class("quiet")) { "unknown" }
                            }
                        },
                        .init("Customer") { one in
                            if let customer = one.customer {
                                a(
                                    .class("mono"),
                                    .href(.consent(slug, bundleID: bundleID, .customer(customer)))
                                ) { NameText(customer).html }
                            } else {
                                span(.class("quiet")) { "not named" }
                            }
                        },
                        .init("Case") { one in
                            if let line = one.line {
                                a(.href(.refundCase(slug, line.id))) { Words.label(line.state) }
                                if line.outcome != .pending {
                                    span(.class("subtext")) { Words.label(line.outcome) }
                                }
                            } else if one.revokedAt != nil {
                                span { "Revoked, and no case" }
                            } else {
                                span(.class("quiet")) { "none: no refund was asked for" }
                            }
                        },
                    ], rows: order.purchases
                ).html
            }
        }
    }
}
