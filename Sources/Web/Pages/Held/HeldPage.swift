import FoundationEssentials
import Refunds
import Time

/// What waits for a person, soonest deadline first.
struct HeldPage {
    let frame: Frame
    let slug: String
    let cases: [HeldCase]
    var assigned: CaseListQuery.Assigned?
    /// Addresses of those who look after cases.
    var people: [UUID: String] = [:]
    let now: Moment

    var html: HTML {
        Layout(frame, title: "Waiting for you").console {
            PageHeader("Waiting for you") {
                "Refund requests that a policy wants a person to look at. What is prepared goes out by itself at the time that stands beside it."
            }.html
            if !cases.isEmpty || assigned != nil { filter }
            if cases.isEmpty, assigned != nil {
                EmptyState(.held, "Nothing that waits fits this filter") {
                    p { a(.class("button"), .href(.held(slug))) { "All that waits" } }
                }.html
            } else if cases.isEmpty {
                EmptyState(.held, "Nothing waits for anybody") {
                    p {
                        "Requests come here when a rule of an app's policy says \"ask a person\". "
                        a(.href(.apps(slug))) { "Look at the policies of the apps" }
                    }
                }.html
            } else {
                list
            }
        }
    }

    private var filter: HTML {
        form(.class("filters"), .get, .action(.held(slug)), .ariaLabel("Filter what waits")) {
            Field(
                "Looked after by", name: "assigned",
                choices: [("", "Anybody")] + CaseListQuery.Assigned.allCases.map { ($0.rawValue, Words.label($0)) },
                selected: assigned?.rawValue
            ).html
            div(.class("filters-actions")) { button(.class("button"), .type("submit")) { "Filter" } }
        }
    }

    private var list: HTML {
        DataTable(
            caption: "Requests that wait for a person",
            columns: [
                .init("Case") { held in
                    a(.href(.refundCase(slug, held.id))) { NameText(held.line.productID).html }
                    span(.class("subtext mono")) { held.line.transactionID }
                    span(.class("subtext")) {
                        held.appName
                        if let badge = Badge.environment(isRehearsal: held.isRehearsal, isSandbox: held.line.isSandbox)
                        {
                            " "
                            badge.html
                        }
                    }
                },
                .init("Reason") { held in span { held.line.reason.map(Words.reason) ?? "not given" } },
                .init("Price", isNumber: true) { held in
                    if let price = held.line.price {
                        MoneyText(milliunits: price, currency: held.line.currency).html
                    } else {
                        span(.class("quiet")) { "unknown" }
                    }
                },
                .init("Prepared") { held in
                    span { held.decision.map { Words.sentence(Words.answer($0)) } ?? "unknown" }
                },
                .init("Looked after by") { held in
                    if let assignee = held.line.assignee {
                        span { people[assignee] ?? "somebody who is gone" }
                    } else {
                        span(.class("quiet")) { "nobody" }
                    }
                },
                .init("Goes out by itself") { held in
                    span { TimeText(held.until).relative(to: now) }
                    span(.class("subtext")) { TimeText(held.until).shortHTML }
                },
            ], rows: cases
        ).html
    }
}
