import FoundationEssentials
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import HTTP
@testable import Web

@Suite struct `The evidence page` {
    private static let place = Site.evidence("alpha", bundleID: "com.example.alpha", .now)

    private func withSam(
        _ role: Tenants.Role = .admin, _ body: (TestBrowser, SampleDesk, TestDatabase) async throws -> Void
    ) async throws {
        try await withConsole { desk, console, test in
            try await desk.makeSam(role)
            let sam = TestBrowser(console)
            try await sam.signIn()
            try await body(sam, desk, test)
        }
    }

    private func form(_ act: String, _ fields: (String, String)...) -> [(String, String)] { [("do", act)] + fields }

    @Test func `a callback is set, its secret is shown once, replaced with a second look, and masked after`()
        async throws
    {
        try await withSam { sam, _, test in
            let url = "https://backend.example/evidence?key=hush"
            #expect(
                try await sam.post(Self.place, form("callback", ("asked", "yes"), ("callbackURL", url))).status == 303)
            let first = try await sam.post(Self.place, form("secret"))
            #expect(first.status == 201 && first.text.contains("whsec_") && Markup(first.text).troubles == [])
            let secret = try #require(first.text.firstMatch(of: /whsec_[A-Za-z0-9+\/=]+/)).output
            let later = try await sam.get(Self.place)
            #expect(!later.text.contains(secret) && later.text.contains("whsec_••••••••"))
            #expect(later.text.contains("yes, at every request"))
            let unsure = try await sam.post(Self.place, form("secret"))
            #expect(unsure.status == 422 && unsure.text.contains("Tick that"))
            let mark = try #require(later.text.firstMatch(of: /name="made" value="([0-9A-F-]{36})"/)).output.1
            let renewal = form("secret", ("sure", "yes"), ("made", String(mark)))
            let second = try await sam.post(Self.place, renewal)
            let twice = try await sam.post(Self.place, renewal)
            #expect(twice.status == 409 && twice.text.contains("since this page"))
            #expect(second.status == 201 && !second.text.contains(secret))
            let log = try await test.asSuperuser(
                "select detail from tenants.audit where action in ('app.changed', 'callback.secret-made')")
            #expect(log.count == 3)
            for row in log {
                let detail = String(decoding: try row("detail") as [UInt8], as: UTF8.self)
                #expect(!detail.contains("hush") && !detail.contains("whsec_"))
            }
        }
    }

    @Test func `a form that is older than somebody else's change is not taken, and the same form twice is one`()
        async throws
    {
        try await withSam { sam, _, _ in
            func mark(_ text: String) throws -> String {
                String(try #require(text.firstMatch(of: /name="seen" value="([0-9a-f]+)"/)).output.1)
            }
            let url = "https://backend.example/evidence"
            let seen = try mark(try await sam.get(Self.place).text)
            let save = form("callback", ("seen", seen), ("asked", "yes"), ("callbackURL", url))
            for _ in 1...2 { #expect(try await sam.post(Self.place, save).status == 303) }
            let stale = try await sam.post(
                Self.place, form("callback", ("seen", seen), ("asked", "no"), ("callbackURL", "")))
            #expect(stale.status == 409 && stale.text.contains("by somebody else meanwhile"))
            #expect(Markup(stale.text).troubles == [])
            #expect(try await sam.get(Self.place).text.contains(url))
            // What is shown now is what the next form was filled in with.
            let next = form("callback", ("seen", try mark(stale.text)), ("asked", "no"), ("callbackURL", ""))
            #expect(try await sam.post(Self.place, next).status == 303)
            #expect(try await !sam.get(Self.place).text.contains(url))
        }
    }

    @Test(arguments: [
        ("https://10.1.2.3/", "private network"), ("http://8.8.8.8/", "must begin with https://"),
        ("", "is needed"), ("https://refunds.example/n/x", "of this installation"),
    ])
    func `an address that would not be called is refused at its field`(url: String, why: String) async throws {
        try await withSam { sam, _, _ in
            let answer = try await sam.post(Self.place, form("callback", ("asked", "yes"), ("callbackURL", url)))
            #expect(answer.status == 422 && answer.text.contains(why) && Markup(answer.text).troubles == [])
        }
    }

    @Test func `a test says in words what came back, and keeps nothing of it`() async throws {
        try await withSam { sam, _, test in
            let untold = try await sam.post(Self.place, form("test"))
            #expect(untold.status == 409 && untold.text.contains("Save a URL"))
            let server = try ScriptedServer { _, number in
                switch number {
                case 0: .answer(200, body: #"{"deliveryStatus":"DELIVERED","consumptionPercentage":"x"}"#)
                case 1: .answer(500)
                default: .answer(200, body: "<html>")
                }
            }
            _ = try await sam.post(Self.place, form("callback", ("asked", "yes"), ("callbackURL", server.url)))
            _ = try await sam.post(Self.place, form("secret"))
            let first = try await sam.post(Self.place, form("test"))
            #expect(first.status == 200 && first.text.contains("It answered 200") && Markup(first.text).troubles == [])
            #expect(first.text.contains("DELIVERED") && first.text.contains("consumptionPercentage was not taken"))
            let second = try await sam.post(Self.place, form("test"))
            #expect(second.text.contains("It did not answer.") && second.text.contains("Answered 500"))
            let third = try await sam.post(Self.place, form("test"))
            #expect(third.text.contains("no answer that could be used") && third.text.contains("no JSON"))
            #expect(server.received.allSatisfy { $0.field("webhook-signature") != nil })
            #expect(try await test.asSuperuser("select from refunds.usage").isEmpty)
            #expect(try await test.asSuperuser("select from tenants.audit where action = 'callback.tested'").count == 3)
        }
    }

    @Test func `how a product's use is reckoned is set, shown and taken back`() async throws {
        try await withSam { sam, _, _ in
            let fields = [("productID", "pass.season"), ("model", "time"), ("days", "90")]
            #expect(try await sam.post(Self.place, [("do", "model")] + fields).status == 303)
            #expect(try await sam.get(Self.place).text.contains("Time passed of 90 days"))
            let wrong = try await sam.post(
                Self.place, form("model", ("productID", "pass.season"), ("model", "time"), ("days", "0")))
            #expect(wrong.status == 422 && wrong.text.contains("whole number from 1 to 3660"))
            _ = try await sam.post(Self.place, form("model", ("productID", "pass.season"), ("model", "none")))
            #expect(!(try await sam.get(Self.place).text.contains("pass.season")))
        }
    }

    @Test func `a file's good rows are stored, the others are named, and none of them is a formula or a tag`()
        async throws
    {
        try await withSam { sam, desk, test in
            let at = desk.clock.now.milliseconds - 1000
            let file =
                "transactionId,consumptionPercentage,observedAt\n1,500,\(at)\n=HYPERLINK(1),500,\(at)\n"
                + "<script>,1,\(at)\n2,7,\(at)\n3,7,4102444800000\n"
            for _ in 1...2 {
                let answer = try await sam.upload(Self.place, [("do", nil, "upload"), ("file", "use.csv", file)])
                #expect(answer.status == 200 && Markup(answer.text).troubles == [], "\(answer.status)")
                #expect(answer.text.contains("2 of 5 rows were stored.") && !answer.text.contains("<script>,"))
                #expect(answer.text.contains("observedAt lies in the future") && answer.text.contains("2, 5"))
            }
            #expect(try await test.asSuperuser("select from refunds.usage where source = 'csv'").count == 2)
            let bad = try await sam.upload(Self.place, [("do", nil, "upload"), ("file", "use.csv", "x,y\n1,2\n")])
            #expect(bad.status == 422 && bad.text.contains("Nothing was stored.") && bad.text.contains("not known"))
            #expect(try await sam.upload(Self.place, [("do", nil, "upload")]).status == 422)
        }
    }

    @Test func `others look, and see neither the address nor a form`() async throws {
        try await withSam { sam, desk, _ in
            _ = try await sam.post(
                Self.place, form("callback", ("asked", "yes"), ("callbackURL", "https://backend.example/x?key=hush")))
            try await desk.makeSam(.support)
            let page = try await sam.get(Self.place)
            #expect(page.status == 200 && page.text.contains("https://backend.example/…"))
            #expect(!page.text.contains("hush") && !page.text.contains("name=\"do\""))
            #expect(try await sam.post(Self.place, form("secret")).status == 403)
            #expect(
                try await sam.get(Site.evidence("alpha", bundleID: "com.example.beta", .now)).status == 404)
        }
    }
}
