import FoundationEssentials
import HTTP
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import Web

@Suite struct `Files of values` {
    /// Reads RFC 4180 as a program would.
    private func parse(_ text: String) -> [[String]] {
        var rows: [[String]] = [[]]
        var (cell, isQuoted) = ("", false)
        var rest = Array(text.unicodeScalars)[...]
        while let c = rest.popFirst() {
            switch c {
            case "\"" where isQuoted && rest.first == "\"":
                rest.removeFirst()
                cell.unicodeScalars.append(c)
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                rows[rows.count - 1].append(cell)
                cell = ""
            case "\r" where !isQuoted && rest.first == "\n":
                rest.removeFirst()
                rows[rows.count - 1].append(cell)
                cell = ""
                rows.append([])
            default: cell.unicodeScalars.append(c)
            }
        }
        return rows.dropLast()
    }

    private func sam(_ console: Console) async throws -> TestBrowser {
        let browser = TestBrowser(console)
        try await browser.signIn()
        return browser
    }

    @Test func `BL-073: nothing in a file is calculated by a spreadsheet, and the file parses back`() async throws {
        try await withConsole { desk, console, _ in
            let starts = ["=", "+", "-", "@", "\t", "\r"]
            var products = starts.map { "\($0)HYPERLINK(1)" }
            products.append("a, \"b\"\nc")
            for (n, product) in products.enumerated() {
                var sample = SampleCase()
                sample.productID = product
                sample.transactionID = "200000090000000\(n)"
                sample.reason = product
                try await desk.add(sample, to: desk.alphaApp)
            }
            for form in CSVForm.allCases {
                let text = try await sam(console).get(.caseExport("alpha", CaseListQuery(), form)).text
                let rows = parse(form == .spreadsheet ? String(text.unicodeScalars.dropFirst()) : text)
                #expect(rows.count == products.count + 1)
                #expect(rows.allSatisfy { $0.count == 15 })
                let cells = rows.flatMap { $0 }
                for start in starts {
                    #expect(!cells.contains { $0.hasPrefix(start) }, "\(form) \(start.debugDescription)")
                }
                #expect(Set(rows.dropFirst().map { $0[5] }) == Set(starts.map { "'\($0)HYPERLINK(1)" } + [products[6]]))
            }
        }
    }

    @Test func `BL-123: amounts stay numbers and ids survive`() async throws {
        try await withConsole { desk, console, _ in
            var sample = SampleCase()
            sample.price = -9990
            try await desk.add(sample, to: desk.alphaApp)
            let plain = try await sam(console).get(.caseExport("alpha", CaseListQuery(), .plain))
            #expect(plain.headers["Content-Type"] == "text/csv; charset=utf-8")
            #expect(plain.headers["Content-Disposition"] == "attachment; filename=\"alpha-cases-2026-06-15.csv\"")
            let row = try #require(parse(plain.text).last)
            #expect(row[11] == "-9.99" && row[12] == "USD" && row[3] == "2000000900000001")
            let sheet = try await sam(console).get(.caseExport("alpha", CaseListQuery(), .spreadsheet)).text
            #expect(sheet.unicodeScalars.first == "\u{FEFF}")
            let guarded = try #require(parse(sheet).last)
            #expect(guarded[11] == "-9.99" && guarded[3] == "'2000000900000001" && guarded[4] == "'2000000900000001")
        }
    }

    @Test(
        arguments: [
            (-9990, "-9.99"), (0, "0.00"), (10_000, "10.00"), (1, "0.001"), (-1, "-0.001"),
            (4_999_000_000, "4999000.00"),
            (Int64.min, "-9223372036854775.808"),
        ] as [(Int64, String)])
    func `an amount is written without rounding`(milliunits: Int64, text: String) {
        #expect(CSVCell.amount(milliunits: milliunits) == .number(text))
    }

    @Test func `a file has what the list has, however long it is, and nothing of anybody else`() async throws {
        try await withConsole { desk, console, _ in
            try await desk.transaction(for: desk.alphaApp) { tx in
                try await tx.execute(
                    """
                    insert into refunds.cases (tenant_id, case_id, app_id, environment, transaction_id,
                      original_transaction_id, product_id, state, outcome, listed_at, deadline)
                    select \(desk.alpha.id.rawValue), gen_random_uuid(), \(desk.alphaApp.id.rawValue), 'Production', 't' || n,
                      't' || n, 'coins', case when n % 2 = 0 then 'answered' else 'withheld' end, 'pending',
                      \(SampleDesk.signed) + n * interval '1 s', \(SampleDesk.signed)
                    from generate_series(1, 1203) n
                    """)
            }
            try await desk.add(SampleCase(), to: desk.betaApp)
            let sam = try await sam(console)
            let all = parse(try await sam.get(.caseExport("alpha", CaseListQuery(), .plain)).text)
            #expect(all.count == 1204 && Set(all.map { $0[3] }).count == 1204)
            #expect(all[1][3] == "t1203" && all[1203][3] == "t1")
            var query = CaseListQuery()
            query.state = .withheld
            #expect(parse(try await sam.get(.caseExport("alpha", query, .plain)).text).count == 603)
            query.app = "com.example.alpha.lite"
            #expect(parse(try await sam.get(.caseExport("alpha", query, .plain)).text).count == 1)
            let list = try await sam.get("/t/alpha/cases?state=withheld").text
            #expect(list.contains("href=\"/t/alpha/cases.csv?state=withheld\""))
        }
    }
}
