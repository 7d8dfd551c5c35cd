import FoundationEssentials
import HTTP
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import Web

@Suite struct `The page of an app's consent` {
    private static let place = Site.consent("alpha", bundleID: "com.example.alpha", .now)
    private static let customer = "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c111"

    private func withSam(_ role: Tenants.Role, _ body: (TestBrowser, SampleDesk, TestDatabase) async throws -> Void)
        async throws
    {
        try await withConsole { desk, console, test in
            try await desk.makeSam(role)
            let sam = TestBrowser(console)
            try await sam.signIn()
            try await body(sam, desk, test)
        }
    }

    private func rescind(_ desk: SampleDesk, _ test: TestDatabase) async throws -> UUID {
        let id = UUID()
        try await test.asSuperuser(
            """
            insert into refunds.rescissions
              (tenant_id, app_id, notification_uuid, environment, app_transaction_id, signed_at, learned_at)
            values (\(desk.alpha.id.rawValue), \(desk.alphaApp.id.rawValue), \(id), 'Production', '7045',
              \(SampleDesk.signed), \(SampleDesk.signed))
            """)
        return id
    }

    @Test func `shows what lack of it costs, and leads to these cases`() async throws {
        try await withSam(.viewer) { sam, desk, test in
            #expect(try await sam.get(Self.place).text.contains("Apple asked about no purchase"))
            var lacking = SampleCase()
            (lacking.state, lacking.stateReason, lacking.outcome) = ("withheld", "no-consent", "refunded")
            try await desk.add(lacking, to: desk.alphaApp)
            try await test.asSuperuser("update refunds.cases set listed_at = \(desk.clock.now - .hours(1))")
            let page = try await sam.get(Self.place).text
            #expect(page.contains("Not answered") && page.contains("1 request of 1 in 90 days"))
            #expect(page.contains("state=withheld") && page.contains("Refunded by Apple"))
        }
    }

