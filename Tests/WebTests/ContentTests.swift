import FoundationEssentials
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import Web

/// Pages over a real database.
@Suite struct `Content` {
    @Test func `BL-072: text of strangers is shown as text on every page`() async throws {
        try await withConsole { desk, console, _ in
            let attack = "<img src=x onerror=alert(1)>"
            var sample = SampleCase()
            sample.productID = attack
            sample.state = "refused"
            sample.reason = attack
            sample.errorMessage = attack
            try await desk.add(sample, to: desk.alphaApp)
            try await desk.addRefusal(
                1, to: desk.alphaApp, reason: "malformed", detail: attack, userAgent: attack, forwardedFor: attack)
            let sam = TestBrowser(console)
            try await sam.signIn()
            var query = CaseListQuery()
            query.lookUp = attack
            for place: Site in [
                .overview("alpha"), .cases("alpha", CaseListQuery()), .cases("alpha", query),
                .refundCase("alpha", sample.id), .notification("alpha", sample.notification),
                .quarantine("alpha", RefusalListQuery()),
            ] {
                let page = try await sam.get(place)
                #expect(!page.text.contains("<img"), "\(place.url)")
                #expect(Markup(page.text).troubles == [], "\(place.url)")
            }
            let page = try await sam.get(.refundCase("alpha", sample.id)).text
            #expect(page.contains("<h1>&lt;img src=x onerror=alert(1)&gt;</h1>"))
            let quarantine = try await sam.get(.quarantine("alpha", RefusalListQuery())).text
            #expect(quarantine.split(separator: "&lt;img src=x onerror=alert(1)&gt;").count == 4)
        }
    }

    @Test func `BL-019, BL-020, BL-048, BL-066: a case shows its time in UTC and its price in its currency`()
        async throws
    {
        try await withConsole { desk, console, test in
            try await TestServer.administer(test.url, "alter database \(test.name) set timezone = 'Asia/Kolkata'")
            // Connections made from now on have the other zone.
            let database = try test.anotherDatabase()
            let console = Console(
                records: Records(database: database), signIn: desk.signIn, administration: desk.administration,
                checks: console.checks, publicAddress: console.own, assets: console.assets, setup: console.setup,
                commerce: console.commerce, alerts: console.alerts,
                deciding: console.deciding, evidence: console.evidence, post: console.post, clock: desk.clock.clock)
            var sample = SampleCase()
            sample.price = 4_999_000_000
            sample.currency = "VND"
            sample.transactionID = "2000000900000002"
            try await desk.add(SampleCase(), to: desk.alphaApp)
            try await desk.add(sample, to: desk.alphaApp)
            let sam = TestBrowser(console)
            try await sam.signIn()
            let list = try await sam.get(.cases("alpha", CaseListQuery())).text
            #expect(list.contains(">9.99 USD<") && list.contains(">4 999 000 VND<"))
            let page = try await sam.get(.refundCase("alpha", sample.id)).text
            #expect(page.contains("2026-06-15 12:00:00.123 UTC"))
            #expect(page.contains("<dt>Deadline</dt><dd><time datetime=\"2026-06-16T00:00:00.123Z\">"))
            await database.close()
        }
    }

    @Test func `one look-up field finds a case by any of its names`() async throws {
        try await withConsole { desk, console, _ in
            var sample = SampleCase()
            sample.originalTransactionID = "2000000900000077"
            try await desk.add(sample, to: desk.alphaLite)
            let sam = TestBrowser(console)
            try await sam.signIn()
            for text in [
                sample.transactionID, " 2000000900000077\n", "7E3FB204-2F6D-4A3C-9D5E-6A1C0F9B8E21",
                sample.notification.uuidString,
            ] {
                var query = CaseListQuery()
                query.lookUp = text
                #expect(try await sam.get(.cases("alpha", query)).location == Site.refundCase("alpha", sample.id).url)
            }
            for text in ["2000000900000078", "'; drop table refunds.cases; --", String(repeating: "9", count: 500)] {
                var query = CaseListQuery()
                query.lookUp = text
                #expect(try await sam.get(.cases("alpha", query)).text.contains("Nothing found"))
            }
        }
    }

    @Test func `filters narrow the list, and the address stays short`() async throws {
        try await withConsole { desk, console, _ in
            var sandbox = SampleCase()
            sandbox.isSandbox = true
            sandbox.productID = "insandbox"
            var withheld = SampleCase()
            withheld.state = "withheld"
            withheld.stateReason = "no-consent"
            withheld.productID = "withoutconsent"
            withheld.transactionID = "2000000900000003"
            try await desk.add(sandbox, to: desk.alphaApp)
            try await desk.add(withheld, to: desk.alphaLite)
            let sam = TestBrowser(console)
            try await sam.signIn()
            func products(_ query: String) async throws -> [Bool] {
                let page = try await sam.get("/t/alpha/cases?\(query)").text
                return ["insandbox", "withoutconsent"].map(page.contains)
            }
            #expect(try await products("state=withheld") == [false, true])
            #expect(try await products("environment=Sandbox") == [true, false])
            #expect(try await products("app=com.example.alpha") == [true, false])
            #expect(try await products("outcome=pending") == [true, true])
            #expect(try await products("outcome=declined") == [false, false])
            #expect(try await products("reason=UNINTENDED_PURCHASE") == [true, true])
            // Another tenant's app is no app: the page says so, and shows the list without it.
            #expect(try await products("app=com.example.beta") == [true, true])
            let tidy = try await sam.get("/t/alpha/cases?state=open&outcome=&app=&environment=")
            #expect(tidy.location == "/t/alpha/cases?state=open")
        }
    }

