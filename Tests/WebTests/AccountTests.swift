import Crypto
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

@Suite struct `One's own account` {
    private static func code(_ secret: String, _ desk: SampleDesk) throws -> String {
        var (bytes, bits, held): ([UInt8], UInt32, Int) = ([], 0, 0)
        for letter in secret where letter != " " {
            let value = try #require(Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567").firstIndex(of: letter))
            bits = bits << 5 | UInt32(value)
            held += 5
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
        }
        let step = OneTimePassword.step(secondsSince1970: desk.clock.now.milliseconds / 1000)
        return String(decoding: OneTimePassword.code(SecretBytes(copying: bytes), step: step), as: UTF8.self)
    }

    /// Turns codes on by the pages alone. The secret, and the page with the recovery codes.
    private static func turnCodesOn(_ browser: TestBrowser, _ desk: SampleDesk) async throws -> (String, String) {
        let begun = try await browser.post(.generators, [("name", "Telephone")])
        let place = try #require(begun.location)
        let page = try await browser.get(place).text
        let match = try #require(page.firstMatch(of: /secret=([A-Z2-7]{32})/))
        let wrong = try await browser.post(place, [("code", "000000")])
        #expect(wrong.status == 422 && wrong.text.contains("That is not the code"))
        let codes = try await browser.post(place, [("code", try code(String(match.1), desk))])
        #expect(codes.status == 200)
        desk.clock.advance(by: .seconds(30))
        return (String(match.1), codes.text)
    }

    @Test func `BL-118: the cookie between password and second factor is as strict, and short-lived`() async throws {
        try await withConsole { desk, console, _ in
            let browser = TestBrowser(console)
            try await browser.signIn()
            _ = try await Self.turnCodesOn(browser, desk)
            let entered = try await TestBrowser(console).signIn()
            #expect(entered.location == "/sign-in/second-factor")
            let cookies = entered.headers.all("Set-Cookie")
            let step = try #require(cookies.first { $0.hasPrefix(console.door.cookie.stepName + "=") })
            for part in ["Secure", "HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=300"] {
                #expect(step.contains("; \(part)"), "\(part) in \(step)")
            }
            #expect(step.hasPrefix("__Host-"))
            #expect(!cookies.contains { $0.hasPrefix(console.door.cookie.name + "=") }, "not signed in yet")
        }
    }

    @Test func `BL-120: codes are turned on by page, asked for after the password, and give a new session`()
        async throws
    {
        try await withConsole { desk, console, _ in
            let browser = TestBrowser(console)
            try await browser.signIn()
            let (secret, codes) = try await Self.turnCodesOn(browser, desk)
            let recovery = try #require(codes.firstMatch(of: /[A-Z2-7]{4}(-[A-Z2-7]{4}){3}/)).0
            let name = console.door.cookie.name
            let old = browser.cookies[name]
            let entered = try await browser.signIn()
            #expect(entered.location == "/sign-in/second-factor")
            #expect(browser.cookies[name] == old)
            let stranger = TestBrowser(console)
            let asked = try await stranger.post(
                "/sign-in",
                [("email", "sam@alpha.example"), ("password", SampleDesk.password), ("next", "/t/alpha/cases")])
            #expect(asked.location == "/sign-in/second-factor?next=%2Ft%2Falpha%2Fcases")
            #expect(stranger.cookies[name] == nil)
            #expect(try await stranger.get("/t/alpha").status == 303)
            let page = try await stranger.get("/sign-in/second-factor?next=%2Ft%2Falpha%2Fcases")
            #expect(page.status == 200 && page.text.contains("sam@alpha.example"))
            #expect(try await stranger.post("/sign-in/second-factor", [("code", "000000")]).status == 403)
            let done = try await stranger.post(
                "/sign-in/second-factor", [("code", try Self.code(secret, desk)), ("next", "/t/alpha/cases")])
            #expect(done.location == "/t/alpha/cases" && stranger.cookies[name] != nil)
            #expect(stranger.cookies[console.door.cookie.stepName] == nil)
            #expect(try await stranger.get("/t/alpha").status == 200)
            _ = try await browser.post("/sign-in/second-factor", [("code", String(recovery))])
            #expect(browser.cookies[name] != old)
        }
    }

