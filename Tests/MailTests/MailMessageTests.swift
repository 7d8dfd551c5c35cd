import Foundation
import Support
import Testing
import Time

@testable import Mail

@Suite struct `Mail messages` {
    private let from = MailAddress("desk@example.com")!
    private let date = Moment(milliseconds: 1_796_037_854_000)

    private func sample(_ subject: HeaderText = "[acme] CRITICAL a subject", text: String = "Text") -> MailMessage {
        MailMessage(
            to: MailAddress("on-call@example.org")!, subject: subject, text: text,
            messageID: MessageID("incident.1", at: "desk.example.com")!)
    }

    private func bytes(_ message: MailMessage, name: HeaderText = "Refund Desk") -> [UInt8] {
        message.bytes(from: from, name: name, date: date)
    }

    /// What Python's own mail reader, which shares no line with ours, makes of a message.
    private func readBack(_ bytes: [UInt8]) async throws -> [String: Any] {
        let program = """
            import sys, json, email, email.policy
            m = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
            parts = [p for p in m.walk() if not p.is_multipart()]
            print(json.dumps({
              "fields": [[k, str(v)] for k, v in m.items()],
              "type": m.get_content_type(),
              "parts": [[p.get_content_type(), p.get_content()] for p in parts],
              "date": m["date"].datetime.isoformat(),
              "from": [[a.display_name, a.addr_spec] for a in m["from"].addresses],
              "defects": [str(d) for p in m.walk() for d in p.defects]
                + [str(d) for v in m.values() for d in getattr(v, "defects", [])]}))
            """
        let outcome = try await OutsideProgram.run(
            "/usr/bin/python3", ["-c", program], environment: ["PATH": "/usr/bin:/bin"],
            input: String(decoding: bytes, as: UTF8.self))
        #expect(outcome.status == 0, "\(outcome.error)")
        let read = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any] ?? [:]
        #expect(read["defects"] as? [String] == [])
        return read
    }

    private func field(_ name: String, of read: [String: Any]) -> String? {
        (read["fields"] as? [[String]])?.first { $0[0] == name }?[1]
    }

    @Test func `another reader finds every field and both parts`() async throws {
        var message = sample("[acme] CRITICAL Rückerstattung: 1 h 58 m left 💥", text: "Grüße\n.\n..two dots = ü\n")
        message.html = "<p>Grüße &amp; more</p>"
        message.inReplyTo = MessageID("incident.0", at: "desk.example.com")
        message.references = [MessageID("incident.0", at: "desk.example.com")!]
        message.unsubscribeURL = "https://desk.example.com/u?t=1"
        let read = try await readBack(bytes(message))
        #expect(field("Subject", of: read) == "[acme] CRITICAL Rückerstattung: 1 h 58 m left 💥")
        #expect(read["from"] as? [[String]] == [["Refund Desk", "desk@example.com"]])
        #expect(field("To", of: read) == "on-call@example.org")
        #expect(field("Message-ID", of: read) == "<incident.1@desk.example.com>")
        #expect(field("In-Reply-To", of: read) == "<incident.0@desk.example.com>")
        #expect(field("References", of: read) == "<incident.0@desk.example.com>")
        #expect(field("Auto-Submitted", of: read) == "auto-generated")
        #expect(field("List-Unsubscribe", of: read) == "<https://desk.example.com/u?t=1>")
        #expect(field("List-Unsubscribe-Post", of: read) == "List-Unsubscribe=One-Click")
        #expect(read["date"] as? String == "2026-11-30T11:24:14+00:00")
        #expect(read["type"] as? String == "multipart/alternative")
        let parts = try #require(read["parts"] as? [[String]])
        #expect(parts.map { $0[0] } == ["text/plain", "text/html"])
        let lines = parts.map { $0[1].split(whereSeparator: \.isNewline).map(String.init) }
        #expect(lines == [["Grüße", ".", "..two dots = ü"], ["<p>Grüße &amp; more</p>"]])
    }

    @Test(arguments: [
        "x\r\nBcc: thief@example.net", "x\nBcc: thief@example.net", "x\r\n\r\nbody", "x\u{0}y", "x\u{2028}Bcc: y",
        "ü\r\nBcc: thief@example.net", "=?utf-8?Q?=0D=0ABcc:_thief?=",
    ])
    func `no subject begins a field of its own`(subject: String) async throws {
        let read = try await readBack(bytes(sample(HeaderText(subject))))
        #expect((read["fields"] as? [[String]])?.map { $0[0] } == Self.names)
        let got = try #require(field("Subject", of: read))
        #expect(!got.unicodeScalars.contains { $0.value < 0x20 })
        #expect(got == HeaderText(subject).text)
    }

    private static let names = [
        "Date", "From", "To", "Message-ID", "Subject", "Auto-Submitted", "X-Auto-Response-Suppress", "MIME-Version",
        "Content-Type", "Content-Transfer-Encoding",
    ]

    @Test(arguments: [
        String(repeating: "wörd ", count: 180), String(repeating: "👩‍👩‍👧‍👦", count: 400),
        String(repeating: "x", count: 990), String(repeating: "word ", count: 190), "",
        "e" + String(repeating: "\u{301}", count: 600),
    ])
    func `a long subject is folded and comes back whole`(subject: String) async throws {
        let bytes = bytes(sample(HeaderText(subject)))
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 78 })
        let read = try await readBack(bytes)
        #expect(field("Subject", of: read) == HeaderText(subject).text)
    }

    @Test func `every byte is ASCII, lines end with CR and LF, none is longer than 78`() {
        let text =
            String(repeating: "ä= \t", count: 500) + "\rlone\nline\r\n" + String(repeating: "x", count: 500) + " "
        let bytes = bytes(sample(text: text), name: "Désk, the \"one\"")
        #expect(bytes.allSatisfy { $0 < 0x80 })
        for (index, byte) in bytes.enumerated() where byte == 0x0A { #expect(bytes[index - 1] == 0x0D) }
        for (index, byte) in bytes.enumerated() where byte == 0x0D { #expect(bytes[index + 1] == 0x0A) }
        #expect(bytes.suffix(2) == [0x0D, 0x0A])
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 100 })
        #expect(lines.drop { !$0.isEmpty }.allSatisfy { $0.utf8.count <= 76 })
    }

    @Test func `a sender's name in any letters comes back`() async throws {
        let read = try await readBack(bytes(sample(), name: "Désk, the \"one\" <x@y>"))
        #expect(read["from"] as? [[String]] == [["Désk, the \"one\" <x@y>", "desk@example.com"]])
    }

    @Test func `a thread keeps its first message and the newest`() async throws {
        var message = sample()
        message.references = (1...30).compactMap { MessageID("incident.\($0)", at: "desk.example.com") }
        let read = try await readBack(bytes(message))
        let written = field("References", of: read)?.split(separator: " ").map(String.init) ?? []
        #expect(written.count == 10 && written.first == "<incident.1@desk.example.com>")
        #expect(written.last == "<incident.30@desk.example.com>")
    }

    @Test(arguments: ["http://x.example/u", "https://x.example/>\r\nBcc: y", "https://x.example/ü"])
    func `an address to unsubscribe at that is none is left out`(url: String) async throws {
        var message = sample()
        message.unsubscribeURL = url
        let read = try await readBack(bytes(message))
        #expect((read["fields"] as? [[String]])?.map { $0[0] } == Self.names)
    }

    @Test(arguments: [
        ("desk@example.com", true), ("a.b+c@mail.example.com", true), ("root@localhost", true),
        ("x@xn--mnchen-3ya.example", true), ("a@b@c", false), ("a@", false), ("@b", false), ("a b@c", false),
        ("a@b c", false), ("<a@b>", false), ("a\r\n@b", false), (".a@b", false), ("a..b@c", false), ("a@-b", false),
        ("ü@b", false), ("a@b,c@d", false), ("a@[127.0.0.1]", false),
        (String(repeating: "a", count: 65) + "@b", false), ("a@" + String(repeating: "b.", count: 130) + "c", false),
    ])
    func `an address is taken that can stand in an envelope, and no other`(text: String, isOne: Bool) {
        #expect((MailAddress(text) != nil) == isOne, "\(text)")
    }

    @Test(arguments: [
        (0, "Thu, 1 Jan 1970 00:00:00 +0000"), (-1000, "Wed, 31 Dec 1969 23:59:59 +0000"),
        (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 +0000"), (1_796_037_854_999, "Mon, 30 Nov 2026 11:24:14 +0000"),
    ])
    func `dates have their weekday`(milliseconds: Int64, text: String) {
        #expect(MailDate.text(Moment(milliseconds: milliseconds)) == text)
    }
}
