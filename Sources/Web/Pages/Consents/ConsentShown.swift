import HTTP

/// What an app's page about consent shows.
package enum ConsentShown: Hashable, Sendable {
    case now
    /// The same, after one of its forms was taken.
    case done(Done)
    /// One customer's, by the app's own word for them.
    case customer(String)
    /// That of the buyer of one purchase.
    case purchase(String)

    package enum Done: String, Hashable, Sendable, CaseIterable {
        case wording
        case again = "answer-again"
        case stopped = "leave-stopped"
    }

    init(_ query: QueryString) {
        if let done = query.value("done").flatMap(Done.init) {
            self = .done(done)
        } else if let customer = Self.trimmed("customer", query) {
            self = .customer(customer)
        } else if let purchase = Self.trimmed("purchase", query) {
            self = .purchase(purchase)
        } else {
            self = .now
        }
    }

    /// Without blanks at both ends, which come along when an id is pasted; nil where nothing else is there.
    private static func trimmed(_ name: String, _ query: QueryString) -> String? {
        guard var text = query.value(name)?[...] else { return nil }
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text.isEmpty ? nil : String(text)
    }

    var fields: [(String, String?)] {
        switch self {
        case .now: []
        case .done(let done): [("done", done.rawValue)]
        case .customer(let customer): [("customer", customer)]
        case .purchase(let purchase): [("purchase", purchase)]
        }
    }
}
