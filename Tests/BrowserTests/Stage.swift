import FoundationEssentials
import HTTP
import Journal
import Loop
import Refunds
import Support
import Testing
import Time
import Web

/// One browser and one desk with cases in it, for all tests of the suite.
struct Stage: Sendable {
    let browser: WebDriver
    let desk: SampleDesk
    /// `http://127.0.0.1:40123`
    let address: String
    let case1: SampleCase

    @TaskLocal static var current: Stage?

    static func here() throws -> Stage { try #require(current) }

    func open(_ path: String) async throws { try await browser.open(address + path) }

    func signIn() async throws {
        try await browser.forgetCookies()
        try await open("/sign-in")
        try await browser.type("sam@alpha.example", into: "#field-email")
        try await browser.type(SampleDesk.password, into: "#field-password")
        try await browser.click("button[type=submit]")
    }
}

/// Sets the stage before the first test of a suite and strikes it after the last.
struct OnStage: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withDatabase { test in
            let desk = try await SampleDesk.make(in: test)
            let case1 = try await Self.fill(desk)
            let console = Console(
                records: Records(database: test.database), signIn: desk.signIn,
                administration: desk.administration, checks: CheckDesk { _ in [] },
                publicAddress: try #require(PublicAddress(url: "http://localhost:8080")),
                assets: try Assets(folder: Checkout.path("public")), setup: try desk.setup(),
                commerce: try desk.commerce(), alerts: try desk.alerts(), deciding: desk.deciding(),
                evidence: try desk.evidence(),
                post: desk.post(), clock: desk.clock.clock)
            var router = Router(console.routes)
            router.notFound = console.notFound
            router.methodNotAllowed = console.methodNotAllowed
            let server = Server(
                listen: try #require(SocketAddress("127.0.0.1:0")), routes: router, loops: test.loops,
                clock: .system, journal: .silent, counters: Counters())
            let bound = try await server.start()
            let browser = try await WebDriver.start()
            let stage = Stage(
                browser: browser, desk: desk, address: "http://127.0.0.1:\(bound.port ?? 0)", case1: case1)
            let result: Result<Void, any Error>
            do {
                try await Stage.$current.withValue(stage) { try await function() }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await browser.end()
            await server.stop(within: .seconds(1))
            try result.get()
        }
    }

    /// Cases as a desk has them on an ordinary day.
    private static func fill(_ desk: SampleDesk) async throws -> SampleCase {
        var first = SampleCase()
        first.outcome = "refunded"
        first.deliveries = 2
        try await desk.add(first, to: desk.alphaApp)
        let others: [(String, String, String?, String, String?, Int64, String)] = [
            ("open", "pending", nil, "pro.yearly", "OTHER", 49_990, "EUR"),
            ("withheld", "declined", "no-consent", "gems.5000", "FULFILLMENT_ISSUE", 4_999_000_000, "VND"),
            ("missed", "refunded", "apple-unavailable", "season.pass", nil, 1_200_000, "JPY"),
            ("unasked", "reversed", nil, "levels.all", nil, 2990, "USD"),
        ]
        for (n, other) in others.enumerated() {
            var sample = SampleCase()
            sample.transactionID = "200000090000010\(n)"
            (sample.state, sample.outcome, sample.stateReason) = (other.0, other.1, other.2)
            (sample.productID, sample.reason) = (other.3, other.4)
            (sample.price, sample.currency) = (other.5, other.6)
            sample.signedAt = SampleDesk.signed - .hours(Int64(n))
            sample.isSandbox = n == 2
            try await desk.add(sample, to: n == 1 ? desk.alphaLite : desk.alphaApp)
        }
        try await desk.addRefusal(
            1, to: desk.alphaApp, reason: "version-1-notification", detail: "no signedPayload", userAgent: "curl/8")
        return first
    }
}
