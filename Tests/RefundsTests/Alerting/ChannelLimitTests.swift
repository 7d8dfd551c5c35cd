import AppStore
import Foundation
import Testing
import Time

@testable import HTTP
@testable import Refunds

@Suite("The limits of each channel") struct ChannelLimitTests {
    /// Texts that are easily cut in the wrong place, each longer than any limit.
    enum Awkward: String, Sendable, CaseIterable {
        case emoji, families, marks, markup

        var text: String {
            switch self {
            case .emoji: String(repeating: "\u{1F4A5}", count: 5000)
            case .families: String(repeating: "👩‍👩‍👧‍👦", count: 1500)
            case .marks: "e" + String(repeating: "\u{301}", count: 16_000)
            case .markup: String(repeating: "&<>*_\"\\", count: 2500)
            }
        }
    }

    /// Everything as long and as awkward as it can become.
    private func huge(_ text: String) -> Notice {
        Notice.sample.with {
            ($0.title, $0.effect, $0.firstStep, $0.tenantName) = (text, text, text, text)
            $0.facts = (0..<22).map { Notice.Fact("\($0)" + text, text) }
            $0.cases = (0..<12).map { "\($0)" + text }
        }
    }

    private func body(_ kind: ChannelKind, _ notice: Notice) throws -> ReadJSON {
        let service = try #require(ChannelSender.service(.sample(kind), .sample))
        return try ReadJSON(try #require(service.requests(for: notice, at: notice.at).first).body)
    }

    /// Paths of texts and the longest that the service takes, in UTF-16 units; a path may stand for each element.
    private static let limits: [(ChannelKind, [(String, Int)])] = [
        (.pagerduty, [("payload.summary", 1024), ("dedup_key", 255)]),
        (.slack, [("text", 3000), ("blocks.0.text.text", 150), ("blocks.1.text.text", 3000)]),
        (.opsgenie, [("message", 130), ("alias", 512), ("description", 15_000), ("source", 100), ("tags.1", 50)]),
        (.jsm, [("message", 130), ("alias", 512), ("description", 15_000)]),
        (.discord, [("embeds.0.title", 256), ("embeds.0.description", 4096), ("embeds.0.footer.text", 2048)]),
        (.telegram, [("text", 4096)]), (.pushover, [("title", 250), ("message", 1024)]), (.ntfy, [("title", 250)]),
        (.gotify, [("title", 250)]), (.googlechat, [("cardsV2.0.card.header.title", 200)]),
    ]

    @Test(arguments: limits.map(\.0), Awkward.allCases)
    func `BL-113: no text is longer than its service takes, and no character is cut`(
        kind: ChannelKind, awkward: Awkward
    ) throws {
        let body = try body(kind, huge(awkward.text))
        for (path, limit) in Self.limits.first(where: { $0.0 == kind })?.1 ?? [] {
            let got = try #require(body[path], "\(path)")
            #expect(!got.isEmpty && got.utf16.count <= limit, "\(kind) \(path): \(got.utf16.count)")
            #expect(!got.contains("\u{FFFD}"))
        }
        // What is cut says so.
        let first = try #require(Self.limits.first { $0.0 == kind }?.1.first?.0)
        if kind != .telegram { #expect(body[first]?.hasSuffix("…") == true, "\(body[first]?.suffix(5) ?? "")") }
    }

    @Test func `BL-113: an event of PagerDuty's is whole and below 512 KB; details go first`() throws {
        let small = try body(.pagerduty, huge(Awkward.emoji.text))
        #expect(small.root.raw.count < PagerDutyChannel.eventBytesMax)
        let controls = String(repeating: "\u{1}", count: 9000)
        let large = try body(.pagerduty, huge(controls))
        #expect(large.root.raw.count < PagerDutyChannel.eventBytesMax && large["payload.custom_details"] == nil)
        #expect(large["payload.summary"]?.isEmpty == false && large["routing_key"] != nil)
        let usual = try body(.pagerduty, .sample)
        #expect(usual.names("payload.custom_details").isEmpty == false)
    }

    @Test(arguments: [Awkward.emoji, .families])
    func `Discord's texts together stay below six thousand, Teams' and ntfy's messages below their bytes`(
        awkward: Awkward
    ) throws {
        let text = awkward.text
        let discord = try body(.discord, huge(text))
        var total = 0
        for path in ["title", "description", "footer.text"] { total += discord["embeds.0.\(path)"]?.utf16.count ?? 0 }
        #expect(discord.count("embeds.0.fields") <= 25)
        for index in 0..<discord.count("embeds.0.fields") {
            let name = discord["embeds.0.fields.\(index).name"]?.utf16.count ?? 0
            let value = discord["embeds.0.fields.\(index).value"]?.utf16.count ?? 0
            #expect(name <= 256 && value <= 1024)
            total += name + value
        }
        #expect(total <= 6000)
        #expect(try body(.teams, huge(text)).root.raw.count < 28_000)
        #expect((try body(.ntfy, huge(text))["message"]?.utf8.count ?? 0) <= 4096)
        #expect(try body(.googlechat, huge(text)).root.raw.count < 32_000)
        let slack = try body(.slack, huge(text))
        #expect(slack.count("blocks") <= 50 && slack.count("blocks.2.fields") <= 10)
        for index in 0..<slack.count("blocks.2.fields") {
            #expect((slack["blocks.2.fields.\(index).text"]?.utf16.count ?? 0) <= 2000)
        }
    }

    /// What would act in each markup if it were not escaped.
    private static let hostile = "<!channel> <@U1> @everyone *b* [x](https://evil.example) <a href=\"x\"> & `c`"

    @Test(arguments: [
        (ChannelKind.slack, "blocks.1.text.text", "&lt;!channel&gt; &lt;@U1&gt; @everyone"),
        (.discord, "embeds.0.title", "\\<!channel\\> \\<\\@U1\\> \\@everyone \\*b\\* \\[x\\]\\(https"),
        (.teams, "attachments.0.content.body.0.text", "\\<!channel\\> \\<\\@U1\\> \\@everyone \\*b\\* \\[x\\]"),
        (.telegram, "text", "&lt;!channel&gt; &lt;@U1&gt;"),
        (.googlechat, "cardsV2.0.card.sections.0.widgets.0.textParagraph.text", "&lt;!channel&gt; &lt;@U1&gt;"),
    ])
    func `what would act in a service's markup is only read`(kind: ChannelKind, path: String, escaped: String) throws {
        let notice = Notice.sample.with {
            ($0.title, $0.effect) = (Self.hostile, Self.hostile)
            $0.facts = [.init(Self.hostile, Self.hostile)]
            $0.cases = [Self.hostile]
        }
        let text = try #require(try body(kind, notice)[path])
        #expect(text.contains(escaped), "\(text)")
        #expect(!text.contains("<!channel>") && !text.contains("<a href=\"x\">"))
        #expect(kind != .telegram || text.contains("&quot;x&quot;&gt; &amp; `c`"))
    }

    @Test(arguments: ["javascript:alert(1)", "https://x.example/a b", "https://x.example/<b>", "//x.example", "x", ""])
    func `what is no web address becomes no link`(url: String) throws {
        let notice = Notice.sample.with { ($0.url, $0.runbook) = (url, url) }
        for kind in ChannelKind.allCases where kind != .email {
            let text = String(decoding: try body(kind, notice).root.raw, as: UTF8.self)
            // A path below our own address is one, so that two slashes stay on our host.
            #expect(url.count < 2 || url == "//x.example" || !text.contains("\"\(url)\""), "\(kind)")
            #expect(!text.contains("\"//x.example\""))
        }
    }

    @Test func `a text is cut at a character that fits with the mark of the cut`() {
        #expect(ChannelText.bounded("abcdef", 6) == "abcdef" && ChannelText.bounded("abcdef", 5) == "abcd…")
        #expect(ChannelText.bounded("a💥💥", 4) == "a💥…" && ChannelText.bounded("a💥💥", 3) == "a…")
        #expect(ChannelText.bounded("äöü", 5, in: .bytes) == "ä…" && ChannelText.bounded("", 5) == "")
        #expect(ChannelText.bounded("a&bc", 7, escape: ChannelMarkup.html) == "a&amp;…")
        #expect(ChannelText.bounded("a&b", 5, escape: ChannelMarkup.html) == "a…")
        #expect(ChannelText.bounded("abc", 0) == "")
    }
}
