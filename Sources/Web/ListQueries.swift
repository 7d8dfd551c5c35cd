import HTTP
package import Refunds

/// What the address of a list of cases says. Values nobody knows any more count as absent, and the page
/// says so: old links keep working.
package struct CaseListQuery: Hashable, Sendable {
    package var state: CaseState?
    package var outcome: CaseOutcome?
    /// `consumptionRequestReason`, or `none`.
    package var reason: String?
    /// A bundle ID.
    package var app: String?
    /// `Production`, `Sandbox` or `Rehearsal`.
    package var environment: String?
    /// Transaction, original transaction, token or notification.
    package var lookUp: String?
    package var after: ListCursor?
    /// Fields whose values mean nothing here.
    package private(set) var ignored: [IgnoredField] = []

    package init() {}

    init(_ query: QueryString) {
        state = ignored.read("state", query, CaseState.init(rawValue:))
        outcome = ignored.read("outcome", query, CaseOutcome.init(rawValue:))
        reason = query.value("reason")
        app = query.value("app")
        environment = ignored.read("environment", query, EnvironmentChoice.checked)
        lookUp = query.value("q").map { String($0.prefix(200)) }
        after = ignored.read("after", query, ListCursor.init(text:))
    }

    var fields: [(String, String?)] {
        [
            ("state", state?.rawValue), ("outcome", outcome?.rawValue), ("reason", reason), ("app", app),
            ("environment", environment), ("q", lookUp), ("after", after?.text),
        ]
    }

    var isSandbox: Bool? { EnvironmentChoice.isSandbox(environment) }

    package var isFiltered: Bool {
        state != nil || outcome != nil || reason != nil || app != nil || environment != nil
    }
}

/// What the address of a list of notifications says.
package struct NotificationListQuery: Hashable, Sendable {
    package var app: String?
    package var environment: String?
    package var after: ListCursor?
    /// Fields whose values mean nothing here.
    package private(set) var ignored: [IgnoredField] = []

    package init() {}

    init(_ query: QueryString) {
        app = query.value("app")
        environment = ignored.read("environment", query, EnvironmentChoice.checked)
        after = ignored.read("after", query, ListCursor.init(text:))
    }

    var fields: [(String, String?)] { [("app", app), ("environment", environment), ("after", after?.text)] }

    var isSandbox: Bool? { EnvironmentChoice.isSandbox(environment) }

    package var isFiltered: Bool { app != nil || environment != nil }
}

/// What the address of the quarantine says.
package struct RefusalListQuery: Hashable, Sendable {
    package var app: String?
    package var after: RefusalCursor?
    /// Fields whose values mean nothing here.
    package private(set) var ignored: [IgnoredField] = []

    package init() {}

    init(_ query: QueryString) {
        app = query.value("app")
        after = ignored.read("after", query, RefusalCursor.init(text:))
    }

    var fields: [(String, String?)] { [("app", app), ("after", after?.text)] }
}

/// A field of an address whose value means nothing to the page.
package struct IgnoredField: Hashable, Sendable {
    package let name: String
    /// Its first 60 characters.
    package let value: String
}

extension [IgnoredField] {
    /// The field's value as `convert` understands it; one that it does not is noted and counts as absent.
    mutating func read<Value>(
        _ name: String, _ query: QueryString, _ convert: (String) -> Value?
    ) -> Value? {
        guard let text = query.value(name) else { return nil }
        if let value = convert(text) { return value }
        append(IgnoredField(name: name, value: String(text.prefix(60))))
        return nil
    }

    /// What the page says of them; nil where there are none.
    var notice: Notice? {
        if isEmpty { return nil }
        return Notice(
            .attention,
            "A part of the address was not understood: " + map { "\($0.name)=\($0.value)" }.joined(separator: ", "),
            more: "It is left out; the list is shown as without it.")
    }
}
