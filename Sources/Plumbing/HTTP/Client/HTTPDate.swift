import Time

/// The date form of HTTP fields.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that RFC 9110 (5.6.7) lets a server write.
    /// The obsolete forms, and dates that do not exist, give nil.
    static func parse(_ text: String) -> Moment? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].utf8.count == 4, parts[0].last == ",", parts[5] == "GMT",
            let month = months.firstIndex(of: String(parts[2])),
            let midnight = Moment(date: "\(parts[3])-\(month < 9 ? "0" : "")\(month + 1)-\(parts[1])")
        else { return nil }
        let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3,
            clock.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let hour = Int64(clock[0]), let minute = Int64(clock[1]), let second = Int64(clock[2]),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return midnight + .seconds(hour * 3600 + minute * 60 + second)
    }
}
