import Synchronization
import Time

/// The value of the Date field, written once a second.
final class DateLine: Sendable {
    private let last = Mutex<(seconds: Int64, text: String)>((.min, ""))

    func text(_ now: Moment) -> String {
        last.withLock { last in
            if last.seconds != now.seconds { last = (now.seconds, Self.format(now)) }
            return last.text
        }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    static func format(_ moment: Moment) -> String {
        let t = CivilTime(moment)
        let days = (moment.seconds - (moment.seconds % 86_400 + 86_400) % 86_400) / 86_400
        // 1970-01-01 was a Thursday.
        let weekday = Int((days % 7 + 7 + 4) % 7)
        let names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(names[weekday]), \(two(t.day)) \(months[t.month - 1]) \(t.year) "
            + "\(two(t.hour)):\(two(t.minute)):\(two(t.second)) GMT"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
