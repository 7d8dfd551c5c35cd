/// How the use of a product is reckoned where its app reports no share.
package enum ConsumptionModel: Hashable, Sendable {
    /// Credits that were used, of credits that were granted, as the app reports them.
    case credits
    /// Items that were delivered or used, of items that belong to it, as the app reports them.
    case items
    /// The share of so many days that has passed since the purchase.
    case time(days: Int)

    package static let daysRange = 1...3660

    /// - Parameter days: needed for `time`, and only there.
    package init?(word: String, days: Int?) {
        switch (word, days) {
        case ("credits", nil): self = .credits
        case ("items", nil): self = .items
        case ("time", let days?) where Self.daysRange.contains(days): self = .time(days: days)
        default: return nil
        }
    }

    package var word: String {
        switch self {
        case .credits: "credits"
        case .items: "items"
        case .time: "time"
        }
    }

    package var days: Int? { if case .time(let days) = self { days } else { nil } }

    /// For people.
    package var text: String {
        switch self {
        case .credits: "credits used of credits granted"
        case .items: "items used of items granted"
        case .time(let days): "time passed of \(days) day\(days == 1 ? "" : "s")"
        }
    }
}
