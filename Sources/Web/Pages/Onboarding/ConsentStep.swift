import Refunds
import Tenants
import Time

/// Step 5: who agreed that data about their purchases goes to Apple.
struct ConsentStep {
    let page: SetupPage
    private var app: App { page.model.app }

    /// A wording to begin with; what counts is what the customers really saw.
    static let template = """
        If you ask Apple for a refund of a purchase made in this app, we may tell Apple whether the purchase was \
        delivered, how much of it was used, and how we would like Apple to decide. Apple uses this to decide about \
        your request. You can withdraw this consent at any time in the app's settings.
        """

    var html: HTML {
        Step(
            .consent, of: page,
            lead:
                "Apple takes data about a customer only with that customer's consent, given before the refund was asked for. Until you say here how they consent, nobody is answered."
        ) {
            page.answer(to: .consent)
            Facts([
                ("Now", now),
                ("Wording", wording.map { text in span(.class("answer-text")) { text } }),
                ("Shown", app.consentDeclaration.map { HTML(text: $0.shownWhere) }),
                ("Declared", app.consentDeclaration.map { declared($0) }),
            ]).html
            if page.canChange {
                details(.class("opening"), isWrong ? .open : .id("change-consent")) {
                    summary { "Say how customers consent" }
                    form
                }
            }
        }.html
    }

    private var isWrong: Bool { page.answer?.part == .consent && page.answer?.tone == .bad }

    private var now: HTML {
        switch app.consent {
        case .perCustomer:
            HTML(
                text:
                    "Each customer is asked, and your backend reports the answer. A customer who was not reported is not answered for."
            )
        case .allFrom(let moment, _):
            HTML(
                text:
                    "Everybody who bought since \(TimeText(moment).short) agreed. Earlier purchases and customers who withdrew are excluded."
            )
        }
    }

    private var wording: String? {
        if case .allFrom(_, let wording) = app.consent { wording } else { nil }
    }

    private func declared(_ declaration: ConsentDeclaration) -> HTML {
        HTML(text: "by \(declaration.declaredBy), \(TimeText(declaration.declaredAt).short)")
    }

    private var since: String {
        if case .allFrom(let moment, _) = app.consent { return String(TimeText(moment).short.prefix(10)) }
        return ""
    }

    private var form: HTML {
        Web.form(.class("step-form"), .post, page.action(.consent)) {
            SeenField(page.model.app, .consent).html
            Choices(
                legend: "How they consent", name: "consent",
                choices: [
                    .init(
                        value: "per-customer", text: "Each customer is asked",
                        more: "Your backend reports each answer through the API (next step)."),
                    .init(
                        value: "all-from", text: "Everybody who buys agrees",
                        more: "The wording is part of what every customer accepts before buying, from a date on."),
                ], chosen: page.typed("consent", in: .consent, else: wording == nil ? "per-customer" : "all-from")
            ).html
            Notice(
                .attention, "This says that the customer agreed.",
                more:
                    "Not that your team has an interest in it. Whoever declares it must be able to show the wording and where customers accepted it. The fields below belong to the second choice."
            ).html
            TextArea(
                label: "Wording the customers agreed to", name: "wording",
                text: page.typed("wording", in: .consent, else: wording ?? Self.template), rows: 6,
                help: "A template stands here: put what customers really saw in its place.",
                error: page.wrong("wording", in: .consent)
            ).html
            div(.class("field-row")) {
                Field(
                    "Where it is shown", name: "shownWhere", error: page.wrong("shownWhere", in: .consent),
                    .maxlength(500), .placeholder("Terms of use, section 4, before each purchase"),
                    .value(page.typed("shownWhere", in: .consent, else: app.consentDeclaration?.shownWhere ?? ""))
                ).html
                Field(
                    "Since when", name: "since", help: "The first day (UTC) on which every buyer had agreed.",
                    error: page.wrong("since", in: .consent), .type("date"),
                    .value(page.typed("since", in: .consent, else: since))
                ).html
            }
            Tick(
                text:
                    "I declare that every customer who bought since then agreed to this wording before buying. Withdrawals are reported through the API and are obeyed.",
                name: "declared"
            ).html
            button(.class("button"), .type("submit")) { "Save" }
        }
    }
}
