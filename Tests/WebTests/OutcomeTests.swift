import FoundationEssentials
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import Web

@Suite struct `The page of outcomes` {
    /// Cases of alpha's app, each with a transaction of its own.
    private func add(_ count: Int, to desk: SampleDesk, app: App? = nil, _ change: (inout SampleCase) -> Void)
        async throws
    {
        for _ in 0..<count {
            var sample = SampleCase()
            sample.transactionID = "3\(Int.random(in: 100_000_000_000...999_999_999_999))"
            change(&sample)
            try await desk.add(sample, to: app ?? desk.alphaApp)
        }
    }

    private func outcomes(_ desk: SampleDesk, sandbox: Bool = false) async throws -> Outcomes {
        try await Records(database: desk.database).outcomes(
            of: desk.alpha.id,
            OutcomeFilter(
                apps: [desk.alphaApp.id], environment: sandbox ? .sandbox : .production,
                from: SampleDesk.signed - .days(100), to: SampleDesk.signed + .days(1)))
    }

    @Test
    func `BL-021, BL-027: counts by preference, outcome and reason, given or not, and each number opens its cases`()
        async throws
    {
        try await withConsole { desk, console, _ in
            try await add(2, to: desk) { ($0.told, $0.outcome, $0.reason) = ("DECLINE", "declined", "OTHER") }
            try await add(1, to: desk) { ($0.told, $0.outcome, $0.reason) = ("DECLINE", "refunded", nil) }
            try await add(1, to: desk) {
                ($0.state, $0.stateReason, $0.outcome) = ("withheld", "no-consent", "refunded")
            }
            try await add(1, to: desk) { ($0.told, $0.outcome) = ("GRANT_FULL", "reversed") }
            try await add(3, to: desk) { $0.isSandbox = true }
            let found = try await outcomes(desk)
            #expect(found.cases == 5 && found.count { $0.told == .decline } == 3)
            #expect(found.agreement == .init(hits: 2, of: 3) && found.answered == .init(hits: 4, of: 4))
            #expect(found.withoutConsent.hits == 1 && found.moneyWithoutConsent == ["USD": 9990])
            #expect(found.medianToAnswer == .milliseconds(180))
            #expect(try await outcomes(desk, sandbox: true).cases == 3)

            let sam = TestBrowser(console)
            try await sam.signIn()
            let page = try await sam.get(.outcomes("alpha", OutcomeListQuery())).text
            #expect(page.contains("not enough cases yet: 2 of 3"))
            #expect(page.contains("state=withheld&amp;environment=Production&amp;why=no-consent"))
            for (why, count) in [("no-consent", 1), ("policy", 0)] {
                let list = try await sam.get("/t/alpha/cases?state=withheld&why=\(why)").text
                #expect(list.matches(of: /class="row-link"/).count == count, "\(why)")
            }
            var query = CaseListQuery()
            (query.state, query.preference, query.outcome, query.reason) = (.answered, .decline, .declined, "OTHER")
            (query.environment, query.from, query.to) = ("Production", "2025-07", "2026-06")
            let link = Site.cases("alpha", query).url
            #expect(page.contains(link.replacing("&", with: "&amp;") + "\">2</a>"))
            let cases = try await sam.get(link).text
            #expect(cases.matches(of: /class="row-link"/).count == 2)
            let reversed = "/t/alpha/cases?preference=GRANT_FULL&outcome=reversed"
            #expect(try await sam.get(reversed).text.matches(of: /class="row-link"/).count == 1)
            query.reason = "none"
            query.outcome = .refunded
            #expect(try await sam.get(.cases("alpha", query)).text.matches(of: /class="row-link"/).count == 1)
            query.to = "2026-05"
            #expect(try await sam.get(.cases("alpha", query)).text.contains("No case fits these filters"))
        }
    }

