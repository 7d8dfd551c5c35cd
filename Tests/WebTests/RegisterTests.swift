import HTTP
import FoundationEssentials
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import Web

@Suite struct `The register` {
    /// A request with one item, as the engine leaves it. Asked for at the sample's moment: 2026-06-15.
    private struct Asked {
        var n: Int
        var app: App
        var sku = "addon.a"
        var reason = "UNSATISFIED_WITH_PURCHASE"
        var state = "refunded"
        var environment = "Production"
        var kind = "refund"
        var at = SampleDesk.signed
        var transaction: String { "t\(n)" }
    }

    private func add(_ asked: Asked, to desk: SampleDesk) async throws {
        try await desk.transaction(for: asked.app) { tx in
            let (tenant, app, id) = (asked.app.tenant.rawValue, asked.app.id.rawValue, UUID())
            let isRefund = asked.kind == "refund"
            let refundedAt = asked.state == "refunded" ? asked.at + .hours(1) : nil
            try await tx.execute(
                """
                insert into refunds.transactions (tenant_id, app_id, environment, transaction_id,
                  original_transaction_id, signed_at, product_id, type, purchased_at, price, currency, storefront,
                  ownership, fields)
                values (\(tenant), \(app), \(asked.environment), \(asked.transaction), \(asked.transaction),
                  \(asked.at), 'generic', 'Consumable', \(asked.at), 9990, 'EUR', 'DEU', 'PURCHASED', '{}'::bytea)
                on conflict do nothing
                """)
            try await tx.execute(
                """
                insert into refunds.commerce_requests (tenant_id, request_id, app_id, environment, kind, transaction_id,
                  original_transaction_id, product_id, request_reference_id, idempotency_key, asked_sha256, state, body,
                  refund_reason, refund_type, asked_at, submitted_at, listed_at, changed_at)
                values (\(tenant), \(id), \(app), \(asked.environment), \(asked.kind), \(asked.transaction),
                  \(asked.transaction), 'generic', gen_random_uuid(), \(asked.transaction),
                  sha256(\(Array(asked.transaction.utf8))), \(asked.state), '{}'::bytea,
                  \(asked.kind == "revoke" ? asked.reason : nil), \(asked.kind == "revoke" ? "FULL" : nil), \(asked.at),
                  \(asked.at), \(asked.at), \(asked.at))
                """)
            guard isRefund else { return }
            try await tx.execute(
                """
                insert into refunds.commerce_items (tenant_id, request_id, item_no, sku, refund_reason, refund_type,
                  revoke, price, refunded_amount, refunded_at)
                values (\(tenant), \(id), 1, \(asked.sku), \(asked.reason), 'FULL', true, 9990,
                  \(refundedAt == nil ? nil : 9990 as Int64?), \(refundedAt))
                """)
        }
    }

    private func sell(
        _ sku: String, _ count: Int, of app: App, in environment: String = "Production", to desk: SampleDesk,
        at: Moment = SampleDesk.signed
    ) async throws {
        try await desk.transaction(for: app) { tx in
            try await tx.execute(
                """
                insert into refunds.commerce_sales (tenant_id, app_id, environment, transaction_id, sku, sold_at, price,
                  currency)
                select \(app.tenant.rawValue), \(app.id.rawValue), \(environment), 's' || n, \(sku), \(at), 9990, 'EUR'
                from generate_series(1, \(count)) n
                """)
        }
    }

    private func sam(_ console: Console) async throws -> TestBrowser {
        let browser = TestBrowser(console)
        try await browser.signIn()
        return browser
    }

    private func query(_ change: (inout RegisterListQuery) -> Void) -> RegisterListQuery {
        var query = RegisterListQuery()
        change(&query)
        return query
    }

    private static let all = RegisterListQuery()

    private func filter(
        _ desk: SampleDesk, _ change: (inout RegisterListQuery) -> Void = { _ in }
    ) -> RegisterFilter {
        query(change).filter([desk.alphaApp, desk.alphaLite], at: desk.clock.now)
    }

