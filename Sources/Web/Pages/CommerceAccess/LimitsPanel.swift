import Refunds
import Tenants

/// Above which amounts a second person has to agree.
struct LimitsPanel {
    let page: CommerceAccessPage
    private var limits: [(currency: String, milliunits: Int64)] {
        page.model.limits.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    var html: HTML {
        section(.class("panel step"), .id("limits"), .ariaLabelledBy("title-limits")) {
            h2(.id("title-limits")) { "Approval limits" }
            p(.class("step-lead")) {
                "A request for more waits until a second person agrees, never the one who asked. Currencies without a limit need no second person. Where amount or currency are not known, one is needed as soon as any limit is set."
            }
            page.answer(to: .limit, .limitRemoval)
            if limits.isEmpty {
                p(.class("quiet")) { "No limit is set: one person is enough for every request." }
            } else {
                list
            }
            if page.canChange { form }
        }
    }

    private var list: HTML {
        DataTable(
            caption: "Approval limits by currency",
            columns: [
                .init("Currency") { line in strong { line.currency } },
                .init("Up to here one is enough", isNumber: true) { line in
                    MoneyText(milliunits: line.milliunits, currency: line.currency).html
                },
            ]
                + (page.canChange
                    ? [
                        .init("Remove") { line in
                            Web.form(.post, page.action(.limitRemoval)) {
                                input(.type("hidden"), .name("currency"), .value(line.currency))
                                button(
                                    .class("button"), .type("submit"),
                                    .ariaLabel("Remove the limit in \(line.currency)")
                                ) { "Remove" }
                            }
                        }
                    ] : []),
            rows: limits
        ).html
    }

    private var form: HTML {
        Web.form(.class("step-form"), .post, page.action(.limit)) {
            div(.class("field-row")) {
                Field(
                    "Currency", name: "currency", id: "limit-currency", help: "Three letters, such as EUR or JPY.",
                    error: page.wrong("currency", in: .limit), .type("text"), .required, .maxlength(3),
                    .autocomplete("off"), .noSpellcheck, .value(page.typed("currency", in: .limit))
                ).html
                Field(
                    "Limit", name: "amount", id: "limit-amount",
                    help: "In the currency's own decimals: 25.00 EUR, 3000 JPY. 0: always a second person.",
                    error: page.wrong("amount", in: .limit), .type("text"), .required, .inputmode("decimal"),
                    .maxlength(20), .autocomplete("off"), .value(page.typed("amount", in: .limit))
                ).html
            }
            button(.class("button"), .type("submit")) { "Set the limit" }
        }
    }
}
