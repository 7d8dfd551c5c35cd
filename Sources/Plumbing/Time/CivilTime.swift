/// A moment as calendar fields in UTC.
///
/// Own arithmetic (proleptic Gregorian, by day counting) because Foundation's fractional ISO 8601
/// output cuts the binary fraction: an instant ending in .123 came out as .122.
package struct CivilTime: Hashable, Sendable {
    package let year: Int
    /// 1…12
    package let month: Int
    /// 1…31
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    /// 0…999
    package let millisecond: Int

    package init(_ moment: Moment) {
        let dayLength: Int64 = 86_400_000
        var days = moment.milliseconds / dayLength
        var rest = moment.milliseconds % dayLength
        if rest < 0 {
            rest += dayLength
            days -= 1
        }
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
        hour = Int(rest / 3_600_000)
        minute = Int(rest / 60_000 % 60)
        second = Int(rest / 1000 % 60)
        millisecond = Int(rest % 1000)
    }

    /// Days from 1970-01-01 to the given date.
    static func days(year: Int, month: Int, day: Int) -> Int64 {
        let y = Int64(month <= 2 ? year - 1 : year)
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension Moment {
    /// `2026-06-15T12:00:00.123Z`
    package var iso8601: String {
        let t = CivilTime(self)
        return "\(pad(t.year, 4))-\(pad(t.month, 2))-\(pad(t.day, 2))T"
            + "\(pad(t.hour, 2)):\(pad(t.minute, 2)):\(pad(t.second, 2)).\(pad(t.millisecond, 3))Z"
    }

    /// Midnight UTC of a `YYYY-MM-DD` date; nil for anything else, and for dates that do not exist.
    package init?(date text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, parts[1].count == 2, parts[2].count == 2,
            text.utf8.allSatisfy({ $0 == 0x2D || (0x30...0x39).contains($0) }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
            (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let moment = Moment(
            milliseconds: CivilTime.days(year: year, month: month, day: day) * 86_400_000)
        let back = CivilTime(moment)
        guard back.year == year, back.month == month, back.day == day else { return nil }
        self = moment
    }
}

private func pad(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
