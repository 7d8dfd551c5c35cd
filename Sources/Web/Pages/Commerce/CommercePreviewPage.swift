import Refunds
import Tenants
import Time

/// What a request would do, before it is sent.
struct CommercePreviewPage {
    let frame: Frame
    let slug: String
    let app: App
    let form: CommerceForm
    let purchase: CommercePurchase
    let preview: CommercePreview
    /// Above a limit: a second person has to agree.
    let needsApproval: Bool
    /// Each has to be looked at once more.
    var warnings: [String]
    /// It was sent without having looked.
    var isUnseen = false

    var html: HTML {
        Layout(frame, title: "Preview").console {
            nav(.class("crumbs"), .ariaLabel("Way back")) {
                a(.href(.commerceRequests(slug, CommerceListQuery()))) { "Requests to Apple" }
            }
            PageHeader("\(CommerceWords.label(form.kind)): look once more") {
                "Nothing has been sent yet."
            }.html
            div(.class("split")) {
                div(.class("split-main")) {
                    if form.kind != .cancel { money }
                    consequences
                    if !preview.spent.isEmpty { spent }
                    decision
                }
                aside(.class("split-side"), .ariaLabel("The purchase")) {
                    PurchasePart(slug: slug, app: app, purchase: purchase).html
                }
            }
        }
    }

    private var money: HTML {
        section(.class("panel"), .ariaLabelledBy("money")) {
            h2(.id("money")) { "What the customer gets back" }
            if !preview.lines.isEmpty {
                DataTable(
                    caption: "Items and amounts",
                    columns: [
                        .init("Item") { line in
                            strong { line.displayName ?? line.sku }
                            span(.class("subtext mono")) { line.sku }
                        },
                        .init("Amount", isNumber: true) { line in amount(line.amount, atMost: line.amountMax) },
                        .init("Access") { line in line.endsAccess ? "ends" : "stays" },
                    ], rows: preview.lines
                ).html
            }
            p {
                strong { "In all: " }
                amount(preview.total, atMost: preview.totalMax)
            }
            p(.class("quiet")) { preview.taxNote }
        }
    }

    private func amount(_ amount: Int64?, atMost most: Int64?) -> HTML {
        if let amount { return MoneyText(milliunits: amount, currency: preview.currency).html }
        guard let most else { return HTML(text: "Apple reckons it") }
        return span {
            "Apple reckons it, at most "
            MoneyText(milliunits: most, currency: preview.currency).html
        }
    }

    private var consequences: HTML {
        section(.class("panel"), .ariaLabelledBy("consequences")) {
            h2(.id("consequences")) { "What happens" }
            ul(.class("dashed")) {
                li { preview.endsWhen }
                for text in preview.otherConsequences { li { text } }
                if !preview.stays.isEmpty {
                    li {
                        "These stay as they are: \(preview.stays.map { $0.displayName ?? $0.sku }.joined(separator: ", "))."
                    }
                }
            }
            Facts([("Note", HTML(text: form.note))]).html
        }
    }

    private var spent: HTML {
        section(.class("panel"), .ariaLabelledBy("spent")) {
            h2(.id("spent")) { "Already spent, and not coming back" }
            DataTable(
                caption: "What was spent when the items were sold",
                columns: [
                    .init("Item") { spent in span(.class("mono")) { spent.sku } },
                    .init("For") { spent in
                        spent.cost.kind.text
                        if let note = spent.cost.note { span(.class("subtext")) { note } }
                    },
                    .init("Cost", isNumber: true) { spent in
                        MoneyText(milliunits: spent.cost.milliunits, currency: spent.cost.currency).html
                    },
                ], rows: preview.spent
            ).html
        }
    }

    private var decision: HTML {
        section(.class("panel"), .ariaLabelledBy("decision")) {
            h2(.id("decision")) { needsApproval ? "Hand it in" : "Send it" }
            if needsApproval {
                p { "Because of its amount a second person has to approve it. Nothing is sent before." }
            }
            Web.form(.class("stack"), .post, .action(.commerceRequests(slug, CommerceListQuery()))) {
                HiddenFields(fields: form.fields).html
                SecondLook(warnings: warnings, seen: form.seen, isUnseen: isUnseen).html
                div(.class("step-actions")) {
                    button(.class("button button-main"), .type("submit")) {
                        needsApproval ? "Hand in for approval" : "Send to Apple"
                    }
                    button(.class("button"), .type("submit"), .name("draft"), .value("yes")) { "Keep as a draft" }
                }
            }
            Web.form(.post, .action(.commercePreview(slug))) {
                HiddenFields(fields: form.fields + [("change", "yes")]).html
                button(.class("button"), .type("submit")) { "Change it" }
            }
        }
    }
}
