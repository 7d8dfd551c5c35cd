import Tenants
import Time

extension APIScope {
    /// What a token with it may do.
    var meaning: String {
        switch self {
        case .consent: "records and reads whether customers agreed"
        case .usage: "reports delivery and use of purchases"
        case .cases: "reads cases, with transactions and replies"
        case .answers: "answers requests that wait for a person"
        case .entitlements: "reserved for a later release: no call asks for it yet"
        case .commerce: "refunds, revokes and cancels with Advanced Commerce"
        case .all: "everything above, and what comes later"
        }
    }
}

/// How long a new token may be good for.
enum TokenLife: String, CaseIterable {
    case month = "30"
    case quarter = "90"
    case year = "365"
    case twoYears = "730"
    case endless = "never"

    /// The one that is chosen where nobody chooses.
    static let usual = TokenLife.year

    var text: String {
        switch self {
        case .month: "30 days"
        case .quarter: "90 days"
        case .year: "one year"
        case .twoYears: "two years"
        case .endless: "for ever, until it is revoked"
        }
    }

    /// Nil: for ever.
    var duration: Duration? { Int64(rawValue).map { .days($0) } }
}