    @Test func `sessions are listed and ended, one's own only`() async throws {
        try await withConsole { desk, console, _ in
            let (one, other, bea) = (TestBrowser(console), TestBrowser(console), TestBrowser(console))
            for browser in [one, other] { try await browser.signIn() }
            try await bea.signIn("bea@beta.example")
            let page = try await one.get(.account).text
            let ids = page.matches(of: /sessions\/([0-9a-f-]{36})\/end/).compactMap { UUID(uuidString: String($0.1)) }
            #expect(ids.count == 2)
            let foreign = try await bea.post(.sessionEnd(ids[0]))
            let nothing = try await bea.post(.sessionEnd(UUID()))
            #expect(foreign.status == 404 && foreign.text == nothing.text)
            #expect(try await one.post(.otherSessionsEnd).location == "/account")
            #expect(try await one.get("/t/alpha").status == 200)
            #expect(try await other.get("/t/alpha").status == 303)
            _ = desk
        }
    }

    @Test func `what lets one in is changed soon after signing in only, and signing in again is offered`() async throws
    {
        try await withConsole { desk, console, _ in
            let browser = TestBrowser(console)
            try await browser.signIn()
            desk.clock.advance(by: .minutes(20))
            let refused = try await browser.post(.generators, [("name", "x")])
            #expect(refused.status == 422 && refused.text.contains("Sign in again to change how you sign in"))
            let stale = try await browser.get(.account).text
            #expect(!stale.contains("Set up codes"))
            let again = try await browser.get("/sign-in?next=%2Faccount")
            #expect(again.status == 200 && again.text.contains("Sign in again"))
            _ = try await browser.post(
                "/sign-in", [("email", "sam@alpha.example"), ("password", SampleDesk.password), ("next", "/account")])
            #expect(try await browser.get(.account).text.contains("Set up codes"))
        }
    }

    @Test func `a password that is tried first is refused with the reason`() async throws {
        try await withConsole { _, console, _ in
            let browser = TestBrowser(console)
            try await browser.signIn()
            for (new, reason) in [("password2026", "tried first"), ("sam@alpha.example", "which others know")] {
                let answer = try await browser.post(
                    .password, [("present", SampleDesk.password), ("new", new), ("again", new)])
                #expect(answer.status == 422 && answer.text.contains(reason), "\(new)")
            }
        }
    }

    @Test func `BL-071: a foreign page changes nothing of an account, and looking changes nothing either`() async throws
    {
        try await withConsole { _, console, _ in
            let browser = TestBrowser(console)
            try await browser.signIn()
            let id = UUID()
            let places: [Site] = [
                .accountName, .generators, .generator(id), .passkeyOffer, .passkeys, .recoveryCodes,
                .factorRemoval(id), .sessionEnd(id), .otherSessionsEnd,
            ]
            for place in places {
                for headers in [
                    [("Origin", "https://evil.example")], [("Sec-Fetch-Site", "cross-site")], [("Origin", "null")],
                ] {
                    #expect(try await browser.post(place.url, headers: headers).status == 403, "\(place.url)")
                }
                if case .generator = place { continue }
                #expect(try await browser.get(place).status == 405, "\(place.url)")
            }
        }
    }

    @Test func `on an address of digits the page says that passkeys cannot work there, and why`() async throws {
        try await withConsole(publicURL: "http://127.0.0.1:8080") { _, console, _ in
            let browser = TestBrowser(console, origin: "http://127.0.0.1:8080")
            try await browser.signIn()
            let page = try await browser.get(.account).text
            #expect(page.contains("Passkeys do not work here") && page.contains("a number"))
            let entrance = try await TestBrowser(console).get("/sign-in").text
            #expect(!entrance.contains("data-passkey"))
            #expect(try await browser.post(.passkeyOffer).status == 403)
        }
    }

    @Test(arguments: [
        ("https://refunds.example", "refunds.example"), ("https://refunds.example:8443", "refunds.example"),
        ("http://localhost:8080", "localhost"), ("http://refunds.example", nil), ("https://192.0.2.1", nil),
        ("https://[2001:db8::1]:8443", nil),
    ])
    func `passkeys belong to a name over https, or to this machine`(url: String, host: String?) throws {
        let address = try #require(PublicAddress(url: url))
        if case .works(let site) = address.passkeys {
            #expect(site.id == host && site.origin == address.origin)
        } else {
            #expect(host == nil)
        }
    }

