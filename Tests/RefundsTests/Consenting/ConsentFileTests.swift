import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("Files of consent") struct ConsentFileTests {
    private static let customer = "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c111"
    private static let header = "appAccountToken,transactionId,consented,recordedAt,wordingVersion,source"
    private static let at = "2026-02-01T12:00:00Z"

    private func errors(_ text: String) throws -> [String?] {
        try ConsentFile(Array(text.utf8)).rows.map { row in
            if case .failure(let wrong) = row.reading { wrong.text } else { nil }
        }
    }

    @Test func `rows are of a customer or a purchase, with times as people and programs write them`() throws {
        let text =
            "\(Self.header)\r\n\(Self.customer),,true,\(Self.at),v1,settings\r\n"
            + ",'2000000900000001,FALSE,1769947200000,'=1+1,\r\n"
        let reports = try ConsentFile(Array(text.utf8)).rows.map { try $0.reading.get() }
        #expect(
            reports == [
                .init(
                    subject: .customer(appAccountToken: Self.customer),
                    report: .init(
                        consented: true, recordedAt: Moment(milliseconds: 1_769_947_200_000), wordingVersion: "v1",
                        source: "settings")),
                .init(
                    subject: .purchase(transactionID: "2000000900000001"),
                    report: .init(
                        consented: false, recordedAt: Moment(milliseconds: 1_769_947_200_000), wordingVersion: "=1+1",
                        source: "csv")),
            ])
    }

    @Test(arguments: [
        (",,true,\(at),,", "both missing"), ("\(customer),1,true,\(at),,", "both given"),
        ("me,,true,\(at),,", "UUID"), (",1x,true,\(at),,", "digits"), (",1,yes,\(at),,", "true or false"),
        (",1,true,,,", "recordedAt"), (",1,true,1769947200,,", "recordedAt"), (",1,true,2026-02-01,,", "recordedAt"),
        (",1,true,2026-02-30T12:00:00Z,,", "recordedAt"), (",1,true,2026-02-01T24:00:00Z,,", "recordedAt"),
        (",1,true,2026-02-01T12.00.00Z,,", "recordedAt"), (",1,true,2026-02-01T12:00:00+,,", "recordedAt"),
        (",1,true", "3 cells"),
    ])
    func `a row that is wrong is named, and the others stand`(row: String, why: String) throws {
        let found = try errors("\(Self.header)\n,2,true,\(Self.at),,\n\(row)\n,3,true,\(Self.at),,\n")
        #expect(found.count == 3 && found[0] == nil && found[2] == nil)
        #expect(found[1]?.contains(why) == true, "\(found)")
    }

    @Test(arguments: [
        ("", "header"), ("transactionId,agreed,recordedAt\n", "not known"), ("transactionId,consented\n", "missing"),
        (header + String(repeating: "\n,1,true,\(at),,", count: ConsentFile.rowsMax + 1), "more than 5000 rows"),
    ])
    func `a file that cannot be meant is refused as a whole`(text: String, why: String) {
        #expect(throws: UnreadableFile.self) { try ConsentFile(Array(text.utf8)) }
        do { _ = try ConsentFile(Array(text.utf8)) } catch { #expect(error.text.contains(why), "\(error.text)") }
    }

    @Test func `each row is stored or said why not, what was withheld is decided anew, and the ledger pages`()
        async throws
    {
        try await Desk.open { desk in
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.isEmpty)
            let (before, later) = ((desk.now - .hours(2)).iso8601, (desk.now + .hours(1)).iso8601)
            let many = (1...600).map { ",\(9000 + $0),true,\(before),," }.joined(separator: "\n")
            let text = "\(Self.header)\n\(Self.customer),,true,\(before),,\n,7,true,\(later),,\n\(many)\n"
            let app = desk.alpha.app
            func send(_ role: Tenants.Role = .admin) async throws -> FileUpload {
                try await desk.deciding.uploadConsents(
                    Array(text.utf8)[...], of: app, by: HeldCaseTests.author, role: role, address: nil)
            }
            await #expect(throws: DecidingDesk.Refused.forbidden) { _ = try await send(.support) }
            let upload = try await send()
            #expect(upload.stored == 601 && upload.refused.map(\.number) == [3])
            #expect(upload.refused.first?.error == "recordedAt lies in the future")
            try await desk.work()
            #expect(desk.apple.calls.count == 1)
            _ = try await send()
            #expect(try await desk.count("refunds.consent_changes") == 601)
            #expect(try await desk.count("tenants.audit where action = 'consent.uploaded'") == 2)

            let first = try await desk.deciding.ledger(of: app, after: nil)
            let place: ConsentLine.Place = try #require(first.next)
            let second = try await desk.deciding.ledger(of: app, after: place)
            #expect(first.lines.count == 500 && second.lines.count == 101 && second.next == nil)
            #expect(first.lines.first?.subject == .customer(appAccountToken: Self.customer))
            #expect(Set((first.lines + second.lines).map(\.change.changeNo)).count == 601)
            let none = try await desk.deciding.ledger(of: desk.beta.app, after: nil)
            #expect(none.lines.isEmpty)
        }
    }
}
