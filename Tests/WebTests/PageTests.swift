import FoundationEssentials
import Refunds
import Support
import Testing

@testable import Web

@Suite struct `Pages` {
    @Test(arguments: Samples.pages().map(\.name))
    func `every page is sound`(name: String) throws {
        let page = try #require(Samples.pages().first { $0.name == name })
        let markup = Markup(page.html.string)
        #expect(markup.troubles == [])
        #expect(markup.count("h1") == 1 && markup.count("main") == 1 && markup.count("title") == 1)
        #expect(page.html.string.hasPrefix("<!doctype html>\n<html lang=\"en\">"))
    }

    @Test func `every class that pages use has a style, and every style is used`() throws {
        let styled = try Markup.styledClasses(in: Checkout.path("public/css"))
        let used = Samples.pages().reduce(into: Set<String>()) { $0.formUnion(Markup($1.html.string).classes) }
        #expect(used.subtracting(styled).subtracting(["table-text"]).sorted() == [])
        #expect(styled.subtracting(used).sorted() == [])
    }

    @Test func `what was sent is shown to the byte`() {
        let page = CaseStoryPage(frame: Samples.frame(), slug: "alpha", story: Samples.story, now: Samples.now).html
        #expect(page.string.contains(HTML(text: String(decoding: Samples.body, as: UTF8.self)).string))
    }

    @Test func `the timeline tells causes before effects`() {
        let kinds = Samples.story.timeline.map(\.event.kind)
        #expect(kinds == ["consent", "usage", "requested", "decided", "sent", "sent", "refund"])
    }

    @Test func `BL-005: the case says how often its request was delivered`() {
        let page = CaseStoryPage(frame: Samples.frame(), slug: "alpha", story: Samples.story, now: Samples.now).html
        #expect(page.string.contains("<dt>Deliveries</dt><dd>2</dd>"))
    }
}
