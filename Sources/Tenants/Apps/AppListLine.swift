/// One line of a pasted list of apps, taken apart: what spreadsheets, reports and people separate fields with.
struct AppListLine {
    /// As they stand, without quotes and outer blanks.
    private(set) var fields: [String]
    /// Nil: blanks.
    private let separator: Character?

    init(_ line: some StringProtocol) {
        let line = Self.bare(line)
        let separators = Self.split(line, by: nil).seen
        // Whoever has tabs or semicolons in a line means them; commas stand in names too.
        let separator = ["\t", ";", ","].first { separators.contains($0) }
        if let separator {
            fields = Self.split(line, by: separator).fields
        } else if let blank = line.firstIndex(where: \.isWhitespace), Self.isUnmistakable(String(line[..<blank])) {
            fields = line.split(maxSplits: 2, whereSeparator: \.isWhitespace).map(String.init)
        } else {
            fields = [Self.unquoted(line)]
        }
        self.separator = separator
    }

    /// Fields that belong to one name, as they were written.
    func joined(_ indices: [Int]) -> String {
        let glue = separator == "," ? ", " : separator.map { $0 == "\t" ? " " : "\($0) " } ?? " "
        return indices.map { fields[$0] }.filter { !$0.isEmpty }.joined(separator: glue)
    }

    /// A bundle ID that could be no name: it has a dot inside.
    static func isUnmistakable(_ text: String) -> Bool {
        App.isBundleID(text) && text.dropFirst().dropLast().contains(".")
    }

    /// Digits alone, with or without the `id` of the App Store's addresses.
    static func isAppleID(_ text: String) -> Bool {
        let digits = text.lowercased().hasPrefix("id") ? text.dropFirst(2) : text[...]
        return !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Without what lists begin a line with.
    private static func bare(_ line: some StringProtocol) -> String {
        var text = String(line).replacing("\u{FEFF}", with: "").withoutOuterBlanks
        for mark in ["- ", "* ", "• ", "– "] where text.hasPrefix(mark) {
            text = String(text.dropFirst(mark.count)).withoutOuterBlanks
        }
        return text
    }

    /// The fields between separators that stand outside of quotes, and which separators do.
    private static func split(
        _ line: String, by separator: Character?
    ) -> (fields: [String], seen: Set<Character>) {
        var (fields, field): ([String], String) = ([], "")
        var seen: Set<Character> = []
        var isQuoted = false
        for character in line {
            if character == "\"", isQuoted || field.allSatisfy(\.isWhitespace) || field.hasSuffix("\"") {
                isQuoted.toggle()
                field.append(character)
            } else if !isQuoted, character == "\t" || character == ";" || character == "," {
                seen.insert(character)
                guard character == separator else {
                    field.append(character)
                    continue
                }
                fields.append(unquoted(field))
                field = ""
            } else {
                field.append(character)
            }
        }
        fields.append(unquoted(field))
        return (fields, seen)
    }

    /// Without one pair of quotes around it; doubled quotes inside are one.
    private static func unquoted(_ text: String) -> String {
        let text = text.withoutOuterBlanks
        let pairs: [(Character, Character)] = [("\"", "\""), ("“", "”"), ("'", "'"), ("`", "`")]
        guard text.count >= 2, pairs.contains(where: { $0 == text.first && $1 == text.last }) else { return text }
        return String(text.dropFirst().dropLast()).replacing("\"\"", with: "\"").withoutOuterBlanks
    }
}

/// What the columns of a list are, by their heads.
struct AppListHead {
    enum Column {
        case bundleID, appleID, name
        /// "ID" alone: its values tell which.
        case eitherID
        case other
    }

    let columns: [Column]

    /// Nil for a line that is an app's.
    init?(_ line: AppListLine) {
        let words = line.fields.map { $0.lowercased().filter { $0.isLetter || $0.isNumber } }
        let columns = words.map { Self.names[$0] }
        guard !columns.contains(where: { $0 == nil }) else { return nil }
        // One word by itself may be somebody's bundle ID.
        guard words.count > 1 || words.first?.hasPrefix("bundle") == true else { return nil }
        self.columns = columns.compactMap { $0 }
        guard self.columns.contains(where: { $0 == .bundleID || $0 == .eitherID }) else { return nil }
    }

    private static let names: [String: Column] = [
        "bundleid": .bundleID, "bundleidentifier": .bundleID, "bundle": .bundleID, "cfbundleidentifier": .bundleID,
        "identifier": .bundleID, "id": .eitherID, "appid": .eitherID, "appleid": .appleID, "appappleid": .appleID,
        "appleidentifier": .appleID, "adamid": .appleID, "trackid": .appleID, "appstoreid": .appleID,
        "name": .name, "appname": .name, "app": .name, "title": .name, "sku": .other, "platform": .other,
        "platforms": .other, "status": .other, "state": .other, "version": .other, "teamid": .other, "": .other,
    ]
}
