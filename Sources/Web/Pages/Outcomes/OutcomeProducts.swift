import Refunds
import Tenants

/// What refunds cost beyond the price, product by product.
struct OutcomeProducts {
    let slug: String
    let products: [Outcomes.Product]
    let apps: [App]
    let files: HTML

    var html: HTML {
        section(.class("numbers"), .ariaLabelledBy("products")) {
            div(.class("panel-head")) {
                h2(.id("products"), .class("section-title")) { "What refunds cost, by product" }
                if !products.isEmpty { files }
            }
            if products.isEmpty {
                p(.class("quiet")) { "Nothing was refunded in this time." }
            } else {
                table
                p(.class("quiet")) {
                    "The price is what customers paid, an estimate and not for accounting; Apple may have given back a part. The cost is what was spent on the sale or its use and did not come back."
                }
            }
        }
    }

    private var table: HTML {
        DataTable(
            caption: "Refunds, their price and what was spent beyond it, by product",
            columns: [
                .init("Product") { product in
                    span(.class("mono")) { NameText(product.product).html }
                    if apps.count > 1 { span(.class("subtext")) { app(product)?.label ?? "removed app" } }
                },
                .init("Refunds", isNumber: true) { product in span { "\(product.refunds)" } },
                .init("Price", isNumber: true) { product in amounts(product.prices) },
                .init("Cost beyond it", isNumber: true) { product in costs(product) },
            ], rows: products
        ).html
    }

    private func app(_ product: Outcomes.Product) -> App? { apps.first { $0.id == product.app } }

    private func amounts(_ money: [String: Int64]) -> HTML {
        span {
            for (currency, amount) in money.sorted(by: { $0.key < $1.key }) {
                span(.class("subtext money")) { MoneyText(milliunits: amount, currency: currency).text }
            }
        }
    }

    private func costs(_ product: Outcomes.Product) -> HTML {
        guard let costs = product.costs else {
            guard let app = app(product) else { return span(.class("quiet")) { "–" } }
            return a(.href(.productCosts(slug, bundleID: app.bundleID))) { "fill in" }
        }
        return span {
            amounts(costs)
            if product.hasCostByUse, product.usesKnown < product.refunds {
                span(.class("subtext")) { "use known of \(product.usesKnown)" }
            }
        }
    }
}