    @Test func `a passkey signs in by the forms that the script fills in`() async throws {
        try await withConsole { _, console, _ in
            let authenticator = try SampleAuthenticator()
            let browser = TestBrowser(console)
            try await browser.signIn()
            let challenge = { (text: String) throws -> [UInt8] in
                let match = try #require(text.firstMatch(of: /"challenge":"([^"]+)"/))
                return try #require(Base64URL.decode(String(match.1)))
            }
            let offered = try challenge(try await browser.post(.passkeyOffer).text)
            let added = try await browser.post(
                .passkeys,
                [
                    ("name", "Laptop"), ("attestation", Base64URL.encode(authenticator.attestation())),
                    ("clientData", Base64URL.encode(authenticator.clientData("webauthn.create", offered))),
                ])
            #expect(added.location == "/account")
            #expect(try await browser.get(.account).text.contains("Laptop"))
            let stranger = TestBrowser(console)
            let asked = try challenge(try await stranger.post(.passkeyChallenge).text)
            let clientData = authenticator.clientData("webauthn.get", asked)
            let data = authenticator.authenticatorData(attested: false)
            var fields = [
                ("credential", Base64URL.encode(authenticator.credentialID)), ("userHandle", ""),
                ("clientData", Base64URL.encode(clientData)), ("authenticatorData", Base64URL.encode(data)),
                ("signature", "AAAA"), ("next", "/t/alpha/cases"),
            ]
            #expect(try await stranger.post(.passkeySignIn, fields).status == 403)
            // The challenge is used up: another.
            let second = try challenge(try await stranger.post(.passkeyChallenge).text)
            let again = authenticator.clientData("webauthn.get", second)
            fields[2].1 = Base64URL.encode(again)
            fields[4].1 = Base64URL.encode(try authenticator.signature(data, again))
            #expect(try await stranger.post(.passkeySignIn, fields).location == "/t/alpha/cases")
            #expect(try await stranger.get("/t/alpha").status == 200)
        }
    }
}

@Suite struct `A proxy that names who asks` {
    private static let header = "X-Forwarded-Email"

    private func withProxy(_ body: (SampleDesk, TestBrowser) async throws -> Void) async throws {
        try await withConsole(signInHeader: Self.header) { desk, console, _ in
            let browser = TestBrowser(console)
            browser.client = ClientInfo(address: "192.0.2.7", isSecure: true, isBehindTrustedProxy: true)
            try await body(desk, browser)
        }
    }

    @Test func `it is believed behind a trusted proxy, and its session lasts as long as its word`() async throws {
        try await withProxy { _, browser in
            #expect(try await browser.get("/t/alpha", headers: [(Self.header, "Sam@alpha.example")]).status == 200)
            #expect(try await browser.get("/t/alpha", headers: [(Self.header, "sam@alpha.example")]).status == 200)
            #expect(try await browser.get("/t/alpha").status == 303)
            let other = try await browser.get("/t/alpha", headers: [(Self.header, "bea@beta.example")])
            #expect(other.status == 404)
            #expect(try await browser.get("/t/beta", headers: [(Self.header, "bea@beta.example")]).status == 200)
        }
    }

    @Test func `from anywhere else, twice, or without the setting it is nothing`() async throws {
        try await withProxy { _, browser in
            let once = [(Self.header, "sam@alpha.example")]
            let twice = try await browser.get("/t/alpha", headers: once + [(Self.header, "bea@beta.example")])
            #expect(twice.status == 303)
            browser.client = ClientInfo(address: "192.0.2.7")
            let direct = try await browser.get("/t/alpha", headers: once)
            #expect(direct.status == 303)
        }
        try await withConsole { _, console, _ in
            let browser = TestBrowser(console)
            browser.client = ClientInfo(address: "192.0.2.7", isSecure: true, isBehindTrustedProxy: true)
            let answer = try await browser.get("/t/alpha", headers: [(Self.header, "sam@alpha.example")])
            #expect(answer.status == 303)
        }
    }

