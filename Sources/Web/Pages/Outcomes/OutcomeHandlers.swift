import HTTP
import Refunds
import Tenants
import Time

/// Shows outcomes, and gives them as files.
struct OutcomeHandlers: Sendable {
    let console: Console

    func show(_ visit: TenantVisit) async throws -> Response {
        guard case .outcomes(let slug, let asked) = visit.site else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        if asked.ignored.isEmpty, let tidy = console.tidyAddress(visit.visit) { return tidy }
        let now = console.clock.now
        let apps = try await console.records.apps(of: visit.tenant)
        let query = asked.known(among: apps)
        return console.page(
            OutcomesPage(
                frame: console.frame(visit), slug: slug, query: query, apps: apps,
                outcomes: try await console.records.outcomes(of: visit.tenant, query.filter(apps, at: now)), now: now
            ).html)
    }

    func export(_ visit: TenantVisit) async throws -> Response {
        guard case .outcomesExport(let slug, let asked, let table, let form) = visit.site else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        let now = console.clock.now
        let apps = try await console.records.apps(of: visit.tenant)
        let query = asked.known(among: apps)
        let address = visit.visit.request.query
        // A file has no place for a notice.
        let ignored = query.ignored + OutcomeTable.ignored(in: address) + CSVForm.ignored(in: address)
        if let trouble = ignored.words { return console.door.problem(.unreadable(trouble), .badRequest, for: visit) }
        let outcomes = try await console.records.outcomes(of: visit.tenant, query.filter(apps, at: now))
        let bundleIDs = Dictionary(apps.map { ($0.id, $0.bundleID) }, uniquingKeysWith: { first, _ in first })
        let rows = OutcomeCells.rows(table, outcomes, bundleIDs, query.environmentName)
        return try await CSVDownload<Never>(
            fileName: "\(slug)-outcomes-\(table.rawValue)-\(now.iso8601.prefix(10)).csv", form: form,
            columns: OutcomeCells.columns(table)
        ) { _ in (rows, nil) }.response()
    }
}

/// The rows of outcomes in files.
enum OutcomeCells {
    static func columns(_ table: OutcomeTable) -> [String] {
        switch table {
        case .cases: ["environment", "told", "state", "stateReason", "outcome", "reason", "cases"]
        case .months: ["environment", "month", "bought", "refunded", "refundsPerHundredPurchases"]
        case .products:
            ["environment", "bundleId", "productId", "refunds", "currency", "prices", "costsBeyondPrices", "usesKnown"]
        }
    }

    static func rows(
        _ table: OutcomeTable, _ outcomes: Outcomes, _ bundleIDs: [AppID: String], _ environment: String
    ) -> [[CSVCell]] {
        switch table {
        case .cases:
            outcomes.cells.map { cell in
                [
                    .text(environment), .text(cell.told?.rawValue), .text(cell.state.rawValue),
                    .text(cell.stateReason), .text(cell.outcome.rawValue), .text(cell.reason), .number("\(cell.cases)"),
                ]
            }
        case .months:
            outcomes.months.map { month in
                [
                    .text(environment), .text(month.month), .number("\(month.bought)"), .number("\(month.refunded)"),
                    .amount(milliunits: month.rate.share.map(Int64.init)),
                ]
            }
        case .products:
            outcomes.products.flatMap { product in
                Set(product.prices.keys).union(product.costs?.keys.map { $0 } ?? []).sorted().map { currency in
                    [
                        .text(environment), .text(bundleIDs[product.app]), .text(product.product),
                        .number("\(product.refunds)"), .text(currency),
                        .amount(milliunits: product.prices[currency]),
                        .amount(milliunits: product.costs?[currency]), .number("\(product.usesKnown)"),
                    ]
                }
            }
        }
    }
}
