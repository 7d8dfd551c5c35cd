import HTTP

/// For whom a file of values is written.
package enum CSVForm: String, Hashable, Sendable, CaseIterable {
    /// For programs: ids as they are.
    case plain
    /// For spreadsheets, which take sixteen digits for a number and round them: ids stand behind an apostrophe, and the
    /// file begins with a byte-order mark, without which some read UTF-8 as something else.
    case spreadsheet

    /// The fields that an address of a file has beside its list's.
    static let names = ["form"]

    init(_ query: QueryString) { self = query.value("form").flatMap(CSVForm.init(rawValue:)) ?? .plain }

    /// What an address says of the form and means nothing.
    static func ignored(in query: QueryString) -> [IgnoredField] {
        var ignored: [IgnoredField] = []
        _ = ignored.read("form", query, CSVForm.init(rawValue:))
        return ignored
    }

    var fields: [(String, String?)] { [("form", self == .plain ? nil : rawValue)] }
}
