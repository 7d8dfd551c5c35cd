import Time

/// A file of reports of consent, a row each: who, whether, and when the customer said so. Pure.
///
/// What the console writes is read back: ids and texts may stand behind an apostrophe, as files for spreadsheets have
/// them, and columns that only tell are passed over.
package struct ConsentFile: Sendable {
    package static let rowsMax = 5_000
    package static let bytesMax = 1 << 20

    /// What is read.
    package static let columns = [
        "appAccountToken", "transactionId", "consented", "recordedAt", "wordingVersion", "source",
    ]
    /// What is written beside: when it reached us, and whether the wording's text is kept.
    package static let toldColumns = ["receivedAt", "wordingKept"]

    /// One row: what it says, or what is wrong with it.
    struct Row: Sendable {
        let line: Int
        let subject: String
        let reading: Result<Report, WrongRow>
    }

    struct Report: Sendable, Hashable {
        let subject: ConsentLedger.Subject
        let report: ConsentLedger.Report
    }

    let rows: [Row]

    /// - Throws: `UnreadableFile`; what is wrong with one row is said of that row.
    init(_ bytes: some Collection<UInt8>) throws(UnreadableFile) {
        let table = try NamedColumns(
            bytes, known: Self.columns + Self.toldColumns, needed: ["consented", "recordedAt"], rowsMax: Self.rowsMax,
            bytesMax: Self.bytesMax)
        rows = table.rows.map { row in
            let (customer, purchase) = (
                Self.unguarded(table.cell("appAccountToken", of: row)),
                Self.unguarded(table.cell("transactionId", of: row))
            )
            let reading: Result<Report, WrongRow>
            do throws(WrongRow) {
                try table.check(row)
                reading = .success(try Self.report(customer, purchase) { table.cell($0, of: row) })
            } catch {
                reading = .failure(error)
            }
            return Row(line: row.line, subject: Text.kept(customer ?? purchase ?? "", bytesMax: 64), reading: reading)
        }
    }

    private static func report(
        _ customer: String?, _ purchase: String?, _ cell: (String) -> String?
    ) throws(WrongRow) -> Report {
        let subject: ConsentLedger.Subject
        switch (customer, purchase) {
        case (let customer?, nil):
            guard Text.isUUID(customer) else { throw WrongRow(text: "appAccountToken is a UUID") }
            subject = .customer(appAccountToken: customer)
        case (nil, let purchase?):
            guard (1...20).contains(purchase.utf8.count), purchase.utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else { throw WrongRow(text: "transactionId has 1 to 20 decimal digits") }
            subject = .purchase(transactionID: purchase)
        case (nil, nil): throw WrongRow(text: "appAccountToken and transactionId are both missing")
        case (_?, _?):
            throw WrongRow(text: "appAccountToken and transactionId are both given: consent is of one of them")
        }
        let consented: Bool
        switch cell("consented")?.lowercased() {
        case "true": consented = true
        case "false": consented = false
        default: throw WrongRow(text: "consented is true or false")
        }
        guard let recordedAt = cell("recordedAt").flatMap(time), ReportedTime.isPossible(recordedAt) else {
            throw WrongRow(text: "recordedAt is a time such as 2026-01-31T09:30:00Z, or in milliseconds since 1970")
        }
        return Report(
            subject: subject,
            report: ConsentLedger.Report(
                consented: consented, recordedAt: recordedAt, wordingVersion: unguarded(cell("wordingVersion")),
                source: unguarded(cell("source")) ?? "csv"))
    }

    /// Without the apostrophe that keeps spreadsheets from calculating.
    private static func unguarded(_ cell: String?) -> String? {
        guard let cell, cell.first == "'", let next = cell.dropFirst().unicodeScalars.first,
            (0x30...0x39).contains(next.value) || ["=", "+", "-", "@", "＝", "＋", "－", "＠"].contains(next)
        else { return cell }
        return String(cell.dropFirst())
    }

    /// Milliseconds, or a time in UTC to the second or the millisecond, written in full.
    private static func time(_ text: String) -> Moment? {
        if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return Int64(text).map(Moment.init(milliseconds:)) }
        guard text.utf8.count == 20 || text.utf8.count == 24, let day = Moment(date: text.prefix(10)) else {
            return nil
        }
        // Hours and minutes are tried by writing the moment again: what differs was none.
        let parts = text.dropFirst(11).dropLast().split(whereSeparator: { $0 == ":" || $0 == "." }).map { Int64($0) }
        guard parts.count == (text.utf8.count == 20 ? 3 : 4), let hour = parts[0], let minute = parts[1],
            let second = parts[2], let thousandth = parts.count == 4 ? parts[3] : 0,
            (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second)
        else { return nil }
        let moment = Moment(
            milliseconds: day.milliseconds + ((hour * 60 + minute) * 60 + second) * 1000 + thousandth)
        let written = moment.iso8601
        return written == text || written.dropLast(5) + "Z" == text ? moment : nil
    }
}
