import Time

/// How often an app hears from Apple, learned from what arrived. Pure.
enum Rhythm {
    /// So much of the past is looked at.
    static let remembered = Duration.days(28)
    /// Fewer gaps than this teach nothing: a new app does not cry wolf.
    static let gapsMin = 6
    /// The shortest silence that is ever looked into.
    static let shortest = Duration.minutes(30)
    /// A TEST notification is here within seconds when all is well.
    static let testArrivesWithin = Duration.minutes(2)

    /// The longest usual gap: the longest one there was. Nil while too little is known.
    ///
    /// - Parameter moments: of the last 28 days, in any order.
    static func usualGap(_ moments: [Moment], at now: Moment) -> Duration? {
        let sorted = moments.filter { now - $0 <= remembered && $0 <= now }.sorted()
        guard sorted.count > gapsMin else { return nil }
        let gaps = zip(sorted.dropFirst(), sorted).map { $0 - $1 }
        return gaps.max()
    }

    /// Whether an app is quieter than it ever was: then a TEST notification tells whether Apple is quiet or we are deaf.
    ///
    /// Before twice the usual longest gap, so that the stop is told by then.
    static func isSilent(since last: Moment, usualGap: Duration, at now: Moment) -> Bool {
        now - last > max(shortest, usualGap + usualGap / 2)
    }
}
