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
        let reading: Result<Reports.Usage, WrongRow>
    }

    let rows: [Row]

    /// - Throws: `UnreadableFile`; what is wrong with one row is said of that row.
    init(_ bytes: some Collection<UInt8>) throws(UnreadableFile) {
        let table = try NamedColumns(
            bytes, known: Self.columns, needed: ["transactionId", "observedAt"], rowsMax: Self.rowsMax,
            bytesMax: Self.bytesMax)
        rows = table.rows.map { Self.row($0, table) }
    }

    private static func row(_ row: CSVTable.Row, _ table: NamedColumns) -> Row {
        func cell(_ name: String) -> String? { table.cell(name, of: row) }
        let id = cell("transactionId") ?? ""
        let shown = Text.kept(id, bytesMax: 64)
        do throws(WrongRow) {
            try table.check(row)
            return Row(line: row.line, transactionID: shown, reading: .success(try usage(id, cell)))
        } catch {
            return Row(line: row.line, transactionID: shown, reading: .failure(error))
        }
    }

    private static func usage(_ id: String, _ cell: (String) -> String?) throws(WrongRow) -> Reports.Usage {
        guard !id.isEmpty else { throw WrongRow(text: "transactionId is missing") }
        guard (1...20).contains(id.utf8.count), id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw WrongRow(text: "transactionId has 1 to 20 decimal digits")
        }
        guard let observed = cell("observedAt") else { throw WrongRow(text: "observedAt is missing") }
        guard let observedAt = number(observed).map(Moment.init(milliseconds:)), ReportedTime.isPossible(observedAt)
        else {
            throw WrongRow(text: "observedAt is a time in milliseconds since 1970")
        }
        let status = cell("deliveryStatus")
        if let status, !Reports.deliveryStatuses.contains(status) {
            throw WrongRow(text: "deliveryStatus is one of \(Reports.deliveryStatuses.joined(separator: ", "))")
        }
        var share: Int?
        if let text = cell("consumptionPercentage") {
            guard let number = number(text), (0...100_000).contains(number) else {
                throw WrongRow(text: "consumptionPercentage is a whole number from 0 to 100000")
            }
            share = Int(number)
        }
        var sample: Bool?
        switch cell("sampleContentProvided")?.lowercased() {
        case nil: break
        case "true": sample = true
        case "false": sample = false
        default: throw WrongRow(text: "sampleContentProvided is true or false")
        }
        var usage = Reports.Usage(
            transactionID: id, deliveryStatus: status, consumptionPercentage: share, sampleContentProvided: sample,
            credits: try count("credits", cell), items: try count("items", cell),
            observedAt: observedAt)
        usage.source = .csv
        return usage
    }

    private static func count(_ name: String, _ cell: (String) -> String?) throws(WrongRow) -> UsageCount? {
        let (used, granted) = (cell("\(name)Used"), cell("\(name)Granted"))
        if used == nil, granted == nil { return nil }
        guard let used, let granted else { throw WrongRow(text: "\(name)Used and \(name)Granted are given together") }
        guard let used = number(used), let granted = number(granted) else {
            throw WrongRow(text: "\(name)Used and \(name)Granted are whole numbers")
        }
        return UsageCount(used: used, granted: granted)
    }

    /// Digits alone: no sign, no point, no spaces.
    private static func number(_ text: String) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }
}
