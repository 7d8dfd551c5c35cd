import FoundationEssentials
import HTTP
import Journal
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import Web

@Suite struct `Access` {
    /// Every place of the console inside a tenant, with ids that exist there.
    private static func places(_ slug: String, _ sample: SampleCase) -> [Site] {
        [
            .overview(slug), .cases(slug, CaseListQuery()), .refundCase(slug, sample.id),
            .notifications(slug, NotificationListQuery()), .notification(slug, sample.notification),
            .quarantine(slug, RefusalListQuery()), .apps(slug),
        ]
    }

    @Test func `every place answers its own people, sends strangers to the sign-in and brings them back`() async throws
    {
        try await withConsole { desk, console, _ in
            let sample = SampleCase()
            try await desk.add(sample, to: desk.alphaApp)
            let stranger = TestBrowser(console)
            let sam = TestBrowser(console)
            try await sam.signIn()
            for place in Self.places("alpha", sample) + [.password] {
                #expect(try await sam.get(place).status == 200, "\(place.url)")
                let answer = try await stranger.get(place)
                #expect(answer.status == 303 && answer.location == Site.signIn(next: place.url).url, "\(place.url)")
            }
            let back = try await stranger.post(
                "/sign-in",
                [
                    ("email", "SAM@alpha.example"), ("password", SampleDesk.password),
                    ("next", Site.refundCase("alpha", sample.id).url),
                ])
            #expect(back.location == Site.refundCase("alpha", sample.id).url)
            #expect(try await stranger.get("/").location == "/t/alpha")
        }
    }

    @Test func `after signing in nobody is sent to another host`() async throws {
        try await withConsole { _, console, _ in
            for next in ["https://evil.example/", "//evil.example", "/\\evil.example", "/sign-out"] {
                let answer = try await TestBrowser(console).post(
                    "/sign-in", [("email", "sam@alpha.example"), ("password", SampleDesk.password), ("next", next)])
                #expect(answer.location == "/")
            }
        }
    }

    @Test func `BL-062: what is another tenant's is answered like what never was, to the byte`() async throws {
        try await withConsole { desk, console, _ in
            let (mine, theirs) = (SampleCase(), SampleCase())
            try await desk.add(mine, to: desk.alphaApp)
            try await desk.add(theirs, to: desk.betaApp)
            let sam = TestBrowser(console)
            try await sam.signIn()
            let nothing = try await sam.get(.refundCase("alpha", UUID()))
            #expect(nothing.status == 404)
            let foreign =
                Self.places("beta", theirs) + Self.places("nobody", theirs)
                + [.refundCase("alpha", theirs.id), .notification("alpha", theirs.notification), .tenants]
            for place in foreign {
                let answer = try await sam.get(place)
                #expect(answer.status == 404 && answer.text == nothing.text, "\(place.url)")
            }
            #expect(try await sam.get("/no/such/page").text == nothing.text)
            // The look-up finds only one's own, by any name that both have.
            var query = CaseListQuery()
            query.lookUp = theirs.transactionID
            #expect(try await sam.get(.cases("alpha", query)).location == Site.refundCase("alpha", mine.id).url)
            query.lookUp = theirs.notification.uuidString
            #expect(try await sam.get(.cases("alpha", query)).text.contains("Nothing found"))
        }
    }

    @Test func `people who run the installation see tenants and no case`() async throws {
        try await withConsole { desk, console, _ in
            let sample = SampleCase()
            try await desk.add(sample, to: desk.alphaApp)
            let ops = TestBrowser(console)
            try await ops.signIn("ops@desk.example")
            #expect(try await ops.get("/").location == "/tenants")
            let tenants = try await ops.get(.tenants)
            #expect(tenants.text.contains("Alpha Games") && tenants.text.contains("Beta Works"))
            for place in Self.places("alpha", sample) {
                #expect(try await ops.get(place).status == 404, "\(place.url)")
            }
        }
    }

    @Test func `BL-120: a session id is new at each sign-in, and the old one is dead`() async throws {
        try await withConsole { _, console, _ in
            let name = SessionCookie(isSecure: true).name
            let browser = TestBrowser(console)
            browser.cookies[name] = "made-up-by-somebody-else-0123456789abcdefghij"
            try await browser.signIn()
            let first = try #require(browser.cookies[name])
            #expect(first != "made-up-by-somebody-else-0123456789abcdefghij")
            try await browser.signIn()
            let second = try #require(browser.cookies[name])
            #expect(second != first)
            let replay = TestBrowser(console)
            replay.cookies[name] = first
            #expect(try await replay.get("/t/alpha").status == 303)
            _ = try await browser.post("/sign-out")
            #expect(browser.cookies[name] == nil)
            replay.cookies[name] = second
            #expect(try await replay.get("/t/alpha").status == 303)
        }
    }

