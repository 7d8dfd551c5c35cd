import HTTP
import Refunds
import Tenants
import Time

/// What the address of outcomes says.
package struct OutcomeListQuery: Hashable, Sendable {
    /// `2026-03`; nil: the last twelve.
    package var month: String?
    /// A bundle ID.
    package var app: String?
    /// `Sandbox` or `Rehearsal`; nil: Production. Never two of them at once.
    package var environment: String?
    /// Fields whose values mean nothing here.
    package internal(set) var ignored: [IgnoredField] = []

    package init() {}

    init(_ query: QueryString) {
        ignored.noteOthers(query, known: ["month", "app", "environment"] + OutcomeTable.names + CSVForm.names)
        month = ignored.read("month", query) { CalendarMonth(text: $0)?.text }
        app = ignored.read("app", query) { $0 }
        environment = ignored.read("environment", query, EnvironmentChoice.checked)
        if environment == EnvironmentChoice.production { environment = nil }
    }

    var fields: [(String, String?)] { [("month", month), ("app", app), ("environment", environment)] }

    var isFiltered: Bool { month != nil || app != nil || environment != nil }

    /// For people.
    var environmentName: String { environment ?? EnvironmentChoice.production }

    /// The first and the last month.
    func months(at now: Moment) -> (first: CalendarMonth, last: CalendarMonth) {
        let present = CalendarMonth(now)
        if let month, let chosen = CalendarMonth(text: month) { return (chosen, chosen) }
        return (present.advanced(by: 1 - RegisterListQuery.months), present)
    }

    /// What is counted, of a tenant's apps, removed ones among them.
    func filter(_ apps: [App], at now: Moment) -> OutcomeFilter {
        let (first, last) = months(at: now)
        return OutcomeFilter(
            apps: apps.filter { $0.isListed(app: app, environment: environmentName) }.map(\.id),
            environment: environment == EnvironmentChoice.rehearsal ? nil : AppEnvironment(rawValue: environmentName),
            from: first.begin, to: last.advanced(by: 1).begin)
    }

    /// The same cases in the list of cases.
    func cases(at now: Moment) -> CaseListQuery {
        let (first, last) = months(at: now)
        var query = CaseListQuery()
        query.app = app
        query.environment = environmentName
        (query.from, query.to) = (first.text, last.text)
        return query
    }
}

/// The files of outcomes.
package enum OutcomeTable: String, Hashable, Sendable, CaseIterable {
    /// A line for each preference, state, outcome and reason.
    case cases
    /// A line for each month of purchase.
    case months
    /// A line for each product and currency.
    case products

    /// The fields that an address of a file has beside its page's.
    static let names = ["table"]

    init(_ query: QueryString) {
        self = query.value("table").flatMap(OutcomeTable.init(rawValue:)) ?? .cases
    }

    /// What an address says of the table and means nothing.
    static func ignored(in query: QueryString) -> [IgnoredField] {
        var ignored: [IgnoredField] = []
        _ = ignored.read("table", query, OutcomeTable.init(rawValue:))
        return ignored
    }

    var fields: [(String, String?)] { [("table", self == .cases ? nil : rawValue)] }
}
