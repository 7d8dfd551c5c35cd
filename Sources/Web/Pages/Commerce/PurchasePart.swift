import Refunds
import Tenants
import Time

/// What Apple signed about the purchase, beside the form.
struct PurchasePart {
    let slug: String
    let app: App
    let purchase: CommercePurchase

    var html: HTML {
        section(.class("panel"), .ariaLabelledBy("purchase")) {
            h2(.id("purchase")) { "Purchase" }
            facts
            if let id = purchase.caseID { p { a(.href(.refundCase(slug, id))) { "The case of this purchase" } } }
        }
        .and(open)
    }

    private var facts: HTML {
        let isOriginal = purchase.originalTransactionID == purchase.transactionID
        let renews = purchase.isSubscription ? purchase.autoRenews.map { $0 ? "yes" : "no" } : nil
        let price = purchase.price.map { MoneyText(milliunits: $0, currency: purchase.currency).html }
        return Facts([
            ("transactionId", mono(purchase.transactionID)),
            ("originalTransactionId", isOriginal ? nil : mono(purchase.originalTransactionID)),
            ("App", HTML(text: app.name)),
            ("Environment", HTML(text: app.environmentLabel(purchase.environment))),
            ("Price", price),
            ("Storefront", text(purchase.storefront.map { Storefronts.text($0) })),
            ("Bought", time(purchase.purchasedAt)),
            ("Runs until", time(purchase.expiresAt)),
            ("Renews", text(renews)),
            ("appAccountToken", purchase.customer.map { mono($0) }),
            ("Signed by Apple", time(purchase.signedAt)),
        ]).html
    }

    private func text(_ text: String?) -> HTML? { text.map { HTML(text: $0) } }

    private func time(_ moment: Moment?) -> HTML? { moment.map { TimeText($0).shortHTML } }

    private func mono(_ text: String) -> HTML { span(.class("mono")) { text } }

    private var open: HTML {
        if purchase.openRequests.isEmpty { return .empty }
        return section(.class("panel"), .ariaLabelledBy("open")) {
            h2(.id("open")) { "Under way" }
            ul(.class("plain-list")) {
                for request in purchase.openRequests {
                    li {
                        a(.href(.commerceRequest(slug, request.id))) { CommerceWords.label(request.kind) }
                        " "
                        Badge(request.state).html
                    }
                }
            }
        }
    }
}
