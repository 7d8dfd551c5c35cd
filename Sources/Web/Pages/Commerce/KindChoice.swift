import Refunds
import Tenants
import Time

/// The three things that can be asked for, and why one cannot.
struct KindChoice {
    let slug: String
    let app: App
    let purchase: CommercePurchase
    let now: Moment

    var html: HTML {
        section(.class("panel"), .ariaLabelledBy("kinds")) {
            h2(.id("kinds")) { "What is it to be?" }
            if !purchase.isAdvancedCommerce {
                Notice(
                    .bad, "This purchase was not made with the Advanced Commerce API.",
                    more:
                        "Apple refunds it at the customer's own request only: in the app, or at reportaproblem.apple.com."
                ).html
            } else {
                div(.class("pair")) { for kind in CommerceKind.allCases { card(kind) } }
            }
        }
    }

    private func card(_ kind: CommerceKind) -> HTML {
        let blockers = Self.blockers(kind, purchase, at: now)
        return div(.class("side-card")) {
            strong { CommerceWords.label(kind) }
            p { CommerceWords.meaning(kind) }
            if blockers.isEmpty {
                a(
                    .class("button"),
                    .href(
                        .newCommerceRequest(
                            slug,
                            PurchaseQuery(
                                app: app.bundleID, environment: purchase.environment,
                                transaction: purchase.transactionID, kind: kind)))
                ) { CommerceWords.label(kind) }
            } else {
                for text in blockers { p(.class("field-help", .attention)) { text } }
            }
        }
    }

    /// What no way of filling in the form would change.
    static func blockers(_ kind: CommerceKind, _ purchase: CommercePurchase, at now: Moment) -> [String] {
        let bare = CommerceIntention(
            kind: kind, environment: purchase.environment, transactionID: purchase.transactionID)
        return CommerceRule.troubles(of: bare, against: purchase, at: now)
            .filter { $0.severity == .refused && ["transactionId", "kind"].contains($0.member) }.map(\.text)
    }
}
