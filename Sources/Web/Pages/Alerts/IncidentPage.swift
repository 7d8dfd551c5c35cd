import FoundationEssentials
import Refunds
import Tenants
import Time

/// One incident: what it is, what to do first, whom it touches, who was told and how that went.
struct IncidentPage {
    let frame: Frame
    let slug: String
    let story: IncidentStory
    let app: App?
    let now: Moment
    let canAct: Bool
    var error: String?

    private var incident: Incident { story.incident }

    var html: HTML {
        Layout(frame, title: incident.title).console {
            PageHeader(incident.title) {
                incident.effect
            } beside: {
                AlertWords.badge(incident.severity).html
                incident.isOpen
                    ? Badge(text: "Open", tone: .attention).html : Badge(text: "Closed", tone: .good).html
            }.html
            section(.class("panel"), .ariaLabelledBy("first-step")) {
                h2(.id("first-step")) { "What to do first" }
                p { incident.firstStep }
                p { a(.href(.runbook(incident.rule.rawValue))) { "What to do about \(incident.rule.rawValue)" } }
                if let app {
                    p { a(.href(.setup(slug, bundleID: app.bundleID, done: nil))) { "Set-up of \(app.name)" } }
                }
            }
            facts
            if canAct { acts }
            tellings
            history
        }
    }

    private var facts: HTML {
        Facts([
            ("Rule", code { incident.rule.rawValue }),
            ("App", app.map { NameText($0.name).html }),
            ("Since", TimeText(incident.openedAt).relativeHTML(to: now)),
            ("Seen last", incident.isOpen ? TimeText(incident.seenAt).relativeHTML(to: now) : nil),
            ("Ended", incident.closedAt.map { TimeText($0).shortHTML }),
            ("Came back", incident.reopened > 0 ? span { "\(incident.reopened) times" } : nil),
            (
                "At risk",
                incident.money.isEmpty
                    ? nil
                    : span {
                        for (currency, amount) in incident.money.sorted(by: { $0.key < $1.key }) {
                            MoneyText(milliunits: amount, currency: currency).html
                            " "
                        }
                    }
            ),
            (
                "Refund requests",
                incident.caseCount == 0
                    ? nil
                    : span {
                        "\(incident.caseCount): "
                        for (index, id) in incident.cases.enumerated() {
                            a(.href(.refundCase(slug, id))) { "case \(index + 1)" }
                            " "
                        }
                    }
            ),
        ]).html
    }

    private var acts: HTML {
        section(.class("panel"), .ariaLabelledBy("incident-acts")) {
            h2(.id("incident-acts")) { "Say something" }
            if let error { Notice(.bad, error).html }
            if incident.isOpen {
                div(.class("step-actions")) {
                    if incident.acknowledgedAt == nil {
                        form(.post, .action(.incidentAct(slug, incident.id, .acknowledge))) {
                            button(.class("button button-main"), .type("submit")) { "I am at it" }
                        }
                    }
                    form(.class("row-form"), .post, .action(.incidentAct(slug, incident.id, .snooze))) {
                        Field(
                            "Snooze for", name: "minutes", choices: AlertWords.snoozes, selected: "120"
                        ).html
                        button(.class("button"), .type("submit")) { "Snooze" }
                    }
                }
                p(.class("quiet")) {
                    "Who acknowledges spares the others. Snoozing never holds back a deadline, nor what gets worse."
                }
            }
            form(.class("stack form-narrow"), .post, .action(.incidentAct(slug, incident.id, .note))) {
                TextArea(label: "Note", name: "note", text: "", rows: 3).html
                button(.class("button"), .type("submit")) { "Add the note" }
            }
        }
    }

    @HTMLBuilder private var tellings: HTML {
        section(.ariaLabelledBy("tellings")) {
            h2(.id("tellings")) { "Who was told" }
            if story.tellings.isEmpty {
                p(.class("quiet")) {
                    incident.severity == .info
                        ? "Nobody: what is only good to know is told to nobody."
                        : "Nobody yet: no channel hears of this, or it is not its turn."
                }
            } else {
                DataTable(
                    caption: "Messages, newest first",
                    columns: [
                        .init("Channel") { telling in
                            NameText(telling.channelName).html
                            span(.class("subtext")) { telling.kind?.name ?? "" }
                        },
                        .init("Was") { telling in span { AlertWords.telling(telling.event) } },
                        .init("How it went") { telling in
                            AlertWords.state(telling.state).html
                            if let answer = telling.answer, !answer.isEmpty { span(.class("subtext")) { answer } }
                        },
                        .init("When") { telling in TimeText(telling.endedAt ?? telling.madeAt).shortHTML },
                        .init("Tries", isNumber: true) { telling in span { "\(telling.attempts)" } },
                    ], rows: story.tellings
                ).html
            }
        }
    }

    private var history: HTML {
        section(.ariaLabelledBy("incident-history")) {
            h2(.id("incident-history")) { "What happened" }
            DataTable(
                caption: "History, newest first",
                columns: [
                    .init("When") { event in TimeText(event.at).shortHTML },
                    .init("What") { event in
                        span { AlertWords.event(event.kind) }
                        if !event.detail.isEmpty { span(.class("subtext")) { event.detail } }
                    },
                ], rows: story.events
            ).html
        }
    }
}
