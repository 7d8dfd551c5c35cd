import AppStore
import FoundationEssentials
import Postgres
import Tenants
import Time

/// The SQL that reads cases, for pages and the API.
///
/// Runs in a transaction of the tenant: row security adds the tenant to every condition, and the
/// plans were measured with it (`docs/data-model.md`, lists that stay cheap).
enum CaseQueries {
    static let limitMax = 100

    static let columns: SQL = """
        c.case_id, c.app_id, c.environment, c.transaction_id, c.original_transaction_id, c.product_id, c.customer,
        c.state, c.state_reason, c.outcome, c.reason, c.price, c.currency, c.listed_at, c.deadline
        """

    /// Cases of the named apps, newest first, from behind the cursor on.
    static func list(
        of tenant: TenantID, apps: [AppID], filter: CaseFilter, after: ListCursor?, limit: Int, in tx: Transaction
    ) async throws -> CasePage {
        let apps = filter.apps.isEmpty ? apps : apps.filter(filter.apps.contains)
        if apps.isEmpty { return CasePage(cases: [], next: nil) }
        let limit = min(max(limit, 1), Records.exportRows)
        let rows = try await tx.rows(page(apps: apps, filter: filter, after: after ?? .newest, limit: limit + 1))
        let cases = try rows.prefix(limit).map { try CaseLine($0) }
        let next = rows.count > limit ? cases.last.map { ListCursor(at: $0.listedAt, id: $0.id) } : nil
        return CasePage(cases: cases, next: next)
    }

    /// The statement behind `list`: for each app, and for each facet where there is a filter, the
    /// newest few by index, merged.
    static func page(apps: [AppID], filter: CaseFilter, after: ListCursor, limit: Int) -> SQL {
        let facets = facets(of: filter)
        let source: SQL
        if let facets {
            source = """
                unnest(\(apps.map(\.rawValue))::int8[]) a(app_id)
                  cross join unnest(\(facets)::int2[]) f(facet)
                """
        } else {
            source = "unnest(\(apps.map(\.rawValue))::int8[]) a(app_id)"
        }
        return """
            with k as materialized (
              select h.case_id, h.listed_at
              from \(source)
              cross join lateral (
                select c.case_id, c.listed_at
                from refunds.cases c
                where \(conditions(of: filter, byFacet: facets != nil))
                  and (c.listed_at, c.case_id) < (\(after.at)::timestamptz, \(after.id)::uuid)
                order by c.listed_at desc, c.case_id desc
                limit \(limit)) h
              order by h.listed_at desc, h.case_id desc
              limit \(limit))
            select \(columns)
            from k
            join refunds.cases c using (case_id)
            order by c.listed_at desc, c.case_id desc
            """
    }

    /// Nil where the index without facets serves: no filter at all, or one that names few rows by itself.
    private static func facets(of filter: CaseFilter) -> [Int16]? {
        if filter.namesFewCases { return nil }
        if let allowed = CaseFacet.allowed(by: filter.narrowed) { return allowed }
        // The index by product has the facet before the time.
        return filter.productID == nil ? nil : CaseFacet.all
    }

    private static func conditions(of filter: CaseFilter, byFacet: Bool) -> SQL {
        var all: [SQL] = ["c.app_id = a.app_id"]
        if byFacet {
            all.append("c.facet = f.facet")
        } else if let allowed = CaseFacet.allowed(by: filter.narrowed) {
            all.append("c.facet = any(\(allowed)::int2[])")
        }
        if let why = filter.stateReason { all.append("c.state_reason = \(why)") }
        if let told = filter.told { all.append("c.told = \(told.rawValue)") }
        if let product = filter.productID { all.append("c.product_id = \(product)") }
        if let id = filter.transactionID { all.append("c.transaction_id = \(id)") }
        if let id = filter.originalTransactionID { all.append("c.original_transaction_id = \(id)") }
        if let token = filter.appAccountToken { all.append("c.customer = \(token.lowercased())") }
        // Reasons that were unknown when the facet was written share one number.
        if case .given(let reason) = filter.reason, !CaseFacet.reasons.contains(reason) {
            all.append("c.reason = \(reason)")
        }
        if let from = filter.from { all.append("c.listed_at >= \(from)") }
        if let to = filter.to { all.append("c.listed_at < \(to)") }
        return SQL.joined(all, by: " and ")
    }
}

extension CaseFilter {
    /// The same with what follows from it: Apple was told something in answered cases alone.
    fileprivate var narrowed: CaseFilter {
        guard told != nil, states.isEmpty else { return self }
        var copy = self
        copy.states = [.answered]
        return copy
    }

    /// A transaction, a subscription or a customer has few cases.
    fileprivate var namesFewCases: Bool {
        transactionID != nil || originalTransactionID != nil || appAccountToken != nil
    }
}

extension ListCursor {
    /// Before the newest there can be: the end of the year 9999.
    static let newest = ListCursor(
        at: Moment(milliseconds: 253_402_300_799_999),
        id: UUID(uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255)))
}

extension CaseLine {
    init(_ row: Row) throws {
        let environment: String = try row("environment")
        self.init(
            id: try row("case_id"), app: AppID(rawValue: try row("app_id")), isSandbox: environment == "Sandbox",
            transactionID: try row("transaction_id"), originalTransactionID: try row("original_transaction_id"),
            productID: try row("product_id"), customer: try row("customer"),
            state: try row.word("state"), stateReason: try row("state_reason"), outcome: try row.word("outcome"),
            reason: try row("reason"), price: try row("price"), currency: try row("currency"),
            listedAt: try row("listed_at"), deadline: try row("deadline"))
    }
}

extension Row {
    /// A column whose check constraint allows the words of an enumeration.
    ///
    /// - Throws: `.decoding` for a word that only a newer release knows.
    func word<Word: RawRepresentable>(_ column: String) throws(PostgresError) -> Word where Word.RawValue == String {
        let text: String = try self(column)
        guard let word = Word(rawValue: text) else {
            throw PostgresError(.decoding, "column \(column) holds a word that this release does not know")
        }
        return word
    }

    /// The same for a column that may be null.
    func wordIfAny<Word: RawRepresentable>(
        _ column: String
    ) throws(PostgresError) -> Word? where Word.RawValue == String {
        let text: String? = try self(column)
        return try text == nil ? nil : word(column)
    }
}
