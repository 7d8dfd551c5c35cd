import FoundationEssentials
import Testing
import Time

@testable import Refunds
@testable import Tenants

@Suite("What an app still needs")
struct ReadinessTests {
    private static let now = Moment(milliseconds: 1_781_524_800_000)
    private static let key = SigningKeyID(rawValue: UUID())

    /// An app that lacks nothing, until a test spoils one thing.
    private func facts(_ change: (inout OnboardingFacts) -> Void = { _ in }) -> OnboardingFacts {
        var facts = OnboardingFacts(
            app: App(
                tenant: TenantID(rawValue: 1), id: AppID(rawValue: 1), bundleID: "com.example.alpha", name: "Alpha",
                consent: .allFrom(Self.now - .days(30), wording: "x")))
        facts.inboxes = 1
        facts.keys = [report(Self.key)]
        facts.probes.production = probe(.accepted)
        facts.probes.sandbox = probe(.accepted, isSandbox: true)
        facts.heard.production = .init(at: Self.now, type: "TEST")
        facts.heard.sandbox = .init(at: Self.now, type: "TEST")
        change(&facts)
        return facts
    }

    private func report(_ id: SigningKeyID, opens: Bool = true) -> KeyReport {
        KeyReport(
            key: SigningKeyInfo(
                tenant: TenantID(rawValue: 1), id: id, keyID: "ABCDE12345",
                issuerID: "57246542-96fe-1a63-e053-0824d011072a", app: nil, fingerprint: "aa", createdAt: Self.now),
            opens: opens, standings: PerEnvironment())
    }

    private func probe(_ result: Probe.Result, isSandbox: Bool = false) -> Probe {
        Probe(isSandbox: isSandbox, key: Self.key, at: Self.now, result: result)
    }

    private func item(_ step: OnboardingStep, _ change: (inout OnboardingFacts) -> Void) -> ReadinessItem? {
        Readiness.items(of: facts(change), at: Self.now).first { $0.step == step }
    }

    @Test func `an app that lacks nothing is ready`() {
        let state = OnboardingState(facts(), at: Self.now)
        #expect(state.isReady)
        #expect(state.readiness.map(\.step) == [.app, .key, .probe, .url, .consent, .evidence])
    }

    @Test func `each thing that is missing or wrong shows on its own line alone`() {
        let spoiled: [(OnboardingStep, ReadinessItem.State, String, (inout OnboardingFacts) -> Void)] = [
            (.key, .trouble, "does not open", { $0.keys = [report(Self.key, opens: false)] }),
            (.probe, .todo, "Try the key against Sandbox", { $0.probes.sandbox = nil }),
            (.probe, .todo, "Try the key", { $0.keys = [report(SigningKeyID(rawValue: UUID()))] }),
            (.probe, .trouble, "refuses the key in Sandbox", { $0.probes.sandbox = probe(.refused, isSandbox: true) }),
            (.probe, .trouble, "not on sale yet", { $0.probes.production = probe(.refused) }),
            (.probe, .trouble, "Nothing is known yet", { $0.probes.production = probe(.unreachable) }),
            (
                .probe, .trouble, "refuses the key in Sandbox",
                { $0.calls.sandbox = KeyCall(at: Self.now + .seconds(1), isAccepted: false) }
            ),
            (.app, .trouble, "arrive from Production", { $0.app = app(environments: [.sandbox]) }),
            (.url, .todo, "Make the URL", { $0.inboxes = 0 }),
            (.url, .todo, "No notification has arrived from Production and Sandbox", { $0.heard = PerEnvironment() }),
            (.url, .todo, "from Sandbox", { $0.heard.sandbox = nil }),
            (.url, .trouble, "Version 1", { $0.versionOneAt = Self.now }),
            (
                .url, .trouble, "no notification URL for Sandbox",
                {
                    $0.heard.sandbox = nil
                    $0.tests.sandbox = TestNotification(
                        id: UUID(), isSandbox: true, askedAt: Self.now, state: .refused, status: 404,
                        appleCode: 4_040_007)
                }
            ),
            (.consent, .todo, "nobody's request is answered", { $0.app = app(consent: .perCustomer) }),
            (.evidence, .todo, "Nothing was ever reported", { $0.app = app(unreported: .withhold) }),
        ]
        for (step, state, text, change) in spoiled {
            let items = Readiness.items(of: facts(change), at: Self.now)
            let open = items.filter { $0.state != .done }
            #expect(open.map(\.step) == [step], "\(text)")
            #expect(open.first?.state == state, "\(text)")
            #expect(open.first?.text.contains(text) == true, "\(open)")
        }
    }

