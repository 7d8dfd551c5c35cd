import FoundationEssentials
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Web

/// The pages of people, tokens, tenants and the log, over a real database.
@Suite struct `People and tokens` {
    private func link(in text: String) throws -> String {
        let found = try #require(text.firstMatch(of: /https:\/\/refunds\.example(\/invitations\/[A-Za-z0-9_-]{43})</))
        return String(found.1)
    }

    @Test func `somebody is invited, joins by the link, gets another role and is removed`() async throws {
        try await withConsole { desk, console, _ in
            try await desk.addPerson("olga@alpha.example", .owner, to: desk.alpha)
            let (olga, new) = (TestBrowser(console), TestBrowser(console))
            try await olga.signIn("olga@alpha.example")
            let made = try await olga.post(
                .invitations("alpha"), [("email", "new@alpha.example"), ("role", "viewer")])
            #expect(made.status == 201 && made.text.contains("this installation has no mail server"))
            let link = try link(in: made.text)
            #expect(!(try await olga.get(.people("alpha"))).text.contains(link))
            // Programs look at links before people do.
            for _ in 1...3 { #expect(try await new.get(link).text.contains("Choose a password")) }
            #expect(try await new.post(link, [("password", "short")]).status == 422)
            let joined = try await new.post(link, [("password", "seven lamps beside the river")])
            #expect(joined.status == 303)
            #expect(try await new.get("/t/alpha/cases").status == 200)
            #expect(try await new.get("/t/alpha/people").status == 403)
            #expect(try await TestBrowser(console).get(link).status == 404)
            #expect(
                try await TestBrowser(console).post(link, [("password", "seven lamps beside the river")]).status == 404)
            let person = try #require(
                try await desk.administration.people(of: desk.alpha.id).members.first {
                    $0.person.email == "new@alpha.example"
                }
            ).person.id.rawValue
            #expect(try await olga.post(.memberRole("alpha", person), [("role", "admin")]).status == 303)
            #expect(try await new.get("/t/alpha/people").status == 200)
            #expect(try await olga.post(.memberRole("alpha", person), [("role", "emperor")]).status == 422)
            #expect(try await olga.post(.memberRemoval("alpha", person)).status == 303)
            #expect(try await new.get("/t/alpha/cases").status == 303)
            let log = try await olga.get(.audit("alpha", AuditListQuery())).text
            for text in ["Invitation made", "Invitation accepted", "role: viewer → admin", "Member removed"] {
                #expect(log.contains(text), "\(text)")
            }
            #expect(log.contains("The log is whole") && Markup(log).troubles == [])
        }
    }

    @Test func `whoever has an account signs in and comes back to accept`() async throws {
        try await withConsole { desk, console, _ in
            try await desk.addPerson("olga@alpha.example", .owner, to: desk.alpha)
            let (olga, bea) = (TestBrowser(console), TestBrowser(console))
            try await olga.signIn("olga@alpha.example")
            let link = try link(
                in: try await olga.post(
                    .invitations("alpha"), [("email", "bea@beta.example"), ("role", "support")]
                ).text)
            #expect(try await bea.get(link).text.contains("Sign in and come back"))
            // A password typed here does not take the account over.
            let taken = try await bea.post(link, [("password", "seven lamps beside the river")])
            #expect(taken.status == 303 && taken.location?.hasPrefix("/sign-in") == true)
            let entered = try await bea.post(
                "/sign-in", [("email", "bea@beta.example"), ("password", SampleDesk.password), ("next", link)])
            #expect(entered.location == link)
            #expect(try await bea.get(link).text.contains("You are signed in as bea@beta.example"))
            #expect(try await bea.post(link).location == "/t/alpha")
            #expect(try await bea.get("/t/alpha/cases").status == 200)
            #expect(try await bea.get("/t/beta/cases").status == 200)
        }
    }

    @Test func `an owner is not touched by an admin, and the last one not at all`() async throws {
        try await withConsole { desk, console, _ in
            let olga = try await desk.addPerson("olga@alpha.example", .owner, to: desk.alpha)
            try await desk.addPerson("ada@alpha.example", .admin, to: desk.alpha)
            let (ada, owner) = (TestBrowser(console), TestBrowser(console))
            try await ada.signIn("ada@alpha.example")
            try await owner.signIn("olga@alpha.example")
            #expect(try await ada.post(.memberRemoval("alpha", olga.id.rawValue)).status == 403)
            #expect(try await ada.post(.memberRole("alpha", olga.id.rawValue), [("role", "viewer")]).status == 403)
            #expect(
                try await ada.post(.invitations("alpha"), [("email", "x@alpha.example"), ("role", "owner")]).status
                    == 403)
            let last = try await owner.post(.memberRemoval("alpha", olga.id.rawValue))
            #expect(last.status == 409 && last.text.contains("at least one owner"))
            #expect(!(try await ada.get(.people("alpha"))).text.contains("value=\"owner\""))
        }
    }

    @Test func `a token is shown once, says what it may, and ends when it is revoked`() async throws {
        try await withConsole { desk, console, _ in
            try await desk.addPerson("ada@alpha.example", .admin, to: desk.alpha)
            let ada = TestBrowser(console)
            try await ada.signIn("ada@alpha.example")
            let made = try await ada.post(
                .tokens("alpha"),
                [
                    ("name", "shop <b>"), ("app", "com.example.alpha"), ("scope", "consent"), ("scope", "usage"),
                    ("life", "90"),
                ])
            #expect(made.status == 201)
            let text = String(try #require(made.text.firstMatch(of: /rd_[A-Za-z0-9_-]{43}/)).0)
            let token = try #require(try await desk.tokens.token(text))
            #expect(token.app == desk.alphaApp.id && token.scopes == [.consent, .usage])
            let page = try await ada.get(.tokens("alpha")).text
            #expect(!page.contains(text) && page.contains(String(text.prefix(9))))
            #expect(page.contains("shop &lt;b&gt;") && page.contains("ada@alpha.example"))
            desk.clock.advance(by: .days(80))
            let later = TestBrowser(console)
            try await later.signIn("ada@alpha.example")
            #expect(try await later.get(.tokens("alpha")).text.contains(">Soon<"))
            desk.clock.advance(by: .days(10))
            #expect(try await desk.tokens.token(text) == nil)
            desk.clock.advance(by: .days(-60))
            #expect(try await later.post(.tokenRemoval("alpha", token.id)).status == 303)
            #expect(try await desk.tokens.token(text) == nil)
            #expect(try await later.post(.tokenRemoval("alpha", token.id)).status == 404)
            for fields in [
                [("scope", "everything")], [("scope", "")], [("app", "com.example.beta")], [("life", "0")],
                [("life", "")],
                [("name", String(repeating: "n", count: 150))], [("name", " ")],
            ] {
                let valid = [("name", "shop"), ("scope", "all"), ("life", "90")].filter { $0.0 != fields[0].0 }
                #expect(try await later.post(.tokens("alpha"), valid + fields).status == 422, "\(fields)")
            }
            #expect(try await desk.administration.tokens(of: desk.alpha.id).tokens.isEmpty)
        }
    }

    @Test func `a form that makes a token makes one, however often it is sent`() async throws {
        try await withConsole { desk, console, _ in
            try await desk.makeSam(.admin)
            let sam = TestBrowser(console)
            try await sam.signIn()
            for (site, page, fields) in [
                (Site.tokens("alpha"), Site.tokens("alpha"), [("name", "CI"), ("scope", "cases"), ("life", "30")]),
                (
                    .setupPart("alpha", bundleID: "com.example.alpha", .token),
                    .setup("alpha", bundleID: "com.example.alpha", done: nil), []
                ),
            ] {
                _ = try await sam.post(
                    .setupPart("alpha", bundleID: "com.example.alpha", .evidence),
                    [("unreported", "delivered"), ("sample", "no"), ("way", "push")])
                let before = try await desk.administration.tokens(of: desk.alpha.id).tokens.count
                let once = try #require(
                    try await sam.get(page).text.firstMatch(of: /name="once" value="([0-9a-f-]{36})"/)
                ).1
                let form = fields + [("once", String(once))]
                #expect(try await sam.post(site, form).status == 201, "\(site.url)")
                let again = try await sam.post(site, form)
                #expect(
                    again.status == 409 && again.text.contains("this form was sent before".dropFirst()), "\(site.url)")
                #expect(again.text.firstMatch(of: /rd_[A-Za-z0-9_-]{43}/) == nil)
                let tokens = try await desk.administration.tokens(of: desk.alpha.id).tokens
                #expect(tokens.count == before + 1 && tokens.allSatisfy { !$0.name.isEmpty })
            }
        }
    }

    @Test func `tenants are read in pages, each of them once`() async throws {
        try await withConsole { desk, console, _ in
            for number in 100..<160 {
                try await desk.database.transaction(.house) { tx in
                    _ = try await TenantStore.add(
                        slug: "t-\(number)", name: "T", at: desk.clock.now, by: .commandLine, in: tx)
                }
            }
            let ops = TestBrowser(console)
            try await ops.signIn("ops@desk.example")
            var seen: [String] = []
            var next: String? = "/tenants"
            var pages = 0
            while let place = next, pages < 5 {
                let page = try await ops.get(place).text
                seen += page.matches(of: /id="tenant-([a-z0-9-]+)"/).map { String($0.1) }
                next = page.firstMatch(of: /href="(\/tenants\?after=[^"]+)"/).map { String($0.1) }
                pages += 1
            }
            #expect(pages == 2 && seen == seen.sorted() && Set(seen).count == seen.count)
            #expect(seen.count >= 60 + 2 && seen.contains("alpha") && seen.contains("beta"))
            #expect(try await ops.get("/tenants?after=zzz").text.contains("No more tenants"))
        }
    }

    @Test func `whoever runs the installation makes, renames, closes and opens tenants, and sees no case`() async throws
    {
        try await withConsole { desk, console, _ in
            let (ops, sam) = (TestBrowser(console), TestBrowser(console))
            try await ops.signIn("ops@desk.example")
            try await sam.signIn()
            #expect(try await ops.post(.tenants, [("slug", "fresh"), ("name", "Fresh")]).status == 303)
            #expect(try await ops.post(.tenants, [("slug", "fresh"), ("name", "Fresh")]).status == 422)
            #expect(try await ops.post(.tenants, [("slug", "-x"), ("name", "X")]).status == 422)
            let invited = try await ops.post(.firstOwner(ofTenant: "fresh"), [("email", "first@fresh.example")])
            _ = try link(in: invited.text)
            #expect(try await ops.post(.tenantName(ofTenant: "alpha"), [("name", "Alpha 2")]).status == 303)
            #expect(try await sam.get("/t/alpha").text.contains("Alpha 2"))
            #expect(try await ops.post(.tenantClosure(ofTenant: "alpha"), [("slug", "alhpa")]).status == 422)
            #expect(try await ops.post(.tenantClosure(ofTenant: "alpha"), [("slug", "alpha")]).status == 303)
            #expect(try await sam.get("/t/alpha").status == 404)
            #expect(try await ops.post(.tenantClosure(ofTenant: "alpha"), [("slug", "alpha")]).status == 404)
            #expect(try await ops.post(.tenantReopening(ofTenant: "alpha")).status == 303)
            #expect(try await sam.get("/t/alpha").status == 200)
            for site: Site in [
                .tenants, .tenantName(ofTenant: "alpha"), .tenantClosure(ofTenant: "alpha"),
                .tenantReopening(ofTenant: "alpha"), .firstOwner(ofTenant: "alpha"),
            ] {
                let nothing = try await sam.get("/no/such/page").text
                let answer = try await sam.post(site, [("slug", "alpha"), ("name", "x"), ("email", "a@b.example")])
                #expect(answer.status == 404 && answer.text == nothing, "\(site.url)")
            }
        }
    }

    @Test func `the log is narrowed by who, what and when, and read page by page`() async throws {
        try await withConsole { desk, console, _ in
            let olga = try await desk.addPerson("olga@alpha.example", .owner, to: desk.alpha)
            let who = desk.administrator(olga)
            for n in 1...60 {
                _ = try await desk.administration.addToken(
                    to: desk.alpha.id, bundleID: nil, scopes: [.cases], name: "n\(n)", life: nil, by: who)
            }
            let browser = TestBrowser(console)
            try await browser.signIn("olga@alpha.example")
            let first = try await browser.get(.audit("alpha", AuditListQuery()))
            let older = try #require(first.text.firstMatch(of: /href="(\/t\/alpha\/audit\?before=\d+)"/))
            let second = try await browser.get(String(older.1))
            #expect(second.status == 200 && second.text.contains("Tenant made"))
            var query = AuditListQuery()
            query.who = .person(olga.id.rawValue)
            let own = try await browser.get(.auditExport("alpha", query, .plain)).text
            #expect(own.split(separator: "\r\n").count == 61)
            query.who = .commandLine
            #expect(try await browser.get(.auditExport("alpha", query, .plain)).text.contains("member.added"))
            query.action = "tenant.added"
            #expect(
                try await browser.get(.auditExport("alpha", query, .plain)).text.split(separator: "\r\n").count == 2)
            query = AuditListQuery()
            query.to = "2026-06-14"
            #expect(try await browser.get(.audit("alpha", query)).text.contains("No entry fits"))
            query.to = "2026-06-15"
            query.from = "2026-06-15"
            #expect(!(try await browser.get(.audit("alpha", query))).text.contains("No entry fits"))
        }
    }

    @Test func `the navigation names what the role may use and no more`() async throws {
        try await withConsole { desk, console, _ in
            for (role, isNamed) in [(Role.viewer, false), (.support, false), (.admin, true), (.owner, true)] {
                let email = "\(role.rawValue)@alpha.example"
                try await desk.addPerson(email, role, to: desk.alpha)
                let browser = TestBrowser(console)
                try await browser.signIn(email)
                let page = try await browser.get("/t/alpha").text
                for place in ["people", "tokens", "audit", "checks"] {
                    #expect(page.contains("href=\"/t/alpha/\(place)\"") == isNamed, "\(role) \(place)")
                    #expect(try await browser.get("/t/alpha/\(place)").status == (isNamed ? 200 : 403))
                }
                #expect(page.contains("href=\"/t/alpha/cases\""))
            }
        }
    }
}
