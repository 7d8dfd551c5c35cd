import FoundationEssentials
import Refunds
import Support
import Testing
import Time

@testable import Tenants
@testable import Web

@Suite struct `Pages` {
    /// Made once: each making draws all of them.
    private static let pages = Samples.pages()

    @Test(arguments: pages.map(\.name))
    func `every page is sound`(name: String) throws {
        let page = try #require(Self.pages.first { $0.name == name })
        let markup = Markup(page.html.string)
        #expect(markup.troubles == [])
        #expect(markup.count("h1") == 1 && markup.count("main") == 1 && markup.count("title") == 1)
        #expect(page.html.string.hasPrefix("<!doctype html>\n<html lang=\"en\">"))
    }

    @Test func `every class that pages use has a style, and every style is used`() throws {
        let styled = try Markup.styledClasses(in: Checkout.path("public/css"))
        let used = Self.pages.reduce(into: Set<String>()) { $0.formUnion(Markup($1.html.string).classes) }
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

    @Test func `a case says each time that the app's server was asked, and what nobody knows of it`() {
        let page = Samples.workedPage(Samples.frame(), "alpha").html.string
        #expect(page.contains("Each of the 4 times") && page.contains("The app&#39;s server was asked 2 times"))
        #expect(
            page.contains("Answered, HTTP 200") && page.contains("Answered 503 &lt;html&gt;")
                && page.contains("after 350 ms"))
        #expect(page.contains("Not known: the process that asked ended first"))
        for one in Samples.ask.each { #expect(page.contains(TimeText(one.begunAt).fullHTML.string)) }
    }

    @Test func `what was known at the newest request is shown once, and of older ones where it was decided`() {
        let decision = Decision(
            row: 2, situation: "used up",
            saw: [
                .init("consumptionPercentage", "100000", source: "reported by the app's server"),
                .init("use is all", "all", source: "looked at by the rule"),
            ])
        func page(_ rounds: [CaseStory.Round]) -> String {
            let story = CaseStory(
                line: Samples.line(10), bundleID: "a.b", appName: "Alpha", purchase: nil, rounds: rounds, facts: [],
                consents: [], usage: [], remarks: [], notifications: [])
            return CaseStoryPage(frame: Samples.frame(), slug: "alpha", story: story, now: Samples.now).html.string
        }
        let one = page([Samples.round(decision: decision)])
        #expect(one.ranges(of: "reported by the app&#39;s server").count == 1)
        #expect(
            one.contains("What the rule looked at") && one.contains("use is all") && one.contains("href=\"#evidence\""))
        let two = page([
            Samples.round(decision: decision), Samples.round(100, decision: decision, at: Samples.signed - .days(1)),
        ])
        #expect(two.ranges(of: "reported by the app&#39;s server").count == 2)
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
        #expect(
            page.contains("What lack of consent costs: 6 of 139 requests went unanswered"))
        #expect(page.contains("Apple refunded 4 of them: "))
    }

    @Test func `one cause is one banner, however many apps and environments it touches`() {
        func app(_ number: Int64, environments: Set<AppEnvironment> = Set(AppEnvironment.allCases)) -> App {
            App(
                tenant: Samples.tenant, id: AppID(rawValue: number), bundleID: "com.example.a\(number)",
                name: "App \(number)", environments: environments)
        }
        func report(_ keyID: String, _ number: Int, state: SigningKeyState = .active, refused: Bool) -> KeyReport {
            let key = SigningKeyInfo(
                tenant: Samples.tenant, id: SigningKeyID(rawValue: Samples.id(number)), keyID: keyID,
                issuerID: Samples.key.issuerID, app: nil, fingerprint: "aa", createdAt: Samples.signed, state: state)
            func standing(_ isSandbox: Bool) -> KeyStanding {
                KeyStanding(
                    key: key.id, isSandbox: isSandbox, acceptedAt: refused ? nil : Samples.signed,
                    refusedSince: refused ? Samples.signed : nil,
                    pausedUntil: refused ? Samples.now + .minutes(2) : nil, refusals: 1, clockOffset: .seconds(600))
            }
            return KeyReport(
                key: key, opens: true,
                standings: PerEnvironment(production: standing(false), sandbox: standing(true)))
        }
        func notices(_ keys: [KeyReport], _ apps: App...) -> [Web.Notice] {
            AppTroubles(
                standings: apps.map {
                    AppStanding(app: $0, inboxes: 1, lastNotification: PerEnvironment(), keys: keys)
                }, now: Samples.now
            ).notices
        }
        let bad = report("NEWNEWNEW1", 81, refused: true)
        let all = notices([bad], app(1), app(2), app(3))
        #expect(all.map(\.text) == ["Apple refuses the key NEWNEWNEW1 in Production and Sandbox for 3 apps."])
        #expect(all[0].tone == .bad && all[0].more?.contains("replies of App 1, App 2 and App 3 wait") == true)
        #expect(all[0].more?.contains("Our clock is 10 minutes ahead of Apple's") == true)
        // Nothing waits while an older key signs.
        let old = report("OLDOLDOLD1", 82, state: .retiring, refused: false)
        let kept = notices([bad, old], app(1))
        #expect(kept.count == 1 && kept[0].tone == .attention)
        #expect(kept[0].more?.contains("The older key OLDOLDOLD1 signs meanwhile, so nothing waits") == true)
        #expect(kept[0].more?.contains("replies of") == false)
        // An environment that the app does without is no trouble of it.
        #expect(
            notices([bad], app(1, environments: [.sandbox])).map(\.text) == [
                "Apple refuses the key NEWNEWNEW1 in Sandbox."
            ])
        #expect(notices([], app(1), app(2)).map(\.text) == ["2 apps have no signing key."])
    }

    @Test func `an app tells what Apple sent beside what is here, and what is in the way`() {
        let page = AppsPage(
            frame: Samples.frame(.apps("alpha")), slug: "alpha", apps: Samples.appStandings,
            publicURL: "https://refunds.example", now: Samples.now
        ).html.string
        #expect(page.contains("Apple sent 412, we hold 412 (3 fetched) in 30 days, read <time"))
        #expect(page.contains("It cannot be read to its end: 502: &quot;&lt;b&gt;Bad Gateway&lt;/b&gt;&quot;"))
        #expect(page.contains("Nothing has been delivered here yet") && page.contains("read from the first key on"))
    }

    @Test func `a rehearsal's key is refused by its simulator, nowhere else`() {
        let app = App(
            tenant: Samples.tenant, id: AppID(rawValue: 5), bundleID: "com.example.rehearsal", appleID: 6_450_000_009,
            name: "Rehearsal one",
            rehearsal: RehearsalSide(root: [1], apiURL: "http://127.0.0.1:9090"))
        let standing = AppStanding(
            app: app, inboxes: 1, lastNotification: PerEnvironment(production: Samples.signed),
            keys: [Samples.keyReport])
        let page = AppsPage(
            frame: Samples.frame(.apps("alpha")), slug: "alpha", apps: [standing],
            publicURL: "https://refunds.example", now: Samples.now
        ).html.string
        #expect(page.contains("Refused in rehearsal") && page.contains("The simulator refuses the key"))
        #expect(!page.contains("Production") && !page.contains("Sandbox"), "its environment reads Rehearsal")
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
