import Refunds
import Tenants

/// How Advanced Commerce stands for an app, in a line for each environment that has to do with it, and the way to its page.
struct CommerceLine {
    let standing: AppStanding
    let slug: String

    private var app: App { standing.app }

    /// A rehearsal's two environments are one for people.
    private var shown: [CommerceReadiness.Line] {
        let known = CommerceAccessHandlers.environments(of: app)
        return standing.commerce.filter { known.contains($0.environment) }
    }

    var html: HTML {
        span {
            for line in shown {
                span(.class("subtext")) {
                    Badge(text: app.environmentLabel(line.environment), tone: line.access.tone).html
                    " \(line.brief)"
                }
            }
            a(.href(.commerceAccess(slug, bundleID: app.bundleID, done: nil))) {
                shown.isEmpty ? "not in use" : "Approval, addendum, limits, costs"
            }
        }
    }
}
