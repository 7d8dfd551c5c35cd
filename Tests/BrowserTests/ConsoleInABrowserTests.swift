import AppStore
import FoundationEssentials
import Journal
import Refunds
import Support
import Tenants
import Testing
import Web

/// The console as a person has it: real pages, real Chromium.
@Suite(OnStage(), .serialized) struct `The console in a browser` {
    @Test func `somebody signs in, filters, opens a case and signs out, and the browser has nothing to complain about`()
        async throws
    {
        let stage = try Stage.here()
        let browser = stage.browser
        try await browser.resize(width: 1360, height: 900)
        try await stage.signIn()
        #expect(try await browser.url == stage.address + "/t/alpha")
        try await browser.click("a[href='/t/alpha/cases']")
        #expect(try await browser.text("h1") == "Cases")
        try await browser.run("document.querySelector('#field-state').value = 'withheld'")
        try await browser.click(".filters button")
        #expect(try await browser.url.hasSuffix("/t/alpha/cases?state=withheld"))
        #expect(try await browser.run("return document.querySelectorAll('.table-row').length").int == 1)
        try await browser.type(stage.case1.transactionID, into: "#look-up")
        try await browser.press(.enter)
        #expect(try await browser.url.hasSuffix("/t/alpha/cases/\(stage.case1.id.uuidString.lowercased())"))
        #expect(try await browser.text(".code-block") == String(decoding: SampleDesk.replyBody, as: UTF8.self))
        try await browser.click(".account summary")
        try await browser.click("form[action='/sign-out'] button")
        try await until { (try? await browser.url.hasSuffix("/sign-in")) ?? false }
        try await stage.open("/t/alpha")
        #expect(try await browser.url.contains("/sign-in?next="))
        #expect(try await browser.complaints() == [])
    }

    @Test func `every page works without script`() async throws {
        let stage = try Stage.here()
        let browser = stage.browser
        try await browser.allowScripts(false)
        try await stage.signIn()
        try await stage.open("/t/alpha/cases?state=missed")
        try await browser.click(".row-link")
        let url = try await browser.url
        try await browser.allowScripts(true)
        #expect(url.contains("/t/alpha/cases/"))
    }

    @Test func `the keyboard alone is enough, and one sees where it is`() async throws {
        let stage = try Stage.here()
        let browser = stage.browser
        try await stage.signIn()
        try await stage.open("/t/alpha/cases")
        try await browser.press(.tab)
        #expect(try await browser.run("return document.activeElement.className").string == "skip")
        try await browser.press(.enter)
        #expect(try await browser.run("return document.activeElement.id").string == "content")
        var seen: [String] = []
        for _ in 1...20 {
            try await browser.press(.tab)
            let what = try await browser.run(
                """
                const e = document.activeElement, s = getComputedStyle(e);
                return (s.outlineStyle === 'none' ? 'unseen ' : '') + e.tagName + ' ' + (e.name || e.className);
                """
            ).string
            // Behind the last control the focus leaves the page.
            if what?.contains("BODY") == true { break }
            seen.append(what ?? "")
        }
        #expect(!seen.contains { $0.hasPrefix("unseen") }, "\(seen)")
        for control in ["INPUT q", "SELECT state", "A row-link"] { #expect(seen.contains(control), "\(seen)") }
        try await browser.run("document.activeElement.blur()")
        try await browser.press(.slash)
        #expect(try await browser.run("return document.activeElement.id").string == "look-up")
    }

    @Test func `nothing sticks out on a narrow screen, and text stands out in light and in dark`() async throws {
        let stage = try Stage.here()
        let browser = stage.browser
        try await stage.signIn()
        let paths = [
            "/t/alpha", "/t/alpha/cases", "/t/alpha/cases/\(stage.case1.id.uuidString)", "/t/alpha/notifications",
            "/t/alpha/notifications/\(stage.case1.notification.uuidString)", "/t/alpha/quarantine", "/t/alpha/apps",
            "/password", "/account", "/nothing",
        ]
        for (width, isDark) in [(360, false), (360, true), (1360, false), (1360, true)] {
            try await browser.resize(width: width, height: 900)
            try await browser.prefer(dark: isDark)
            for path in paths {
                try await stage.open(path)
                let sticking = try await browser.run(
                    "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                #expect(sticking.int == 0, "\(path) at \(width)")
                let faint = try await browser.run(Self.faintText)
                #expect(faint.elements?.compactMap(\.string) == [], "\(path), \(isDark ? "dark" : "light")")
                try await keep(path, width, isDark)
            }
        }
        try await browser.prefer(dark: false)
        try await browser.resize(width: 1360, height: 900)
    }

    @Test func `nor on the pages of those who may change things`() async throws {
        let stage = try Stage.here()
        let browser = stage.browser
        try await stage.desk.makeSam(.owner)
        try await stage.signIn()
        let invited = try await stage.desk.administration.invite(
            "a.person.with.a.long.name@some-long-company-name-that-goes-on.example", as: .support,
            to: stage.desk.alpha.id,
            by: try await sam(stage))
        let channel = try await stage.desk.alerts().addChannel(
            .email, ChannelChange(name: "Nights", target: "on-call-of-a-long-name@some-long-company-name.example"),
            of: stage.desk.alpha.id, by: .commandLine)
        let paths = [
            "/t/alpha/people", "/t/alpha/tokens", "/t/alpha/channels", "/t/alpha/channels?kind=jsm",
            "/t/alpha/channels?kind=\(String(repeating: "x", count: 60))", "/t/alpha/channels/\(channel.id.uuidString)",
            "/t/alpha/apps/new", "/t/alpha/apps/com.example.alpha/setup", "/t/alpha/register?sort=up",
            "/t/alpha/commerce-requests?kind=x", "/t/alpha/commerce-requests/new", "/t/alpha/alerts", "/t/alpha/audit",
            "/t/alpha/checks", "/invitations/\(invited.token.reveal())",
        ]
        for (width, isDark) in [(360, false), (1360, true)] {
            try await browser.resize(width: width, height: 900)
            try await browser.prefer(dark: isDark)
            for path in paths {
                try await stage.open(path)
                let sticking = try await browser.run(
                    "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                #expect(sticking.int == 0, "\(path) at \(width)")
                let faint = try await browser.run(Self.faintText)
                #expect(faint.elements?.compactMap(\.string) == [], "\(path), \(isDark ? "dark" : "light")")
            }
        }
        // What is shown once is the longest text of its page.
        try await browser.resize(width: 360, height: 900)
        try await stage.open("/t/alpha/people")
        try await browser.type("new@alpha.example", into: "#field-email")
        try await browser.click(".form-narrow button")
        #expect(try await browser.text("#link-once") == "The invitation's link")
        #expect(
            try await browser.run(
                "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
            ).int == 0)
        try await browser.prefer(dark: false)
        try await browser.resize(width: 1360, height: 900)
        try await stage.desk.makeSam(.support)
    }

    private func sam(_ stage: Stage) async throws -> Administrator {
        let members = try await stage.desk.administration.people(of: stage.desk.alpha.id).members
        let sam = try #require(members.first { $0.person.email == "sam@alpha.example" })
        return stage.desk.administrator(sam.person)
    }

    /// For people to look at; not part of the checkout.
    private func keep(_ path: String, _ width: Int, _ isDark: Bool) async throws {
        let folder = Checkout.path(".test-data/pictures")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let name = path.split(separator: "/").map { $0.count > 20 ? "one" : String($0) }.joined(separator: "-")
        let file = "\(folder)/\(name)-\(width)-\(isDark ? "dark" : "light").png"
        let picture = try await Stage.here().browser.picture()
        #expect(picture.count > 1000)
        _ = FileManager.default.createFile(atPath: file, contents: Data(picture))
    }

    /// Texts whose contrast with what is behind them is below 4.5 : 1 (WCAG 2.2, 1.4.3).
    static let faintText = """
        const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        const colour = (text) => {
          canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
          return [...canvas.getImageData(0, 0, 1, 1).data];
        };
        const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
          .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
          .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
        const behind = (e) => {
          for (; e; e = e.parentElement) {
            const c = colour(getComputedStyle(e).backgroundColor);
            if (c[3] === 255) return c;
          }
          return [255, 255, 255, 255];
        };
        const faint = new Set();
        for (const e of document.querySelectorAll('body *')) {
          const hasText = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
          if (!hasText || e.closest('.unseen, .skip, script') || !e.offsetParent || !e.checkVisibility()) continue;
          const [a, b] = [light(colour(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
          if ((a + 0.05) / (b + 0.05) < 4.5) faint.add(e.tagName + '.' + e.className + ': ' + e.textContent.trim().slice(0, 40));
        }
        return [...faint];
        """
}
