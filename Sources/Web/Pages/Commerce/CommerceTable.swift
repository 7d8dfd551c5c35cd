import Refunds
import Tenants
import Time

/// Requests as rows.
struct CommerceTable {
    let slug: String
    let requests: [CommerceRequest]
    let apps: [App]
    let caption: String

    var html: HTML {
        DataTable(
            caption: caption,
            columns: [
                .init("State") { request in Badge(request.state).html },
                .init("Request") { request in
                    a(.class("row-link"), .href(.commerceRequest(slug, request.id))) {
                        CommerceWords.label(request.kind)
                    }
                    span(.class("subtext mono")) { request.transactionID }
                },
                .init("Items") { request in
                    span(.class("mono")) {
                        request.kind == .refund ? request.items.map(\.asked.sku).joined(separator: ", ") : "all"
                    }
                },
                .init("At most", isNumber: true) { request in
                    if let amount = request.amountEstimate, let currency = request.purchaseCurrency,
                        request.kind != .cancel
                    {
                        MoneyText(milliunits: amount, currency: currency).html
                    } else {
                        span(.class("quiet")) { "–" }
                    }
                },
                .init("App") { request in
                    AppAndEnvironment(
                        apps: apps, app: request.app, isSandbox: request.environment == .sandbox
                    ).html
                },
                .init("Asked") { request in TimeText(request.askedAt).shortHTML },
            ], rows: requests
        ).html
    }
}
