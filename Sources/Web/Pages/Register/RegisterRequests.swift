import Refunds
import Tenants

/// Requests item by item, newest first.
struct RegisterRequests {
    let slug: String
    let entries: [RegisterEntry]
    let apps: [App]

    var html: HTML {
        DataTable(
            caption: "Requests item by item, newest first",
            columns: [
                .init("Asked") { entry in
                    a(.href(.commerceRequest(slug, entry.request))) { TimeText(entry.askedAt).shortHTML }
                    span(.class("subtext")) {
                        AppAndEnvironment(apps: apps, app: entry.app, isSandbox: entry.environment == .sandbox).html
                    }
                },
                .init("SKU") { entry in
                    strong { entry.sku ?? entry.productID }
                    span(.class("subtext")) { what(entry) }
                },
                .init("Reason") { entry in RegisterWords.reason(entry.reason) },
                .init("Amount", isNumber: true) { entry in amount(entry) },
                .init("Storefront") { entry in span { entry.storefront.map(Storefronts.text) ?? "unknown" } },
                .init("Outcome") { entry in outcome(entry) },
            ], rows: entries
        ).html
    }

    private func what(_ entry: RegisterEntry) -> String {
        switch entry.kind {
        case .cancel: "no renewal any more"
        case .revoke: "all that was bought, and it ends"
        case .refund: entry.revoke == true ? "access ends" : "access stays"
        }
    }

    private func amount(_ entry: RegisterEntry) -> HTML {
        switch entry.type {
        case nil: return span(.class("quiet")) { "none" }
        case .custom: return span { money(entry.amount, entry) }
        case .full:
            return span {
                money(entry.price, entry)
                span(.class("subtext")) { "in full" }
            }
        case .prorated:
            return span {
                "a part"
                if entry.price != nil { span(.class("subtext")) { "of \(money(entry.price, entry))" } }
            }
        }
    }

    private func money(_ milliunits: Int64?, _ entry: RegisterEntry) -> String {
        milliunits.map { MoneyText(milliunits: $0, currency: entry.currency).text } ?? "unknown"
    }

    private func outcome(_ entry: RegisterEntry) -> HTML {
        span {
            Badge(entry.state).html
            if let amount = entry.refundedAmount { span(.class("subtext")) { money(amount, entry) } }
            if let at = entry.refundedAt {
                span(.class("subtext")) { TimeText(at).shortHTML }
            }
            if let code = entry.appleCode { span(.class("subtext")) { "Apple's code \(code)" } }
        }
    }
}
