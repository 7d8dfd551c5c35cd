import HTTP
package import Refunds

/// What the address of a list of cases says. Values nobody knows any more count as absent: old links
/// keep working.
package struct CaseListQuery: Hashable, Sendable {
    package var state: CaseState?
    package var outcome: CaseOutcome?
    /// `consumptionRequestReason`, or `none`.
    package var reason: String?
    /// A bundle ID.
    package var app: String?
    /// `Production` or `Sandbox`.
    package var environment: String?
    /// Transaction, original transaction, token or notification.
    package var lookUp: String?
    package var after: ListCursor?

    package init() {}

    init(_ query: QueryString) {
        state = query.value("state").flatMap(CaseState.init(rawValue:))
        outcome = query.value("outcome").flatMap(CaseOutcome.init(rawValue:))
        reason = query.value("reason")
        app = query.value("app")
        environment = query.value("environment")
        lookUp = query.value("q").map { String($0.prefix(200)) }
        after = query.value("after").flatMap(ListCursor.init(text:))
    }

    var fields: [(String, String?)] {
        [
            ("state", state?.rawValue), ("outcome", outcome?.rawValue), ("reason", reason), ("app", app),
            ("environment", environment), ("q", lookUp), ("after", after?.text),
        ]
    }

    var isSandbox: Bool? { environment.flatMap(isSandboxName) }

    package var isFiltered: Bool {
        state != nil || outcome != nil || reason != nil || app != nil || environment != nil
    }
}

/// What the address of a list of notifications says.
package struct NotificationListQuery: Hashable, Sendable {
    package var app: String?
    package var environment: String?
    package var after: ListCursor?

    package init() {}

    init(_ query: QueryString) {
        app = query.value("app")
        environment = query.value("environment")
        after = query.value("after").flatMap(ListCursor.init(text:))
    }

    var fields: [(String, String?)] { [("app", app), ("environment", environment), ("after", after?.text)] }

    var isSandbox: Bool? { environment.flatMap(isSandboxName) }

    package var isFiltered: Bool { app != nil || environment != nil }
}

/// What the address of the quarantine says.
package struct RefusalListQuery: Hashable, Sendable {
    package var app: String?
    package var after: RefusalCursor?

    package init() {}

    init(_ query: QueryString) {
        app = query.value("app")
        after = query.value("after").flatMap(RefusalCursor.init(text:))
    }

    var fields: [(String, String?)] { [("app", app), ("after", after?.text)] }
}

/// Nil for a name that Apple does not have.
private func isSandboxName(_ environment: String) -> Bool? {
    switch environment {
    case "Production": false
    case "Sandbox": true
    default: nil
    }
}
