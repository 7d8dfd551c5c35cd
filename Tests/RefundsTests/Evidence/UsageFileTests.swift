import Support
import Testing
import Time

@testable import Refunds

@Suite("Files of reports") struct UsageFileTests {
    private static let header = "transactionId,deliveryStatus,consumptionPercentage,sampleContentProvided,observedAt"
    private static let t = "1769947200000"

    private func errors(_ text: String) throws -> [String?] {
        try UsageFile(Array(text.utf8)).rows.map { row in
            if case .failure(let wrong) = row.reading { wrong.text } else { nil }
        }
    }

    @Test func `rows are read with every column, whatever ends their lines`() throws {
        let text =
            "\u{FEFF}transactionId,creditsUsed,creditsGranted,itemsUsed,itemsGranted,observedAt\r\n"
            + "1,3,10,,,\(Self.t)\n\n\"2\", ,,1,\"4\",\(Self.t)"
        let rows = try UsageFile(Array(text.utf8)).rows
        let usages = try rows.map { try $0.reading.get() }
        #expect(rows.map(\.line) == [2, 4] && usages.map(\.transactionID) == ["1", "2"])
        #expect(usages[0].credits == UsageCount(used: 3, granted: 10) && usages[0].items == nil)
        #expect(usages[1].items == UsageCount(used: 1, granted: 4) && usages.allSatisfy { $0.source == .csv })
    }

    @Test func `a file with semicolons is read`() throws {
        #expect(try errors("transactionId;consumptionPercentage;observedAt\n1;500;\(Self.t)\n") == [nil])
    }

    @Test(arguments: [
        ("1,delivered,,,\(t)", "deliveryStatus"), ("1,,100001,,\(t)", "consumptionPercentage"),
        ("1,,-1,,\(t)", "consumptionPercentage"), ("1,,5.5,,\(t)", "consumptionPercentage"),
        ("1,,,maybe,\(t)", "sampleContentProvided"), ("1,,5,,", "observedAt is missing"),
        ("1,,5,,1769947200", "observedAt"), ("1,,5,,2026-02-01", "observedAt"),
        (",,5,,\(t)", "transactionId is missing"),
        ("=1+1,,5,,\(t)", "digits"), ("123456789012345678901,,5,,\(t)", "digits"), ("1,,5,\(t)", "4 cells"),
        ("1,,5,,\(t),more", "6 cells"),
    ])
    func `a row that is wrong is named, and the others stand`(row: String, why: String) throws {
        let found = try errors("\(Self.header)\n2,DELIVERED,,,\(Self.t)\n\(row)\n3,,0,true,\(Self.t)\n")
        #expect(found.count == 3 && found[0] == nil && found[2] == nil)
        #expect(found[1]?.contains(why) == true, "\(found)")
    }

    @Test(arguments: [
        ("", "header"), ("\n\n", "header"), ("transactionId,use,observedAt\n", "not known"),
        ("transactionId,observedAt,observedAt\n", "twice"), ("transactionId\n", "\"observedAt\" is missing"),
        ("transactionId,observedAt\n\"1,2\n", "never closed"), ("transactionId,observedAt\n1\"2,3\n", "stands where"),
        ("transactionId,observedAt\n\"1\"2,3\n", "stands where"), ("a\0b", "no text"),
    ])
    func `a file that cannot be meant is refused as a whole`(text: String, why: String) {
        do {
            _ = try UsageFile(Array(text.utf8))
            Issue.record("read: \(text)")
        } catch {
            #expect(error.text.contains(why), "\(error.text)")
        }
    }

    @Test func `a file is bounded in rows and bytes`() throws {
        let row = "1,\(Self.t)\n"
        let full = "transactionId,observedAt\n" + String(repeating: row, count: UsageFile.rowsMax)
        #expect(try UsageFile(Array(full.utf8)).rows.count == UsageFile.rowsMax)
        #expect(throws: UnreadableFile.self) { try UsageFile(Array((full + row).utf8)) }
        #expect(throws: UnreadableFile.self) {
            try UsageFile([UInt8](repeating: 0x61, count: UsageFile.bytesMax + 1))
        }
        #expect(throws: UnreadableFile.self) { try UsageFile([0x74, 0xFF, 0xFE]) }
    }
}
