/// One value of a file of values, and how it may be damaged.
enum CSVCell: Sendable, Hashable {
    /// Somebody else's text: must not become a formula.
    case text(String?)
    /// Digits that name something: must not become a number.
    case id(String?)
    /// A number that must stay one, a minus before it too. Only ever made of digits.
    case number(String?)

    /// Thousandths of a currency's unit: -9990 is `-9.99`, 10000 is `10.00`, 1 is `0.001`.
    static func amount(milliunits: Int64?) -> CSVCell { .number(milliunits.map(decimal(milliunits:))) }

    /// As amounts stand in all files: a point, two decimals or the third that there is.
    static func decimal(milliunits: Int64) -> String {
        let (units, thousandths) = milliunits.magnitude.quotientAndRemainder(dividingBy: 1000)
        var digits = String(thousandths + 1000).dropFirst()
        if digits.hasSuffix("0") { digits = digits.dropLast() }
        return "\(milliunits < 0 ? "-" : "")\(units).\(digits)"
    }
}

/// RFC 4180: cells between commas, lines end in CR LF, what could be misread stands in quotes.
enum CSV {
    static let type = "text/csv; charset=utf-8"

    static func line(_ cells: [CSVCell], _ form: CSVForm) -> [UInt8] {
        var line: [UInt8] = []
        for (index, cell) in cells.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            switch cell {
            case .number(let text): line.append(contentsOf: (text ?? "").utf8)
            case .text(let text): append(guarded(text ?? ""), to: &line)
            case .id(let text): append(form == .spreadsheet ? quotedID(text) : guarded(text ?? ""), to: &line)
            }
        }
        line.append(contentsOf: "\r\n".utf8)
        return line
    }

    /// Spreadsheets calculate what begins so. The apostrophe before it is their own mark for "text".
    private static func guarded(_ text: String) -> String {
        guard let first = text.unicodeScalars.first else { return "" }
        let starts: Set<UnicodeScalar> = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]
        return starts.contains(first) ? "'" + text : text
    }

    private static func quotedID(_ text: String?) -> String { (text ?? "").isEmpty ? "" : "'" + (text ?? "") }

    private static func append(_ text: String, to line: inout [UInt8]) {
        let needsQuotes = text.utf8.contains { ["\"", ",", "\r", "\n", ";", "\t"].contains(UnicodeScalar($0)) }
        guard needsQuotes || text.first == " " || text.last == " " else {
            line.append(contentsOf: text.utf8)
            return
        }
        line.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { line.append(byte) }
            line.append(byte)
        }
        line.append(UInt8(ascii: "\""))
    }
}
