import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// The list of cases as a file, with the list's filters.
extension CaseHandlers {
    func export(_ visit: TenantVisit) async throws -> Response {
        guard case .caseExport(let slug, let asked, let form) = visit.site else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        let (records, tenant) = (console.records, visit.tenant)
        let apps = try await records.apps(of: tenant)
        let query = asked.known(among: apps)
        // A file has no place for a notice: half of what was asked for must not pass for the whole, nor more for it.
        if let trouble = (query.ignored + CSVForm.ignored(in: visit.visit.request.query)).words {
            return console.door.problem(.unreadable(trouble), .badRequest, for: visit)
        }
        let filter = CaseFilter(query, of: visit)
        let shown = apps.filter { $0.isListed(app: query.app, environment: query.environment) }.map(\.id)
        let bundleIDs = Dictionary(apps.map { ($0.id, $0.bundleID) }, uniquingKeysWith: { first, _ in first })
        return try await CSVDownload<ListCursor>(
            fileName: "\(slug)-cases-\(console.clock.now.iso8601.prefix(10)).csv", form: form,
            columns: Self.columns
        ) { cursor in
            let page = try await records.cases(
                of: tenant, apps: shown, filter: filter, after: cursor, limit: Records.exportRows)
            return (page.cases.map { Self.cells($0, bundleIDs) }, page.next)
        }.response()
    }

    private static let columns = [
        "id", "bundleId", "environment", "transactionId", "originalTransactionId", "productId", "appAccountToken",
        "state", "stateReason", "outcome", "reason", "price", "currency", "signedDate", "deadline",
    ]

    private static func cells(_ line: CaseLine, _ bundleIDs: [AppID: String]) -> [CSVCell] {
        [
            .text(line.id.text), .text(bundleIDs[line.app]), .text(line.environment), .id(line.transactionID),
            .id(line.originalTransactionID), .text(line.productID), .text(line.customer), .text(line.state.rawValue),
            .text(line.stateReason), .text(line.outcome.rawValue), .text(line.reason),
            .amount(milliunits: line.price), .text(line.currency), .text(line.listedAt.iso8601),
            .text(line.deadline?.iso8601),
        ]
    }
}
