import FoundationEssentials
import Refunds
import Tenants
import Time

/// An app's policy: what it says, what it would do with the last requests, and how it came to be so.
struct PolicyPage {
    let frame: Frame
    let slug: String
    let app: App
    /// Newest first; none: the fair template decides.
    let versions: [PolicyVersion]
    let authors: AuditNames
    /// What stands in the editor.
    var text: String
    var note = ""
    /// The version that the editor's text is based on; 0: none.
    var basedOn: Int
    /// Nil where the text cannot be read.
    var policy: Policy?
    var trial: PolicyTrial?
    let trials: DecidingDesk.Trials
    /// The replay that the address names.
    var replay: UUID?
    /// What was typed into the form of the share.
    var share: String?
    let now: Moment
    var notice: Notice?
    var wrong: [String: String] = [:]
    let canChange: Bool

    /// Whether the editor shows what decides now.
    private var isLive: Bool { text == (versions.first?.text ?? PolicyTemplate.fair.text) }

    private var place: Site { .policy(slug, bundleID: app.bundleID, .now) }

    var html: HTML {
        Layout(frame, title: "Policy of \(app.name)").console {
            nav(.class("crumbs"), .ariaLabel("Way back")) { a(.href(.apps(slug))) { "Apps" } }
            PageHeader("Policy of \(app.name)") {
                "Rules are asked from the top; the first that fits decides what Apple is told. Consent, and Apple's own rules about what may be sent, go before every rule."
            }.html
            if let notice { notice.html }
            editor
            if let policy, let trial {
                rules(policy, trial)
                changes(trial)
            }
            if policy != nil {
                ReplayPart(
                    slug: slug, app: app, text: text, replays: trials.replays, named: replay, canChange: canChange,
                    now: now
                ).html
            }
            ShadowPart(
                slug: slug, app: app, shadow: trials.shadow, comparison: trials.comparison,
                live: versions.first?.number ?? 0, text: text, canChange: canChange && policy != nil, now: now
            ).html
            HoldOutPart(
                slug: slug, app: app, effect: trials.holdOut, canChange: canChange, typed: share,
                wrong: wrong["share"]
            ).html
            p {
                a(.href(.customers(slug, bundleID: app.bundleID, customer: nil))) {
                    "Customers with an answer of their own"
                }
            }
            history
            PolicyReference().html
        }
    }

    // MARK: The editor

    private var editor: HTML {
        section(.class("panel step"), .ariaLabelledBy("rules-title")) {
            h2(.id("rules-title")) { isLive ? "The rules that decide now" : "Rules that are not saved" }
            if versions.isEmpty {
                p(.class("step-lead")) {
                    "The app has no policy of its own: the template \"\(PolicyTemplate.fair.name)\" decides. What is saved here takes its place, from the next request on."
                }
            }
            if canChange {
                form
                starts
            } else {
                pre(.class("code-block")) { code { text } }
            }
        }
    }

    private var form: HTML {
        Web.form(.class("step-form"), .post, .action(place)) {
            HiddenFields(fields: [("basedOn", String(basedOn))]).html
            TextArea(
                label: "Rules, one a line", name: "rules", text: text, rows: min(24, max(10, lines + 2)),
                help: "What can stand in a rule is listed at the end of this page.", error: wrong["rules"], isCode: true
            ).html
            Field(
                "Why it changes", name: "note", help: "Kept with the version.", error: wrong["note"], .type("text"),
                .maxlength(500), .autocomplete("off"), .value(note)
            ).html
            div(.class("step-actions")) {
                button(.class("button"), .type("submit"), .name("do"), .value("check")) { "Check without saving" }
                button(.class("button button-main"), .type("submit"), .name("do"), .value("save")) { "Save" }
            }
        }
    }

    private var lines: Int { text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count }

    private var starts: HTML {
        details(.class("opening")) {
            summary { "Begin with a template" }
            ul(.class("plain-list")) {
                for template in PolicyTemplate.allCases {
                    li {
                        a(.href(.policy(slug, bundleID: app.bundleID, .template(template)))) { template.name }
                        span(.class("subtext")) { template.words }
                    }
                }
            }
        }
    }

    // MARK: What it does

    private func rules(_ policy: Policy, _ trial: PolicyTrial) -> HTML {
        section(.class("panel"), .ariaLabelledBy("does-title")) {
            h2(.id("does-title")) { "What they do" }
            p(.class("quiet")) {
                trial.looked == 0
                    ? "No request was decided by a rule yet, so nothing can be counted."
                    : "Counted over the last \(trial.looked) requests that a rule decided."
            }
            for warning in trial.warnings { Notice(.attention, warning).html }
            if let few = trial.fewCases { p(.class("quiet")) { few } }
            DataTable(
                caption: "Rules and how many requests each fits",
                columns: [
                    .init("Rule", isNumber: true) { rule in span { "\(rule.number)" } },
                    .init("When") { rule in span(.class("mono")) { NameText(rule.situation).html } },
                    .init("Then") { rule in span { Words.sentence(Words.action(rule.action)) } },
                    .init("Fits", isNumber: true) { rule in span { "\(trial.fits[rule.number] ?? 0)" } },
                ], rows: policy.rules
            ).html
        }
    }

    private func changes(_ trial: PolicyTrial) -> HTML {
        section(.class("panel"), .ariaLabelledBy("changes-title")) {
            h2(.id("changes-title")) { "What would have been answered otherwise" }
            if trial.changed == 0 {
                p(.class("quiet")) {
                    trial.looked == 0
                        ? "There is nothing to compare with yet."
                        : "Nothing: each of the last \(trial.looked) requests was answered as these rules say."
                }
            } else {
                p {
                    "\(trial.changed) of \(trial.looked) requests"
                    MoneyList(trial.money).html
                    ". What went out stays as it is."
                }
                PolicyMoves(moves: trial.moves).html
                PolicyChanges(slug: slug, changes: trial.changes, changed: trial.changed).html
            }
        }
    }

    // MARK: How it came to be so

    private var history: HTML {
        section(.class("panel"), .ariaLabelledBy("versions-title")) {
            h2(.id("versions-title")) { "Versions" }
            if versions.isEmpty {
                p(.class("quiet")) { "None was saved yet." }
            } else {
                DataTable(
                    caption: "Versions of the policy, newest first",
                    columns: [
                        .init("Version", isNumber: true) { version in
                            a(.href(.policy(slug, bundleID: app.bundleID, .version(version.number)))) {
                                "\(version.number)"
                            }
                        },
                        .init("Saved") { version in TimeText(version.madeAt).shortHTML },
                        .init("By") { version in
                            span { version.author.flatMap { authors.people[$0.rawValue] } ?? "the command line" }
                        },
                        .init("Why") { version in
                            if version.note.isEmpty {
                                span(.class("quiet")) { "–" }
                            } else {
                                span { NameText(version.note).html }
                            }
                        },
                        .init("Return") { version in
                            if canChange, version != versions.first { back(to: version) } else { span { "–" } }
                        },
                    ], rows: versions
                ).html
            }
        }
    }

    private func back(to version: PolicyVersion) -> HTML {
        Web.form(.post, .action(place)) {
            HiddenFields(fields: [
                ("basedOn", String(versions.first?.number ?? 0)), ("version", String(version.number)),
            ]).html
            button(
                .class("button"), .type("submit"), .name("do"), .value("return"),
                .ariaLabel("Return to version \(version.number)")
            ) { "Return to it" }
        }
    }
}
