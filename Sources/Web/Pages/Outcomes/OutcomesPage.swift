import Refunds
import Tenants
import Time

/// What was asked for, what Apple was told, what Apple did, and what it cost.
struct OutcomesPage {
    let frame: Frame
    let slug: String
    let query: OutcomeListQuery
    let apps: [App]
    let outcomes: Outcomes
    let now: Moment

    var html: HTML {
        Layout(frame, title: "Outcomes").console {
            PageHeader("Outcomes") {
                "What customers asked for, what Apple was told, and what Apple did with the money."
            }.html
            if let notice = query.ignored.notice { notice.html }
            filters
            if outcomes.cells.isEmpty && outcomes.months.isEmpty {
                nothing
            } else {
                OutcomeSummary(slug: slug, outcomes: outcomes, cases: query.cases(at: now)).html
                if outcomes.isCutOff {
                    p(.class("quiet")) {
                        "There are more cases than are counted at once: these are the newest. Choose a month or an app to count all of it."
                    }
                }
                if !outcomes.cells.isEmpty { matrix }
                if !outcomes.months.isEmpty { months }
                OutcomeProducts(
                    slug: slug, products: outcomes.products, apps: apps, files: files(.products)
                ).html
            }
        }
    }

    private var filters: HTML {
        form(.class("filters"), .get, .action(.outcomes(slug, OutcomeListQuery())), .ariaLabel("Filter the outcomes")) {
            Field(
                "Month", name: "month",
                choices: [("", "The last \(RegisterListQuery.months) months")]
                    + RegisterListQuery.choices(at: now).map { ($0, $0) }, selected: query.month
            ).html
            if apps.count > 1 || query.app != nil {
                Field(
                    "App", name: "app", choices: [("", "All")] + apps.map { ($0.bundleID, $0.label) },
                    selected: query.app
                ).html
            }
            Field("Environment", name: "environment", choices: environments, selected: query.environment).html
            div(.class("filters-actions")) {
                button(.class("button"), .type("submit")) { "Filter" }
                if query.isFiltered { a(.class("quiet-link"), .href(.outcomes(slug, OutcomeListQuery()))) { "Clear" } }
            }
        }
    }

    /// One at a time: what is played with counts in no total.
    private var environments: [(value: String, text: String)] {
        let hasRehearsal = query.environment == EnvironmentChoice.rehearsal || apps.contains(where: \.isRehearsal)
        return [("", EnvironmentChoice.production), (EnvironmentChoice.sandbox, EnvironmentChoice.sandbox)]
            + (hasRehearsal ? [(EnvironmentChoice.rehearsal, EnvironmentChoice.rehearsal)] : [])
    }

    private var nothing: HTML {
        EmptyState(.outcomes, query.isFiltered ? "No case and no purchase lies here" : "No case yet") {
            if query.isFiltered {
                p { a(.class("button"), .href(.outcomes(slug, OutcomeListQuery()))) { "The last twelve months" } }
            } else {
                p { "It fills with the first refund request that Apple asks about." }
            }
        }.html
    }

    private func files(_ table: OutcomeTable) -> HTML {
        div(.class("filters-actions")) {
            a(.class("button"), .href(.outcomesExport(slug, query, table, .plain))) { "CSV" }
            a(.class("button"), .href(.outcomesExport(slug, query, table, .spreadsheet))) { "CSV for spreadsheets" }
        }
    }

    private var matrix: HTML {
        section(.class("numbers"), .ariaLabelledBy("matrix")) {
            div(.class("panel-head")) {
                h2(.id("matrix"), .class("section-title")) { "By what Apple was told, and by reason" }
                files(.cases)
            }
            OutcomeMatrix(slug: slug, outcomes: outcomes, cases: query.cases(at: now)).html
            p(.class("quiet")) {
                "Each number opens its cases. Apple tells of a decline only where the request was made inside the app: others stay pending."
            }
        }
    }

    private var months: HTML {
        section(.class("numbers"), .ariaLabelledBy("months")) {
            div(.class("panel-head")) {
                h2(.id("months"), .class("section-title")) { "Refund rate by month of purchase" }
                files(.months)
            }
            DataTable(
                caption: "Purchases and refunds by month of purchase",
                columns: [
                    .init("Bought in") { month in span { month.month } },
                    .init("Purchases", isNumber: true) { month in span { "\(month.bought)" } },
                    .init("Refunded since", isNumber: true) { month in span { "\(month.refunded)" } },
                    .init("Rate", isNumber: true) { month in OutcomeRate(month.rate).html },
                ], rows: outcomes.months
            ).html
            p(.class("quiet")) {
                "Of the purchases that notifications or Apple's history told of, without what was free. Younger months still grow: a refund may be asked for long after the purchase."
            }
        }
    }
}

extension Outcomes.Month {
    var rate: Outcomes.Rate { Outcomes.Rate(hits: refunded, of: bought) }
}

/// A rate, or that there are not enough cases yet.
struct OutcomeRate {
    let rate: Outcomes.Rate

    init(_ rate: Outcomes.Rate) { self.rate = rate }

    var html: HTML {
        if let share = rate.share {
            return span {
                Self.text(share)
                span(.class("subtext")) { "\(rate.hits) of \(rate.of)" }
            }
        }
        return span(.class("quiet")) {
            rate.of == 0 ? "–" : "not enough cases yet: \(rate.hits) of \(rate.of)"
        }
    }

    /// Tenths of a percent are enough for a rate.
    static func text(_ share: Int) -> String { ShareText.text((share + 50) / 100 * 100) }
}
