import Refunds
import Tenants
import Time

/// What stands between an app and Advanced Commerce, and what belongs beside it: one section for each environment, then
/// what counts for both.
struct CommerceAccessPage {
    let frame: Frame
    let slug: String
    let model: CommerceAccessModel
    /// Owners and admins; others read.
    let canChange: Bool
    let now: Moment
    var answer: CommerceAnswer?

    var app: App { model.app }

    var html: HTML {
        Layout(frame, title: "Advanced Commerce of \(app.name)").console {
            nav(.class("crumbs"), .ariaLabel("Way back")) { a(.href(.apps(slug))) { "Apps" } }
            PageHeader(
                "Advanced Commerce of \(app.name)",
                lead: {
                    "Refunds that you ask Apple for yourself need two things: that Apple approved the app, and that the Account Holder accepted the addendum. One says nothing about the other."
                    if !canChange { " You may look at this. Owners and admins of your tenant change it." }
                },
                beside: {
                    a(.class("button"), .href(.setup(slug, bundleID: app.bundleID, done: nil))) { "How it is set up" }
                }
            ).html
            if !model.isUsed {
                Notice(
                    .plain, "No purchase through Advanced Commerce is known of this app yet.",
                    more:
                        "Only purchases that were made through the Advanced Commerce API can be refunded from here. They are known from Apple's notifications."
                ).html
            }
            div(.class("steps")) {
                for access in model.access { EnvironmentAccess(page: self, access: access).html }
                ChecklistPanel(page: self).html
                LimitsPanel(page: self).html
                CostsPanel(page: self).html
            }
        }
    }

    // MARK: What sections share

    func action(_ part: CommerceAccessPart) -> Attribute {
        .action(.commerceAccessPart(slug, bundleID: app.bundleID, part))
    }

    func answer(to parts: CommerceAccessPart..., of environment: AppEnvironment? = nil) -> HTML? {
        answer.flatMap { parts.contains($0.part) && $0.environment == environment ? $0.notice.html : nil }
    }

    func isAnswered(_ part: CommerceAccessPart, _ environment: AppEnvironment? = nil) -> Bool {
        answer?.part == part && answer?.environment == environment && answer?.wrong.isEmpty == false
    }

    /// What was typed into a field of the form that was just sent, else `kept`.
    func typed(
        _ name: String, in part: CommerceAccessPart, of environment: AppEnvironment? = nil, else kept: String = ""
    ) -> String {
        isAnswered(part, environment) ? answer?.fields[name] ?? kept : kept
    }

    func wrong(_ name: String, in part: CommerceAccessPart, of environment: AppEnvironment? = nil) -> String? {
        isAnswered(part, environment) ? answer?.wrong[name] : nil
    }
}
