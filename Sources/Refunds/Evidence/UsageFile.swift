import Time

/// A file of reports of delivery and use, a row each, with the API's members as columns. Pure.
package struct UsageFile: Sendable {
    package static let rowsMax = 5_000
    package static let bytesMax = 1 << 20

    package static let columns = [
        "transactionId", "deliveryStatus", "consumptionPercentage", "sampleContentProvided", "creditsUsed",
        "creditsGranted", "itemsUsed", "itemsGranted", "observedAt",
    ]

    /// One row: what it says, or what is wrong with it.
    struct Row: Sendable {
        let line: Int
        /// As written, cut to what a page shows.
        let transactionID: String
        let reading: Result<Reports.Usage, Wrong>
    }

    struct Wrong: Error, Hashable {
        let text: String
    }

    /// Why the file as a whole is not read; for people.
    package struct Unreadable: Error, Hashable {
        package let text: String
    }

    let rows: [Row]

    /// - Throws: `Unreadable`; what is wrong with one row is said of that row.
    init(_ bytes: some Collection<UInt8>) throws(Unreadable) {
        guard bytes.count <= Self.bytesMax else {
            throw Unreadable(text: "The file is larger than \(Self.bytesMax / 1024) KiB.")
        }
        let table: CSVTable
        do throws(CSVTable.Trouble) { table = try CSVTable(bytes, rowsMax: Self.rowsMax) } catch {
            throw Unreadable(text: "\(error)".prefix(1).uppercased() + "\(error)".dropFirst() + ".")
        }
        var places: [String: Int] = [:]
        for (index, name) in table.header.enumerated() {
            guard Self.columns.contains(name) else {
                throw Unreadable(
                    text:
                        "The column \"\(Text.kept(name, bytesMax: 100))\" is not known: columns are \(Self.columns.joined(separator: ", "))."
                )
            }
            guard places.updateValue(index, forKey: name) == nil else {
                throw Unreadable(text: "The column \"\(name)\" is there twice.")
            }
        }
        for name in ["transactionId", "observedAt"] where places[name] == nil {
            throw Unreadable(text: "The column \"\(name)\" is missing.")
        }
        let known = places
        rows = table.rows.map { Self.row($0, known, columns: table.header.count) }
    }

    private static func row(_ row: CSVTable.Row, _ places: [String: Int], columns: Int) -> Row {
        func cell(_ name: String) -> String? {
            guard let place = places[name], place < row.cells.count else { return nil }
            let text = CSVTable.trimmed(row.cells[place])
            return text.isEmpty ? nil : text
        }
        let id = cell("transactionId") ?? ""
        let shown = Text.kept(id, bytesMax: 64)
        do throws(Wrong) {
            guard row.cells.count == columns else {
                throw Wrong(text: "it has \(row.cells.count) cells, and the header has \(columns)")
            }
            return Row(line: row.line, transactionID: shown, reading: .success(try usage(id, cell)))
        } catch {
            return Row(line: row.line, transactionID: shown, reading: .failure(error))
        }
    }

    private static func usage(_ id: String, _ cell: (String) -> String?) throws(Wrong) -> Reports.Usage {
        guard !id.isEmpty else { throw Wrong(text: "transactionId is missing") }
        guard (1...20).contains(id.utf8.count), id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw Wrong(text: "transactionId has 1 to 20 decimal digits")
        }
        guard let observed = cell("observedAt") else { throw Wrong(text: "observedAt is missing") }
        guard let observedAt = number(observed).map(Moment.init(milliseconds:)), ReportedTime.isPossible(observedAt)
        else {
            throw Wrong(text: "observedAt is a time in milliseconds since 1970")
        }
        let status = cell("deliveryStatus")
        if let status, !Reports.deliveryStatuses.contains(status) {
            throw Wrong(text: "deliveryStatus is one of \(Reports.deliveryStatuses.joined(separator: ", "))")
        }
        var share: Int?
        if let text = cell("consumptionPercentage") {
            guard let number = number(text), (0...100_000).contains(number) else {
                throw Wrong(text: "consumptionPercentage is a whole number from 0 to 100000")
            }
            share = Int(number)
        }
        var sample: Bool?
        switch cell("sampleContentProvided")?.lowercased() {
        case nil: break
        case "true": sample = true
        case "false": sample = false
        default: throw Wrong(text: "sampleContentProvided is true or false")
        }
        var usage = Reports.Usage(
            transactionID: id, deliveryStatus: status, consumptionPercentage: share, sampleContentProvided: sample,
            credits: try count("credits", cell), items: try count("items", cell),
            observedAt: observedAt)
        usage.source = .csv
        return usage
    }

    private static func count(_ name: String, _ cell: (String) -> String?) throws(Wrong) -> UsageCount? {
        let (used, granted) = (cell("\(name)Used"), cell("\(name)Granted"))
        if used == nil, granted == nil { return nil }
        guard let used, let granted else { throw Wrong(text: "\(name)Used and \(name)Granted are given together") }
        guard let used = number(used), let granted = number(granted) else {
            throw Wrong(text: "\(name)Used and \(name)Granted are whole numbers")
        }
        return UsageCount(used: used, granted: granted)
    }

    /// Digits alone: no sign, no point, no spaces.
    private static func number(_ text: String) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }
}

/// What became of an uploaded file, row by row.
package struct UsageUpload: Sendable, Hashable {
    package struct Line: Sendable, Hashable {
        /// In the file, from 1; the header is line 1.
        package let number: Int
        package let transactionID: String
        /// Why it was not stored; nil: it was.
        package let error: String?
    }

    package let lines: [Line]

    package var stored: Int { lines.count { $0.error == nil } }
    package var refused: [Line] { lines.filter { $0.error != nil } }
}
