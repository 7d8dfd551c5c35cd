import HTTP
import Refunds
import Tenants
import Time

/// What an app's customers agreed to, as a file that can be sent back.
extension ConsentHandlers {
    func export(_ visit: TenantVisit) async throws -> Response {
        guard case .consentExport(let slug, let bundleID, let form) = visit.site,
            let app = try await console.setup.app(of: visit.tenant, bundleID: bundleID)
        else { return console.door.problem(.notFound, .notFound, for: visit) }
        if let trouble = CSVForm.ignored(in: visit.visit.request.query).words {
            return console.door.problem(.unreadable(trouble), .badRequest, for: visit)
        }
        let desk = console.deciding
        return try await CSVDownload<ConsentLine.Place>(
            fileName: "\(slug)-consent-\(console.clock.now.iso8601.prefix(10)).csv", form: form,
            columns: ConsentFile.columns + ConsentFile.toldColumns
        ) { place in
            let page = try await desk.ledger(of: app, after: place)
            return (page.lines.map(Self.cells), page.next)
        }.response()
    }

    private static func cells(_ line: ConsentLine) -> [CSVCell] {
        let (customer, purchase): (String?, String?) =
            switch line.subject {
            case .customer(let token): (token, nil)
            case .purchase(let id): (nil, id)
            }
        let change = line.change
        return [
            .text(customer), .id(purchase), .text(change.consented ? "true" : "false"), .text(change.givenAt.iso8601),
            .text(change.wording), .text(change.source), .text(change.learnedAt.iso8601),
            .text(change.isWordingKept.map { $0 ? "true" : "false" }),
        ]
    }
}
