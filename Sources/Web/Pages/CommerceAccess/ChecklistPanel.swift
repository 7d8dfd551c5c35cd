import Refunds
import Tenants

/// What Apple expects beside the calls, and whether somebody has thought of it.
struct ChecklistPanel {
    let page: CommerceAccessPage
    private var checklist: CommerceChecklist { page.model.checklist }

    var html: HTML {
        section(.class("panel step"), .id("checklist"), .ariaLabelledBy("title-checklist")) {
            h2(.id("title-checklist")) { "Before the first request" }
            page.answer(to: .checklist)
            Facts([
                (
                    "Refund path in the app",
                    line(checklist.refundPath, missing: "Apple expects one; nobody has said where it is")
                ),
                (
                    "Owner of approvals",
                    line(page.model.name(of: checklist.approvalsOwner), missing: "nobody is named")
                ),
                ("Consumption replies", replies),
            ]).html
            if page.canChange { form }
        }
    }

    private func line(_ text: String?, missing: String) -> HTML {
        span {
            Badge(text: text == nil ? "Open" : "Done", tone: text == nil ? .attention : .good).html
            span(.class("subtext")) { text ?? missing }
        }
    }

    private var replies: HTML {
        span {
            Badge(text: checklist.canReply ? "Done" : "Open", tone: checklist.canReply ? .good : .attention).html
            span(.class("subtext")) {
                if checklist.canReply {
                    "ready: a key signs, and consent is declared or reported"
                } else {
                    "not ready: a key and consent are needed on "
                    a(.href(.setup(page.slug, bundleID: page.app.bundleID, done: nil))) { "the set-up page" }
                }
            }
        }
    }

    private var form: HTML {
        details(.class("opening"), page.isAnswered(.checklist) ? .open : .id("change-checklist")) {
            summary { "Change" }
            Web.form(.class("step-form"), .post, page.action(.checklist)) {
                Field(
                    "Where the app offers to ask for a refund", name: "refundPath",
                    help:
                        "Such as “Settings, Purchases, Request a refund”. Apple's own sheet or Report a Problem counts.",
                    error: page.wrong("refundPath", in: .checklist), .type("text"), .maxlength(500),
                    .value(page.typed("refundPath", in: .checklist, else: checklist.refundPath ?? ""))
                ).html
                Field(
                    "Who answers for approvals", name: "owner",
                    choices: [("", "Nobody")]
                        + page.model.approvers.map { ($0.person.id.rawValue.text, $0.name ?? $0.person.email) },
                    selected: page.typed("owner", in: .checklist, else: named),
                    error: page.wrong("owner", in: .checklist)
                ).html
                button(.class("button"), .type("submit")) { "Save" }
            }
        }
    }

    /// Somebody who has gone is nobody to choose.
    private var named: String {
        page.model.approvers.first { $0.person.id == checklist.approvalsOwner }?.person.id.rawValue.text ?? ""
    }
}
