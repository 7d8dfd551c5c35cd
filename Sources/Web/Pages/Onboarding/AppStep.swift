import Refunds
import Tenants

/// Step 1: name, bundle ID, Apple ID, environments.
struct AppStep {
    let page: SetupPage
    private var app: App { page.model.app }

    var html: HTML {
        Step(
            .app, of: page,
            lead: app.isRehearsal
                ? "Made for rehearsal, with a simulator in Apple's place. The bundle ID names the app and stays."
                : "As it stands in App Store Connect under App Information. The bundle ID names the app and stays."
        ) {
            page.answer(to: .details)
            if let stray = page.model.stray {
                Notice(.attention, stray.words(of: app.name), more: stray.advice).html
            }
            if let other = page.model.sameAppleID {
                Notice(
                    .bad, "\(other) has the same Apple ID.",
                    more: page.model.isAppleIDProven
                        ? "Apple's own notifications name it for this app, so it is wrong there: correct it on that app's page."
                        : "Each app has one of its own, so one of the two is wrong: compare both with App Store Connect, App Information. Notifications of the wrong one are refused."
                ).html
            }
            Facts([
                ("Bundle ID", span(.class("mono")) { app.bundleID }),
                (
                    "Apple ID",
                    HTML(
                        text: app.appleID.map { "\($0)" + (page.model.isAppleIDProven ? ", \(proof)" : "") }
                            ?? "not given: learned from the first verified \(app.isRehearsal ? "" : "Production ")notification"
                    )
                ),
                ("Environments", HTML(text: page.model.environments.map(\.name).joined(separator: " and "))),
                ("Rehearsal", app.rehearsal.map { rehearsal($0) }),
            ]).html
            if page.canChange { form }
        }.html
    }

    private var proof: String { "as \(app.isRehearsal ? "the simulator" : "Apple")'s notifications name it" }

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
                SeenField(page.model.app, .details).html
                Field(
                    "Name", name: "name", error: page.wrong("name", in: .details), .required, .maxlength(200),
                    .value(page.typed("name", in: .details, else: app.name))
                ).html
                if !page.model.isAppleIDProven {
                    Field(
                        "Apple ID", name: "appleID",
                        help: app.appleID == nil
                            ? "App Information → General Information. Digits; may be left empty."
                            : "App Information → General Information. It can be corrected until the first Production notification names it.",
                        error: page.wrong("appleID", in: .details), .inputmode("numeric"), .maxlength(20),
                        .value(page.typed("appleID", in: .details, else: app.appleID.map { "\($0)" } ?? ""))
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