    @Test func `a rehearsal reads Rehearsal everywhere, and neither of Apple's environments lists it`() async throws {
        try await withConsole { desk, console, _ in
            let rehearsal = try await desk.addRehearsal()
            var sample = SampleCase()
            sample.isSandbox = true
            sample.state = "open"
            sample.productID = "inrehearsal"
            try await desk.add(sample, to: rehearsal)
            try await desk.addRefusal(1, to: rehearsal, reason: "malformed")
            let sam = TestBrowser(console)
            try await sam.signIn()
            for place: Site in [
                .overview("alpha"), .cases("alpha", CaseListQuery()), .refundCase("alpha", sample.id),
                .notifications("alpha", NotificationListQuery()), .notification("alpha", sample.notification),
                .quarantine("alpha", RefusalListQuery()),
            ] {
                let page = try await sam.get(place).text
                #expect(page.contains("Rehearsal<"), "\(place.url)")
                // Choices and links may name it; no line is called so.
                #expect(!page.contains(">Sandbox</span>") && !page.contains("<dd>Sandbox"), "\(place.url)")
            }
            for list in ["cases", "notifications"] {
                for (environment, isThere) in [("Production", false), ("Sandbox", false), ("Rehearsal", true)] {
                    let page = try await sam.get("/t/alpha/\(list)?environment=\(environment)").text
                    #expect(page.contains("Try-out") && page.contains("<tbody>") == isThere, "\(list) \(environment)")
                    #expect(!page.contains("not understood"))
                }
            }
            #expect(try await sam.get("/t/alpha").text.contains("environment=Rehearsal"))
        }
    }

    @Test func `a notification shows what it says, and what is signed inside`() async throws {
        try await withConsole { desk, console, _ in
            let sample = SampleCase()
            try await desk.add(sample, to: desk.alphaApp)
            let sam = TestBrowser(console)
            try await sam.signIn()
            let page = try await sam.get(.notification("alpha", sample.notification)).text
            #expect(page.contains("&quot;notificationType&quot;: &quot;CONSUMPTION_REQUEST&quot;"))
            #expect(page.contains("&quot;purchaseDate&quot;: 1781524800123"))
            #expect(page.contains(Site.refundCase("alpha", sample.id).url))
        }
    }

    @Test func `the quarantine says what to do about version 1 and about Xcode`() async throws {
        try await withConsole { desk, console, _ in
            try await desk.addRefusal(1, to: desk.alphaApp, reason: "version-1-notification")
            try await desk.addRefusal(2, to: desk.alphaApp, reason: "xcode-test-data")
            try await desk.addRefusal(3, to: desk.alphaApp, reason: "reason-of-2031")
            let sam = TestBrowser(console)
            try await sam.signIn()
            let page = try await sam.get(.quarantine("alpha", RefusalListQuery())).text
            #expect(page.contains("switch to version 2") && page.contains("Xcode") && page.contains("reason-of-2031"))
        }
    }

    @Test func `a part of an address that means nothing is said to be left out`() async throws {
        try await withConsole { desk, console, _ in
            try await desk.add(SampleCase(), to: desk.alphaApp)
            let sam = TestBrowser(console)
            try await sam.signIn()
            for path in [
                "cases?environment=Mars", "cases?state=lost", "cases?after=x", "notifications?environment=Mars",
                "quarantine?after=x",
            ] {
                let page = try await sam.get("/t/alpha/\(path)")
                #expect(page.status == 200)
                let field = String(path.split(separator: "?")[1])
                #expect(page.text.contains("was not understood: \(field)"), "\(path)")
            }
            #expect(!(try await sam.get("/t/alpha/cases?environment=Sandbox")).text.contains("not understood"))
        }
    }

    @Test func `the look-up says what ids look like to whoever types something else`() async throws {
        try await withConsole { _, console, _ in
            let sam = TestBrowser(console)
            try await sam.signIn()
            #expect(try await sam.get("/t/alpha/cases?q=coins.100").text.contains("That is no id of Apple"))
            #expect(!(try await sam.get("/t/alpha/cases?q=2000000900000078").text.contains("That is no id of Apple")))
        }
    }

    @Test func `the cases of an app that was removed stay readable`() async throws {
        try await withConsole { desk, console, _ in
            let sample = SampleCase()
            try await desk.add(sample, to: desk.alphaApp)
            let sam = TestBrowser(console)
            try await sam.signIn()
            try await desk.database.transaction(desk.alphaApp.tenant.scope) { tx in
                try await TenantStore.removeApp(desk.alphaApp, at: desk.clock.now, by: .commandLine, in: tx)
            }
            let list = try await sam.get(.cases("alpha", CaseListQuery())).text
            #expect(list.contains(sample.transactionID) && list.contains("(removed)"))
            #expect(try await sam.get(.refundCase("alpha", sample.id)).status == 200)
            var query = CaseListQuery()
            query.lookUp = sample.transactionID
            #expect(try await sam.get(.cases("alpha", query)).location == Site.refundCase("alpha", sample.id).url)
            #expect(try await sam.get(.notification("alpha", sample.notification)).status == 200)
        }
    }

    @Test func `an empty desk says what to do next on every page`() async throws {
        try await withConsole { _, console, _ in
            let sam = TestBrowser(console)
            try await sam.signIn()
            #expect(try await sam.get("/t/alpha/cases").text.contains("No refund request yet"))
            #expect(try await sam.get("/t/alpha/notifications").text.contains("Nothing has arrived yet"))
            #expect(try await sam.get("/t/alpha/quarantine").text.contains("Nothing is in quarantine"))
            #expect(try await sam.get("/t/alpha").text.contains("have no signing key"))
        }
    }
}
