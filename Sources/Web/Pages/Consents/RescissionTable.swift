import Refunds
import Tenants
import Time

/// Consent that Apple took back, with the two buttons that decide about it.
struct RescissionTable {
    let slug: String
    let app: App
    let rescissions: [Rescission]
    let names: AuditNames
    let canDecide: Bool

    var html: HTML {
        DataTable(
            caption: "Consent that Apple took back, newest first",
            columns: [
                .init("Told") { one in
                    TimeText(one.signedAt).shortHTML
                    span(.class("subtext")) {
                        a(.href(.notification(slug, one.id))) { "RESCIND_CONSENT" }
                    }
                },
                .init("appTransactionId") { one in
                    span(.class("mono")) { NameText(one.appTransactionID).html }
                    if let badge = Badge.environment(isRehearsal: app.isRehearsal, isSandbox: one.isSandbox) {
                        badge.html
                    }
                },
                .init("Stands") { one in stands(one) },
                .init("Decide") { one in
                    if canDecide { buttons(one) } else { span(.class("quiet")) { "–" } }
                },
            ], rows: rescissions
        ).html
    }

    @HTMLBuilder
    private func stands(_ one: Rescission) -> HTML {
        switch one.choice {
        case nil: Badge(text: "Stopped, nobody looked yet", tone: .attention).html
        case .leaveStopped: Badge(text: "Stopped", tone: .plain).html
        case .answerAgain: Badge(text: "Answered again", tone: .good).html
        }
        if let at = one.decidedAt {
            span(.class("subtext")) {
                "\(one.decidedBy.flatMap { names.people[$0.rawValue] } ?? "somebody"), \(TimeText(at).short)"
            }
        }
    }

    private func buttons(_ one: Rescission) -> HTML {
        form(.class("filters-actions"), .post, .action(.consent(slug, bundleID: app.bundleID, .now))) {
            HiddenFields(fields: [("rescission", one.id.text)]).html
            if one.choice != .answerAgain {
                button(
                    .class("button"), .type("submit"), .name("do"), .value(Rescission.Choice.answerAgain.rawValue),
                    .ariaLabel("Answer again for \(one.appTransactionID)")
                ) { "Answer again" }
            }
            if one.choice != .leaveStopped {
                button(
                    .class("button"), .type("submit"), .name("do"), .value(Rescission.Choice.leaveStopped.rawValue),
                    .ariaLabel("Leave stopped for \(one.appTransactionID)")
                ) { "Leave stopped" }
            }
        }
    }
}
