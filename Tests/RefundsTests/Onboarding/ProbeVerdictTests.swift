import FoundationEssentials
import Testing
import Time

@testable import Refunds
@testable import Tenants

@Suite("What a probe says")
struct ProbeVerdictTests {
    private typealias Facts = ProbeVerdict.Facts

    /// A refusal of which nothing else is known, until a test adds one thing.
    private func refused(isSandbox: Bool = false, _ change: (inout Facts) -> Void = { _ in }) -> ProbeWords {
        var facts = Facts(
            isSandbox: isSandbox, result: .refused, bundleID: "com.example.alpha", keyID: "ABCDE12345")
        change(&facts)
        return ProbeVerdict.words(facts)
    }

    private static let order = [
        "The kind of key", "The key ID", "The issuer ID", "The bundle ID", "This machine's clock",
        "Whether the app was ever released", "Whether the key was revoked", "Nothing that is known",
    ]

    private func places(_ left: [String]) -> [Int] {
        left.map { line in Self.order.firstIndex { line.hasPrefix($0) } ?? -1 }
    }

    @Test func `BL-003: of a bare refusal all that is left is listed, in the order worth checking`() {
        let words = refused()
        #expect(words.cause == nil)
        #expect(places(words.left) == [0, 1, 2, 3, 4, 5, 6])
        #expect(words.ruledOut.count == 1, "only what this program makes itself")
        let sandbox = refused(isSandbox: true)
        #expect(places(sandbox.left) == [0, 1, 2, 3, 4, 6], "Sandbox knows apps that are not on sale")
    }

    @Test func `BL-016: Production refused and Sandbox accepted is an app that is not on sale yet`() {
        let words = refused { $0.elsewhere = .accepted }
        #expect(words.cause?.contains("not on sale yet") == true)
        #expect(words.left.isEmpty)
        #expect(words.ruledOut.contains { $0.hasPrefix("The issuer ID") })
        // The other way round it cannot be explained so.
        #expect(refused(isSandbox: true) { $0.elsewhere = .accepted }.cause == nil)
    }

    @Test(arguments: [
        (600, "10 minutes ahead"), (59, "59 seconds ahead"), (7200, "2 hours ahead"), (-299, "5 minutes behind"),
        (-86_400 * 3, "3 days behind"),
    ])
    func `BL-018: a clock that makes tokens invalid is named with its offset, before everything else`(
        seconds: Int, words: String
    ) {
        let found = refused {
            $0.clockOffset = .seconds(seconds)
            $0.elsewhere = .accepted
            $0.worksFor = "com.example.other"
            $0.fileName = "AuthKey_ABCDE12345.p8"
        }
        #expect(found.cause?.contains(words) == true)
        #expect(found.left.isEmpty && found.remarks.isEmpty)
    }

    @Test(arguments: [45, 0, -200, 58, -298])
    func `BL-018: a clock that the token allows for is ruled out`(seconds: Int) {
        let found = refused { $0.clockOffset = .seconds(seconds) }
        #expect(found.cause == nil)
        #expect(found.ruledOut.contains { $0.hasPrefix("The clock") })
        #expect(!places(found.left).contains(4))
        #expect(found.remarks.isEmpty == (abs(seconds) < 5), "from five seconds on it is worth saying")
    }

    @Test(arguments: [
        (600, "10 minutes ahead of Apple's", false, true), (-600, "10 minutes behind Apple's", false, true),
        (30, "30 seconds ahead of Apple's", true, true), (1, "1 second ahead of Apple's", true, false),
    ])
    func `BL-018: a clock that is ahead is called so wherever it is spoken of`(
        seconds: Int, words: String, isBearable: Bool, isWorthSaying: Bool
    ) throws {
        let drift = ClockDrift(.seconds(seconds))
        #expect(drift.words == words && drift.isBearable == isBearable && drift.isWorthSaying == isWorthSaying)
        guard isWorthSaying else { return }
        // A person's try, and the list of checks.
        let tried = refused { $0.clockOffset = .seconds(seconds) }
        #expect((tried.cause ?? tried.remarks.first)?.contains(words) == true)
        let id = SigningKeyID(rawValue: UUID())
        let now = Moment(milliseconds: 1_781_524_800_000)
        let key = SigningKeyInfo(
            tenant: TenantID(rawValue: 1), id: id, keyID: "ABCDE12345", issuerID: "", app: nil, fingerprint: "",
            createdAt: now)
        let standing = KeyStanding(
            key: id, isSandbox: false, acceptedAt: nil, refusedSince: now, pausedUntil: nil, refusals: 1,
            clockOffset: .seconds(seconds), refusedAt: now)
        let app = App(
            tenant: TenantID(rawValue: 1), id: AppID(rawValue: 1), bundleID: "com.example.alpha", name: "Alpha")
        let story = KeyStory(
            info: key, opens: true, standings: [standing], revocation: RevocationAdvice(isSafe: false, why: ""))
        let check = CredentialWords.refused(standing, key: story, of: app)
        #expect(check.state == .fail && check.text.contains(words) == !isBearable)
        let clock = TenantChecks.clock(
            [story], probed: nil, Tenant(id: TenantID(rawValue: 1), slug: "alpha", name: "Alpha"))
        #expect(clock.first?.text.contains(words) == true)
        #expect(clock.first?.state == (isBearable ? .warn : .fail))
    }

