import Time

/// A moment for people: in UTC, and says so, wherever host and database think they are.
struct TimeText {
    let moment: Moment

    init(_ moment: Moment) { self.moment = moment }

    /// `2026-06-15 12:00 UTC`
    var short: String { String(iso.prefix(16)) + " UTC" }

    /// `2026-06-15 12:00:00.123 UTC`
    var full: String { String(iso.dropLast()) + " UTC" }

    private var iso: String { moment.iso8601.replacing("T", with: " ", maxReplacements: 1) }

    var shortHTML: HTML { time(.datetime(moment.iso8601), .title(full)) { short } }
    var fullHTML: HTML { time(.datetime(moment.iso8601)) { full } }

    /// `in 3 h 12 min`, `4 days ago`, `just now`.
    func relative(to now: Moment) -> String {
        let seconds = (moment - now).wholeMilliseconds / 1000
        let length = Self.length(abs(seconds))
        if abs(seconds) < 5 { return "just now" }
        return seconds > 0 ? "in \(length)" : "\(length) ago"
    }

    func relativeHTML(to now: Moment) -> HTML {
        time(.datetime(moment.iso8601), .title(full)) { relative(to: now) }
    }

    private static func length(_ seconds: Int64) -> String {
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3600: return "\(seconds / 60) min"
        case ..<86400:
            let minutes = seconds % 3600 / 60
            return "\(seconds / 3600) h" + (minutes > 0 && seconds < 6 * 3600 ? " \(minutes) min" : "")
        case ..<172_800: return "1 day"
        default: return "\(seconds / 86400) days"
        }
    }
}

/// A length of time for people: `240 ms`, `1.4 s`, `2 min 5 s`.
enum DurationText {
    static func text(_ duration: Duration) -> String {
        let milliseconds = duration.wholeMilliseconds
        switch milliseconds {
        case ..<0: return "0 ms"
        case ..<1000: return "\(milliseconds) ms"
        case ..<60_000: return "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
        case ..<3_600_000: return "\(milliseconds / 60_000) min \(milliseconds % 60_000 / 1000) s"
        default: return "\(milliseconds / 3_600_000) h \(milliseconds % 3_600_000 / 60_000) min"
        }
    }
}

/// Thousandths of a percent: 50000 is `50 %`, 67932 is `67.932 %`.
enum ShareText {
    static func text(_ share: Int) -> String {
        let (whole, rest) = share.magnitude.quotientAndRemainder(dividingBy: 1000)
        var digits = String(rest + 1000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return (share < 0 ? "-" : "") + "\(whole)" + (digits.isEmpty ? "" : ".\(digits)") + " %"
    }
}
