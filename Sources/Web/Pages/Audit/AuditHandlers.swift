import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// Shows the audit log, and gives it as a file.
struct AuditHandlers: Sendable {
    private static let exportRows = 500

    let console: Console

    func show(_ visit: TenantVisit) async throws -> Response {
        guard case .audit(let slug, let query) = visit.site else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        if query.ignored.isEmpty, let tidy = console.tidyAddress(visit.visit) { return tidy }
        let desk = console.administration
        return console.page(
            AuditLogPage(
                frame: console.frame(visit), slug: slug, query: query,
                page: try await desk.audit(of: visit.tenant, filter: query.filter, before: query.before),
                standing: query.before == nil ? try await desk.auditStanding(of: visit.tenant) : nil,
                members: try await desk.people(of: visit.tenant).members
            ).html)
    }

    func export(_ visit: TenantVisit) async throws -> Response {
        guard case .auditExport(let slug, let query, let form) = visit.site else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        if let trouble = (query.ignored + CSVForm.ignored(in: visit.visit.request.query)).words {
            return console.door.problem(.unreadable(trouble), .badRequest, for: visit)
        }
        let (desk, tenant, filter) = (console.administration, visit.tenant, query.filter)
        return try await CSVDownload<Int64>(
            fileName: "\(slug)-audit-\(console.clock.now.iso8601.prefix(10)).csv", form: form,
            columns: [
                "number", "at", "who", "personId", "tokenId", "address", "action", "subject", "detail", "hash",
            ]
        ) { before in
            let page = try await desk.audit(
                of: tenant, filter: filter, before: before, limit: AuditHandlers.exportRows)
            return (page.lines.map { AuditHandlers.cells($0, page.names) }, page.next)
        }.response()
    }

    private static func cells(_ line: AuditLine, _ names: AuditNames) -> [CSVCell] {
        [
            .number("\(line.sequence)"), .text(line.at.iso8601), .text(AuditWords.who(line, names)),
            .text(line.person?.text), .text(line.token?.text), .text(line.address), .text(line.action),
            .text(line.subject), .text(String(decoding: line.detail, as: UTF8.self)),
            .id(line.hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()),
        ]
    }
}
