import Refunds
import Tenants
import Time

/// The time before an app was added: what is read of it, how far, and the two buttons.
struct ImportPage {
    let frame: Frame
    let slug: String
    let app: App
    let imports: PerEnvironment<ImportStanding>
    let now: Moment
    let canChange: Bool
    var notice: Notice?

    var html: HTML {
        Layout(frame, title: "Before \(app.name) was added").console {
            nav(.class("crumbs"), .ariaLabel("Way back")) { a(.href(.apps(slug))) { "Apps" } }
            PageHeader("Before \(app.name) was added") {
                "Apple keeps 180 days of notifications, in the Sandbox 30. What they tell of refunds and of consent is read once. Nothing of it is answered, nobody is paged for it, and it is in no rate."
            }.html
            if let notice { notice.html }
            if app.isRehearsal {
                p(.class("quiet")) { "A rehearsal has no past." }
            } else {
                for environment in AppEnvironment.allCases where app.environments.contains(environment) {
                    panel(environment)
                }
            }
        }
    }

    private func panel(_ environment: AppEnvironment) -> HTML {
        let one = imports[isSandbox: environment == .sandbox]
        return section(.class("panel"), .ariaLabelledBy("past-\(environment.rawValue)")) {
            div(.class("panel-head")) {
                h2(.id("past-\(environment.rawValue)")) { environment.rawValue }
                if let one { Badge(text: ImportWords.label(one.state), tone: ImportWords.tone(one.state)).html }
            }
            if let one {
                Facts([
                    ("Time", HTML(text: "\(TimeText(one.from).short) to \(TimeText(one.to).short)")),
                    ("Progress", HTML(text: "\(one.read) of \(one.windows) parts")),
                    ("Imported", HTML(text: "\(one.imported)")),
                    ("Here already", HTML(text: "\(one.held)")),
                    (
                        "Not to be believed",
                        one.refused == 0
                            ? nil
                            : a(.href(.quarantine(slug, RefusalListQuery()))) { "\(one.refused)" }
                    ),
                    ("Begun", TimeText(one.startedAt).shortHTML),
                    ("Ended", one.endedAt.map { TimeText($0).shortHTML }),
                    // What went wrong on the way is over once everything is read.
                    ("Trouble", one.state == .done ? nil : one.trouble.map { HTML(text: $0) }),
                ]).html
            } else {
                p(.class("quiet")) {
                    "Not begun. It begins by itself some minutes after Apple first took the app's signing key."
                }
            }
            if canChange { button(environment, one) }
        }
    }

    private func button(_ environment: AppEnvironment, _ one: ImportStanding?) -> HTML {
        let runs = one?.state == .running
        return form(.class("step-actions"), .post, .action(.pastImport(slug, bundleID: app.bundleID))) {
            HiddenFields(fields: [("environment", environment.rawValue)]).html
            Web.button(
                .class("button"), .type("submit"), .name("do"), .value(runs ? "stop" : "start"),
                .ariaLabel("\(runs ? "Stop" : "Read") \(environment.rawValue)")
            ) { runs ? "Stop" : one == nil ? "Read it now" : "Read it again" }
        }
    }
}