    @Test func `of a rehearsal one environment is asked for, and it reads Rehearsal`() throws {
        let app = App(
            tenant: TenantID(rawValue: 1), id: AppID(rawValue: 1), bundleID: "com.example.alpha", name: "Alpha",
            rehearsal: RehearsalSide(root: [1], apiURL: "http://127.0.0.1:9"), consent: .allFrom(Self.now, wording: "x")
        )
        let begun = Readiness.items(
            of: facts {
                $0.app = app
                $0.probes = PerEnvironment()
                $0.heard = PerEnvironment()
            }, at: Self.now)
        #expect(begun.first { $0.step == .probe }?.text == "Try the key against Rehearsal.")
        #expect(
            begun.first { $0.step == .url }?.text.hasPrefix(
                "No notification has arrived: give the URL to the simulator") == true)
        // Whatever its simulator calls the environment.
        let done = facts {
            $0.app = app
            $0.probes.sandbox = nil
            $0.heard.production = nil
        }
        #expect(OnboardingState(done, at: Self.now).isReady)
        let words = try #require(OnboardingState(done, at: Self.now).verdicts.production)
        #expect(words.summary.contains("in rehearsal") && !words.summary.contains("Production"))
    }

    @Test func `what replies proved counts as much as a try, the newer of both more`() {
        func result(_ change: (inout OnboardingFacts) -> Void) -> KeyTrial? {
            facts(change).trial(isSandbox: false)
        }
        let (earlier, later) = (Self.now - .hours(1), Self.now + .hours(1))
        #expect(result { _ in }?.source == .probe)
        #expect(result { $0.calls.production = KeyCall(at: earlier, isAccepted: false) }?.result == .accepted)
        #expect(
            result { $0.calls.production = KeyCall(at: later, isAccepted: false) }
                == KeyTrial(at: later, result: .refused, source: .call))
        let untried = result {
            $0.probes = PerEnvironment()
            $0.calls.production = KeyCall(at: earlier, isAccepted: true)
        }
        #expect(untried == KeyTrial(at: earlier, result: .accepted, source: .call))
        // A try that told nothing hides nothing.
        let unreached = result {
            $0.probes.production = probe(.unreachable)
            $0.calls.production = KeyCall(at: earlier, isAccepted: true)
        }
        #expect(unreached?.source == .call)
        #expect(result { $0.keys = [report(SigningKeyID(rawValue: UUID()))] } == nil, "of another key")
        let replied = item(.probe) {
            $0.probes = PerEnvironment()
            $0.calls.production = KeyCall(at: earlier, isAccepted: true)
            $0.calls.sandbox = KeyCall(at: earlier, isAccepted: true)
        }
        #expect(replied?.state == .done)
    }

    private func app(
        consent: ConsentSetting? = nil, unreported: UnreportedDelivery = .delivered,
        environments: Set<AppEnvironment> = Set(AppEnvironment.allCases)
    ) -> App {
        App(
            tenant: TenantID(rawValue: 1), id: AppID(rawValue: 1), bundleID: "com.example.alpha", name: "Alpha",
            environments: environments, unreportedDelivery: unreported,
            consent: consent ?? .allFrom(Self.now, wording: "x"))
    }

    @Test func `without a key both the key and its trial are missing`() {
        let open = Readiness.items(
            of: facts {
                $0.keys = []
                $0.probes = PerEnvironment()
            }, at: Self.now
        ).filter { $0.state == .todo }
        #expect(open.map(\.step) == [.key, .probe])
    }

    @Test func `an app for Sandbox alone does not miss Production`() {
        let items = Readiness.items(
            of: facts {
                $0.wantsProduction = false
                $0.probes.production = probe(.refused)
                $0.heard.production = nil
            }, at: Self.now)
        #expect(items.allSatisfy { $0.state == .done })
    }

    @Test func `a version 1 delivery counts until a real notification of version 2 follows, which a TEST is not`() {
        #expect(item(.url) { $0.versionOneAt = Self.now }?.state == .trouble)
        #expect(
            item(.url) {
                $0.versionOneAt = Self.now - .minutes(1)
                $0.heardReal.production = Self.now
            }?.state == .done)
    }

    @Test func `reported consent and use are enough`() {
        #expect(
            item(.consent) {
                $0.app = app(consent: .perCustomer)
                $0.hasConsent = true
            }?.state == .done)
        #expect(
            item(.evidence) {
                $0.app = app(unreported: .withhold)
                $0.hasUsage = true
            }?.state == .done)
    }
}