    @Test func `refunds stand beside sales, by month, app, reason and SKU, with their rate`() async throws {
        try await withConsole { desk, console, _ in
            try await sell("addon.a", 8, of: desk.alphaApp, to: desk)
            try await sell("base", 30, of: desk.alphaApp, to: desk, at: SampleDesk.signed - .days(30))
            try await sell("base", 2, of: desk.alphaLite, to: desk)
            for n in 1...2 { try await add(Asked(n: n, app: desk.alphaApp), to: desk) }
            try await add(Asked(n: 3, app: desk.alphaApp, reason: "LEGAL", state: "declined"), to: desk)
            try await add(Asked(n: 4, app: desk.alphaLite, sku: "base", state: "failed"), to: desk)
            // Neither gives money back nor is asked for.
            try await add(Asked(n: 5, app: desk.alphaApp, state: "cancelled"), to: desk)
            try await add(Asked(n: 6, app: desk.alphaApp, state: "accepted", kind: "cancel"), to: desk)
            let summary = try await console.records.registerSummary(of: desk.alpha.id, filter(desk))
            #expect(summary.total == RegisterTally(asked: 4, refunded: 2, declined: 1, failed: 1, sold: 40))
            #expect(summary.total.rate == 5000 && summary.refundedAmounts == ["EUR": 19_980])
            #expect(summary.months.map(\.month) == ["2026-06", "2026-05"])
            #expect(summary.months.map(\.tally.sold) == [10, 30] && summary.months.map(\.tally.refunded) == [2, 0])
            #expect(summary.apps.map(\.app) == [desk.alphaApp.id, desk.alphaLite.id])
            #expect(summary.apps.map(\.tally.sold) == [38, 2])
            #expect(summary.reasons.map(\.reason) == [.unsatisfiedWithPurchase, .legal])
            #expect(summary.reasons.map(\.tally.sold) == [40, 40])
            let lines = try await console.records.registerLines(of: desk.alpha.id, filter(desk))
            #expect(lines.all == 3)
            let first = try #require(lines.lines.first)
            #expect(first.sku == "addon.a" && first.reason == .unsatisfiedWithPurchase && first.month == "2026-06")
            #expect(first.tally == RegisterTally(asked: 2, refunded: 2, sold: 8) && first.tally.rate == 25_000)
            #expect(first.refundedAmounts == ["EUR": 19_980])
            let page = try await sam(console).get(.register("alpha", Self.all)).text
            #expect(page.contains("Apple watches how much of what you sell is refunded"))
            #expect(page.contains("25 %") && page.contains("1 to 3 of 3") && page.contains("Germany (DEU)"))
            #expect(page.contains("href=\"/t/alpha/register?month=2026-06\"") && Markup(page).troubles == [])
        }
    }

    @Test func `a revocation counts for every item of its purchase, a refund that was taken back for none`()
        async throws
    {
        try await withConsole { desk, console, _ in
            try await add(Asked(n: 1, app: desk.alphaApp, kind: "revoke"), to: desk)
            try await add(Asked(n: 2, app: desk.alphaApp, sku: "base"), to: desk)
            try await desk.transaction(for: desk.alphaApp) { tx in
                for sku in ["addon.a", "addon.b"] {
                    try await tx.execute(
                        """
                        insert into refunds.commerce_sales (tenant_id, app_id, environment, transaction_id, sku, sold_at)
                        values (\(desk.alpha.id.rawValue), \(desk.alphaApp.id.rawValue), 'Production', 't1', \(sku),
                          \(SampleDesk.signed))
                        """)
                }
                try await tx.execute(
                    """
                    update refunds.commerce_requests set state_reason = 'reversed'
                    where tenant_id = \(desk.alpha.id.rawValue) and transaction_id = 't2'
                    """)
            }
            let lines = try await console.records.registerLines(of: desk.alpha.id, filter(desk)).lines
            #expect(lines.map(\.sku) == ["addon.a", "addon.b", "base"])
            #expect(lines.map(\.tally.refunded) == [1, 1, 0])
        }
    }

