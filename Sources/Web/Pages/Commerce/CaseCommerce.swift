import Refunds
import Tenants

/// On the page of a case: what we asked Apple for about its purchase, and the way to ask.
struct CaseCommerce {
    let requests: [CommerceRequest]
    /// Nil for who may not ask, and for apps out of use.
    let ask: PurchaseQuery?

    /// Whether one of them, and not the customer's own, was refunded.
    var broughtRefund: Bool { requests.contains { $0.state == .refunded && $0.stateReason != .customersRequest } }

    func html(_ slug: String) -> HTML {
        section(.class("panel"), .ariaLabelledBy("requests")) {
            div(.class("panel-head")) {
                h2(.id("requests")) { "Our requests to Apple" }
                if let ask { a(.class("button"), .href(.newCommerceRequest(slug, ask))) { "Ask Apple" } }
            }
            if requests.isEmpty {
                p(.class("quiet")) {
                    "None yet. This purchase was made with the Advanced Commerce API: a refund, a revocation or a cancellation can be asked for."
                }
            } else {
                ul(.class("plain-list")) {
                    for request in requests {
                        li {
                            a(.href(.commerceRequest(slug, request.id))) { CommerceWords.label(request.kind) }
                            " "
                            Badge(request.state).html
                            span(.class("subtext")) {
                                if !request.items.isEmpty {
                                    "\(request.items.map(\.asked.sku).joined(separator: ", ")), "
                                }
                                TimeText(request.askedAt).short
                            }
                        }
                    }
                }
            }
        }
    }
}
