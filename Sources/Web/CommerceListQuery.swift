import HTTP
package import Refunds
package import Tenants

/// What the address of the list of requests to Apple says.
package struct CommerceListQuery: Hashable, Sendable {
    package var state: CommerceRequestState?
    package var kind: CommerceKind?
    /// A bundle ID.
    package var app: String?
    /// `Production`, `Sandbox` or `Rehearsal`.
    package var environment: String?
    /// A transaction or an original transaction.
    package var transaction: String?
    package var after: ListCursor?
    /// Fields whose values mean nothing here.
    package internal(set) var ignored: [IgnoredField] = []

    package init() {}

    init(_ query: QueryString) {
        ignored.noteOthers(query, known: ["state", "kind", "app", "environment", "q", "after"])
        state = ignored.read("state", query, CommerceRequestState.init(rawValue:))
        kind = ignored.read("kind", query, CommerceKind.init(rawValue:))
        app = ignored.read("app", query) { $0 }
        environment = ignored.read("environment", query, EnvironmentChoice.checked)
        transaction = ignored.read("q", query) { String($0.prefix(200)) }
        after = ignored.read("after", query, ListCursor.init(text:))
    }

    var fields: [(String, String?)] {
        [
            ("state", state?.rawValue), ("kind", kind?.rawValue), ("app", app), ("environment", environment),
            ("q", transaction), ("after", after?.text),
        ]
    }

    package var isFiltered: Bool {
        state != nil || kind != nil || app != nil || environment != nil || transaction != nil
    }

    /// The same list from another place on.
    func from(_ cursor: ListCursor?) -> CommerceListQuery {
        var copy = self
        copy.after = cursor
        return copy
    }

    var filter: CommerceFilter {
        CommerceFilter(
            states: state.map { [$0] } ?? [], kind: kind,
            environment: EnvironmentChoice.isSandbox(environment).map { $0 ? .sandbox : .production },
            transactionID: transaction.map { $0.filter { !$0.isWhitespace } })
    }
}

/// What the address of the form of a request says: for which purchase, and for what.
package struct PurchaseQuery: Hashable, Sendable {
    /// A bundle ID.
    package var app: String?
    package var environment: AppEnvironment?
    package var transaction: String?
    package var kind: CommerceKind?
    /// Fields whose values mean nothing here.
    package private(set) var ignored: [IgnoredField] = []

    package init() {}

    package init(app: String, environment: AppEnvironment, transaction: String, kind: CommerceKind? = nil) {
        self.app = app
        self.environment = environment
        self.transaction = transaction
        self.kind = kind
    }

    init(_ query: QueryString) {
        app = ignored.read("app", query) { $0 }
        environment = ignored.read("environment", query, AppEnvironment.init(rawValue:))
        transaction = ignored.read("transaction", query) { String($0.prefix(200)) }
        kind = ignored.read("kind", query, CommerceKind.init(rawValue:))
    }

    var fields: [(String, String?)] {
        [
            ("app", app), ("environment", environment?.rawValue), ("transaction", transaction),
            ("kind", kind?.rawValue),
        ]
    }

    func of(_ kind: CommerceKind?) -> PurchaseQuery {
        var copy = self
        copy.kind = kind
        return copy
    }
}
