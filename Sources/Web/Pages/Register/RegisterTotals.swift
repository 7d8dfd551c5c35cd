import Refunds
import Tenants

/// The register's sums: all of it, month by month, by app and by reason.
struct RegisterTotals {
    let slug: String
    let query: RegisterListQuery
    let apps: [App]
    let summary: RegisterSummary

    var html: HTML {
        section(.class("numbers"), .ariaLabelledBy("totals")) {
            h2(.id("totals"), .class("section-title")) { title }
            if query.environment != nil {
                p(.class("quiet")) { "\(query.environmentName) counts in no total of Production." }
            }
            whole
            if query.month == nil { months }
            if summary.apps.count > 1 { byApp }
            if !summary.reasons.isEmpty { byReason }
            p(.class("quiet")) {
                "A refund counts once for each item, in the month in which it was asked for (UTC), until Apple takes it back. Drafts, requests taken back and cancellations do not count. The rate is refunds for each sale of the same month."
            }
        }
    }

    private var title: String {
        "\(query.environmentName), \(query.month ?? "the last \(RegisterListQuery.months) months")"
    }

    private var whole: HTML {
        let total = summary.total
        return Facts([
            ("Sold", HTML(text: "\(total.sold)")),
            ("Asked for", HTML(text: "\(total.asked)")),
            (
                "Refunded",
                span {
                    "\(total.refunded)"
                    RegisterWords.amounts(summary.refundedAmounts)
                }
            ),
            ("Declined, failed", HTML(text: "\(total.declined), \(total.failed)")),
            ("Refund rate", RegisterWords.rate(total)),
        ]).html
    }

    private var months: HTML {
        DataTable(
            caption: "Refunds and sales by month",
            columns: [
                .init("Month") { line in a(.href(.register(slug, query.of(month: line.month)))) { line.month } }
            ] + numbers { $0.tally }, rows: summary.months
        ).html
    }

    private var byApp: HTML {
        DataTable(
            caption: "Refunds and sales by app",
            columns: [
                .init("App") { line in strong { apps.first { $0.id == line.app }?.label ?? "removed app" } }
            ] + numbers { $0.tally }, rows: summary.apps
        ).html
    }

    private var byReason: HTML {
        DataTable(
            caption: "Refunds by reason, set against all sales",
            columns: [.init("Reason") { line in RegisterWords.reason(line.reason) }] + numbers { $0.tally },
            rows: summary.reasons
        ).html
    }

    private func numbers<Row>(_ tally: @escaping (Row) -> RegisterTally) -> [DataTable<Row>.Column] {
        [
            .init("Asked", isNumber: true) { row in span { "\(tally(row).asked)" } },
            .init("Refunded", isNumber: true) { row in span { "\(tally(row).refunded)" } },
            .init("Declined", isNumber: true) { row in span { "\(tally(row).declined)" } },
            .init("Sold", isNumber: true) { row in span { "\(tally(row).sold)" } },
            .init("Rate", isNumber: true) { row in RegisterWords.rate(tally(row)) },
        ]
    }
}
