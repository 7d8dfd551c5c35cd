import HTTP
import Journal
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("Passing notifications on to another receiver", .ownThreads)
struct RelayTests {
    private func standing(_ desk: Desk, _ app: App) async throws -> (RelayStanding, [RelayLine]) {
        try await desk.database.transaction(app.tenant.scope) { tx in
            (try await RelayQueries.standing(of: app, in: tx), try await RelayQueries.list(of: app, in: tx).lines)
        }
    }

    /// The forms a body may have: Apple's, with blanks, with another member, with an escaped character.
    @Test(arguments: [
        #"{"signedPayload":"TEXT"}"#, #"{ "signedPayload" : "TEXT" }"# + "\n",
        #"{"a":[1,2],"signedPayload":"TEXT","b":{}}"#,
        #"{"signed\u0050ayload":"TEXT"}"#,
    ])
    func `the very bytes arrive, once, however often Apple sends them`(form: String) async throws {
        try await Desk.open { desk in
            let receiver = try ScriptedServer(steps: [.answer(200)])
            let app = try await desk.relay(to: receiver.url + "/hook?key=1")
            let text = try desk.chain.sign(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            let body = Array(
                form.split(separator: "TEXT", omittingEmptySubsequences: false).joined(separator: text).utf8)
            #expect(await desk.post(body) == .accepted)
            #expect(await desk.post(body) == .duplicate)
            try await desk.work()
            #expect(await desk.post(body) == .duplicate)
            try await desk.work()
            let got = receiver.received
            #expect(got.count == 1 && got.first?.body == body && got.first?.target == "/hook?key=1")
            #expect(got.first?.field("Content-Type") == "application/json")
            let (standing, lines) = try await standing(desk, app)
            #expect(standing.waiting == 0 && !standing.isInTrouble && standing.lastSuccessAt != nil)
            #expect(lines.map(\.state) == [.delivered] && lines.first?.status == 200)
        }
    }

    @Test(arguments: ["SOMETHING_NEW_2031", "TEST", "CONSUMPTION_REQUEST"])
    func `what is not acted on is passed on too: an unknown type, a test, one that is set aside`(type: String)
        async throws
    {
        try await Desk.open { desk in
            let receiver = try ScriptedServer(steps: [.answer(200)])
            _ = try await desk.relay(to: receiver.url)
            // A request without its transaction contradicts itself.
            let body = try desk.body(try desk.note(type))
            #expect(await desk.post(body) == .accepted)
            try await desk.work()
            let standing = type == "CONSUMPTION_REQUEST" ? "set-aside" : "nothing-to-do"
            #expect(try await desk.count("refunds.notifications where standing = \(standing)") == 1)
            #expect(receiver.received.map(\.body) == [body])
        }
    }

    @Test func `what nobody may believe is not passed on: Apple was told so`() async throws {
        try await Desk.open { desk in
            let receiver = try ScriptedServer(steps: [.answer(200)])
            _ = try await desk.relay(to: receiver.url)
            guard case .rejected = await desk.post(try desk.body(try desk.note("TEST"), by: desk.evil)) else {
                Issue.record("a stranger's notification was taken")
                return
            }
            try await desk.work()
            #expect(receiver.received.isEmpty)
        }
    }

    @Test func `an escaped text is given back as it came`() {
        let (text, body) = (Array("abc.def.ghi".utf8), Array(#"{"signedPayload":"\u0061bc.def.ghi"}"#.utf8))
        let wrapping = BodyWrapping.of(body, around: text)
        #expect(wrapping != nil)
        #expect(BodyWrapping.body(around: text, wrapping: wrapping) == body)
        #expect(BodyWrapping.body(around: text, wrapping: [0, 0, 0, 9, 1]) == nil)
    }

    @Test func `a receiver that is away gets everything when it is back`() async throws {
        try await Desk.open { desk in
            let receiver = try ScriptedServer(steps: [.answer(500), .reset, .answer(503), .answer(204)])
            let app = try await desk.relay(to: receiver.url)
            try await desk.take(desk.note("TEST"))
            let (away, _) = try await standing(desk, app)
            #expect(away.waiting == 1 && away.failures == 1 && away.isInTrouble && away.lastError == "answered 500")
            try await desk.workOn(until: desk.now + .hours(4))
            let (back, lines) = try await standing(desk, app)
            #expect(back.waiting == 0 && back.failures == 0 && !back.isInTrouble)
            #expect(lines.first?.attempts == 4 && receiver.received.count == 4)
            #expect(Set(receiver.received.map(\.text)).count == 1)
        }
    }

    @Test func `one that the receiver does not like holds up no other, and is given up after three days`() async throws
    {
        try await Desk.open { desk in
            let receiver = try ScriptedServer { _, number in number == 1 ? .answer(200) : .answer(400) }
            let app = try await desk.relay(to: receiver.url)
            try await desk.take(desk.note("TEST"))
            try await desk.take(desk.note("TEST"))
            let (early, _) = try await standing(desk, app)
            #expect(early.waiting == 1 && early.failures == 0)
            try await desk.workOn(until: desk.now + .days(3) + .hours(2))
            let (late, lines) = try await standing(desk, app)
            #expect(late.waiting == 0 && late.givenUp == 1)
            #expect(Set(lines.map(\.state)) == [.delivered, .givenUp])
            let calls = receiver.received.count

            // By hand it is tried again, what was delivered is not.
            let now = desk.now
            let again = try await desk.database.transaction(app.tenant.scope) { tx in
                try await RelayQueries.retry(of: app, by: .commandLine, at: now, in: tx)
            }
            #expect(again == 1)
            try await desk.work()
            #expect(receiver.received.count == calls + 1)
        }
    }

    @Test func `a redirect is not followed`() async throws {
        try await Desk.open { desk in
            let other = try ScriptedServer(steps: [.answer(200)])
            let receiver = try ScriptedServer(steps: [.answer(302, fields: [("Location", other.url)])])
            let app = try await desk.relay(to: receiver.url)
            try await desk.take(desk.note("TEST"))
            #expect(other.received.isEmpty)
            #expect(try await standing(desk, app).0.lastError == "answered with a redirect, which is not followed")
        }
    }

    @Test(arguments: ["http://192.0.2.1/", "https://169.254.169.254/", "http://8.8.8.8/", "https://10.0.0.1/"])
    func `an address that is not allowed is never called`(url: String) async throws {
        try await Desk.open { desk in
            let app = try await desk.relay(to: url)
            try await desk.take(desk.note("TEST"))
            let (standing, _) = try await standing(desk, app)
            #expect(standing.waiting == 1 && standing.lastError?.contains("may be called") == true)
        }
    }

    @Test func `a reply goes out though the receiver is away`() async throws {
        try await Desk.open { desk in
            _ = try await desk.relay(to: "http://127.0.0.1:1/")
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.count == 1)
        }
    }

    @Test func `without a receiver nothing is noted, and what waited is given up`() async throws {
        try await Desk.open { desk in
            try await desk.take(desk.note("TEST"))
            #expect(try await desk.count("refunds.relay_deliveries") == 0)
            _ = try await desk.relay(to: "http://127.0.0.1:1/")
            try await desk.take(desk.note("TEST"))
            let app = try await desk.relay(to: "")
            #expect(!app.isRelayed)
            try await desk.workOn(until: desk.now + .minutes(5))
            #expect(try await standing(desk, app).1.map(\.state) == [.givenUp])
            #expect(try await desk.count("queue.jobs") == 0)
        }
    }
}
