import FoundationEssentials
import HTTP
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import Web

/// Walks every address the console has with what belongs to somebody else. A new address is walked too: one whose parts
/// are not known here fails the test.
@Suite struct `Isolation` {
    /// Values for the parts of an address.
    private struct Parts {
        var slug: String
        var ids: [UUID]
        var bundleID: String
        var tenant: String
    }

    /// Everything of beta's that an address can name.
    private static func theirs(_ desk: SampleDesk) async throws -> Parts {
        let sample = SampleCase()
        try await desk.add(sample, to: desk.betaApp)
        try await desk.addRefusal(1, to: desk.betaApp, reason: "malformed")
        let bo = try await desk.addPerson("bo@beta.example", .owner, to: desk.beta)
        let who = desk.administrator(bo)
        let token = try await desk.administration.addToken(
            to: desk.beta.id, bundleID: nil, scopes: [.all], name: "beta", life: nil, by: who)
        let invitation = try await desk.administration.invite(
            "next@beta.example", as: .admin, to: desk.beta.id, by: who)
        let channel = try await desk.alerts().addChannel(
            .email, ChannelChange(name: "On call", target: "bo@beta.example"), of: desk.beta.id, by: .commandLine)
        let request = try await desk.addRequest(to: desk.betaApp)
        return Parts(
            slug: "beta",
            ids: [
                sample.id, sample.notification, bo.id.rawValue, token.token.id, invitation.id, channel.id, request.id,
            ],
            bundleID: "com.example.beta", tenant: "beta")
    }

    private static func nobodys() -> Parts {
        Parts(
            slug: "nobody", ids: (0..<7).map { _ in UUID() }, bundleID: "com.example.nobody",
            tenant: "nobody")
    }

    /// The pattern with its parts filled in; for each id a target. Nil for patterns that name nothing of a tenant's.
    private static func targets(_ pattern: String, _ parts: Parts, slug: String) throws -> [String]? {
        guard pattern.contains("{"), !pattern.hasPrefix("/assets"), !pattern.contains("{token}") else { return nil }
        var path = pattern
        for (name, value) in [
            ("{slug}", slug), ("{bundleId}", parts.bundleID), ("{tenant}", parts.tenant), ("{part}", "details"),
            ("{act}", "acknowledge"), ("{rule}", "key-absent"),
        ] { path = path.replacing(name, with: value) }
        if path.contains("{id}") {
            return parts.ids.map { path.replacing("{id}", with: $0.uuidString.lowercased()) }
        }
        try #require(!path.contains("{"), "\(pattern) has a part that this test has no foreign value for")
        return [path]
    }

    /// Fields that would do something to whom they fit.
    private static let fields = [
        ("role", "viewer"), ("email", "thief@evil.example"), ("scope", "all"), ("name", "stolen"), ("slug", "beta"),
        ("life", "30"),
    ]

    /// A digest of every row that is not about who looked when.
    private static func everything(_ test: TestDatabase) async throws -> [String] {
        try await test.asSuperuser(
            """
            select format('%I.%I', schemaname, tablename) || ' '
              || (xpath('/row/d/text()', query_to_xml(format(
                'select md5(coalesce(string_agg(t::text, ''|'' order by t::text), '''')) as d from %I.%I t',
                schemaname, tablename), false, true, '')))[1]::text as digest
            from pg_tables
            where schemaname in ('tenants', 'refunds', 'queue')
              and tablename not in ('sessions', 'sign_in_failures', 'ceremonies')
            order by 1
            """
        ).map { try $0("digest") }
    }

    private static func isOfATenant(_ pattern: String) -> Bool { pattern.contains("{slug}") }

