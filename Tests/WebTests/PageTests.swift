import FoundationEssentials
import Refunds
import Support
import Tenants
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

    @Test func `names break between their words and nowhere else`() {
        #expect(NameText("originalTransactionId").html.string == "original<wbr>Transaction<wbr>Id")
        #expect(NameText("UNINTENDED_PURCHASE").html.string == "UNINTENDED_<wbr>PURCHASE")
        #expect(NameText("Signed").html.string == "Signed")
        #expect(NameText("<b>").html.string == "&lt;b&gt;")
        let page = CaseStoryPage(frame: Samples.frame(), slug: "alpha", story: Samples.story, now: Samples.now).html
        #expect(page.string.contains("<span>consumption<wbr>Percentage</span>"))
    }

    @Test func `the overview counts every state in Production, says so, and leads to what it counted`() {
        let page = OverviewPage(
            frame: Samples.frame(), slug: "alpha", name: "Alpha Games", overview: Samples.overview, now: Samples.now
        ).html.string
        #expect(page.contains("Cases in Production since"))
        for state in ["open", "answered", "withheld", "refused", "missed", "overtaken", "unasked"] {
            #expect(page.contains("href=\"/t/alpha/cases?state=\(state)&amp;environment=Production\""), "\(state)")
        }
        for outcome in ["pending", "refunded", "declined", "reversed"] {
            #expect(page.contains("href=\"/t/alpha/cases?outcome=\(outcome)&amp;environment=Production\""))
        }
        #expect(page.contains("href=\"/t/alpha/cases?environment=Sandbox\""))
    }

    @Test func `a case that nobody asked about shows when Apple acted`() {
        let page = CaseListPage(
            frame: Samples.frame(), slug: "alpha", query: CaseListQuery(),
            page: CasePage(cases: [Samples.line(17, state: .unasked, reason: nil)], next: nil), apps: [Samples.alpha],
            now: Samples.now
        ).html.string
        #expect(page.contains("not asked; Apple acted <time"))
    }

    @Test func `between an app's name and its Sandbox badge is a gap`() {
        let html = AppAndEnvironment(apps: [Samples.alpha], app: Samples.alpha.id, isSandbox: true).html.string
        #expect(html.hasPrefix("<span>Alpha <span class=\"badge"))
    }

    @Test func `BL-005: the case says how often its request was delivered`() {
        let page = CaseStoryPage(frame: Samples.frame(), slug: "alpha", story: Samples.story, now: Samples.now).html
        #expect(page.string.contains("<dt>Deliveries</dt><dd>2</dd>"))
    }
}
