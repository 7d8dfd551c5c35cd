package import Tenants
package import Time

/// All that the onboarding page shows of one app, read in one transaction.
package struct OnboardingState: Sendable {
    /// The newest notification of an environment.
    package struct Heard: Sendable, Hashable {
        package let at: Moment
        package let type: String
        package var isTest: Bool { type == "TEST" }

        package init(at: Moment, type: String) {
            self.at = at
            self.type = type
        }
    }

    /// A delivery that was refused.
    package struct Refused: Sendable, Hashable {
        package let at: Moment
        /// A code such as `bundle-mismatch`.
        package let reason: String
        /// The failed check in words.
        package let detail: String

        package init(at: Moment, reason: String, detail: String) {
            self.at = at
            self.reason = reason
            self.detail = detail
        }
    }

    package let facts: OnboardingFacts
    /// What the newest probe of each environment means.
    package let verdicts: PerEnvironment<ProbeWords>
    /// What became of the newest test of each environment.
    package let testWords: PerEnvironment<TestWords>
    /// What is still to be done, and what is done.
    package let readiness: [ReadinessItem]

    package var app: App { facts.app }
    /// What keeps the list in sight.
    package var isReady: Bool { readiness.allSatisfy { $0.state == .done } }

    package init(_ facts: OnboardingFacts, at now: Moment) {
        self.facts = facts
        var verdicts = PerEnvironment<ProbeWords>()
        var tests = PerEnvironment<TestWords>()
        verdicts.production = ProbeVerdict.Facts(facts, isSandbox: false, at: now).map { ProbeVerdict.words($0) }
        verdicts.sandbox = ProbeVerdict.Facts(facts, isSandbox: true, at: now).map { ProbeVerdict.words($0) }
        tests.production = facts.tests.production.map {
            TestWords($0, at: now, isRehearsal: facts.app.isRehearsal)
        }
        tests.sandbox = facts.tests.sandbox.map { TestWords($0, at: now, isRehearsal: facts.app.isRehearsal) }
        self.verdicts = verdicts
        testWords = tests
        readiness = Readiness.items(of: facts, at: now)
    }
}

/// What is known of an app that is being set up; everything else follows from it.
package struct OnboardingFacts: Sendable {
    package var app: App
    /// The environments that the app takes part in.
    package var wantsProduction = true
    package var wantsSandbox = true
    /// Addresses that notifications may come to.
    package var inboxes = 0
    /// Active keys of the app or its whole tenant, newest first: the first one signs.
    package var keys: [KeyReport] = []
    /// The name under which the newest key's file was uploaded.
    package var keyFileName: String?
    package var probes = PerEnvironment<Probe>()
    /// What the newest replies of this app told of the key that signs.
    package var calls = PerEnvironment<KeyCall>()
    /// Another app of the tenant that Apple accepts under the newest key, by environment: its bundle ID.
    package var worksFor = PerEnvironment<String>()
    /// When Apple last accepted this app's newest key before refusing it.
    package var acceptedBefore = PerEnvironment<Moment>()
    package var tests = PerEnvironment<TestNotification>()
    package var heard = PerEnvironment<OnboardingState.Heard>()
    /// The newest notification that is no TEST: only these tell which version is chosen.
    package var heardReal = PerEnvironment<Moment>()
    /// The newest delivery of version 1. Its body names no environment that could be believed.
    package var versionOneAt: Moment?
    /// The newest refused delivery of any kind.
    package var refused: OnboardingState.Refused?
    /// How the other receiver fares; nil where nothing is passed on.
    package var relay: RelayStanding?
    /// Whether a customer's consent was ever reported.
    package var hasConsent = false
    /// Whether use or delivery was ever reported.
    package var hasUsage = false

    package init(app: App) { self.app = app }

    /// Version 1 is chosen, as far as can be seen: a delivery of it came in, and none of version 2 but tests since.
    /// TEST notifications always have the form of version 2.
    package var isVersionOne: Bool {
        guard let versionOneAt else { return false }
        return [heardReal.production, heardReal.sandbox].allSatisfy { $0.map { $0 < versionOneAt } ?? true }
    }

    /// When each environment was last heard of.
    var heardAt: PerEnvironment<Moment> { PerEnvironment(production: heard.production?.at, sandbox: heard.sandbox?.at) }

    func wants(isSandbox: Bool) -> Bool { isSandbox ? wantsSandbox : wantsProduction }
}

extension PerEnvironment {
    /// The value of one environment.
    package subscript(isSandbox isSandbox: Bool) -> Value? {
        get { isSandbox ? sandbox : production }
        set { if isSandbox { sandbox = newValue } else { production = newValue } }
    }
}
