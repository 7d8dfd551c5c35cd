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
        /// The Apple ID that Apple's own signed text named, where it was not the app's.
        package let appleID: Int64?

        package init(at: Moment, reason: String, detail: String, appleID: Int64? = nil) {
            self.at = at
            self.reason = reason
            self.detail = detail
            self.appleID = appleID
        }
    }

    package let facts: OnboardingFacts
    /// What the newest probe of each environment that told something means.
    package let verdicts: PerEnvironment<ProbeWords>
    /// What came of a newer try that told nothing.
    package let troubleWords: PerEnvironment<ProbeWords>
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
        for isSandbox in [false, true] {
            verdicts[isSandbox: isSandbox] = facts.probes[isSandbox: isSandbox].flatMap { probe in
                ProbeVerdict.Facts(facts, probe).map { ProbeVerdict.words($0) }
            }
        }
        tests.production = facts.tests.production.map {
            TestWords($0, at: now, isRehearsal: facts.app.isRehearsal)
        }
        tests.sandbox = facts.tests.sandbox.map { TestWords($0, at: now, isRehearsal: facts.app.isRehearsal) }
        self.verdicts = verdicts
        var troubles = PerEnvironment<ProbeWords>()
        for isSandbox in [false, true] {
            troubles[isSandbox: isSandbox] = facts.troubles[isSandbox: isSandbox].flatMap { trouble in
                ProbeVerdict.Facts(facts, trouble).map { ProbeVerdict.words($0) }
            }
        }
        troubleWords = troubles
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
    /// Active keys of the app, then those of its whole tenant, each newest first: the first one is meant to sign, and is
    /// the one that is tried.
    package var keys: [KeyReport] = []
    /// Keys that sign in place of the first one, by environment: their key IDs.
    package var standIns = PerEnvironment<String>()
    /// The name under which the first key's file was uploaded.
    package var keyFileName: String?
    /// The newest try of the first key that told something of it; where none did, the newest.
    package var probes = PerEnvironment<Probe>()
    /// A newer try of it that told nothing.
    package var troubles = PerEnvironment<Probe>()
    /// What the newest replies of this app told of the first key.
    package var calls = PerEnvironment<KeyCall>()
    /// Another app of the tenant for which Apple accepts the first key, by environment: its bundle ID.
    package var worksFor = PerEnvironment<String>()
    /// When Apple last accepted the first key for this app before refusing it.
    package var acceptedBefore = PerEnvironment<Moment>()
    /// Where Apple accepts the first key for this app.
    package var isAccepted = PerEnvironment<Bool>()
    package var tests = PerEnvironment<TestNotification>()
    package var heard = PerEnvironment<OnboardingState.Heard>()
    /// The newest notification that is no TEST: only these tell which version is chosen.
    package var heardReal = PerEnvironment<Moment>()
    /// The newest delivery of version 1. Its body names no environment that could be believed.
    package var versionOneAt: Moment?
    /// The newest refused delivery of any kind, while nothing was taken since.
    package var refused: OnboardingState.Refused?
    /// Another app of the tenant that was given the same Apple ID: its bundle ID.
    package var sameAppleID: String?
    /// A verified Production notification named the Apple ID: it cannot be wrong.
    package var isAppleIDProven = false
    /// How the other receiver fares; nil where nothing is passed on.
    package var relay: RelayStanding?
    /// Whether a real customer's consent was ever reported.
    package var hasConsent = false
    /// Whether use or delivery of a real purchase was ever reported.
    package var hasUsage = false
    /// Whether anything was ever reported, of nobody's purchase too: that reporting works.
    package var hasReports = false

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
