/// A point in time: whole milliseconds since 1970-01-01T00:00:00Z, as Apple's payloads have them.
///
/// The one form of time in the product. Conversion from and to other forms happens here and nowhere
/// else, so that milliseconds cannot be taken for seconds. 64 bits; negative before 1970.
package struct Moment: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// From UNIX seconds, as JSON Web Tokens and certificates have them.
    package init(seconds: Int64) { milliseconds = seconds * 1000 }

    /// UNIX seconds, rounded down.
    package var seconds: Int64 {
        milliseconds >= 0 ? milliseconds / 1000 : (milliseconds + 1) / 1000 - 1
    }

    package static func < (a: Moment, b: Moment) -> Bool { a.milliseconds < b.milliseconds }

    package static func + (moment: Moment, duration: Duration) -> Moment {
        Moment(milliseconds: moment.milliseconds + duration.wholeMilliseconds)
    }

    package static func - (moment: Moment, duration: Duration) -> Moment {
        Moment(milliseconds: moment.milliseconds - duration.wholeMilliseconds)
    }

    /// The time from `earlier` to `later`; negative when they are the other way round.
    package static func - (later: Moment, earlier: Moment) -> Duration {
        .milliseconds(later.milliseconds - earlier.milliseconds)
    }
}

extension Duration {
    /// Rounded towards zero.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    package static func minutes(_ n: Int64) -> Duration { .seconds(n * 60) }
    package static func hours(_ n: Int64) -> Duration { .seconds(n * 3600) }
    package static func days(_ n: Int64) -> Duration { .seconds(n * 86400) }
}
