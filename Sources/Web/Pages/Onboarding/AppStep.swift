import Refunds
import Tenants

/// Step 1: name, bundle ID, Apple ID, environments.
struct AppStep {
    let page: SetupPage
    private var app: App { page.model.app }

    var html: HTML {
        Step(
            .app, of: page,
            lead: "As it stands in App Store Connect under App Information. The bundle ID names the app and stays."
        ) {
            page.answer(to: .details)
            if let stray = page.model.stray {
                Notice(.attention, stray.words(of: app.name), more: stray.advice).html
            }
            Facts([
                ("Bundle ID", span(.class("mono")) { app.bundleID }),
                (
                    "Apple ID",
                    HTML(
                        text: app.appleID.map { "\($0)" }
                            ?? "not given: learned from the first verified Production notification")
                ),
                ("Environments", HTML(text: page.model.environments.map(\.name).joined(separator: " and "))),
                ("Rehearsal", app.rehearsal.map { rehearsal($0) }),
            ]).html
            if page.canChange { form }
        }.html
    }

    private func rehearsal(_ side: RehearsalSide) -> HTML {
        var html = HTML(text: "believes its own root certificate and calls ")
        html.append(code { side.apiURL })
        html.append(HTML(text: " and nothing else. Fixed; in no total; pages nobody."))
        return html
    }

    private var form: HTML {
        details(
            .class("opening"), page.answer?.part == .details && page.answer?.tone == .bad ? .open : .id("change-app")
        ) {
            summary { "Change" }
            Web.form(.class("step-form"), .post, page.action(.details)) {
                Field(
                    "Name", name: "name", error: page.wrong("name", in: .details), .required, .maxlength(200),
                    .value(page.typed("name", in: .details, else: app.name))
                ).html
                if app.appleID == nil {
                    Field(
                        "Apple ID", name: "appleID",
                        help: "App Information → General Information. Digits; may be left empty.",
                        error: page.wrong("appleID", in: .details), .inputmode("numeric"), .maxlength(20),
                        .value(page.typed("appleID", in: .details))
                    ).html
                }
                if !app.isRehearsal {
                    Choices(
                        legend: "Environments", name: "environments",
                        choices: [
                            .init(value: "both", text: "Production and Sandbox"),
                            .init(
                                value: "sandbox", text: "Sandbox alone",
                                more: "The app is not on sale yet: Apple refuses Production calls until it is."),
                        ],
                        chosen: page.typed(
                            "environments", in: .details,
                            else: app.environments.contains(.production) ? "both" : "sandbox")
                    ).html
                }
                button(.class("button"), .type("submit")) { "Save" }
            }
        }
    }
}
