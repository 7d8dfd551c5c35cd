import Foundation
import HTTP
import Journal
import Mail
import Support
import Synchronization
import Testing
import Time

@testable import Refunds

@Suite("Sending over channels", .ownThreads) struct ChannelSenderTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var journal: Journal { Journal(level: .debug) { [self] line in lines.withLock { $0.append(line) } } }
        var text: String { lines.withLock { $0.joined(separator: "\n") } }
    }

    private let clock = ManualClock(Notice.sample.at)
    private let lines = Lines()

    private func sender(
        bases: ChannelBases, mail: MailClient? = nil, allowing: String = "yes"
    ) throws -> ChannelSender {
        func client(_ name: String, _ options: HTTPClient.Options) -> HTTPClient {
            HTTPClient(name: name, options: options, journal: lines.journal, counters: Counters())
        }
        return ChannelSender(
            services: client("services", .init()),
            tenants: client(
                "channels", .init(addressGuard: AddressGuard(setting: allowing), limitsPlainCalls: true)),
            mail: mail, bases: bases, clock: clock.clock)
    }

    /// What a service says, and what is made of it: the first word of the answer, and perhaps a wait in seconds.
    private static let answers: [(ChannelKind, Int, [String: String], String, String, Int64?)] = [
        (.pagerduty, 202, [:], #"{"status":"success","message":"Event processed","dedup_key":"k"}"#, "accepted", nil),
        (
            .pagerduty, 400, [:], #"{"status":"invalid event","message":"no","errors":["'source' is missing"]}"#,
            "refused", nil
        ),
        (.pagerduty, 429, [:], "", "again", 30), (.pagerduty, 429, ["Retry-After": "7"], "", "again", 7),
        (.pagerduty, 500, [:], "", "again", nil), (.pagerduty, 302, ["Location": "/"], "", "again", nil),
        (.slack, 200, [:], "ok", "accepted", nil), (.slack, 200, [:], "invalid_payload", "refused", nil),
        (.slack, 400, [:], "invalid_payload", "refused", nil), (.slack, 400, [:], "invalid_token", "gone", nil),
        (.slack, 404, [:], "no_service", "gone", nil), (.slack, 429, ["Retry-After": "9"], "", "again", 9),
        (.slack, 503, [:], "", "again", nil), (.webhook, 200, [:], "", "accepted", nil),
        (.webhook, 404, [:], "", "again", nil), (.webhook, 301, [:], "", "again", nil),
        (.webhook, 410, [:], "", "gone", nil), (.webhook, 500, ["webhook-delivery": "disable"], "", "gone", nil),
        (.webhook, 500, ["webhook-delivery": "abort-message"], "", "refused", nil),
        (.alertmanager, 200, [:], "", "accepted", nil), (.alertmanager, 400, [:], "bad label", "refused", nil),
        (.alertmanager, 401, [:], "", "again", nil), (.alertmanager, 503, [:], "", "again", nil),
        (.opsgenie, 202, [:], #"{"result":"Request will be processed","requestId":"r-1"}"#, "accepted", nil),
        (.opsgenie, 422, [:], #"{"message":"Request body is not processable"}"#, "refused", nil),
        (.opsgenie, 403, [:], "", "gone", nil), (.opsgenie, 429, [:], "", "again", nil),
        (.jsm, 202, [:], #"{"requestId":"r-1"}"#, "accepted", nil), (.jsm, 401, [:], "", "gone", nil),
        (.jsm, 404, [:], "", "gone", nil), (.jsm, 500, [:], "", "again", nil),
        (.discord, 200, [:], #"{"id":"99"}"#, "accepted", nil), (.discord, 204, [:], "", "accepted", nil),
        (.discord, 404, [:], #"{"message":"Unknown Webhook"}"#, "gone", nil),
        (.discord, 401, [:], "", "gone", nil), (.discord, 400, [:], "", "refused", nil),
        (.discord, 429, [:], #"{"retry_after":4.65}"#, "again", 5),
        (.discord, 429, ["Retry-After": "3"], #"{"retry_after":2.5}"#, "again", 3),
        (.teams, 202, [:], "", "accepted", nil), (.teams, 404, [:], "", "gone", nil),
        (.teams, 502, [:], "", "again", nil),
        (.ntfy, 200, [:], #"{"id":"x1"}"#, "accepted", nil), (.ntfy, 403, [:], #"{"error":"forbidden"}"#, "gone", nil),
        (.ntfy, 429, [:], "", "again", nil),
        (.telegram, 200, [:], #"{"ok":true,"result":{"message_id":7}}"#, "accepted", nil),
        (.telegram, 400, [:], #"{"ok":false,"description":"Bad Request: can't parse entities"}"#, "refused", nil),
        (.telegram, 400, [:], #"{"ok":false,"description":"Bad Request: chat not found"}"#, "gone", nil),
        (.telegram, 403, [:], #"{"ok":false,"description":"Forbidden: bot was kicked"}"#, "gone", nil),
        (.telegram, 429, [:], #"{"ok":false,"parameters":{"retry_after":11}}"#, "again", 11),
        (.pushover, 200, [:], #"{"status":1,"request":"r-1"}"#, "accepted", nil),
        (.pushover, 400, [:], #"{"user":"invalid","errors":["user identifier is invalid"],"status":0}"#, "gone", nil),
        (.pushover, 400, [:], #"{"errors":["message cannot be blank"],"status":0}"#, "refused", nil),
        (.pushover, 429, [:], "", "again", nil), (.gotify, 200, [:], #"{"id":25}"#, "accepted", nil),
        (.gotify, 401, [:], #"{"errorDescription":"you need to provide a valid token"}"#, "gone", nil),
        (.googlechat, 200, [:], #"{"name":"spaces/AAA/messages/1"}"#, "accepted", nil),
        (.googlechat, 404, [:], "", "gone", nil), (.googlechat, 400, [:], "", "refused", nil),
    ]

    @Test(arguments: answers.indices)
    func `BL-114: what an answer means`(row: Int) async throws {
        let (kind, status, fields, body, ending, wait) = Self.answers[row]
        let server = try ScriptedServer(steps: [.answer(status, fields: fields.map { ($0.key, $0.value) }, body: body)])
        let sender = try sender(bases: .all(at: server.url))
        let answer = await sender.send(.sample, over: .sample(kind, at: server.url))
        #expect("\(answer)".hasPrefix(ending), "\(kind) \(status) \(body): \(answer)")
        if case .again(_, let pause) = answer { #expect(pause == wait.map { .seconds($0) }) }
        #expect(!answer.words.isEmpty && answer.words.count <= ChannelAnswer.wordsMax)
        #expect(server.received.count == 1)
        // Nothing of the answer's own is lost on the way to people.
        if ending != "accepted" { #expect(answer.words.contains("\(status)")) }
    }

    @Test func `a Telegram group that moved is told with its new number`() async throws {
        let body =
            #"{"ok":false,"error_code":400,"description":"upgraded","parameters":{"migrate_to_chat_id":-100777}}"#
        let server = try ScriptedServer(steps: [.answer(400, body: body)])
        let answer = try await sender(bases: .all(at: server.url)).send(.sample, over: .sample(.telegram))
        #expect(answer == .gone("the group has become a supergroup: its chat ID is -100777 now"))
    }

    @Test(arguments: ChannelKind.allCases.filter { $0 != .email })
    func `no answer and no line of the journal holds the secret, even where the service repeats it`(kind: ChannelKind)
        async throws
    {
        let server = try ScriptedServer { request, _ in
            let said = "\(request.target) \(request.fields.map(\.value)) \(request.text)"
            return .answer(400, body: String(said.filter { $0 != "\"" }.prefix(1500)))
        }
        let channel = OpenedChannel.sample(kind, at: server.url)
        let answer = try await sender(bases: .all(at: server.url)).send(.sample, over: channel)
        let gone = try ScriptedServer(steps: [.reset])
        let failed = try await sender(bases: .all(at: gone.url)).send(.sample, over: .sample(kind, at: gone.url))
        #expect("\(failed)".hasPrefix("again"))
        let secret = try #require(channel.secret?.reveal())
        for text in ["\(answer)", "\(failed)", lines.text] {
            #expect(!text.contains(secret) && !text.contains("s3cr3t-s3cr3t"), "\(text)")
        }
    }

    @Test func `Jira Service Management is closed by two calls, and by one where nothing is open`() async throws {
        let server = try ScriptedServer(steps: [.answer(200, body: #"{"id":"a-1"}"#), .answer(202, body: "{}")])
        let resolved = Notice.sample.with { $0.event = .resolved }
        let sender = try sender(bases: .all(at: server.url))
        #expect(await sender.send(resolved, over: .sample(.jsm)).isAccepted)
        #expect(server.received.map(\.method) == ["GET", "POST"])
        #expect(server.received.last?.target.hasSuffix("/v1/alerts/a-1/close") == true)
        let empty = try ScriptedServer(steps: [.answer(404, body: #"{"message":"not found"}"#)])
        let answer = try await self.sender(bases: .all(at: empty.url)).send(resolved, over: .sample(.jsm))
        #expect(answer == .accepted("no alert was open there") && empty.received.count == 1)
    }

    @Test func `of two calls the second waits for the first to be taken`() async throws {
        let server = try ScriptedServer(steps: [.answer(500)])
        let test = Notice.sample.with { $0.event = .test }
        let answer = try await sender(bases: .all(at: server.url)).send(test, over: .sample(.pagerduty))
        #expect("\(answer)".hasPrefix("again") && server.received.count == 1)
    }

    @Test func `a redirect is a failure and is not followed`() async throws {
        let target = try ScriptedServer(steps: [.answer(200, body: "ok")])
        let server = try ScriptedServer(steps: [.answer(307, fields: [("Location", target.url + "/hook")])])
        let sender = try sender(bases: .all(at: server.url))
        for kind in [ChannelKind.slack, .webhook, .alertmanager, .gotify] {
            let answer = await sender.send(.sample, over: .sample(kind, at: server.url))
            #expect(!answer.isAccepted && answer.words.contains("redirect"), "\(kind): \(answer)")
        }
        #expect(target.received.isEmpty)
    }

    @Test(arguments: [ChannelKind.webhook, .alertmanager, .teams, .ntfy, .gotify])
    func `a private address that a tenant chose is not called unless that is allowed`(kind: ChannelKind) async throws {
        let server = try ScriptedServer(steps: [.answer(200, body: "{}")])
        let channel = OpenedChannel.sample(kind, at: server.url)
        let refused = try await sender(bases: .sample, allowing: "no").send(.sample, over: channel)
        #expect("\(refused)".hasPrefix("refused") && refused.words.contains("may be called"), "\(refused)")
        #expect(server.received.isEmpty)
        #expect(try await sender(bases: .sample, allowing: "127.0.0.0/8").send(.sample, over: channel).isAccepted)
    }

    @Test func `BL-114: a routing key has sixty calls a minute, and others have theirs`() async throws {
        let server = try ScriptedServer(steps: [.answer(202)])
        let sender = try sender(bases: .all(at: server.url))
        for _ in 0..<60 { #expect(await sender.send(.sample, over: .sample(.pagerduty)).isAccepted) }
        clock.advance(by: .seconds(20))
        let held = await sender.send(.sample, over: .sample(.pagerduty))
        #expect(held == .again("this routing key has had its calls for this minute", after: .seconds(40)))
        #expect(server.received.count == 60)
        let other = OpenedChannel(
            kind: .pagerduty, id: UUID(), target: nil, secret: .init(String(repeating: "f", count: 32)))
        #expect(await sender.send(.sample, over: other).isAccepted)
        clock.advance(by: .seconds(40))
        #expect(await sender.send(.sample, over: .sample(.pagerduty)).isAccepted)
    }

    @Test func `mail is read back from a real server, and a reader it does not know ends the channel`() async throws {
        try await MailBox.open(.startTLS) { box in
            let mail = MailClient(
                server: try MailServer(url: box.url), from: MailAddress("desk@example.com")!, name: "Refund Desk",
                caFile: box.authorityFile, clock: clock.clock, journal: .silent, counters: Counters())
            let sender = try sender(bases: .sample, mail: mail)
            #expect(await sender.send(.sample, over: .sample(.email)).isAccepted)
            let resolved = Notice.sample.with { ($0.event, $0.sequence) = (.resolved, 2) }
            #expect(await sender.send(resolved, over: .sample(.email)).isAccepted)
            let got = try await box.delivered(2)
            try #require(got.map(\.to) == [["on-call@example.com"], ["on-call@example.com"]])
            let id = try #require(got[0].text.firstMatch(of: /Message-ID: (<[^>]+>)/)?.1)
            #expect(got[1].text.contains("In-Reply-To: \(id)\r\n") && got[1].text.contains("References: \(id)\r\n"))
            let unknown = OpenedChannel(kind: .email, id: UUID(), target: "unknown@example.com", secret: nil)
            let answer = await sender.send(.sample, over: unknown)
            #expect("\(answer)".hasPrefix("gone") && answer.words.contains("550 5.1.1 no such user here"))
            let later = OpenedChannel(kind: .email, id: UUID(), target: "later@example.com", secret: nil)
            let greylisted = await sender.send(.sample, over: later)
            #expect("\(greylisted)".hasPrefix("again"))
        }
        let none = try await sender(bases: .sample).send(.sample, over: .sample(.email))
        #expect(none == .again("no mail server is set: REFUND_DESK_SMTP_URL names one", after: nil))
    }
}
