import AppStore
import Foundation
import Simulator
import Support
import Testing

/// Every step of the setup page as people see it: light and dark, wide and narrow.
///
/// They lie in `.test-data/pictures`; `ops/pictures` makes those of the documentation of them.
@Suite(.serialized) struct `Pictures of onboarding` {
    private static let steps = ["app", "key", "probe", "url", "consent", "evidence", "paging"]

    @Test func `nothing sticks out and nothing is faint, in any step, light and dark, wide and narrow`() async throws {
        try await withNewcomer { (newcomer) async throws in
            let browser = newcomer.browser
            try await eachWay(browser) { way in
                try await browser.open(newcomer.desk.address + "/t/alpha")
                try await keep("onboarding-0-empty", way, browser)
                try await browser.open(newcomer.desk.address + "/t/alpha/apps/new")
                try await judge("apps/new", way, browser)
                try await keep("onboarding-0-new", way, browser)
            }
            try await newcomer.addApp()
            try await eachWay(browser) { way in
                try await newcomer.openSetup()
                try await keep("onboarding-1-begin", way, browser)
                try await browser.run("document.getElementById('key').scrollIntoView()")
                try await keep("onboarding-2-key-form", way, browser, of: "#key")
            }
            try await newcomer.giveKey()
            try await newcomer.copyURLIntoAppStoreConnect()
            try await newcomer.sendTest("Sandbox")
            try await newcomer.sees("#url", "Received")
            try await newcomer.sendTest("Production")
            try await newcomer.sees("#url", "The Production test notification arrived")
            try await newcomer.choosePush()
            try await eachWay(browser) { way in
                try await newcomer.openSetup()
                try await judge("setup", way, browser)
                try await keep("onboarding-8-page", way, browser)
                for (number, step) in Self.steps.enumerated() {
                    try await keep("onboarding-\(number + 1)-\(step)", way, browser, of: "#" + step)
                }
                try await browser.run("for (const d of document.querySelectorAll('.steps details')) d.open = true")
                try await judge("setup, all open", way, browser)
                for step in ["key", "consent", "evidence"] {
                    try await keep("onboarding-9-\(step)-open", way, browser, of: "#" + step)
                }
            }
        }
    }

    private struct Way {
        let width: Int
        let isDark: Bool
        var height: Int { width > 600 ? 900 : 844 }
        var name: String { "\(width > 600 ? "wide" : "narrow")-\(isDark ? "dark" : "light")" }
    }

    private func eachWay(_ browser: WebDriver, _ body: (Way) async throws -> Void) async throws {
        for width in [1360, 390] {
            for isDark in [false, true] {
                let way = Way(width: width, isDark: isDark)
                try await browser.resize(width: way.width, height: way.height)
                try await browser.prefer(dark: isDark)
                try await body(way)
            }
        }
        try await browser.prefer(dark: false)
        try await browser.resize(width: 1360, height: 900)
    }

    private func judge(_ place: String, _ way: Way, _ browser: WebDriver) async throws {
        let sticking = try await browser.run(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        #expect(sticking.int == 0, "\(place), \(way.name)")
        let faint = try await browser.run(`The console in a browser`.faintText)
        #expect(faint.elements?.compactMap(\.string) == [], "\(place), \(way.name)")
    }

    private func keep(_ name: String, _ way: Way, _ browser: WebDriver, of selector: String? = nil) async throws {
        let folder = Checkout.path(".test-data/pictures")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let picture: [UInt8]
        // A step is taken whole: what lies outside of the window would be missing.
        try await browser.resize(width: way.width, height: selector == nil ? way.height : 3000)
        if let selector {
            picture = try await browser.picture(of: selector)
        } else {
            picture = try await browser.picture()
        }
        #expect(picture.count > 1000, "\(name), \(way.name)")
        _ = FileManager.default.createFile(atPath: "\(folder)/\(name)-\(way.name).png", contents: Data(picture))
    }
}
