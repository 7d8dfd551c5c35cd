import AppStore
import Foundation
import Simulator
import Support
import Testing

/// Somebody who supports customers, with a browser and the real program; a small Apple sells, decides and tells.
struct SupportAgent: Sendable {
    let stage: Support.Stage
    let desk: Desk
    let browser: WebDriver

    @TaskLocal static var current: SupportAgent?

    static let bundleID = "com.example.alpha"
    static let password = "correct horse battery"
    static let requests = "/t/alpha/commerce-requests"

    static func here() throws -> SupportAgent { try #require(current) }

    var apple: SmallApple { stage.apple }

    // MARK: Getting around

    func open(_ path: String) async throws { try await browser.open(desk.address + path) }

    func signIn(_ email: String) async throws {
        try await browser.forgetCookies()
        try await open("/sign-in")
        try await browser.type(email, into: "#field-email")
        try await browser.type(Self.password, into: "#field-password")
        try await browser.click("button.button-main")
        try await arrives { $0.hasSuffix("/t/alpha") }
    }

    func arrives(_ isThere: (String) -> Bool) async throws {
        try await until(.seconds(120), "a page") { isThere((try? await browser.url) ?? "") }
    }

    /// Waits until the page shows a text; no reload.
    func sees(_ text: String, in selector: String = "main") async throws {
        do {
            try await until { (try? await browser.text(selector).contains(text)) ?? false }
        } catch {
            Issue.record("the page does not show \"\(text)\": \(try await browser.text(selector))")
        }
    }

    // MARK: What a customer bought

    /// A running subscription with two add-ons; nobody told the desk of it.
    func sell(storefront: String = "USA", prices: [Int64] = [9990, 2990, 1990]) throws -> String {
        let names = ["Base plan", "Audio", "Archive"]
        var sale = CommerceSale(
            zip(names, prices).map { name, price in
                CommerceSale.Item(sku: name.lowercased().replacing(" ", with: "."), price: price, displayName: name)
            }, isSubscription: true)
        sale.storefront = storefront
        return try #require(try apple.sell(sale, of: Self.bundleID).last).id
    }

    // MARK: From the look-up to the request

    func lookUp(_ transaction: String, kind: String) async throws {
        try await open(Self.requests + "/new")
        try await browser.replace("#field-transaction", by: transaction)
        try await browser.click("main form button[type=submit]")
        try await arrives { $0.contains("transaction=\(transaction)") }
        try await browser.click("a.button[href$='kind=\(kind)']")
        try await arrives { $0.hasSuffix("kind=\(kind)") }
    }

    /// Fills in one item: which, how much, and whether its access ends.
    func take(_ index: Int, type: String = "FULL", amount: String? = nil, ends: Bool = true) async throws {
        try await browser.click("#take-\(index)")
        try await browser.click("#field-reason-\(index) option[value=UNSATISFIED_WITH_PURCHASE]")
        try await browser.click("#choice-type-\(index)-\(type)")
        if let amount { try await browser.type(amount, into: "#field-amount-\(index)") }
        try await browser.click("#choice-access-\(index)-\(ends ? "ends" : "stays")")
    }

    /// The rest of the form, and on to the preview.
    func preview(isRefund: Bool = true) async throws {
        if isRefund { try await browser.click("#choice-risking-no") }
        try await browser.type("The customer wrote to us.", into: "#field-note")
        try await browser.click("form[action$='/preview'] button.button-main")
        try await sees("Nothing has been sent yet.")
    }

    /// Sends what the preview shows; what is odd about it was looked at.
    func send() async throws {
        for tick in 0..<(try await browser.run("return document.querySelectorAll('[name=seen]').length").int ?? 0) {
            try await browser.click("#seen-\(tick)")
        }
        try await browser.click("form[action='\(Self.requests)'] button.button-main")
        try await arrives { $0.contains(Self.requests + "/") && !$0.hasSuffix("/preview") }
    }

    // MARK: How it looks

    /// Looks at the page that is open, wide and narrow, light and dark: nothing sticks out, and nothing is faint. The
    /// pictures are for people and no part of the checkout.
    func look(_ name: String) async throws {
        let folder = Checkout.path(".test-data/pictures")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (width, isDark) in [(1360, false), (1360, true), (390, false), (390, true)] {
            try await browser.resize(width: width, height: width > 600 ? 1800 : 3000)
            try await browser.prefer(dark: isDark)
            // Colours change over a moment.
            try await until { try await browser.run("return document.getAnimations().length").int == 0 }
            let sticking = try await browser.run(
                "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
            #expect(sticking.int == 0, "\(name) at \(width)")
            let faint = try await browser.run(`The console in a browser`.faintText)
            #expect(faint.elements?.compactMap(\.string) == [], "\(name) at \(width), dark: \(isDark)")
            let file = "\(folder)/commerce-\(name)-\(width)-\(isDark ? "dark" : "light").png"
            _ = FileManager.default.createFile(atPath: file, contents: Data(try await browser.picture()))
        }
        try await browser.prefer(dark: false)
        try await browser.resize(width: 1360, height: 900)
    }

    // MARK: Apple's side

    func decide(_ transaction: String, as outcome: CommerceOutcome) throws {
        let request = try #require(apple.commerce.requests.last { $0.transactionID == transaction })
        #expect(apple.decide(request.requestReferenceID, as: outcome))
    }

    /// What went back for a transaction, by SKU.
    func refunds(of transaction: String) -> [String: Int64] {
        Dictionary(
            apple.commerce.refunds.filter { $0.transactionID == transaction }.map { ($0.sku, $0.amount) },
            uniquingKeysWith: +)
    }
}

/// One desk, one small Apple and one browser for all tests of a suite.
struct WithSupportAgent: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withStage { stage in
            let path = try await stage.addApp()
            for (email, role) in [("sam", "support"), ("ann", "support"), ("olga", "owner")] {
                try await stage.command(
                    [
                        "operator", "add", "--email", "\(email)@alpha.example", "--tenant", "alpha", "--role", role,
                        "--password-stdin",
                    ], input: SupportAgent.password)
            }
            let apple = stage.apple
            let desk = try await stage.serve([
                "REFUND_DESK_ADVANCED_COMMERCE_PRODUCTION_URL": apple.address + "/itunes/production",
                "REFUND_DESK_ADVANCED_COMMERCE_SANDBOX_URL": apple.address + "/itunes/sandbox",
            ])
            var app = try #require(apple.shelves.app(SupportAgent.bundleID))
            app.notificationURLs = [.production: desk.address + path, .sandbox: desk.address + path]
            apple.register(app)
            apple.commerce.settings.outcome = CommerceOutcome.none
            let browser = try await WebDriver.start()
            let result: Result<Void, any Error>
            do {
                try await browser.resize(width: 1360, height: 900)
                let agent = SupportAgent(stage: stage, desk: desk, browser: browser)
                try await SupportAgent.$current.withValue(agent) { try await function() }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await browser.end()
            await desk.stop()
            try result.get()
        }
    }
}
