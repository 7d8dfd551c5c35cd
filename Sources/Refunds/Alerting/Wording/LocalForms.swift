package import Time

/// How times, numbers and amounts are written in a language and a time zone.
///
/// As the Unicode locale data have them, which tests compare; the data themselves would make the program three times as
/// large. English says dates as ISO 8601 does: day and month cannot be mistaken for each other.
package struct LocalForms: Sendable, Hashable {
    package let language: AlertLanguage
    /// A name that this machine does not know is UTC.
    package let zone: Zone

    package init(language: AlertLanguage, zone: String) {
        self.language = language
        self.zone = Zone(zone) ?? .utc
    }

    /// `2026-11-30 12:24 Europe/Berlin`, `30.11.2026, 12:24 Europe/Berlin`: in the reader's zone, which is said.
    package func time(_ moment: Moment) -> String { "\(clock(moment)) \(zone.name)" }

    /// Without the zone.
    func clock(_ moment: Moment) -> String {
        let clock = (moment + zone.offset(at: moment)).iso8601.dropFirst(11).prefix(5)
        return switch language {
        case .english, .french, .japanese: "\(day(moment)) \(clock)"
        case .german, .spanish: "\(day(moment)), \(clock)"
        }
    }

    func day(_ moment: Moment) -> String {
        let text = (moment + zone.offset(at: moment)).iso8601
        let (year, month, day) = (text.prefix(4), text.dropFirst(5).prefix(2), text.dropFirst(8).prefix(2))
        return switch language {
        case .english: "\(year)-\(month)-\(day)"
        case .german: "\(day).\(month).\(year)"
        case .french, .spanish: "\(day)/\(month)/\(year)"
        case .japanese: "\(year)/\(month)/\(day)"
        }
    }

    package func number(_ number: Int) -> String { self.number(Int64(number)) }

    package func number(_ number: Int64) -> String {
        let digits = String(number.magnitude)
        // Spanish groups from five digits on.
        let groupsFrom = language == .spanish ? 5 : 4
        guard digits.count >= groupsFrom else { return "\(number)" }
        var out = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { out += group }
            out.append(digit)
        }
        return (number < 0 ? "-" : "") + out
    }

    /// With one decimal, which a whole number does not need.
    package func number(_ number: Double) -> String {
        let tenths = Int64((min(max(number, 0), 1e15) * 10).rounded())
        let whole = self.number(tenths / 10)
        return tenths % 10 == 0 ? whole : "\(whole)\(decimal)\(tenths % 10)"
    }

    /// `4,99 EUR`, of milliunits.
    package func amount(_ milliunits: Int64, _ currency: String) -> String {
        CurrencyDecimals.text(milliunits, currency).replacing(".", with: decimal)
    }

    /// Whole ones, rounded down: "0 GiB" is nearly nothing.
    func gibibytes(_ bytes: Int64) -> String { "\(number(bytes >> 30)) GiB" }
    func mebibytes(_ bytes: Int64) -> String { "\(number(bytes >> 20)) MiB" }

    private var decimal: String {
        switch language {
        case .english, .japanese: "."
        case .german, .french, .spanish: ","
        }
    }

    private var group: String {
        switch language {
        case .english, .japanese: ","
        case .german, .spanish: "."
        // Narrow, and no place to break the line.
        case .french: "\u{202F}"
        }
    }
}
