import HTTP
package import Refunds
import Tenants

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
    /// Why nothing is sent.
    package var why: Withholding?
    /// What Apple was told, of cases whose reply was taken.
    package var preference: Decision.Answer?
    /// `2026-03`: the month of the newest request, both included.
    package var from: String?
    package var to: String?
    package var after: ListCursor?
    /// Fields whose values mean nothing here.
    package internal(set) var ignored: [IgnoredField] = []

    static let lookUpCharactersMax = 200

    package init() {}

    /// `none`, or a word of the form that Apple's reasons have: one that is new to us is a reason all the same.
    private static func checkedReason(_ text: String) -> String? {
        let isWord = text.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == 0x5F || (0x30...0x39).contains($0) }
        return text == "none" || (isWord && text.utf8.count <= 100) ? text : nil
    }

    init(_ query: QueryString) {
        ignored.noteOthers(
            query,
            known: [
                "state", "outcome", "reason", "app", "environment", "q", "why", "preference", "from", "to", "after",
            ]
                + CSVForm.names)
        state = ignored.read("state", query, CaseState.init(rawValue:))
        outcome = ignored.read("outcome", query, CaseOutcome.init(rawValue:))
        reason = ignored.read("reason", query, Self.checkedReason)
        app = ignored.read("app", query) { $0 }
        environment = ignored.read("environment", query, EnvironmentChoice.checked)
        // What is longer is no id and finds nothing, with its first part as well.
        lookUp = ignored.read("q", query) { String($0.prefix(Self.lookUpCharactersMax)) }
        why = ignored.read("why", query, Withholding.init(rawValue:))
        preference = ignored.read("preference", query) { text in
            Decision.Answer(rawValue: text).flatMap { $0 == .nothing ? nil : $0 }
        }
        from = ignored.read("from", query) { CalendarMonth(text: $0)?.text }
        to = ignored.read("to", query) { CalendarMonth(text: $0)?.text }
        after = ignored.read("after", query, ListCursor.init(text:))
    }

    var fields: [(String, String?)] {
        [
            ("state", state?.rawValue), ("outcome", outcome?.rawValue), ("reason", reason), ("app", app),
            ("environment", environment), ("q", lookUp), ("why", why?.rawValue), ("preference", preference?.rawValue),
            ("from", from),
            ("to", to),
            ("after", after?.text),
        ]
    }

    var isSandbox: Bool? { EnvironmentChoice.isSandbox(environment) }

    package var isFiltered: Bool {
        state != nil || outcome != nil || reason != nil || app != nil || environment != nil || preference != nil
            || why != nil
            || from != nil || to != nil
    }
}

/// What the address of a list of notifications says.
package struct NotificationListQuery: Hashable, Sendable {
    package var app: String?
    package var environment: String?
    package var after: ListCursor?
    /// Fields whose values mean nothing here.
    package internal(set) var ignored: [IgnoredField] = []

    package init() {}

    init(_ query: QueryString) {
        ignored.noteOthers(query, known: ["app", "environment", "after"])
        app = ignored.read("app", query) { $0 }
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
    package internal(set) var ignored: [IgnoredField] = []

    package init() {}

    init(_ query: QueryString) {
        ignored.noteOthers(query, known: ["app", "after"])
        app = ignored.read("app", query) { $0 }
        after = ignored.read("after", query, RefusalCursor.init(text:))
    }

    var fields: [(String, String?)] { [("app", app), ("after", after?.text)] }
}

/// A field of an address whose value means nothing to the page.
package struct IgnoredField: Hashable, Sendable {
    package let name: String
    /// Its first 60 characters.
    package let value: String

    init(_ name: String, _ value: String) {
        self.name = String(name.prefix(60))
        self.value = String(value.prefix(60))
    }
}

/// The address of a list that may be narrowed to one app.
protocol NarrowedToApp {
    var app: String? { get set }
    var ignored: [IgnoredField] { get set }
}

extension CaseListQuery: NarrowedToApp {}
extension NotificationListQuery: NarrowedToApp {}
extension RefusalListQuery: NarrowedToApp {}
extension CommerceListQuery: NarrowedToApp {}
extension RegisterListQuery: NarrowedToApp {}
extension OutcomeListQuery: NarrowedToApp {}

extension NarrowedToApp {
    /// The same with an app that the tenant has or had; any other counts as absent, and the page says so.
    func known(among apps: [App]) -> Self {
        guard let app, !apps.contains(where: { $0.bundleID == app }) else { return self }
        var copy = self
        copy.app = nil
        copy.ignored.append(IgnoredField("app", app))
        return copy
    }
}

extension [IgnoredField] {
    /// The field's value as `convert` understands it; one that it does not is noted and counts as absent.
    mutating func read<Value>(
        _ name: String, _ query: QueryString, _ convert: (String) -> Value?
    ) -> Value? {
        guard let text = query.first(name), !text.isEmpty else { return nil }
        // A NUL cannot stand in the database's texts, so nothing there can have such a value.
        if !text.contains("\0"), let value = convert(text) { return value }
        append(IgnoredField(name, text))
        return nil
    }

    /// Notes fields that the page has not, and the second of two of one name.
    mutating func noteOthers(_ query: QueryString, known: [String]) {
        var seen: Set<String> = []
        for pair in query.pairs where !known.contains(pair.name) || !seen.insert(pair.name).inserted {
            if count == Self.fieldsMax { return }
            append(IgnoredField(pair.name, pair.value))
        }
        if !query.isValid { append(IgnoredField("a part that cannot be decoded", "")) }
    }

    /// So many are shown at most.
    private static var fieldsMax: Int { 10 }

    /// What was not understood; nil where there are none.
    var words: String? {
        if isEmpty { return nil }
        return "a part of the address was not understood: "
            + map { $0.value.isEmpty ? $0.name : "\($0.name)=\($0.value)" }.joined(separator: ", ")
    }

    /// What the page says of them; nil where there are none.
    var notice: Notice? {
        words.map { words in
            Notice(
                .attention, Words.sentence(words) + ".", more: "It is left out, and the list is shown as without it.")
        }
    }
}
