import Time

/// Which times a report may name.
enum ReportedTime {
    /// The App Store opened on 2008-07-10: nothing here happened before. A time in seconds, taken for milliseconds,
    /// would lie in January 1970 and let a consent count that was not given yet.
    static let earliest = Moment(milliseconds: 1_215_648_000_000)
    /// The end of the year 9999.
    private static let latest = Moment(milliseconds: 253_402_300_799_999)

    static func isPossible(_ moment: Moment) -> Bool { (earliest...latest).contains(moment) }
}
