import FoundationEssentials
import Refunds
import Tenants
import Time

/// Customers of an app who are answered by what somebody fixed for them, before any rule.
struct CustomersPage {
    let frame: Frame
    let slug: String
    let app: App
    /// Newest first.
    var overrides: [CustomerOverride]
    let canChange: Bool
    let now: Moment
    /// The id of the answer that the form changes; empty: none is fixed yet.
    var basedOn = ""
    var typed: [String: String] = [:]
    var wrong: [String: String] = [:]
    var notice: Notice?

    private var place: Site { .customers(slug, bundleID: app.bundleID, customer: nil) }

    var html: HTML {
        Layout(frame, title: "Customers of \(app.name)").console {
            nav(.class("crumbs"), .ariaLabel("Way back")) {
                a(.href(.policy(slug, bundleID: app.bundleID, .now))) { "Policy of \(app.name)" }
            }
            PageHeader("Customers with an answer of their own") {
                "What is fixed here goes before every rule of \(app.name). Consent, family members' copies and Apple's own rules go before it."
            }.html
            if let notice { notice.html }
            if overrides.isEmpty {
                EmptyState(.person, "Nothing is fixed for any customer") {
                    p { "The rules decide for everybody. A case's page leads here with its customer." }
                }.html
            } else {
                list
            }
            if canChange { form }
        }
    }

    private var list: HTML {
        DataTable(
            caption: "Customers with an answer of their own, newest first",
            columns: [
                .init("appAccountToken") { one in a(.class("mono"), .href(cases(one))) { NameText(one.customer).html }
                },
                .init("Answer") { one in span { Words.sentence(Words.override(one.action)) } },
                .init("Why") { one in
                    span(.class("answer-text")) {
                        NameText(one.reason).html
                        span(.class("subtext")) { "\(one.authorName), \(TimeText(one.madeAt).short)" }
                    }
                },
                .init("Until") { one in
                    if let day = one.lastDay {
                        span {
                            "\(day) included"
                            if !one.counts(at: now) { span(.class("subtext")) { "over: the rules decide again" } }
                        }
                    } else {
                        span { "for ever" }
                    }
                },
            ] + (canChange ? [.init("Remove") { one in removal(one) }] : []), rows: overrides
        ).html.and(
            overrides.count >= DecidingDesk.overridesMax
                ? p(.class("quiet")) { "The newest \(overrides.count) are listed." } : .empty)
    }

    private func cases(_ one: CustomerOverride) -> Site {
        var query = CaseListQuery()
        query.lookUp = one.customer
        return .cases(slug, query)
    }

    private func removal(_ one: CustomerOverride) -> HTML {
        Web.form(.post, .action(place)) {
            HiddenFields(fields: [("override", one.id.text)]).html
            button(
                .class("button"), .type("submit"), .name("do"), .value("remove"),
                .ariaLabel("Remove the answer of \(one.customer)")
            ) { "Remove" }
        }
    }

    private var form: HTML {
        section(.class("panel step"), .id("fix"), .ariaLabelledBy("fix-title")) {
            h2(.id("fix-title")) { "Fix an answer" }
            Web.form(.class("step-form"), .post, .action(place)) {
                HiddenFields(fields: [("basedOn", basedOn)]).html
                Field(
                    "appAccountToken", name: "customer", help: "As the app gave it at the purchase.",
                    error: wrong["customer"], .type("text"), .required, .maxlength(200), .autocomplete("off"),
                    .noSpellcheck, .value(typed["customer"] ?? "")
                ).html
                Choices(
                    legend: "What Apple is told", name: "action",
                    choices: CustomerOverride.Action.allCases.map {
                        .init(value: $0.rawValue, text: Words.sentence(Words.override($0)))
                    }, chosen: typed["action"], error: wrong["action"]
                ).html
                TextArea(
                    label: "Why", name: "reason", text: typed["reason"] ?? "", rows: 2,
                    help: "Shown on each of their cases, with your name. It is not sent to Apple.",
                    error: wrong["reason"]
                ).html
                Field(
                    "Until", name: "until", help: "A day such as 2027-03-31, the last one; empty: for ever.",
                    error: wrong["until"], .type("text"), .maxlength(10), .autocomplete("off"),
                    .value(typed["until"] ?? "")
                ).html
                button(.class("button button-main"), .type("submit"), .name("do"), .value("set")) { "Fix it" }
            }
        }
    }
}

extension CustomerOverride {
    /// The last day on which it counts, in UTC, such as `2027-03-31`; nil: for ever.
    var lastDay: String? { until.map { String(($0 - .milliseconds(1)).iso8601.prefix(10)) } }
}
