import Refunds
import Tenants
import Time

/// The form of a request. Fields that a choice makes needless are hidden by the style sheet; without it they all show.
struct CommerceFormPart {
    let slug: String
    let form: CommerceForm
    let purchase: CommercePurchase
    let troubles: [CommerceForm.Trouble]
    let now: Moment

    var html: HTML {
        section(.class("panel"), .ariaLabelledBy("form")) {
            div(.class("panel-head")) {
                h2(.id("form")) { CommerceWords.label(form.kind) }
                a(.class("quiet-link"), .href(.newCommerceRequest(slug, form.query.of(nil)))) { "Something else" }
            }
            p(.class("step-lead")) { CommerceWords.meaning(form.kind) }
            for text in texts("") { Notice(.bad, "This cannot be asked for.", more: text).html }
            if form.kind == .revoke, purchase.liveItems.count > 1 { guarded }
            Web.form(.class("stack"), .post, .action(.commercePreview(slug))) {
                hidden
                switch form.kind {
                case .refund: items
                case .revoke: revocation
                case .cancel: HTML.empty
                }
                if form.kind != .cancel { risking }
                TextArea(
                    label: "Note", name: "note", text: form.note, rows: 3,
                    help: "Why, in a sentence. It stays here and in the audit log; Apple does not get it.",
                    error: texts("note").first
                ).html
                div(.class("step-actions")) {
                    button(.class("button button-main"), .type("submit")) { "Preview" }
                }
            }
        }
    }

    private var hidden: HTML {
        let fields = [
            ("app", form.app), ("environment", form.environment.rawValue), ("transaction", form.transaction),
            ("kind", form.kind.rawValue), ("key", form.key.text),
        ]
        return HiddenFields(fields: fields).html
    }

    private func texts(_ field: String) -> [String] { troubles.filter { $0.field == field }.map(\.text) }

    // MARK: Refunds

    private var items: HTML {
        fieldset(.class("choices")) {
            legend(.class("field-label")) { "Which items?" }
            for text in texts("items") { p(.class("field-help", .bad)) { text } }
            if form.rows.isEmpty { p { "Apple named no item of this purchase, so none can be refunded." } }
            for (index, row) in form.rows.enumerated() {
                if let item = purchase.item(row.sku) {
                    ItemPart(
                        index: index, row: row, item: item, purchase: purchase,
                        reasons: CommerceWords.reasons(in: form.environment), troubles: troubles
                    ).html
                } else {
                    for text in texts("take-\(index)") { p(.class("field-help", .bad)) { text } }
                }
            }
        }
    }

    // MARK: Revocations

    /// Whoever disputes one item must not lose the others.
    private var guarded: HTML {
        let live = purchase.liveItems
        return Notice(
            .attention, "This refunds and ends all \(live.count) items.",
            more:
                "\(live.map { $0.displayName ?? $0.sku }.joined(separator: ", ")). If only one of them is disputed, refund that one.",
            link: (.newCommerceRequest(slug, form.query.of(.refund)), "Refund items instead")
        ).html
    }

    private var revocation: HTML {
        Field(
            "Reason", name: "reason", choices: Self.reasonChoices(CommerceWords.reasons(in: form.environment)),
            selected: form.reason, error: texts("reason").first
        ).html
            .and(
                Choices(
                    legend: "How much goes back?", name: "type",
                    choices: [CommerceRefundType.full, .prorated].map {
                        .init(value: $0.rawValue, text: CommerceWords.label($0), more: ItemPart.more($0))
                    }, chosen: form.type, error: texts("type").first
                ).html)
    }

    static func reasonChoices(_ reasons: [CommerceReason]) -> [(value: String, text: String)] {
        [("", "Choose…")] + reasons.map { ($0.rawValue, CommerceWords.label($0)) }
    }

    // MARK: Both

    private var risking: HTML {
        Choices(
            legend: "May Apple ask for consumption data before it decides?", name: "risking",
            choices: [
                .init(
                    value: "yes", text: "Yes",
                    more:
                        "Apple may ask how the purchase was used. The answer is given by itself, and never opposes this request."
                ),
                .init(value: "no", text: "No", more: "Apple decides without asking."),
            ], chosen: form.risking, error: texts("risking").first
        ).html
    }
}
