import Foundation
import Journal
import Support
import Synchronization
import Testing
import Time

@testable import Mail

@Suite(.ownThreads) struct `Handing in mail` {
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var journal: Journal { Journal(level: .debug) { [self] line in lines.withLock { $0.append(line) } } }
        var text: String { lines.withLock { $0.joined(separator: "\n") } }
    }

    /// How sendings ended, in the order in which they did.
    private final class Endings: Sendable {
        private let kinds = Mutex<[MailError.Kind?]>([])
        func add(_ kind: MailError.Kind?) { kinds.withLock { $0.append(kind) } }
        var all: [MailError.Kind?] { kinds.withLock { $0 } }
    }

    private func client(
        _ url: String, password: String? = nil, caFile: String? = nil, limits: MailClient.Limits = .init(),
        journal: Journal = .silent
    ) throws -> MailClient {
        MailClient(
            server: try MailServer(url: url, password: password.map { Redacted($0) }),
            from: MailAddress("desk@example.com")!, name: "Refund Desk", caFile: caFile, limits: limits,
            clock: .system, journal: journal, counters: Counters())
    }

    private func mail(to: String = "on-call@example.org", text: String = "Text\n") -> MailMessage {
        MailMessage(
            to: MailAddress(to)!, subject: "[acme] CRITICAL Rückerstattung", text: text,
            messageID: MessageID("incident.1", at: "desk.example.com")!)
    }

    private func failure(_ body: () async throws(MailError) -> Void) async -> MailError? {
        do throws(MailError) {
            try await body()
            return nil
        } catch { return error }
    }

    @Test(arguments: [MailBox.Safety.startTLS, .implicitTLS])
    func `a mail arrives over TLS as it was written, dots included`(safety: MailBox.Safety) async throws {
        try await MailBox.open(safety) { box in
            let message = mail(text: "one\n.\n..\n.two\n" + String(repeating: "ü", count: 40_000))
            let client = try client(box.url, caFile: box.authorityFile)
            try await client.send(message)
            let got = try #require(try await box.delivered(1).first)
            #expect(box.deliveries.count == 1 && got.isEncrypted && got.user == nil)
            #expect(got.from == "desk@example.com" && got.to == ["on-call@example.org"])
            let date = got.text.components(separatedBy: "\r\n")[0].dropFirst("Date: ".count)
            let again = message.bytes(
                from: MailAddress("desk@example.com")!, name: "Refund Desk", date: .init(seconds: 0))
            let expected = String(decoding: again, as: UTF8.self)
                .replacing("Thu, 1 Jan 1970 00:00:00 +0000", with: String(date))
            #expect(got.text == expected)
        }
    }

    @Test func `signs in with user and password, and never repeats the password`() async throws {
        try await MailBox.open(.startTLS) { box in
            let lines = Lines()
            let user = box.url.replacing("smtp://", with: "smtp://desk%40example.com@")
            let good = try client(user, password: "correct horse", caFile: box.authorityFile, journal: lines.journal)
            try await good.send(mail())
            let taken = try await box.delivered(1)
            #expect(taken.first?.user == "desk@example.com")
            let bad = try client(user, password: "wrong-horse-1", caFile: box.authorityFile, journal: lines.journal)
            let error = try #require(await failure { () async throws(MailError) in try await bad.send(mail()) })
            #expect(error.kind == .signInRefused && error.code == 535 && !error.isPermanent)
            #expect(!error.text.contains("wrong-horse-1") && !lines.text.contains("wrong-horse-1"))
            #expect(lines.text.contains("a mail was not sent"))
        }
    }

    @Test(arguments: [
        ("unknown@example.org", MailError.Kind.recipientRefused, 550, true, "550 5.1.1 no such user here"),
        ("later@example.org", .recipientRefused, 451, false, "451 4.7.1 greylisted, come back later"),
        ("policy@example.org", .refused, 554, true, "554 5.7.1 message content refused"),
    ])
    func `a refusal has the server's number and words`(
        to: String, kind: MailError.Kind, code: Int, isPermanent: Bool, words: String
    ) async throws {
        try await MailBox.open(.startTLS) { box in
            let client = try client(box.url, caFile: box.authorityFile)
            let error = try #require(
                await failure { () async throws(MailError) in try await client.send(mail(to: to)) })
            #expect(error.kind == kind && error.code == code && error.isPermanent == isPermanent)
            #expect(error.text.hasSuffix(": " + words) && !error.text.contains(to), "\(error)")
            #expect(box.deliveries.isEmpty)
        }
    }

    @Test(arguments: [MailBox.Safety.none, .wrongHost, .selfSigned])
    func `nothing is sent where the way is not safe`(safety: MailBox.Safety) async throws {
        try await MailBox.open(safety) { box in
            let client = try client(box.url, caFile: box.authorityFile)
            let error = try #require(await failure { () async throws(MailError) in try await client.send(mail()) })
            #expect(error.kind == .notSafe && error.code == nil && !error.isPermanent, "\(error)")
            #expect(error.text.contains(safety == .none ? "offers no TLS" : "TLS verification failed"), "\(error)")
            #expect(box.deliveries.isEmpty)
        }
    }

    @Test func `BL-135: a certificate of nobody we trust is named as that`() async throws {
        try await MailBox.open(.startTLS) { box in
            let client = try client(box.url)
            let error = try #require(await failure { () async throws(MailError) in try await client.send(mail()) })
            #expect(error.kind == .notSafe && error.text.contains("TLS verification failed"))
            #expect(box.deliveries.isEmpty)
        }
    }

    @Test func `on this machine a server without TLS will do`() async throws {
        try await MailBox.open(.none) { box in
            let client = try client("smtp://127.0.0.1:\(box.port)")
            try await client.send(mail())
            let taken = try await box.delivered(1)
            #expect(taken.map(\.isEncrypted) == [false])
        }
    }

    @Test func `a server that says nothing is given up, and what waited behind it too`() async throws {
        let silent = try ScriptedServer(steps: [.silence])
        let client = try client(
            "smtp://127.0.0.1:\(silent.port)", limits: .init(connect: .milliseconds(150), total: .milliseconds(400)))
        let errors = await withTaskGroup(of: MailError?.self) { group in
            for _ in 0..<8 {
                group.addTask { await failure { () async throws(MailError) in try await client.send(mail()) } }
            }
            return await group.reduce(into: [MailError?]()) { $0.append($1) }
        }
        #expect(errors.count == 8 && errors.allSatisfy { $0?.kind == .timeout && $0?.isPermanent == false })
    }

    @Test func `more mails than may wait are refused at once, a cancelled one ends, and so does what a stop meets`()
        async throws
    {
        let silent = try ScriptedServer(steps: [.silence])
        let client = try client("smtp://127.0.0.1:\(silent.port)", limits: .init(waitingMax: 1))
        let ended = Endings()
        let mail = mail()
        func start() -> Task<MailError?, Never> {
            Task {
                var error: MailError?
                do throws(MailError) { try await client.send(mail) } catch let thrown { error = thrown }
                ended.add(error?.kind)
                return error
            }
        }
        let first = start()
        try await until { silent.connections == 1 }
        let second = start()
        try await until { silent.connections == 2 }
        // Of three more one finds room to wait.
        let others = [start(), start(), start()]
        try await until { ended.all.count == 2 }
        #expect(ended.all == [.busy, .busy])
        first.cancel()
        #expect(await first.value?.kind == .cancelled)
        await client.shutdown()
        #expect(await second.value?.kind == .shutDown)
        var kinds: [MailError.Kind?] = []
        for other in others { kinds.append(await other.value?.kind) }
        #expect(kinds.count { $0 == .shutDown } == 1)
        #expect(await failure { () async throws(MailError) in try await client.send(mail) }?.kind == .shutDown)
    }

    @Test func `nobody at the address is a passing trouble`() async throws {
        let client = try client("smtp://127.0.0.1:\(try FreePort.find())")
        let error = try #require(await failure { () async throws(MailError) in try await client.send(mail()) })
        #expect(error.kind == .unreachable && !error.isPermanent)
    }
}
