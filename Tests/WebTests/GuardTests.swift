import FoundationEssentials
import Refunds
import Support
import Testing

@testable import HTTP
@testable import Web

@Suite struct `Guards` {
    /// What a request says of where it comes from, and whether it is let through.
    private static let origins: [([(String, String)], Bool)] = [
        ([("Origin", "https://evil.example")], false),
        ([("Sec-Fetch-Site", "cross-site")], false),
        ([("Origin", "null")], false),
        ([("Origin", "https://refunds.example")], true),
        ([("Origin", "https://refunds.example"), ("Sec-Fetch-Site", "same-origin")], true),
        ([("Origin", "https://refunds.example"), ("Sec-Fetch-Site", "cross-site")], false),
        ([("Sec-Fetch-Site", "same-origin")], true),
        ([("Sec-Fetch-Site", "same-site")], false),
        ([("Origin", "http://refunds.example")], false),
        ([("Origin", "https://refunds.example:8443")], false),
        ([("Origin", "https://refunds.example.evil.example")], false),
        ([("Origin", "https://refunds.example"), ("Origin", "https://evil.example")], false),
        ([("Origin", "")], false),
        ([], false),
    ]

    @Test func `BL-071: a change is accepted from our own pages only`() async throws {
        try await withConsole { _, console, _ in
            let browser = TestBrowser(console)
            for (fields, isAllowed) in Self.origins {
                if browser.cookies.isEmpty { try await browser.signIn() }
                let answer = try await browser.post("/sign-out", headers: fields)
                #expect(answer.status == (isAllowed ? 303 : 403), "\(fields)")
                if !isAllowed {
                    #expect(answer.text.contains("https://refunds.example"))
                    #expect(try await browser.get("/t/alpha").status == 200, "\(fields)")
                }
            }
        }
    }

    @Test func `BL-071: every address that changes something refuses what comes from elsewhere`() async throws {
        try await withConsole { _, console, _ in
            let browser = TestBrowser(console)
            try await browser.signIn()
            let changing = console.routes.filter { $0.method != .get }
            #expect(changing.count >= 4)
            let looking = Set(console.routes.filter { $0.method == .get }.map(\.pattern))
            for route in changing {
                #expect(route.method == .post, "\(route.pattern)")
                let target = route.pattern.replacing("{slug}", with: "alpha").replacing(/\{[^}]*\}/, with: Self.anID)
                for fields in [
                    [("Origin", "https://evil.example")], [("Sec-Fetch-Site", "cross-site")], [("Origin", "null")], [],
                ] {
                    #expect(try await browser.post(target, headers: fields).status == 403, "\(target) \(fields)")
                }
                // Where there is something to look at, looking at it changes nothing.
                let status = try await browser.get(target).status
                #expect(looking.contains(route.pattern) || status == 405, "\(target)")
            }
            // Nothing of it happened: the session is alive.
            #expect(try await browser.get("/t/alpha").status == 200)
        }
    }

    private static let anID = "0b9a2f6e-5c1d-4e7a-8f30-000000000101"

    @Test func `BL-071: looking at an address that changes something is not allowed`() async throws {
        try await withConsole { _, console, _ in
            let browser = TestBrowser(console)
            try await browser.signIn()
            #expect(try await browser.get("/sign-out").status == 405)
            #expect(try await browser.get("/t/alpha").status == 200)
        }
    }

    @Test(arguments: [
        ("https://refunds.example", "https://refunds.example"),
        ("https://Refunds.Example:443/", "https://refunds.example"),
        ("http://localhost:8080", "http://localhost:8080"), ("http://10.0.0.7:80", "http://10.0.0.7"),
        ("refunds.example", nil), ("https://", nil), ("https://refunds.example/desk", nil), ("ftp://a.example", nil),
    ])
    func `an address is scheme, host and port`(url: String, origin: String?) {
        #expect(PublicAddress(url: url)?.origin == origin)
    }

    @Test func `BL-118: the public address decides whether cookies are Secure`() async throws {
        try await withConsole { _, console, _ in
            let answer = try await TestBrowser(console).signIn()
            let cookie = try #require(answer.headers["Set-Cookie"])
            for part in ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"] { #expect(cookie.contains("; \(part)")) }
            #expect(cookie.hasPrefix("__Host-"))
            #expect(answer.headers["Strict-Transport-Security"] != nil)
        }
    }

    @Test func `BL-118: a desk on this machine works without TLS, under any of the machine's names`() async throws {
        try await withConsole(publicURL: "http://localhost:8080") { _, console, _ in
            let answer = try await TestBrowser(console, origin: "http://localhost:8080").signIn()
            #expect(answer.status == 303)
            #expect(answer.headers["Set-Cookie"]?.contains("Secure") == false)
            #expect(answer.headers["Strict-Transport-Security"] == nil)
            let guarding = SameOrigin(own: try #require(PublicAddress(url: "http://localhost:8080")))
            func allows(_ origin: String, host: String) throws -> Bool {
                guarding.allows(
                    try Request(method: .post, target: "/", headers: ["Origin": origin, "Host": host]), hasSession: true
                )
            }
            #expect(try allows("http://127.0.0.1:8080", host: "127.0.0.1:8080"))
            #expect(try !allows("http://evil.example", host: "evil.example"))
            #expect(try !allows("http://localhost:9", host: "localhost:8080"))
        }
    }

    @Test func `BL-072: every page forbids script and style that are not our files`() async throws {
        try await withConsole { _, console, _ in
            let browser = TestBrowser(console)
            for path in ["/sign-in", "/t/alpha", "/nothing"] {
                let answer = try await browser.get(path)
                let policy = try #require(answer.headers["Content-Security-Policy"])
                #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
                #expect(!policy.contains("unsafe") && !policy.contains("*") && !policy.contains("data:"))
                #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
                // "no-referrer" would make browsers send "Origin: null" with our own forms.
                #expect(answer.headers["Referrer-Policy"] == "same-origin")
                #expect(answer.headers["Cache-Control"] == "no-store")
            }
        }
    }

    @Test func `style sheets may be kept for ever under their own address, and an old address still works`()
        async throws
    {
        try await withConsole { _, console, _ in
            let browser = TestBrowser(console)
            let links = console.assets.links
            #expect(links.styleSheets.first?.hasPrefix("/assets/css/layers.") == true)
            for address in links.styleSheets + links.scripts + [try #require(links.icon)] {
                let answer = try await browser.get(address)
                #expect(answer.status == 200 && answer.headers["Cache-Control"]?.contains("immutable") == true)
            }
            let old = try await browser.get("/assets/css/tokens.0000000000000000.css")
            #expect(old.status == 200 && old.headers["Cache-Control"] == "no-cache")
            #expect(try await browser.get("/assets/css/..%2F..%2FPackage.x.swift").status == 404)
            #expect(try await browser.get("/robots.txt").text.contains("Disallow: /"))
        }
    }
}
