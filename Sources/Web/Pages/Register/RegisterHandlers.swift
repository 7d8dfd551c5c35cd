import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// Shows the register, and gives it as files.
struct RegisterHandlers: Sendable {
    let console: Console

    func show(_ visit: TenantVisit) async throws -> Response {
        guard case .register(let slug, let asked) = visit.site else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        if asked.ignored.isEmpty, let tidy = console.tidyAddress(visit.visit) { return tidy }
        let (records, tenant, now) = (console.records, visit.tenant, console.clock.now)
        let apps = try await records.apps(of: tenant)
        let query = asked.known(among: apps)
        let filter = query.filter(apps, at: now)
        let lines = try await records.registerLines(
            of: tenant, filter, skip: query.page * RegisterPage.linesMax, limit: RegisterPage.linesMax)
        return console.page(
            RegisterPage(
                frame: console.frame(visit), slug: slug, query: query, apps: apps,
                summary: try await records.registerSummary(of: tenant, filter), lines: lines.lines,
                allLines: lines.all,
                requests: try await records.registerEntries(of: tenant, filter, after: query.after), now: now
            ).html)
    }

    func export(_ visit: TenantVisit) async throws -> Response {
        guard case .registerExport(let slug, let asked, let table, let form) = visit.site else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        let (records, tenant, now) = (console.records, visit.tenant, console.clock.now)
        let apps = try await records.apps(of: tenant)
        let query = asked.known(among: apps)
        let address = visit.visit.request.query
        // A file has no place for a notice.
        let ignored = query.ignored + RegisterTable.ignored(in: address) + CSVForm.ignored(in: address)
        if let trouble = ignored.words { return console.door.problem(.unreadable(trouble), .badRequest, for: visit) }
        let filter = query.filter(apps, at: now)
        let bundleIDs = Dictionary(apps.map { ($0.id, $0.bundleID) }, uniquingKeysWith: { first, _ in first })
        let fileName = "\(slug)-register-\(table.rawValue)-\(now.iso8601.prefix(10)).csv"
        switch table {
        case .requests:
            return try await CSVDownload<ListCursor>(
                fileName: fileName, form: form, columns: RegisterCells.requestColumns
            ) { cursor in
                let page = try await records.registerEntries(
                    of: tenant, filter, after: cursor, limit: Records.registerRows)
                return (page.entries.map { RegisterCells.cells($0, bundleIDs) }, page.next)
            }.response()
        case .rates:
            return try await CSVDownload<RegisterCursor>(
                fileName: fileName, form: form, columns: RegisterCells.rateColumns
            ) { cursor in
                let page = try await records.registerFile(of: tenant, filter, after: cursor)
                return (page.lines.map { RegisterCells.cells($0, bundleIDs, query.environmentName) }, page.next)
            }.response()
        }
    }
}

/// The register's rows in files.
enum RegisterCells {
    static let requestColumns = [
        "id", "bundleId", "environment", "kind", "state", "stateReason", "askedAt", "transactionId", "productId", "sku",
        "reason", "type", "amount", "price", "currency", "storefront", "revoke", "refundedAmount", "refundedAt",
        "revokedAt", "appleStatus", "appleCode",
    ]

    static func cells(_ entry: RegisterEntry, _ bundleIDs: [AppID: String]) -> [CSVCell] {
        [
            .text(entry.request.text), .text(bundleIDs[entry.app]), .text(entry.environment.rawValue),
            .text(entry.kind.rawValue), .text(entry.state.rawValue), .text(entry.stateReason?.rawValue),
            .text(entry.askedAt.iso8601), .id(entry.transactionID), .text(entry.productID), .text(entry.sku),
            .text(entry.reason?.rawValue), .text(entry.type?.rawValue), .amount(milliunits: entry.amount),
            .amount(milliunits: entry.price), .text(entry.currency), .text(entry.storefront),
            .text(entry.revoke.map { $0 ? "yes" : "no" }), .amount(milliunits: entry.refundedAmount),
            .text(entry.refundedAt?.iso8601), .text(entry.revokedAt?.iso8601),
            .number(entry.appleStatus.map { "\($0)" }), .number(entry.appleCode.map { "\($0)" }),
        ]
    }

    static let rateColumns = [
        "month", "bundleId", "environment", "sku", "reason", "asked", "refunded", "declined", "failed", "sold",
        "refundsPerHundredSales", "refundedAmounts",
    ]

    static func cells(
        _ line: RegisterLine, _ bundleIDs: [AppID: String], _ environment: String
    ) -> [CSVCell] {
        let tally = line.tally
        let amounts = line.refundedAmounts.sorted { $0.key < $1.key }
            .map { "\(CSVCell.decimal(milliunits: $0.value)) \($0.key)" }.joined(separator: "; ")
        return [
            .text(line.month), .text(bundleIDs[line.app]), .text(environment), .text(line.sku),
            .text(line.reason?.rawValue), .number("\(tally.asked)"), .number("\(tally.refunded)"),
            .number("\(tally.declined)"), .number("\(tally.failed)"), .number("\(tally.sold)"),
            .amount(milliunits: tally.rate.map(Int64.init)), .text(amounts),
        ]
    }
}