    @Test(arguments: [Tenants.Role.viewer, .support, .admin, .owner])
    func `BL-062: on every route what is another tenant's is answered like what never was, and nothing changes`(
        role: Tenants.Role
    ) async throws {
        try await withConsole { desk, console, test in
            let theirs = try await Self.theirs(desk)
            try await desk.addPerson("me@alpha.example", role, to: desk.alpha)
            try await desk.addPerson("other@alpha.example", .owner, to: desk.alpha)
            let me = TestBrowser(console)
            try await me.signIn("me@alpha.example")
            let before = try await Self.everything(test)
            var walked = 0
            for route in console.routes {
                guard let foreign = try Self.targets(route.pattern, theirs, slug: "beta"),
                    let random = try Self.targets(route.pattern, Self.nobodys(), slug: "nobody"),
                    let inMine = try Self.targets(route.pattern, theirs, slug: "alpha"),
                    let nobodysInMine = try Self.targets(route.pattern, Self.nobodys(), slug: "alpha")
                else { continue }
                walked += 1
                var pairs = Array(zip(foreign, random))
                // Beside one's own tenant only what names something inside it is foreign.
                let namesMore = route.pattern.contains("{id}") || route.pattern.contains("{bundleId}")
                if Self.isOfATenant(route.pattern), namesMore { pairs += zip(inMine, nobodysInMine) }
                for (mine, other) in pairs {
                    let a = try await Self.ask(me, route.method, mine)
                    let b = try await Self.ask(me, route.method, other)
                    #expect(a.status == b.status && a.text == b.text, "\(route.method) \(mine)")
                    // One's own account has other words for what is not there.
                    if Self.isOfATenant(route.pattern) || route.pattern.contains("{tenant}") {
                        let isKept = a.status == 403 && mine.hasPrefix("/t/alpha/")
                        #expect(a.status == 404 || isKept, "\(route.method) \(mine) \(a.status)")
                    }
                    #expect(
                        Self.fields(of: a.headers) == Self.fields(of: b.headers), "\(route.method) \(mine)")
                }
            }
            #expect(walked >= 20)
            #expect(try await Self.everything(test) == before)
        }
    }

    @Test func `people who run the installation reach no page of a tenant's`() async throws {
        try await withConsole { desk, console, test in
            let theirs = try await Self.theirs(desk)
            let ops = TestBrowser(console)
            try await ops.signIn("ops@desk.example")
            let before = try await Self.everything(test)
            for route in console.routes where Self.isOfATenant(route.pattern) {
                for target in try Self.targets(route.pattern, theirs, slug: "beta") ?? [] {
                    #expect(try await Self.ask(ops, route.method, target).status == 404, "\(route.method) \(target)")
                }
            }
            #expect(try await Self.everything(test) == before)
        }
    }

    @Test func `BL-071: no form of the console is taken from another site, and no action is done by looking`()
        async throws
    {
        try await withConsole { desk, console, test in
            try await desk.addPerson("olga@alpha.example", .owner, to: desk.alpha)
            let olga = TestBrowser(console)
            try await olga.signIn("olga@alpha.example")
            let before = try await Self.everything(test)
            let looks = Set(console.routes.filter { $0.method == .get }.map(\.pattern))
            for route in console.routes where route.method == .post {
                let target = try Self.targets(route.pattern, Self.nobodys(), slug: "alpha")?.first ?? route.pattern
                for headers in [
                    [("Origin", "https://evil.example")], [("Sec-Fetch-Site", "cross-site")], [("Origin", "null")], [],
                ] as [[(String, String)]] {
                    let answer = try await olga.post(target, Self.fields, headers: headers)
                    #expect(answer.status == 403, "\(target) \(headers)")
                }
                if !looks.contains(route.pattern) {
                    #expect(try await olga.get(target).status == 405, "\(target)")
                }
            }
            #expect(try await Self.everything(test) == before)
        }
    }

    @Test func `every address of a tenant stands in the table of roles`() async throws {
        try await withConsole { _, console, _ in
            for route in console.routes where Self.isOfATenant(route.pattern) {
                #expect(Web.Access.least(route.method, route.pattern) != nil, "\(route.method) \(route.pattern)")
            }
            #expect(!Web.Access.allows(.admin, .get, "/t/{slug}/a-page-that-was-forgotten"))
            #expect(
                !Web.Access.allows(.viewer, .head, "/t/{slug}/audit")
                    && Web.Access.allows(.viewer, .head, "/t/{slug}/cases"))
        }
    }

    private static func ask(
        _ browser: TestBrowser, _ method: HTTP.Method, _ target: String
    ) async throws -> TestBrowser.Answer {
        method == .get ? try await browser.get(target) : try await browser.post(target, fields)
    }

    private static func fields(of headers: HeaderFields) -> [String] {
        headers.map { "\($0.name): \($0.value)" }.sorted()
    }
}
