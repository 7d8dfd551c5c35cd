import Foundation
import Mail
import Testing
import Time

@testable import Refunds

@Suite("What the mail channel sends") struct ChannelMailTests {
    private let channel = EmailChannel(channel: .sample(.email), bases: .sample)

    private func message(_ change: (inout Notice) -> Void = { _ in }) throws -> MailMessage {
        try #require(channel.message(for: Notice.sample.with(change)))
    }

    @Test(arguments: [
        (Notice.Event.trigger, "[acme] CRITICAL "), (.reminder, "[acme] CRITICAL "), (.resolved, "[acme] RESOLVED "),
        (.acknowledged(by: "Mira"), "[acme] ACKNOWLEDGED "), (.test, "[acme] TEST "),
    ])
    func `the subject says whose, how bad and what`(event: Notice.Event, prefix: String) throws {
        #expect(try message { $0.event = event }.subject.text == prefix + Notice.sample.title)
    }

    @Test func `an incident is one thread, begun by its first mail`() throws {
        let first = try message()
        #expect(first.messageID.text == "<6b29fc40-ca47-1067-b31d-00dd010662da.1.0e984725@refunds.example.com>")
        #expect(first.inReplyTo == nil && first.references.isEmpty)
        let second = try message { ($0.event, $0.sequence) = (.reminder, 2) }
        let last = try message { ($0.event, $0.sequence) = (.resolved, 3) }
        for one in [second, last] {
            #expect(one.inReplyTo == first.messageID && one.references == [first.messageID])
        }
        #expect(Set([first, second, last].map(\.messageID)).count == 3)
        // Sent again it is the same mail.
        #expect(try message { $0.effect = "other" }.messageID == first.messageID)
        let tests = try [1, 2].map { n in try message { ($0.event, $0.at) = (.test, Moment(milliseconds: n)) } }
        #expect(Set(tests.map(\.messageID)).count == 2 && tests.allSatisfy { $0.inReplyTo == nil })
    }

    @Test func `both parts say what, effect, first step, since when, cases and where`() throws {
        let mail = try message { $0.title = "a <b> & \"c\"" }
        for part in [mail.text, try #require(mail.html)] {
            #expect(part.contains(Notice.sample.effect) && part.contains("First step: "))
            #expect(part.contains("Since 2026-11-30 11:24 UTC, seen 14 times") && part.contains("Key ID: ABC123"))
            #expect(part.contains("https://refunds.example.com/t/acme/cases/one") && part.contains("2000000123456789"))
            #expect(part.contains("https://refunds.example.com/t/acme/alerts/6b29fc40"))
            #expect(part.contains("https://docs.example.com/runbooks/key-refused"))
        }
        #expect(mail.text.hasPrefix("a <b> & \"c\"\n"))
        #expect(mail.html?.contains("<h2>a &lt;b&gt; &amp; &quot;c&quot;</h2>") == true)
    }

    @Test func `hostile texts begin no field and no element`() throws {
        let hostile = "x\r\nBcc: thief@example.net\r\n\r\n</h2><script>alert(1)</script>"
        let mail = try message {
            ($0.title, $0.tenantName, $0.effect, $0.url) = (hostile, hostile, hostile, "javascript:alert(1)")
            $0.facts = [.init(hostile, hostile)]
            $0.cases = [hostile, "https://x.example/\"><script>"]
        }
        #expect(!mail.subject.text.contains("\n") && mail.html?.contains("<script") == false)
        #expect(mail.html?.contains("javascript:") == false)
        let bytes = mail.bytes(from: MailAddress("desk@example.com")!, name: "Refund Desk", date: .init(seconds: 0))
        let head = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n\r\n")[0]
        #expect(!head.contains("\r\nBcc"))
    }

    @Test(
        arguments: [
            (MailError.Kind.recipientRefused, 550, "host: no: 550 5.1.1 no such user", "gone"),
            (.recipientRefused, 550, "host: no: 550 no such user", "gone"),
            (.recipientRefused, 550, "host: no: 550 5.7.1 relaying denied", "refused"),
            (.refused, 554, "host: no: 554 5.7.1 content", "refused"),
            (.recipientRefused, 451, "host: later: 451 4.7.1 greylisted", "again"),
            (.signInRefused, 535, "host: 535 5.7.8", "again"), (.notSafe, nil, "host: TLS", "again"),
            (.timeout, nil, "host: late", "again"),
        ] as [(MailError.Kind, Int?, String, String)])
    func `a refusal of the reader ends the channel, of a mail only that mail, all else is tried again`(
        kind: MailError.Kind, code: Int?, text: String, ending: String
    ) {
        let answer = EmailChannel.answer(MailError(kind: kind, code: code, text: text))
        #expect("\(answer)".hasPrefix(ending) && answer.words == text)
        #expect(EmailChannel.answer(nil).isAccepted)
    }
}