    @Test func `BL-120: a change of password ends every other session`() async throws {
        try await withConsole { _, console, _ in
            let (one, other) = (TestBrowser(console), TestBrowser(console))
            try await one.signIn()
            try await other.signIn()
            let new = "another password of a sample"
            let wrong = try await one.post(.password, [("present", "not it, really"), ("new", new), ("again", new)])
            #expect(wrong.status == 403 && wrong.text.contains("not your password"))
            let different = try await one.post(
                .password, [("present", SampleDesk.password), ("new", new), ("again", "x")])
            #expect(different.status == 422)
            let short = try await one.post(
                .password, [("present", SampleDesk.password), ("new", "short"), ("again", "short")])
            #expect(short.status == 422 && short.text.contains("At least 10 characters"))
            let huge = String(repeating: "é", count: 600)
            let long = try await one.post(
                .password, [("present", SampleDesk.password), ("new", huge), ("again", huge)])
            #expect(long.status == 422 && long.text.contains("At most 1024 bytes"))
            #expect(try await other.get("/t/alpha").status == 200)
            let changed = try await one.post(
                .password, [("present", SampleDesk.password), ("new", new), ("again", new)])
            #expect(changed.status == 303)
            #expect(try await one.get("/t/alpha").status == 200)
            #expect(try await other.get("/t/alpha").status == 303)
        }
    }

    @Test func `looking at a one-time link changes nothing, its form uses it up`() async throws {
        try await withConsole { desk, console, _ in
            let link = try await desk.database.transaction(.house) { tx in
                let person = try #require(try await PersonStore.find(email: "sam@alpha.example", in: tx))
                return try await desk.signIn.makeLink(for: person.id, in: tx).reveal()
            }
            let browser = TestBrowser(console)
            for _ in 1...3 {
                let page = try await browser.get(.signInLink(token: link))
                #expect(page.status == 200 && page.text.contains("signs you in once"))
            }
            let short = try await browser.post(.signInLink(token: link), [("password", "short")])
            #expect(short.status == 422)
            #expect(try await browser.post(.signInLink(token: link)).status == 303)
            #expect(try await browser.get("/t/alpha").status == 200)
            let again = TestBrowser(console)
            #expect(try await again.post(.signInLink(token: link)).status == 404)
            #expect(try await again.get(.signInLink(token: link)).text.contains("unknown, was used or has ended"))
            #expect(try await again.get("/t/alpha").status == 303)
        }
    }

    @Test func `many wrong passwords are answered with a clear text and a time to wait`() async throws {
        try await withConsole { _, console, _ in
            let browser = TestBrowser(console)
            var last: TestBrowser.Answer?
            for n in 1...11 {
                last = try await browser.post("/sign-in", [("email", "sam@alpha.example"), ("password", "wrong \(n)")])
                if n <= 10 { #expect(last?.status == 403) }
            }
            #expect(last?.status == 429 && last?.headers["Retry-After"] != nil)
            #expect(last?.text.contains("Too many attempts") == true)
            #expect(last?.text.contains("value=\"sam@alpha.example\"") == true)
            // Not even the right one is looked at now.
            #expect(try await browser.signIn().status == 429)
        }
    }

    @Test func `whoever is signed in keeps the navigation, whatever page they ask for`() async throws {
        try await withConsole { _, console, _ in
            let (sam, stranger) = (TestBrowser(console), TestBrowser(console))
            try await sam.signIn()
            let foreign = [("Origin", "https://evil.example")]
            for (answer, status) in [
                (try await sam.get("/nothing"), 404), (try await sam.get("/t/nobody/cases"), 404),
                (try await sam.get("/t/alpha/cases/x"), 404), (try await sam.get("/sign-out"), 405),
                (try await sam.post("/t/alpha/cases"), 405), (try await sam.post("/nothing", headers: foreign), 404),
                (try await sam.post("/password", headers: foreign), 403), (try await sam.get(.password), 200),
            ] {
                #expect(answer.status == status)
                #expect(answer.text.contains("href=\"/t/alpha/cases\""), "\(status)")
                #expect(answer.text.contains("action=\"/sign-out\""), "\(status)")
                #expect(Markup(answer.text).troubles == [])
            }
            #expect(!(try await stranger.get("/nothing")).text.contains("action=\"/sign-out\""))
        }
    }

    @Test func `a form sent to a page is told that it cannot be, wherever it came from`() async throws {
        try await withConsole { _, console, _ in
            let sam = TestBrowser(console)
            try await sam.signIn()
            for headers in [nil, [("Origin", "https://evil.example")], []] as [[(String, String)]?] {
                let answer = try await sam.post("/t/alpha/cases", headers: headers)
                #expect(answer.status == 405 && answer.text.contains("This page cannot be posted to"))
                #expect(answer.headers["Content-Type"]?.hasPrefix("text/html") == true)
            }
            #expect(try await sam.get("/sign-out").text.contains("takes forms only"))
        }
    }

    @Test func `without a database every page says that it will be back`() async throws {
        try await withConsole { desk, console, _ in
            let browser = TestBrowser(console)
            try await browser.signIn()
            await desk.database.close()
            let answer = try await browser.get("/t/alpha")
            #expect(answer.status == 503 && answer.headers["Retry-After"] != nil)
            #expect(answer.text.contains("Back in a moment"))
        }
    }
}