    @Test func `Sandbox and rehearsals are apart from every total`() async throws {
        try await withConsole { desk, console, _ in
            let rehearsal = try await desk.addRehearsal()
            try await sell("addon.a", 5, of: desk.alphaApp, in: "Sandbox", to: desk)
            try await add(Asked(n: 1, app: desk.alphaApp, environment: "Sandbox"), to: desk)
            try await add(Asked(n: 2, app: rehearsal, sku: "rehearsed"), to: desk)
            let sam = try await sam(console)
            let production = try await sam.get(.register("alpha", Self.all)).text
            #expect(production.contains("Nothing was sold or asked for yet"))
            let sandbox = try await sam.get(.register("alpha", query { $0.environment = "Sandbox" })).text
            #expect(sandbox.contains("Sandbox counts in no total of Production.") && sandbox.contains("20 %"))
            #expect(!sandbox.contains("rehearsed"))
            let tried = try await sam.get(.register("alpha", query { $0.environment = "Rehearsal" })).text
            #expect(tried.contains("rehearsed") && !tried.contains("addon.a"))
        }
    }

    @Test func `months and apps narrow it, and each month begins at midnight in UTC`() async throws {
        try await withConsole { desk, console, _ in
            let june = try #require(Moment(date: "2026-06-01"))
            for (n, at) in [june - .milliseconds(1), june, june + .days(30) - .milliseconds(1)].enumerated() {
                try await add(Asked(n: n, app: desk.alphaApp, sku: "sku.\(n)", at: at), to: desk)
            }
            try await add(Asked(n: 9, app: desk.alphaLite, sku: "sku.lite"), to: desk)
            func skus(_ change: (inout RegisterListQuery) -> Void) async throws -> Set<String> {
                Set(try await console.records.registerLines(of: desk.alpha.id, filter(desk, change)).lines.map(\.sku))
            }
            #expect(try await skus { $0.month = "2026-05" } == ["sku.0"])
            #expect(try await skus { $0.month = "2026-06" } == ["sku.1", "sku.2", "sku.lite"])
            #expect(try await skus { $0.app = "com.example.alpha.lite" } == ["sku.lite"])
            #expect(try await skus { $0.month = "2024-01" } == [])
            let page = try await sam(console).get("/t/alpha/register?month=2026-13&environment=Mars").text
            #expect(page.contains("A part of the address was not understood: month=2026-13, environment=Mars"))
        }
    }

    @Test func `lines and requests are read page by page, and the page says what it shows`() async throws {
        try await withConsole { desk, console, _ in
            for n in 1...53 {
                try await add(
                    Asked(
                        n: n, app: desk.alphaApp, sku: "sku.\(n < 10 ? "0" : "")\(n)",
                        at: SampleDesk.signed + .seconds(Int64(n))), to: desk)
            }
            let sam = try await sam(console)
            let first = try await sam.get(.register("alpha", Self.all)).text
            #expect(first.contains("1 to 50 of 53") && first.contains("?page=1\""))
            let second = try await sam.get(.register("alpha", query { $0.page = 1 })).text
            #expect(second.contains("51 to 53 of 53"))
            let entries = try await console.records.registerEntries(of: desk.alpha.id, filter(desk))
            #expect(entries.entries.count == 50 && entries.entries.first?.sku == "sku.53")
            let rest = try await console.records.registerEntries(of: desk.alpha.id, filter(desk), after: entries.next)
            #expect(rest.entries.map(\.sku) == ["sku.03", "sku.02", "sku.01"] && rest.next == nil)
        }
    }