    @Test func `an accepted key with a drifting clock carries a remark`() {
        var facts = Facts(isSandbox: true, result: .accepted, bundleID: "com.example.alpha", keyID: "ABCDE12345")
        #expect(ProbeVerdict.words(facts).remarks.isEmpty)
        facts.clockOffset = .seconds(-20)
        #expect(ProbeVerdict.words(facts).remarks.first?.contains("20 seconds behind") == true)
    }

    @Test(arguments: [
        ("AuthKey_ABCDE12345.p8", "App Store Connect API keys", [1, 2, 3, 4, 5, 6]),
        ("C:\\keys\\AuthKey_ZZZZZ99999 (1).p8", "App Store Connect API keys", [1, 2, 3, 4, 5, 6]),
        ("SubscriptionKey_ZZZZZ99999.p8", "named for ZZZZZ99999", [2, 3, 4, 5, 6]),
    ])
    func `a file's name names the mistake, and the rest stays on the list: files are renamed`(
        name: String, cause: String, left: [Int]
    ) {
        let found = refused { $0.fileName = name }
        #expect(found.cause?.contains(cause) == true)
        #expect(places(found.left) == left)
    }

    @Test(
        arguments: [
            ("SubscriptionKey_ABCDE12345.p8", "ABCDE12345"), ("SubscriptionKey_ABCDE12345 (2).p8", "ABCDE12345"),
            ("/home/x/SubscriptionKey_ABCDE12345.p8", "ABCDE12345"), ("SubscriptionKey_ABCDE12345", "ABCDE12345"),
            ("SubscriptionKey_ABCDE123456.p8", nil), ("SubscriptionKey_abcde12345.p8", nil),
            ("SubscriptionKey_.p8", nil),
            ("key.p8", nil), ("", nil),
        ] as [(String, String?)])
    func `the key ID is read from a name of Apple's form only`(name: String, keyID: String?) {
        #expect(ProbeVerdict.keyID(in: name) == keyID)
    }

    @Test func `a name that fits rules out kind and key ID`() {
        let found = refused { $0.fileName = "SubscriptionKey_ABCDE12345.p8" }
        #expect(found.cause == nil)
        #expect(places(found.left) == [2, 3, 4, 5, 6])
    }

    @Test func `another app that works under the same key leaves the bundle ID`() {
        let sandbox = refused(isSandbox: true) { $0.worksFor = "com.example.other" }
        #expect(sandbox.cause?.contains("com.example.other") == true)
        #expect(sandbox.cause?.contains("bundle ID com.example.alpha") == true)
        #expect(sandbox.left.isEmpty)
        let production = refused { $0.worksFor = "com.example.other" }
        #expect(places(production.left) == [4, 5], "in Production it may never have been released")
    }

    @Test func `a key that was taken before was most likely revoked`() {
        let found = refused { $0.acceptedBefore = Moment(milliseconds: 1_781_524_800_123) }
        #expect(found.cause?.contains("2026-06-15") == true && found.cause?.contains("revoked") == true)
        #expect(places(found.left) == [4])
    }

    @Test func `whatever is known, every suspect is either named, ruled out or left, once`() {
        var count = 0
        for isSandbox in [false, true] {
            for offset: Duration? in [nil, .seconds(1), .seconds(30), .seconds(600), .seconds(-900)] {
                for elsewhere: Probe.Result? in [nil] + Probe.Result.allCases {
                    for worksFor in [nil, "com.example.other"] {
                        for before: Moment? in [nil, Moment(milliseconds: 1_781_524_800_123)] {
                            for file in [
                                nil, "AuthKey_ABCDE12345.p8", "SubscriptionKey_ABCDE12345.p8",
                                "SubscriptionKey_ZZZZZ99999.p8", "my key.p8",
                            ] {
                                let words = refused(isSandbox: isSandbox) {
                                    $0.clockOffset = offset
                                    $0.elsewhere = elsewhere
                                    $0.worksFor = worksFor
                                    $0.acceptedBefore = before
                                    $0.fileName = file
                                }
                                count += 1
                                #expect(
                                    words.cause != nil || !words.left.isEmpty, "a person is left with something to do")
                                let places = places(words.left)
                                #expect(places == places.sorted() && !places.contains(-1), "Apple's order")
                                #expect(Set(places).count == places.count)
                                for line in words.ruledOut + words.left + [words.summary, words.cause ?? "X."] {
                                    #expect(line.hasSuffix(".") && !line.contains("  ") && !line.contains("Optional"))
                                }
                            }
                        }
                    }
                }
            }
        }
        #expect(count == 2 * 5 * 6 * 2 * 2 * 5)
    }

    @Test func `an app that Apple does not know is no wrong key`() {
        var facts = Facts(isSandbox: false, result: .odd, bundleID: "com.example.alpha", keyID: "ABCDE12345")
        facts.status = 404
        facts.appleCode = 4_040_003
        let words = ProbeVerdict.words(facts)
        #expect(words.cause?.contains("com.example.alpha") == true)
        #expect(words.ruledOut.first?.contains("key ID") == true)
    }

    @Test(arguments: [Probe.Result.limited, .unreachable, .odd])
    func `an answer that says nothing of the key says so`(result: Probe.Result) {
        var facts = Facts(isSandbox: false, result: result, bundleID: "com.example.alpha", keyID: "ABCDE12345")
        facts.status = result == .odd ? 502 : nil
        facts.detail = "the connection was refused"
        let words = ProbeVerdict.words(facts)
        #expect(words.cause == nil && words.summary.contains("nothing was learned about the key"))
    }
}
