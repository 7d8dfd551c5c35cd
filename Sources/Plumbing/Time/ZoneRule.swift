/// How clocks are changed every year: POSIX's `CET-1CEST,M3.5.0,M10.5.0/3`, with RFC 8536's hours of up to a week.
struct ZoneRule: Sendable {
    /// Seconds east of Greenwich.
    private let standard: Int64
    private var summer: Int64?
    private var begins = Change()
    private var ends = Change()

    /// A day of the year and seconds after its midnight.
    private struct Change {
        enum Day {
            /// 1…365; February 29 is never counted.
            case julian(Int)
            /// 0…365; February 29 is counted.
            case ofYear(Int)
            /// The week of the month, 5 being the last one; 0 is Sunday.
            case month(Int, week: Int, weekday: Int)
        }

        var day = Day.ofYear(0)
        var seconds: Int64 = 7200
    }

    /// Nil for what is no such rule.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        guard Self.takeName(&rest), let west = Self.takeTime(&rest) else { return nil }
        standard = -west
        if rest.isEmpty { return }
        guard Self.takeName(&rest) else { return nil }
        var summer = standard + 3600
        if let first = rest.first, first != UInt8(ascii: ",") {
            guard let west = Self.takeTime(&rest) else { return nil }
            summer = -west
        }
        guard let begins = Self.takeChange(&rest), let ends = Self.takeChange(&rest), rest.isEmpty else { return nil }
        (self.summer, self.begins, self.ends) = (summer, begins, ends)
    }

    func offset(at moment: Int64) -> Int64 {
        guard let summer else { return standard }
        let year = Self.year(ofDay: (moment + standard).floored(by: 86_400))
        // The moments at which this year's changes are made: by the clock that is shown until then.
        let begin = Self.moment(begins, year) - standard
        let end = Self.moment(ends, year) - summer
        // In the south summer goes over the turn of the year.
        let isSummer = begin < end ? (begin..<end).contains(moment) : !(end..<begin).contains(moment)
        return isSummer ? summer : standard
    }

    // MARK: Calendar

    private static func moment(_ change: Change, _ year: Int64) -> Int64 {
        let newYear = days(year, 1, 1)
        let isLeap = days(year + 1, 1, 1) - newYear == 366
        let day: Int64
        switch change.day {
        case .julian(let n): day = newYear + Int64(n) - 1 + (isLeap && n >= 60 ? 1 : 0)
        case .ofYear(let n): day = newYear + Int64(n)
        case .month(let month, let week, let weekday):
            let first = days(year, Int64(month), 1)
            let next = month == 12 ? days(year + 1, 1, 1) : days(year, Int64(month) + 1, 1)
            // 1970 began on a Thursday.
            let firstWeekday = ((first + 4) % 7 + 7) % 7
            var found = first + (Int64(weekday) - firstWeekday + 7) % 7 + Int64(week - 1) * 7
            while found >= next { found -= 7 }
            day = found
        }
        return day * 86_400 + change.seconds
    }

    /// Days since 1970 of a date of the Gregorian calendar.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let y = month <= 2 ? year - 1 : year
        let era = y.floored(by: 400)
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func year(ofDay day: Int64) -> Int64 {
        var year = 1970 + (day * 400).floored(by: 146_097)
        while days(year, 1, 1) > day { year -= 1 }
        while days(year + 1, 1, 1) <= day { year += 1 }
        return year
    }

    // MARK: Reading

    /// Three letters or more, or anything between angle brackets.
    private static func takeName(_ rest: inout ArraySlice<UInt8>) -> Bool {
        if rest.first == UInt8(ascii: "<") {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
            rest = rest[(end + 1)...]
            return true
        }
        let name = rest.prefix { (UInt8(ascii: "A")...UInt8(ascii: "z")).contains($0) }
        rest = rest.dropFirst(name.count)
        return name.count >= 3
    }

    private static func takeNumber(_ rest: inout ArraySlice<UInt8>) -> Int? {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest.dropFirst(digits.count)
        return digits.count <= 4 ? Int(String(decoding: digits, as: UTF8.self)) : nil
    }

    private static func take(_ letter: Character, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let ascii = letter.asciiValue, rest.first == ascii else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    private static func takeTime(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        let isNegative = take("-", &rest)
        if !isNegative { _ = take("+", &rest) }
        guard let hours = takeNumber(&rest), hours <= 167 else { return nil }
        var seconds = Int64(hours) * 3600
        for unit in [Int64(60), 1] where take(":", &rest) {
            guard let part = takeNumber(&rest), part < 60 else { return nil }
            seconds += Int64(part) * unit
        }
        return isNegative ? -seconds : seconds
    }

    private static func takeChange(_ rest: inout ArraySlice<UInt8>) -> Change? {
        guard take(",", &rest) else { return nil }
        var change = Change()
        if take("M", &rest) {
            guard let month = takeNumber(&rest), (1...12).contains(month), take(".", &rest),
                let week = takeNumber(&rest), (1...5).contains(week), take(".", &rest),
                let weekday = takeNumber(&rest), (0...6).contains(weekday)
            else { return nil }
            change.day = .month(month, week: week, weekday: weekday)
        } else if take("J", &rest) {
            guard let day = takeNumber(&rest), (1...365).contains(day) else { return nil }
            change.day = .julian(day)
        } else {
            guard let day = takeNumber(&rest), (0...365).contains(day) else { return nil }
            change.day = .ofYear(day)
        }
        if take("/", &rest) {
            guard let seconds = takeTime(&rest) else { return nil }
            change.seconds = seconds
        }
        return change
    }
}

extension Int64 {
    /// Division that rounds down.
    fileprivate func floored(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