    @Test func `the files have every request and every SKU, one line each, and nothing is calculated`() async throws {
        try await withConsole { desk, console, _ in
            try await sell("=1+1", 4, of: desk.alphaApp, to: desk)
            try await sell("quiet", 1, of: desk.alphaApp, to: desk)
            try await add(Asked(n: 1, app: desk.alphaApp, sku: "=1+1"), to: desk)
            try await add(Asked(n: 2, app: desk.betaApp, sku: "theirs"), to: desk)
            let sam = try await sam(console)
            let requests = try await sam.get(.registerExport("alpha", Self.all, .requests, .plain))
            #expect(requests.headers["Content-Type"] == "text/csv; charset=utf-8")
            #expect(
                requests.headers["Content-Disposition"]
                    == "attachment; filename=\"alpha-register-requests-2026-06-15.csv\"")
            let rows = requests.text.split(separator: "\r\n")
            #expect(rows.count == 2 && rows[0].hasPrefix("id,bundleId,environment,kind,state"))
            #expect(
                rows[1].contains(
                    ",t1,generic,'=1+1,UNSATISFIED_WITH_PURCHASE,FULL,,9.99,EUR,DEU,yes,9.99,2026-06-15T13:00:00.123Z"))
            let rates = try await sam.get(.registerExport("alpha", Self.all, .rates, .plain)).text
            #expect(
                rates.split(separator: "\r\n").dropFirst() == [
                    "2026-06,com.example.alpha,Production,'=1+1,UNSATISFIED_WITH_PURCHASE,1,1,0,0,4,25.00,9.99 EUR",
                    "2026-06,com.example.alpha,Production,quiet,,0,0,0,0,1,0.00,",
                ])
            let sheet = try await sam.get(.registerExport("alpha", Self.all, .requests, .spreadsheet)).text
            #expect(sheet.unicodeScalars.first == "\u{FEFF}" && sheet.contains(",'t1,"))
        }
    }

    @Test func `the file of rates goes on where a part of it ended, without a gap or a second time`() async throws {
        try await withConsole { desk, console, _ in
            for (n, reason) in ["LEGAL", "OTHER", "LEGAL"].enumerated() {
                try await add(Asked(n: n, app: desk.alphaApp, sku: "b", reason: reason), to: desk)
            }
            try await add(
                Asked(n: 8, app: desk.alphaApp, sku: "z", at: SampleDesk.signed - .days(40)), to: desk)
            try await add(Asked(n: 9, app: desk.alphaLite, sku: "a"), to: desk)
            try await sell("c", 1, of: desk.alphaApp, to: desk)
            var seen: [String] = []
            var cursor: RegisterCursor?
            repeat {
                let part = try await console.records.registerFile(
                    of: desk.alpha.id, filter(desk), after: cursor, limit: 1)
                seen += part.lines.map { "\($0.month) \($0.sku) \($0.reason?.rawValue ?? "-")" }
                cursor = part.next
            } while cursor != nil && seen.count < 20
            #expect(
                seen == [
                    "2026-06 b LEGAL", "2026-06 b OTHER", "2026-06 c -", "2026-06 a UNSATISFIED_WITH_PURCHASE",
                    "2026-05 z UNSATISFIED_WITH_PURCHASE",
                ])
        }
    }

    @Test func `BL-062, BL-072: it holds nothing of another tenant's, and text of strangers is text`() async throws {
        try await withConsole { desk, console, _ in
            try await add(Asked(n: 1, app: desk.betaApp, sku: "theirs"), to: desk)
            try await add(Asked(n: 2, app: desk.alphaApp, sku: "<img src=x>"), to: desk)
            let sam = try await sam(console)
            let nothing = try await sam.get("/no/such/page")
            for site in [Site.register("beta", Self.all), .registerExport("beta", Self.all, .rates, .plain)] {
                let answer = try await sam.get(site)
                #expect(answer.status == 404 && answer.text == nothing.text, "\(site.url)")
            }
            for app in [nil, "com.example.beta"] {
                let page = try await sam.get(.register("alpha", query { $0.app = app })).text
                #expect(!page.contains("theirs") && !page.contains("<img"), "\(app ?? "all")")
            }
            let page = try await sam.get(.register("alpha", Self.all)).text
            #expect(page.contains("&lt;img src=x&gt;") && Markup(page).troubles == [])
        }
    }

    @Test(
        arguments: [
            ("2026-03", 1, "2026-04"), ("2026-12", 1, "2027-01"), ("2026-01", -1, "2025-12"),
            ("2026-06", -11, "2025-07"),
        ])
    func `months are counted over the turn of the year`(month: String, by: Int, result: String) {
        #expect(CalendarMonth(text: month)?.advanced(by: by).text == result)
    }

    @Test(arguments: ["2026-00", "2026-13", "1999-01", "9999-01", "2026-1", "2026-001", "٢٠٢٦-01", "", "2026-01-01"])
    func `what is no month is none`(text: String) { #expect(CalendarMonth(text: text) == nil) }
}
