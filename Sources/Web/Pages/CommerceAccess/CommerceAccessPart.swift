import HTTP
package import Tenants

/// The forms of the page about Advanced Commerce, by the name in their address.
package enum CommerceAccessPart: String, Hashable, Sendable, CaseIterable {
    /// As what Apple approved the app.
    case approval
    /// A person says that the addendum is accepted.
    case addendum
    /// The stopped queue goes on.
    case release
    /// One harmless call.
    case check
    case checklist
    case limit
    case limitRemoval = "limit-removal"
    case cost
    case costRemoval = "cost-removal"

    /// The section of the page it stands in; nil: that of the environment it is about.
    var section: String? {
        switch self {
        case .approval, .addendum, .release, .check: nil
        case .checklist: "checklist"
        case .limit, .limitRemoval: "limits"
        case .cost, .costRemoval: "costs"
        }
    }
}

/// Which form was just taken, and of which environment where that matters.
package struct CommerceAccessDone: Hashable, Sendable {
    package let part: CommerceAccessPart
    package var environment: AppEnvironment?

    package init(part: CommerceAccessPart, environment: AppEnvironment?) {
        self.part = part
        self.environment = environment
    }

    init?(_ query: QueryString) {
        guard let part = query.value("done").flatMap(CommerceAccessPart.init(rawValue:)) else { return nil }
        self.init(part: part, environment: query.value("environment").flatMap(AppEnvironment.init(rawValue:)))
    }

    var fields: [(String, String?)] { [("done", part.rawValue), ("environment", environment?.rawValue)] }
}
