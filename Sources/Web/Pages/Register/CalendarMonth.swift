import Time

/// A month of the calendar, in UTC.
struct CalendarMonth: Hashable, Comparable {
    /// Months since the year 0.
    private let number: Int

    private init(number: Int) { self.number = number }

    init(_ moment: Moment) {
        let digits = moment.iso8601
        number = (Int(digits.prefix(4)) ?? 0) * 12 + (Int(digits.dropFirst(5).prefix(2)) ?? 1) - 1
    }

    /// `2026-03`; nil for anything else, and for what lies outside of 2000…9998.
    init?(text: String) {
        guard text.utf8.count == 7, Moment(date: text + "-01") != nil, let year = Int(text.prefix(4)),
            let month = Int(text.suffix(2)), (2000...9998).contains(year)
        else { return nil }
        number = year * 12 + month - 1
    }

    var text: String {
        let (year, month) = number.quotientAndRemainder(dividingBy: 12)
        return "\(year)-\(month < 9 ? "0" : "")\(month + 1)"
    }

    /// Its first moment.
    var begin: Moment { Moment(date: text + "-01") ?? Moment(milliseconds: 0) }

    func advanced(by months: Int) -> CalendarMonth { CalendarMonth(number: number + months) }

    static func < (a: CalendarMonth, b: CalendarMonth) -> Bool { a.number < b.number }
}