    @Test func `an invitation's page signs in whom it names, on the first visit, and takes no word of strangers`()
        async throws
    {
        try await withProxy { desk, browser in
            let olga = try await desk.addPerson("olga@alpha.example", .owner, to: desk.alpha)
            let made = try await desk.administration.invite(
                "bea@beta.example", as: .support, to: desk.alpha.id, by: desk.administrator(olga))
            let link = Site.invitation(token: made.token.reveal()).url
            let named = [(Self.header, " Bea@beta.example ")]
            let trusted = browser.client
            browser.client = ClientInfo(address: "192.0.2.7")
            #expect(try await browser.get(link, headers: named).text.contains("Sign in and come back"))
            #expect(browser.cookies.isEmpty)
            browser.client = trusted
            #expect(
                try await browser.get(link, headers: named).text.contains("You are signed in as bea@beta.example"))
            // The session is its word: a form without it comes from nobody.
            let without = try await browser.post(link)
            #expect(without.status == 303 && without.location?.hasPrefix("/sign-in") == true)
            let origin = [("Origin", TestBrowser.address)]
            let other = try await browser.post(link, headers: origin + [(Self.header, "sam@alpha.example")])
            #expect(other.status == 303 && other.location?.hasPrefix("/sign-in") == true)
            #expect(try await browser.post(link, headers: origin + named).location == "/t/alpha")
            #expect(try await browser.get("/t/alpha", headers: named).status == 200)
        }
    }

    @Test func `a page of trouble shows the way around to those only whom it still names`() async throws {
        try await withProxy { (_, browser) async throws in
            let named = [(Self.header, "sam@alpha.example")]
            #expect(try await browser.get("/t/alpha", headers: named).status == 200)
            #expect(try await browser.get("/nothing", headers: named).text.contains("action=\"/sign-out\""))
            #expect(try await !browser.get("/nothing").text.contains("action=\"/sign-out\""))
        }
    }

    @Test func `somebody whom nobody let in is told so`() async throws {
        try await withProxy { _, browser in
            let answer = try await browser.get("/t/alpha", headers: [(Self.header, "eve@evil.example")])
            #expect(answer.status == 403 && answer.text.contains("Nobody let you in yet"))
        }
    }
}

@Suite struct `The first start's page` {
    @Test func `looking changes nothing, its form makes the owner, the tenant and a session`() async throws {
        // One console for what stands around the page, and a database with nobody in it.
        try await withConsole { _, other, _ in
            try await withDatabase { test in
                let clock = ManualClock(SampleDesk.signed)
                let signIn = SignIn(database: test.database, clock: clock.clock, journal: .silent) { try $0() }
                let console = Console(
                    records: Records(database: test.database), signIn: signIn,
                    administration: Administration(
                        database: test.database, tokens: APITokens(database: test.database, clock: clock.clock),
                        clock: clock.clock),
                    checks: CheckDesk { _ in [] }, publicAddress: try #require(PublicAddress(url: TestBrowser.address)),
                    assets: other.assets, setup: other.setup, commerce: other.commerce, alerts: other.alerts,
                    deciding: other.deciding, evidence: other.evidence,
                    post: other.post,
                    clock: clock.clock)
                let link = Site.firstStart(token: try #require(try await signIn.makeSetUpLink()).reveal())
                let browser = TestBrowser(console)
                for _ in 0..<2 { #expect(try await browser.get(link).text.contains("Nobody can sign in yet")) }
                var fields = [
                    ("email", "ada@example.com"), ("name", "Ada"), ("password", "Acme Games 1"),
                    ("tenant", "Acme Games, Inc."),
                    ("slug", ""),
                ]
                let refused = try await browser.post(link, fields)
                #expect(refused.status == 422 && refused.text.contains("which others know"))
                #expect(refused.text.contains("value=\"Acme Games, Inc.\""))
                fields[2].1 = "correct horse battery"
                #expect(try await browser.post(link, fields).location == "/")
                #expect(try await browser.get("/").location == "/t/acme-games-inc")
                #expect(try await browser.get("/t/acme-games-inc").status == 200)
                let second = TestBrowser(console)
                #expect(try await second.post(link, fields).status == 404)
                #expect(try await second.get(link).text.contains("unknown, was used or has ended"))
            }
        }
    }
}
