import Tenants

/// How many customers gave each reason in each of the last days, for one app.
///
/// A customer counts once in a day: one who hands back ten purchases at once is no drift.
struct DriftCounts: Sendable, Hashable {
    enum Kind: String, Sendable, CaseIterable {
        /// What customers say when they ask (`consumptionRequestReason`).
        case requests
        /// What Apple books when it refunds (`revocationReason`): `developer-issue` or `other`.
        case refunds
    }

    struct Series: Sendable, Hashable {
        let place: DriftPlace
        let reason: String
    }

    /// Days that are compared, the newest of them being the one that is judged.
    static let days = 15
    /// `revocationReason` 1.
    static let developerIssue = "developer-issue"

    let app: AppID
    let kind: Kind
    /// Whole days that the app has been here before the newest one; at most `days - 1`.
    let knownDays: Int
    /// Customers a day, the last 24 hours first, `days` of them. What is missing is nought.
    private(set) var series: [Series: [Double]] = [:]

    init(app: AppID, kind: Kind, knownDays: Int) {
        self.app = app
        self.kind = kind
        self.knownDays = min(max(knownDays, 0), Self.days - 1)
    }

    mutating func add(_ customers: Double, _ reason: String, at place: DriftPlace, day: Int) {
        guard (0..<Self.days).contains(day) else { return }
        series[
            Series(place: place, reason: reason), default: [Double](repeating: 0, count: Self.days)][day] += customers
    }

    /// Over all reasons.
    func all(at place: DriftPlace) -> [Double] {
        var sum = [Double](repeating: 0, count: Self.days)
        for (one, days) in series where one.place == place {
            for (index, value) in days.enumerated() { sum[index] += value }
        }
        return sum
    }
}
