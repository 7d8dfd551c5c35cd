import HTTP
package import Refunds
import Tenants
import Time

/// What the address of the register says.
package struct RegisterListQuery: Hashable, Sendable {
    /// `2026-03`; nil: the last twelve.
    package var month: String?
    /// A bundle ID.
    package var app: String?
    /// `Sandbox` or `Rehearsal`; nil: Production, which is where real money is. Never two of them at once.
    package var environment: String?
    /// Pages of lines before this one.
    package var page = 0
    /// The place in the list of requests.
    package var after: ListCursor?
    /// Fields whose values mean nothing here.
    package internal(set) var ignored: [IgnoredField] = []

    package init() {}

    init(_ query: QueryString) {
        ignored.noteOthers(
            query, known: ["month", "app", "environment", "page", "after"] + RegisterTable.names + CSVForm.names)
        month = ignored.read("month", query) { CalendarMonth(text: $0)?.text }
        app = ignored.read("app", query) { $0 }
        environment = ignored.read("environment", query, EnvironmentChoice.checked)
        if environment == EnvironmentChoice.production { environment = nil }
        page = ignored.read("page", query) { Int($0).flatMap { (1...1_000_000).contains($0) ? $0 : nil } } ?? 0
        after = ignored.read("after", query, ListCursor.init(text:))
    }

    var fields: [(String, String?)] {
        [
            ("month", month), ("app", app), ("environment", environment), ("page", page > 0 ? "\(page)" : nil),
            ("after", after?.text),
        ]
    }

    var isFiltered: Bool { month != nil || app != nil || environment != nil }

    /// For people.
    var environmentName: String { environment ?? EnvironmentChoice.production }

    /// The same numbers from their beginning.
    var start: RegisterListQuery {
        var copy = self
        copy.page = 0
        copy.after = nil
        return copy
    }

    func of(month: String) -> RegisterListQuery {
        var copy = start
        copy.month = month
        return copy
    }

    func at(page: Int) -> RegisterListQuery {
        var copy = self
        copy.page = page
        return copy
    }

    func from(_ after: ListCursor?) -> RegisterListQuery {
        var copy = self
        copy.after = after
        return copy
    }

    /// What is counted, of a tenant's apps, removed ones among them.
    func filter(_ apps: [App], at now: Moment) -> RegisterFilter {
        let present = CalendarMonth(now)
        let chosen = month.flatMap { CalendarMonth(text: $0) }
        let first = chosen ?? present.advanced(by: 1 - Self.months)
        return RegisterFilter(
            apps: apps.filter { $0.isListed(app: app, environment: environmentName) }.map(\.id),
            environment: environment == EnvironmentChoice.rehearsal ? nil : AppEnvironment(rawValue: environmentName),
            from: first.begin, to: (chosen ?? present).advanced(by: 1).begin)
    }

    /// How many are shown together.
    static let months = 12

    /// The months to choose from, newest first.
    static func choices(at now: Moment) -> [String] {
        (0..<24).map { CalendarMonth(now).advanced(by: -$0).text }
    }
}

/// The two files of the register.
package enum RegisterTable: String, Hashable, Sendable, CaseIterable {
    /// A line for each item of each request.
    case requests
    /// A line for each month, app, SKU and reason.
    case rates

    /// The fields that an address of a file has beside its list's.
    static let names = ["table"]

    init(_ query: QueryString) {
        self = query.value("table").flatMap(RegisterTable.init(rawValue:)) ?? .requests
    }

    /// What an address says of the table and means nothing.
    static func ignored(in query: QueryString) -> [IgnoredField] {
        var ignored: [IgnoredField] = []
        _ = ignored.read("table", query, RegisterTable.init(rawValue:))
        return ignored
    }

    var fields: [(String, String?)] { [("table", self == .requests ? nil : rawValue)] }
}
