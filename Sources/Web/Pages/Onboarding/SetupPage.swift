import FoundationEssentials
import Journal
import Refunds
import Tenants
import Time

/// What came of the form that was just sent, shown in its own step.
struct SetupAnswer {
    let part: SetupPart
    let tone: Tone
    let text: String
    var more: String?
    /// What the person had typed, so that nothing but a file must be given twice. Never key text.
    var fields: [String: String] = [:]
    /// The field that is wrong.
    var wrong: String?

    var notice: Notice { Notice(tone, text, more: more) }
}

/// Everything an app needs before its first case: steps, each on its own and repeatable, and what is left of them.
struct SetupPage {
    let frame: Frame
    let slug: String
    let model: SetupModel
    /// The desk's own address, before `/n/…`.
    let publicURL: String
    /// Owners and admins; others read.
    let canChange: Bool
    let now: Moment
    var commerce: CommerceReadiness?
    /// Of the tenant.
    var channels: [Channel] = []
    var answer: SetupAnswer?
    /// An API token just made: the only time it is seen.
    var newToken: Redacted<String>?
    /// Of the form that makes one: sent twice it makes no second one.
    var once = UUID()

    private var app: App { model.app }

    var html: HTML {
        Layout(frame, title: "Set up \(app.name)").console {
            nav(.class("crumbs"), .ariaLabel("Way back")) { a(.href(.apps(slug))) { "Apps" } }
            PageHeader(
                "Set up \(app.name)",
                lead: {
                    if app.name != app.bundleID { span(.class("mono")) { app.bundleID } }
                    if !canChange { " You may look at this. Owners and admins of your tenant change it." }
                },
                beside: { app.isRehearsal ? Badge(text: "Rehearsal", tone: .attention).html : .empty }
            ).html
            div(.class("setup"), .source(.setupState(slug, bundleID: app.bundleID))) {
                div(.class("steps")) {
                    AppStep(page: self).html
                    KeyStep(page: self).html
                    ProbeStep(page: self).html
                    AddressStep(page: self).html
                    ConsentStep(page: self).html
                    EvidenceStep(page: self).html
                    PagingStep(page: self).html
                }
                aside(.class("readiness"), .ariaLabel("What is left")) { readiness }
            }
        }
    }

    /// The parts that change by themselves, without the rest of the page.
    var fragment: HTML {
        document {
            Web.head { Web.title("State of \(app.name)") }
            body {
                for step in SetupStep.allCases { state(of: step) }
                ProbeStep(page: self).live
                AddressStep(page: self).live
                if app.evidence == .push { EvidenceStep(page: self).live }
                readiness
            }
        }
    }

    var readiness: HTML {
        SetupReadiness(
            items: model.readiness, name: app.name,
            commerce: commerce.map { (shown($0), .commerceAccess(slug, bundleID: app.bundleID, done: nil)) },
            environmentName: app.environmentLabel
        ).html
    }

    private func shown(_ readiness: CommerceReadiness) -> CommerceReadiness {
        let places = CommerceAccessHandlers.environments(of: app)
        var readiness = readiness
        readiness.lines.removeAll { !places.contains($0.environment) }
        return readiness
    }

    // MARK: What steps share

    func answer(to parts: SetupPart...) -> HTML? {
        answer.flatMap { parts.contains($0.part) ? $0.notice.html : nil }
    }

    /// What was typed into a field of the form that was just sent, else `kept`.
    func typed(_ name: String, in part: SetupPart, else kept: String = "") -> String {
        answer.flatMap { $0.part == part ? $0.fields[name] : nil } ?? kept
    }

    func wrong(_ name: String, in part: SetupPart) -> String? {
        answer.flatMap { $0.part == part && $0.wrong == name ? $0.more ?? $0.text : nil }
    }

    func action(_ part: SetupPart) -> Attribute { .action(.setupPart(slug, bundleID: app.bundleID, part)) }

    /// Where a step stands, in a word; changes by itself.
    func state(of step: SetupStep) -> HTML {
        span(.class("step-state"), .live("step-\(step.rawValue)")) { badge(of: step).html }
    }

    private func badge(of step: SetupStep) -> Badge {
        let items = model.readiness.filter { SetupStep($0.step) == step }
        if items.contains(where: { $0.state == .trouble }) { return Badge(text: "Trouble", tone: .bad) }
        if items.contains(where: { $0.state == .todo }) { return Badge(text: "To do", tone: .attention) }
        guard step == .paging, !app.isRehearsal else { return Badge(text: "Done", tone: .good) }
        let hearing = channels.filter { $0.apps.isEmpty || $0.apps.contains(app.id) }
        if hearing.isEmpty { return Badge(text: "To do", tone: .attention) }
        return hearing.allSatisfy(\.isFailing) ? Badge(text: "Trouble", tone: .bad) : Badge(text: "Done", tone: .good)
    }
}

/// The steps in their order.
enum SetupStep: String, CaseIterable {
    case app, key, probe, url, consent, evidence, paging

    init?(_ step: OnboardingStep) { self.init(rawValue: step.rawValue) }

    var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }

    var title: String {
        switch self {
        case .app: "The app"
        case .key: "The signing key"
        case .probe: "The key, tried"
        case .url: "The notification URL"
        case .consent: "Consent"
        case .evidence: "Evidence"
        case .paging: "Who is paged"
        }
    }
}

/// One step: its number, its name, where it stands, and what to do.
struct Step {
    let step: SetupStep
    let page: SetupPage
    let lead: String
    let content: HTML

    init(_ step: SetupStep, of page: SetupPage, lead: String, @HTMLBuilder content: Content) {
        self.step = step
        self.page = page
        self.lead = lead
        self.content = content()
    }

    var html: HTML {
        section(.class("panel step"), .id(step.rawValue), .ariaLabelledBy("step-\(step.rawValue)")) {
            div(.class("step-head")) {
                span(.class("step-number", .active), .ariaHidden) { "\(step.number)" }
                h2(.id("step-\(step.rawValue)")) { step.title }
                page.state(of: step)
            }
            p(.class("step-lead")) { lead }
            content
        }
    }
}
