import HTTP

/// Which form of the evidence page was just taken.
package enum EvidenceShown: String, Hashable, Sendable {
    case now
    case callback
    case model

    init(_ query: QueryString) { self = query.value("saved").flatMap(Self.init(rawValue:)) ?? .now }

    var fields: [(String, String?)] { self == .now ? [] : [("saved", rawValue)] }
}
