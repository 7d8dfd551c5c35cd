/// Why an uploaded file as a whole is not read; for people.
package struct UnreadableFile: Error, Hashable {
    package let text: String
}

/// What is wrong with one row of a file; for people.
struct WrongRow: Error, Hashable {
    let text: String
}

/// What became of an uploaded file, row by row.
package struct FileUpload: Sendable, Hashable {
    package struct Line: Sendable, Hashable {
        /// In the file, from 1; the header is line 1.
        package let number: Int
        /// What it is about, as written, cut to what a page shows.
        package let subject: String
        /// Why it was not stored; nil: it was.
        package let error: String?
    }

    package let lines: [Line]

    package var stored: Int { lines.count { $0.error == nil } }
    package var refused: [Line] { lines.filter { $0.error != nil } }
}

/// A table whose columns are known by their names.
struct NamedColumns: Sendable {
    let rows: [CSVTable.Row]
    private let places: [String: Int]
    private let count: Int

    /// - Parameters:
    ///   - known: the columns there may be.
    ///   - needed: those that must be there.
    init(
        _ bytes: some Collection<UInt8>, known: [String], needed: [String], rowsMax: Int, bytesMax: Int
    ) throws(UnreadableFile) {
        guard bytes.count <= bytesMax else {
            throw UnreadableFile(text: "The file is larger than \(bytesMax / 1024) KiB.")
        }
        let table: CSVTable
        do throws(CSVTable.Trouble) { table = try CSVTable(bytes, rowsMax: rowsMax) } catch {
            throw UnreadableFile(text: "\(error)".prefix(1).uppercased() + "\(error)".dropFirst() + ".")
        }
        var places: [String: Int] = [:]
        for (index, name) in table.header.enumerated() {
            guard known.contains(name) else {
                let shown = Text.kept(name, bytesMax: 100)
                throw UnreadableFile(
                    text: "The column \"\(shown)\" is not known: columns are \(known.joined(separator: ", ")).")
            }
            guard places.updateValue(index, forKey: name) == nil else {
                throw UnreadableFile(text: "The column \"\(name)\" is there twice.")
            }
        }
        for name in needed where places[name] == nil {
            throw UnreadableFile(text: "The column \"\(name)\" is missing.")
        }
        self.places = places
        count = table.header.count
        rows = table.rows
    }

    /// A row's cell without blanks around it; nil where it is empty, or no such column is there.
    func cell(_ name: String, of row: CSVTable.Row) -> String? {
        guard let place = places[name], place < row.cells.count else { return nil }
        let text = CSVTable.trimmed(row.cells[place])
        return text.isEmpty ? nil : text
    }

    /// - Throws: `WrongRow` for a row that is longer or shorter than the header.
    func check(_ row: CSVTable.Row) throws(WrongRow) {
        guard row.cells.count == count else {
            throw WrongRow(text: "it has \(row.cells.count) cells, and the header has \(count)")
        }
    }
}