    @Test func `keeps a wording, once under a name, and says what is wrong at its field`() async throws {
        try await withSam(.admin) { sam, _, _ in
            let fields = [("version", "v1 <b>"), ("from", "2026-01-31"), ("text", "I agree. <i>"), ("do", "wording")]
            #expect(try await sam.post(Self.place, fields).location?.hasSuffix("done=wording") == true)
            let page = try await sam.get(Self.place).text
            #expect(page.contains("v1 &lt;b&gt;") && page.contains("I agree. &lt;i&gt;"))
            let again = try await sam.post(Self.place, fields)
            #expect(again.status == 422 && again.text.contains("is the name of another text"))
            let dayless = try await sam.post(Self.place, [("version", "v2"), ("from", "soon"), ("text", "x")])
            #expect(dayless.status == 422 && dayless.text.contains("is a day"))
            let early = try await sam.post(Self.place, [("version", "v2"), ("from", "0001-01-01"), ("text", "x")])
            #expect(early.status == 422 && early.text.contains("must not lie before 2008-07-10"))
        }
        try await withSam(.support) { sam, _, _ in
            let page = try await sam.get(Self.place).text
            #expect(!page.contains("Keep a wording"))
            #expect(
                try await sam.post(Self.place, [("version", "v1"), ("from", "2026-01-31"), ("text", "x")]).status
                    == 403)
        }
    }

    @Test func `shows one customer's state, wording, source and history`() async throws {
        try await withSam(.viewer) { sam, desk, _ in
            let (app, now) = (desk.alphaApp, desk.clock.now)
            for (consented, hours) in [(true, 5), (false, 3)] {
                try await desk.database.transaction(app.tenant.scope) { tx in
                    _ = try await ConsentLedger.record(
                        .init(
                            consented: consented, recordedAt: now - .hours(Int64(hours)), wordingVersion: "v<9>",
                            source: "sign-up"),
                        of: .customer(appAccountToken: Self.customer.uppercased()), tenant: app.tenant, app: app.id,
                        at: now, in: tx)
                }
            }
            let page = try await sam.get(
                .consent("alpha", bundleID: "com.example.alpha", .customer(Self.customer))
            ).text
            #expect(page.contains("Withdrawn") && page.contains("Agreed") && page.contains("v&lt;9&gt;"))
            #expect(page.contains("sign-up") && page.contains("its text is not kept"))
            let nobody = ConsentShown.customer(UUID().uuidString)
            let none = try await sam.get(.consent("alpha", bundleID: "com.example.alpha", nobody)).text
            #expect(none.contains("Nothing was ever reported"))
            let pasted = try await sam.get("\(Self.place.url)?customer=%20\(Self.customer)%20").text
            #expect(pasted.contains("sign-up"))
            for (shown, words) in [
                (ConsentShown.customer("nobody"), "is a UUID"), (.purchase("GPA.1"), "1 to 20 digits"),
                (.purchase("123456789012345678901"), "1 to 20 digits"),
            ] {
                let page = try await sam.get(.consent("alpha", bundleID: "com.example.alpha", shown)).text
                #expect(page.contains(words) && !page.contains("Nothing was ever reported"))
            }
        }
    }

    @Test func `a parent's withdrawal is told on the apps, and decided here by support`() async throws {
        try await withSam(.support) { sam, desk, test in
            let id = try await rescind(desk, test)
            let apps = try await sam.get(.apps("alpha")).text
            #expect(apps.contains("A parent withdrew consent for a customer of"))
            let page = try await sam.get(Self.place).text
            #expect(page.contains("Stopped, nobody looked yet") && page.contains("Answer again"))
            let said = try await sam.post(Self.place, [("do", "answer-again"), ("rescission", id.uuidString)])
            #expect(said.location?.hasSuffix("done=answer-again") == true)
            #expect(try await sam.get(Self.place).text.contains("Answered again"))
            #expect(try await sam.get(.apps("alpha")).text.contains("A parent withdrew") == false)
            for other in [UUID().uuidString, "x"] {
                #expect(
                    try await sam.post(Self.place, [("do", "answer-again"), ("rescission", other)]).status == 404)
            }
        }
        try await withSam(.viewer) { sam, desk, test in
            let id = try await rescind(desk, test)
            #expect(try await sam.get(Self.place).text.contains("Answer again") == false)
            #expect(
                try await sam.post(Self.place, [("do", "answer-again"), ("rescission", id.uuidString)]).status == 403)
        }
    }

    @Test func `a case says in words which entry allowed its reply`() async throws {
        try await withSam(.viewer) { sam, desk, test in
            let id = try await desk.add(SampleCase(), to: desk.alphaApp)
            let page = try await sam.get(.refundCase("alpha", id)).text
            #expect(page.contains("<h2 id=\"consent-title\">Consent</h2>"))
            let replies: Int64 = try await test.asSuperuser("select count(*) as n from refunds.replies")[0]("n")
            if replies > 0 { #expect(page.contains("was answered, allowed by")) }
        }
    }

    @Test func `everything that was reported is a file, harmless in spreadsheets, that can be sent back`() async throws
    {
        try await withSam(.admin) { sam, desk, test in
            let file =
                "appAccountToken,transactionId,consented,recordedAt,wordingVersion,source\n"
                + "\(Self.customer),,true,2026-02-01T12:00:00Z,=HYPERLINK(1),\"a, b\"\n"
                + ",2000000900000001,false,1769947200000,,\n,x,true,1769947200000,,\n"
            let parts = [("do", nil, "upload"), ("file", "consent.csv", file)] as [(String, String?, String)]
            let sent = try await sam.upload(Self.place, parts)
            #expect(sent.status == 200 && sent.text.contains("2 of 3 rows were stored."))
            #expect(sent.text.contains("ransactionId has 1 to 20 decimal digits"))
            #expect(Markup(sent.text).troubles == [])
            let got = try await sam.get(.consentExport("alpha", bundleID: "com.example.alpha", .spreadsheet))
            #expect(
                got.headers["Content-Disposition"] == "attachment; filename=\"alpha-consent-2026-06-15.csv\"")
            let lines = got.text.split(separator: "\r\n").map(String.init)
            #expect(lines.count == 3)
            #expect(
                lines[1].hasPrefix(
                    "\(Self.customer),,true,2026-02-01T12:00:00.000Z,'=HYPERLINK(1),\"a, b\",2026-06-15T"))
            #expect(lines[2].hasPrefix(",'2000000900000001,false,2026-02-01T12:00:00.000Z,,csv,"))

            // Sent back, nothing changes.
            let back = try await sam.upload(Self.place, [("do", nil, "upload"), ("file", "c.csv", got.text)])
            #expect(back.text.contains("All 2 rows were stored."))
            let kept: Int64? = try await test.asSuperuser("select count(*) as n from refunds.consent_changes").first?(
                "n")
            #expect(kept == 2)
            #expect(
                try await sam.get("/t/alpha/apps/com.example.alpha/consent.csv?form=odd").status == 400)
            let none = try await sam.upload(Self.place, [("do", nil, "upload")])
            #expect(none.status == 422)
        }
        try await withSam(.support) { sam, _, _ in
            let parts = [("do", nil, "upload"), ("file", "c.csv", "x")] as [(String, String?, String)]
            #expect(try await sam.upload(Self.place, parts).status == 403)
            let page = try await sam.get(Self.place).text
            #expect(!page.contains("Send a file"))
        }
    }
}
