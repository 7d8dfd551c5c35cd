import Time

/// The date form of mail headers (RFC 5322, 3.3), in UTC.
enum MailDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Mon, 30 Nov 2026 11:24:14 +0000`
    static func text(_ moment: Moment) -> String {
        let time = CivilTime(moment)
        // 1970 began on a Thursday.
        let day = Int(((moment.seconds / 86_400) % 7 + (moment.seconds % 86_400 < 0 ? 6 : 7)) % 7)
        return "\(days[day]), \(time.day) \(months[time.month - 1]) \(time.year) "
            + "\(two(time.hour)):\(two(time.minute)):\(two(time.second)) +0000"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
