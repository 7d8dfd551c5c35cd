import Tenants

/// Finds the reason that is given far more often than before, and where. Pure.
///
/// Numbers are compared with the app's own two weeks before: the mean, the second highest day (so that what comes once a
/// week is usual) and what chance alone may add. What is new in the app, a build above all, has no days of its own: there
/// the reason is compared with the other reasons beside it, which it usually has a certain proportion to. An app's fault
/// (`FULFILLMENT_ISSUE`, and what Apple books as the developer's issue) counts by its number; any other reason only as far
/// as all the others did not grow as much, because a sale brings more of everything.
enum ReasonDrift {
    /// Below it nobody is called.
    static let customersMin = 10.0
    static let times = 4.0
    /// Standard deviations of chance that a jump must exceed. Some hundred series are looked at all day long.
    static let deviations = 7.0
    /// And above the second highest day, which is one of chance already.
    static let deviationsOfHigh = 5.0
    /// An app, and what it sells, has no usual before so many days.
    static let usualAfterDays = 7

    struct Jump: Sendable, Hashable {
        let place: DriftPlace
        let reason: String
        let customers: Double
        let usual: Double
        /// Of all who asked there.
        let share: Double

        var excess: Double { customers - usual }
    }

    static func findings(_ counts: DriftCounts, of app: App) -> [Finding] {
        jumps(counts).map { jump in
            let (count, usual) = (Int(jump.customers.rounded()), (jump.usual * 10).rounded() / 10)
            switch counts.kind {
            case .requests:
                return Finding(
                    .reasonDrift, cause: "\(jump.reason) \(app.bundleID)", app: app.id, .warning,
                    .reasonDrift(
                        app: app.bundleID, reason: jump.reason, place: jump.place, count: count, usual: usual))
            case .refunds:
                return Finding(
                    .reasonDrift, cause: "\(jump.reason) \(app.bundleID)", app: app.id, .warning,
                    .developerIssues(app: app.bundleID, place: jump.place, count: count, usual: usual))
            }
        }
    }

    /// At most one for each reason: the narrowest place that explains most of it.
    static func jumps(_ counts: DriftCounts) -> [Jump] {
        guard counts.knownDays >= usualAfterDays else { return [] }
        let reasons = Set(counts.series.keys.map(\.reason)).filter {
            counts.kind == .requests || $0 == DriftCounts.developerIssue
        }
        return reasons.sorted().compactMap { reason in
            let found = counts.series.filter { $0.key.reason == reason }.compactMap { series, days in
                jump(series, days, in: counts)
            }
            let whole = found.first { $0.place == .wholeApp }
            let narrow = found.filter { $0.place != .wholeApp }
            let most = max(whole?.excess ?? 0, narrow.map(\.excess).max() ?? 0)
            // Where hardly anything else is asked about, there it is.
            return narrow.filter { $0.excess * 2 >= most }
                .max { ($0.share, $1.place.rank) < ($1.share, $0.place.rank) } ?? whole
        }
    }

    private static func jump(_ series: DriftCounts.Series, _ days: [Double], in counts: DriftCounts) -> Jump? {
        let recent = days[0]
        guard recent >= customersMin else { return nil }
        let before = days[1...counts.knownDays]
        let all = counts.all(at: series.place)
        let usual: Double
        let cautious: Double
        if isNew(series.place, all, counts) {
            guard let odds = usualOdds(of: series.reason, in: counts) else { return nil }
            let others = max(0, all[0] - recent)
            usual = others * odds
            // Of few others nobody knows how many there will be.
            cautious = (others + 3 * (others + 1).squareRoot()) * odds
        } else {
            // What comes once a week has one such day within a week, and two within two.
            let high = before.sorted(by: >)[counts.knownDays == DriftCounts.days - 1 ? 1 : 0]
            let growth = isFault(series.reason, counts.kind) ? 1 : growth(of: all, without: days, counts)
            let peak = max(high * growth, 1)
            guard recent >= 2 * peak, recent >= peak + deviationsOfHigh * peak.squareRoot() else { return nil }
            usual = before.reduce(0, +) / Double(counts.knownDays) * growth
            cautious = usual
        }
        let least = max(cautious, 1)
        guard recent >= times * least, recent >= cautious + deviations * least.squareRoot() else { return nil }
        return Jump(place: series.place, reason: series.reason, customers: recent, usual: usual, share: recent / all[0])
    }

    private static func isFault(_ reason: String, _ kind: DriftCounts.Kind) -> Bool {
        kind == .refunds || reason == "FULFILLMENT_ISSUE"
    }

    /// Builds come and go; products and storefronts are new when nobody asked about them a week ago.
    private static func isNew(_ place: DriftPlace, _ all: [Double], _ counts: DriftCounts) -> Bool {
        switch place {
        case .wholeApp: false
        case .version: true
        case .product, .storefront:
            counts.knownDays <= usualAfterDays || all[(usualAfterDays + 1)...counts.knownDays].allSatisfy { $0 == 0 }
        }
    }

    /// How many give the reason for each who gives another; nil while the app has no usual, or no other reason.
    private static func usualOdds(of reason: String, in counts: DriftCounts) -> Double? {
        let all = counts.all(at: .wholeApp)[1...counts.knownDays].reduce(0, +)
        let mine = counts.series[.init(place: .wholeApp, reason: reason)]?[1...counts.knownDays].reduce(0, +) ?? 0
        return all > mine ? mine / (all - mine) : nil
    }

    /// By how much everything but this reason grew; 1 where it did not.
    private static func growth(of all: [Double], without mine: [Double], _ counts: DriftCounts) -> Double {
        let others = zip(all, mine).map { max(0, $0 - $1) }
        let usual = others[1...counts.knownDays].reduce(0, +) / Double(counts.knownDays)
        return max(1, others[0] / max(usual, 1))
    }
}

extension DriftPlace {
    /// Of two that explain as much, the lower one says more.
    fileprivate var rank: Int {
        switch self {
        case .product: 0
        case .version: 1
        case .storefront: 2
        case .wholeApp: 3
        }
    }
}