    @Test func `BL-077: the rate of a month counts what was bought in it, without what was free or a family's`()
        async throws
    {
        try await withConsole { desk, _, test in
            try await add(24, to: desk) { _ in }
            try await add(5, to: desk) { $0.purchasedAt = SampleDesk.signed - .days(40) }
            try await test.asSuperuser(
                "update refunds.transactions set revoked_at = now(), revocation_type = 'REFUND_PRORATED' where transaction_id in (select transaction_id from refunds.transactions where purchased_at > \(SampleDesk.signed - .days(1)) order by 1 limit 6)"
            )
            try await add(2, to: desk) { $0.price = 0 }
            try await add(1, to: desk) { $0.productID = "family" }
            try await test.asSuperuser(
                "update refunds.transactions set ownership = 'FAMILY_SHARED' where product_id = 'family'")
            let months = try await outcomes(desk).months
            #expect(months.map(\.month) == ["2026-06", "2026-05"])
            #expect(months.map(\.bought) == [24, 5] && months.map(\.refunded) == [6, 0])
            #expect(months.map(\.rate.share) == [25_000, nil])
        }
    }

    @Test func `a refund costs the sale and the part that was used, in the currencies of the costs`() async throws {
        try await withConsole { desk, console, _ in
            try await desk.makeSam(.admin)
            try await add(2, to: desk) { ($0.outcome, $0.share) = ("refunded", 25_000) }
            try await add(1, to: desk) { $0.outcome = "refunded" }
            try await add(1, to: desk) { ($0.outcome, $0.productID, $0.currency) = ("refunded", "<pro>", "EUR") }
            let sam = TestBrowser(console)
            try await sam.signIn()
            let place = Site.productCosts("alpha", bundleID: "com.example.alpha")
            for (kind, basis, amount, currency) in [
                ("payout", "sale", "2.00", "USD"), ("compute", "use", "1.00", "USD"), ("royalty", "sale", "100", "JPY"),
            ] {
                let answer = try await sam.post(
                    place,
                    [
                        ("sku", "coins.100"), ("kind", kind), ("basis", basis), ("amount", amount),
                        ("currency", currency),
                        ("do", "set"),
                    ])
                #expect(answer.status == 303, "\(answer.text)")
            }
            let sound = [
                ("sku", "coins.100"), ("kind", "payout"), ("basis", "sale"), ("amount", "2.00"), ("currency", "USD"),
                ("note", ""), ("do", "set"),
            ]
            for (field, words) in [
                (("amount", "1000000000"), "lies below 1,000,000,000"),
                (("note", String(repeating: "é", count: 251)), "has at most 500 bytes"),
            ] {
                let wrong = try await sam.post(place, sound.filter { $0.0 != field.0 } + [field])
                #expect(wrong.status == 422 && wrong.text.contains(words))
            }
            let products = try await outcomes(desk).products
            #expect(products.map(\.product) == ["coins.100", "<pro>"])
            // Three sales; half of one use, of the two whose use is known.
            #expect(products[0].costs == ["USD": 6000 + 500, "JPY": 300_000] && products[0].usesKnown == 2)
            #expect(products[0].prices == ["USD": 29_970] && products[1].costs == nil)
            let page = try await sam.get(.outcomes("alpha", OutcomeListQuery())).text
            #expect(page.contains("use known of 2") && page.contains("&lt;pro&gt;") && page.contains(">fill in</a>"))
            let file = try await sam.get(.outcomesExport("alpha", OutcomeListQuery(), .products, .plain)).text
            #expect(file.contains("Production,com.example.alpha,coins.100,3,USD,29.97,6.50,2"))
            for table in OutcomeTable.allCases {
                let lines = try await sam.get(.outcomesExport("alpha", OutcomeListQuery(), table, .plain)).text
                #expect(lines.split(separator: "\r\n").count >= 2, "\(table)")
            }
            let removed = try await sam.post(place, [("sku", "coins.100"), ("kind", "payout"), ("do", "remove")])
            #expect(removed.status == 303)
            let wrong = try await sam.post(
                place, [("sku", "x"), ("kind", "payout"), ("basis", "sale"), ("amount", "many"), ("currency", "USD")])
            #expect(wrong.status == 422 && wrong.text.contains("digits only"))
        }
    }

