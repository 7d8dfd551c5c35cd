import Refunds
import Tenants
import Time

/// Refunds that were asked for, beside what was sold: totals, lines by SKU and reason, and every request.
struct RegisterPage {
    /// Lines of one page.
    static let linesMax = 50

    let frame: Frame
    let slug: String
    let query: RegisterListQuery
    let apps: [App]
    let summary: RegisterSummary
    let lines: [RegisterLine]
    /// On all pages.
    let allLines: Int
    let requests: (entries: [RegisterEntry], next: ListCursor?)
    let now: Moment

    var html: HTML {
        Layout(frame, title: "Register").console {
            PageHeader("Register") {
                "Apple watches how much of what you sell is refunded, so the team sees it here first: every refund asked for with Advanced Commerce, beside the sales that notifications told of."
            }.html
            if let notice = query.ignored.notice { notice.html }
            filters
            if isEmpty {
                nothing
            } else {
                RegisterTotals(slug: slug, query: query, apps: apps, summary: summary).html
                skus
                asked
            }
        }
    }

    private var isEmpty: Bool {
        summary.total == RegisterTally() && requests.entries.isEmpty && query.after == nil
    }

    private var filters: HTML {
        form(.class("filters"), .get, .action(.register(slug, RegisterListQuery())), .ariaLabel("Filter the register"))
        {
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
            Field(
                "Environment", name: "environment", choices: environments, selected: query.environment
            ).html
            div(.class("filters-actions")) {
                button(.class("button"), .type("submit")) { "Filter" }
                if query.isFiltered { a(.class("quiet-link"), .href(.register(slug, RegisterListQuery()))) { "Clear" } }
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
        EmptyState(
            .register, query.isFiltered ? "Nothing was sold or asked for here" : "Nothing was sold or asked for yet"
        ) {
            if query.isFiltered {
                p { a(.class("button"), .href(.register(slug, RegisterListQuery()))) { "The last twelve months" } }
            } else {
                p {
                    "It fills with the first purchase through Advanced Commerce that Apple's notifications tell of. What is tried in Sandbox is counted apart, under its own filter."
                }
            }
        }.html
    }

    // MARK: SKUs

    private var skus: HTML {
        section(.class("numbers"), .ariaLabelledBy("by-sku")) {
            div(.class("panel-head")) {
                h2(.id("by-sku"), .class("section-title")) { "By SKU and reason" }
                files(.rates)
            }
            if lines.isEmpty {
                p(.class("quiet")) { "No refund was asked for. The file lists what was sold." }
            } else {
                table
                p(.class("quiet")) { shown }
                Pager(
                    newest: query.page > 0 ? .register(slug, query.at(page: 0)) : nil,
                    older: (query.page + 1) * Self.linesMax < allLines
                        ? .register(slug, query.at(page: query.page + 1)) : nil
                ).html
            }
        }
    }

    private var shown: String {
        let first = query.page * Self.linesMax
        return
            "\(first + 1) to \(first + lines.count) of \(allLines), the most refunds of each month first. SKUs that were sold and never asked back stand in the file."
    }

    private var table: HTML {
        DataTable(
            caption: "Refunds by SKU and reason",
            columns: [
                .init("SKU") { line in
                    strong { line.sku }
                    span(.class("subtext")) { appName(line.app) }
                },
                .init("Reason") { line in RegisterWords.reason(line.reason) },
                .init("Month") { line in span { line.month } },
                .init("Asked", isNumber: true) { line in span { "\(line.tally.asked)" } },
                .init("Refunded", isNumber: true) { line in
                    span { "\(line.tally.refunded)" }
                    RegisterWords.amounts(line.refundedAmounts)
                },
                .init("Declined", isNumber: true) { line in span { "\(line.tally.declined)" } },
                .init("Sold", isNumber: true) { line in span { "\(line.tally.sold)" } },
                .init("Rate", isNumber: true) { line in RegisterWords.rate(line.tally) },
            ], rows: lines
        ).html
    }

    private func appName(_ id: AppID) -> String { apps.first { $0.id == id }?.label ?? "removed app" }

    private func files(_ table: RegisterTable) -> HTML {
        div(.class("filters-actions")) {
            a(.class("button"), .href(.registerExport(slug, query.start, table, .plain))) { "CSV" }
            a(.class("button"), .href(.registerExport(slug, query.start, table, .spreadsheet))) {
                "CSV for spreadsheets"
            }
        }
    }

    // MARK: Requests

    private var asked: HTML {
        section(.class("numbers"), .ariaLabelledBy("requests")) {
            div(.class("panel-head")) {
                h2(.id("requests"), .class("section-title")) { "Every request" }
                files(.requests)
            }
            if requests.entries.isEmpty {
                p(.class("quiet")) { "No request was made." }
            } else {
                RegisterRequests(slug: slug, entries: requests.entries, apps: apps).html
            }
            Pager(
                newest: query.after == nil ? nil : .register(slug, query.from(nil)),
                older: requests.next.map { .register(slug, query.from($0)) }
            ).html
        }
    }
}
