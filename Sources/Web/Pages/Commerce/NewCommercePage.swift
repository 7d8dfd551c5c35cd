import Refunds
import Tenants
import Time

/// Where a request to Apple begins: the purchase is looked up, then what is wanted is chosen, then filled in.
struct NewCommercePage {
    let frame: Frame
    let slug: String
    /// The apps in use.
    let apps: [App]
    let query: PurchaseQuery
    let now: Moment
    /// What is known of the purchase that the address names.
    var purchase: CommercePurchase?
    var app: App?
    /// Once it is chosen what is wanted.
    var form: CommerceForm?
    /// What is wrong with what was filled in.
    var troubles: [CommerceForm.Trouble] = []
    var notice: Notice?
    /// Why the look-up found nothing.
    var notFound: String?

    var html: HTML {
        Layout(frame, title: title).console {
            nav(.class("crumbs"), .ariaLabel("Way back")) {
                a(.href(.commerceRequests(slug, CommerceListQuery()))) { "Requests to Apple" }
            }
            PageHeader(title) { lead }.html
            if let ignored = query.ignored.notice { ignored.html }
            if let notice { notice.html }
            if let purchase, let app {
                div(.class("split")) {
                    div(.class("split-main")) {
                        if let form {
                            CommerceFormPart(
                                slug: slug, form: form, purchase: purchase, troubles: troubles, now: now
                            ).html
                        } else {
                            KindChoice(slug: slug, app: app, purchase: purchase, now: now).html
                        }
                    }
                    aside(.class("split-side"), .ariaLabel("The purchase")) {
                        PurchasePart(slug: slug, app: app, purchase: purchase).html
                    }
                }
            } else {
                lookUp
            }
        }
    }

    private var title: String { form.map { CommerceWords.label($0.kind) } ?? "New request" }

    private var lead: String {
        form == nil
            ? "Ask Apple to refund, revoke or cancel what a customer bought. Apple decides."
            : "Nothing is sent yet: the next page shows what would happen."
    }

    private var lookUp: HTML {
        section(.class("panel"), .ariaLabelledBy("look-up")) {
            h2(.id("look-up")) { "Which purchase?" }
            if apps.isEmpty {
                p { "There is no app in use." }
            } else {
                Web.form(.class("stack"), .post, .action(.purchaseLookUp(slug))) {
                    div(.class("field-row")) {
                        Field(
                            "App", name: "app", choices: apps.map { ($0.bundleID, $0.label) },
                            selected: query.app ?? apps[0].bundleID
                        ).html
                        Field(
                            "Environment", name: "environment",
                            choices: AppEnvironment.allCases.map { ($0.rawValue, $0.rawValue) },
                            selected: (query.environment ?? .production).rawValue
                        ).html
                    }
                    Field(
                        "transactionId", name: "transaction",
                        help:
                            "The digits of the transaction that is to be refunded, or of any one of the subscription. What is not held here is asked of Apple.",
                        error: notFound, .value(query.transaction ?? ""), .inputmode("numeric"), .maxlength(40),
                        .autocomplete("off"), .noSpellcheck, .required
                    ).html
                    div(.class("step-actions")) {
                        button(.class("button button-main"), .type("submit")) { "Look up" }
                    }
                }
            }
        }
    }
}