    @Test func `where nothing lies it says what will fill it, and another tenant's apps are none`() async throws {
        try await withConsole { desk, console, _ in
            try await add(1, to: desk, app: desk.betaApp) { _ in }
            let sam = TestBrowser(console)
            try await sam.signIn()
            let page = try await sam.get(.outcomes("alpha", OutcomeListQuery())).text
            #expect(page.contains("No case yet"))
            var query = OutcomeListQuery()
            query.app = "com.example.beta"
            #expect(try await sam.get(.outcomes("alpha", query)).text.contains("not understood"))
            #expect(try await sam.get("/t/alpha/outcomes.csv?table=lost").status == 400)
        }
    }
}

@Suite struct `Policies tried on their page` {
    private static let place = Site.policy("alpha", bundleID: "com.example.alpha", .now)

    private func withSam(
        _ role: Tenants.Role, _ body: (TestBrowser, SampleDesk, TestDatabase) async throws -> Void
    ) async throws {
        try await withConsole { desk, console, test in
            try await desk.makeSam(role)
            let sam = TestBrowser(console)
            try await sam.signIn()
            try await body(sam, desk, test)
        }
    }

    @Test func `a replay shows how far it is, what came of it, and stands with its rules`() async throws {
        try await withSam(.admin) { sam, desk, test in
            let sample = SampleCase()
            try await desk.add(sample, to: desk.alphaApp)
            let begun = try await sam.post(Self.place, [("rules", "otherwise prefer DECLINE"), ("do", "replay")])
            let address = try #require(begun.location)
            let page = try await sam.get(String(address.prefix { $0 != "#" })).text
            #expect(
                page.contains("otherwise prefer DECLINE") && page.contains("Waits for its turn")
                    && page.contains("Stop it"))
            let id = try #require(UUID(uuidString: String(address.firstMatch(of: /replay=([0-9a-f-]{36})/)?.1 ?? "")))
            var trial = #"{"looked":1,"fits":{"1":1},"asks":0,"changed":1,"warnings":["Look."],"changes":[],"moves":"#
            trial +=
                #"[{"was":"GRANT_FULL","now":"DECLINE","cases":1,"money":{"USD":9990},"outcomes":{"refunded":1}}]}"#
            try await test.asSuperuser(
                "update refunds.replays set state = 'done', total = 1, looked = 1, ended_at = begun_at, result = \(trial)"
            )
            let state = Site.policyState("alpha", bundleID: "com.example.alpha", id)
            for text in [try await sam.get(state).text, try await sam.get(String(address.prefix { $0 != "#" })).text] {
                #expect(text.contains("1 of 1 cases would be answered otherwise") && text.contains("1 refunded"))
                #expect(!text.contains("data-awaits") && text.contains("Look."))
            }
            #expect(try await sam.get(.policyState("alpha", bundleID: "com.example.alpha.lite", id)).status == 404)
            // The rules that decide were not laid over the past.
            #expect(try await sam.get(Self.place).text.contains("were not laid over the past yet"))
        }
    }

    @Test func `a draft is started from the editor, and becomes the policy`() async throws {
        try await withSam(.admin) { sam, _, _ in
            let started = try await sam.post(Self.place, [("rules", "otherwise send nothing"), ("do", "shadow-start")])
            #expect(started.status == 303)
            let page = try await sam.get(Self.place).text
            #expect(
                page.contains("Draft 1 runs") && page.contains("nothing to compare yet")
                    && page.contains("Let it decide"))
            let wrong = try await sam.post(Self.place, [("rules", "otherwise"), ("do", "shadow-start")])
            #expect(wrong.status == 422)
            let late = try await sam.post(Self.place, [("basedOn", "7"), ("do", "shadow-promote")])
            #expect(late.status == 409)
            let promoted = try await sam.post(Self.place, [("basedOn", "0"), ("do", "shadow-promote")])
            #expect(promoted.location?.contains("saved=1") == true)
            #expect(try await sam.get(Self.place).text.contains("became version 1"))
        }
    }

    @Test func `the share without a preference tells what it shows, or that there is not enough yet`() async throws {
        try await withSam(.admin) { sam, desk, _ in
            #expect(try await sam.get(Self.place).text.contains("It is off."))
            for (typed, words) in [("51", "From 0 to 50"), ("many", "whole number")] {
                let wrong = try await sam.post(Self.place, [("share", typed), ("do", "hold-out")])
                #expect(wrong.status == 422 && wrong.text.contains(words) && wrong.text.contains("value=\"\(typed)\""))
            }
            #expect(try await sam.post(Self.place, [("share", "20"), ("do", "hold-out")]).status == 303)
            for number in 0..<60 {
                var sample = SampleCase()
                sample.transactionID = "40000000\(100 + number)"
                sample.heldOut = number < 30
                (sample.answer, sample.told) = ("DECLINE", number < 30 ? "facts-only" : "DECLINE")
                sample.outcome = number < 24 || number > 53 ? "refunded" : "declined"
                try await desk.add(sample, to: desk.alphaApp)
                if number == 58 {
                    #expect(try await sam.get(Self.place).text.contains("not enough cases yet"))
                }
            }
            let page = try await sam.get(Self.place).text
            #expect(page.contains("20 in 100 cases") && page.contains("20.0 %") && page.contains("80.0 %"))
            #expect(page.contains("−60.0 points (−74.8 to −35.5)") && page.contains("fewer are refunded"))
        }
    }

    @Test func `a customer's own answer is fixed from the case, and shown on it`() async throws {
        try await withSam(.support) { sam, desk, _ in
            let sample = SampleCase()
            try await desk.add(sample, to: desk.alphaApp)
            let token = try #require(sample.customer)
            let place = Site.customers("alpha", bundleID: "com.example.alpha", customer: token)
            let story = try await sam.get(.refundCase("alpha", sample.id)).text
            #expect(story.contains(place.url.replacing("&", with: "&amp;")) && story.contains("the rules decide"))
            #expect(try await sam.get(place).text.contains("value=\"\(token)\""))
            let fields = [("customer", token.uppercased()), ("action", "DECLINE"), ("reason", "Why <i>")]
            for (field, words) in [
                (("until", "tomorrow"), "2027-03-31"), (("until", "2020-01-01"), "That day is over"),
                (("action", "MAYBE"), "Choose what Apple is told"), (("until", "2101-01-01"), "2100-12-31"),
                (("customer", "nobody"), "is a UUID"),
            ] {
                let wrong = try await sam.post(place, fields.filter { $0.0 != field.0 } + [field])
                #expect(wrong.status == 422 && wrong.text.contains(words))
            }
            #expect(try await sam.post(place, fields + [("until", "2027-03-31")]).status == 303)
            let late = try await sam.post(place, fields)
            #expect(late.status == 409 && late.text.contains("was changed meanwhile"))
            #expect(late.text.contains("2027-03-31 included"))
            let gone = try await sam.post(place, [("override", UUID().uuidString), ("do", "remove")])
            #expect(gone.status == 409 && gone.text.contains("Nothing was removed"))
            let shown = try await sam.get(.refundCase("alpha", sample.id)).text
            #expect(shown.contains("Ask to decline (DECLINE)") && shown.contains("Why &lt;i&gt;"))
            #expect(shown.contains("Change or remove it"))
        }
    }

    @Test func `who may only look sees it all, and can begin nothing`() async throws {
        try await withSam(.viewer) { sam, _, _ in
            let page = try await sam.get(Self.place).text
            for act in ["replay", "shadow-start", "hold-out"] {
                #expect(!page.contains("value=\"\(act)\""))
                #expect(
                    try await sam.post(Self.place, [("rules", "otherwise send nothing"), ("do", act)]).status == 403)
            }
            let customers = Site.customers("alpha", bundleID: "com.example.alpha", customer: nil)
            #expect(try await sam.get(customers).text.contains("Nothing is fixed for any customer"))
            #expect(try await sam.post(customers, [("do", "set")]).status == 403)
        }
    }
}
