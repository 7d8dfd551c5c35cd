package import Tenants
package import Time

/// How a tenant's desk stands right now.
package struct Overview: Sendable {
    /// The newest cases, counted by state; at most `sampleMax` of them, so that the page costs the same for all.
    package let states: [CaseState: Int]
    package let outcomes: [CaseOutcome: Int]
    package let counted: Int
    package let since: Moment
    /// Open and held cases, nearest deadline first.
    package let due: [CaseLine]
    package let apps: [AppStanding]
    package let refusals: [RefusalCount]
    /// What it costs that customers did not agree, in the cases that were counted.
    package let consent: ConsentCost

    package static let sampleMax = 2000

    package init(
        states: [CaseState: Int], outcomes: [CaseOutcome: Int], counted: Int, since: Moment, due: [CaseLine],
        apps: [AppStanding], refusals: [RefusalCount], consent: ConsentCost = ConsentCost()
    ) {
        self.states = states
        self.outcomes = outcomes
        self.counted = counted
        self.since = since
        self.due = due
        self.apps = apps
        self.refusals = refusals
        self.consent = consent
    }

    package var isSampleFull: Bool { counted >= Self.sampleMax }
}

/// An app as its owner wants to see it: does everything arrive, does Apple take our key.
package struct AppStanding: Sendable {
    package let app: App
    /// Addresses at which notifications arrive now.
    package let inboxes: Int
    package let lastNotification: PerEnvironment<Moment>
    /// The signing keys that serve this app: active ones, then those that are kept for a grace time; in each the app's
    /// own before those of the whole tenant, newest first.
    package let keys: [KeyReport]
    /// Advanced Commerce in each environment that has to do with it, Production first.
    package let commerce: [CommerceReadiness.Line]
    /// Apple's notification history beside what is held here, where it is read.
    package let history: PerEnvironment<HistoryStanding>
    /// Consent that Apple took back, and about which nobody decided yet.
    package let rescissions: Int
    /// The reading of the time before the app was added, where it was begun.
    package let imports: PerEnvironment<ImportStanding>

    package init(
        app: App, inboxes: Int, lastNotification: PerEnvironment<Moment>, keys: [KeyReport],
        commerce: [CommerceReadiness.Line] = [], history: PerEnvironment<HistoryStanding> = PerEnvironment(),
        rescissions: Int = 0, imports: PerEnvironment<ImportStanding> = PerEnvironment()
    ) {
        self.rescissions = rescissions
        self.imports = imports
        self.app = app
        self.inboxes = inboxes
        self.lastNotification = lastNotification
        self.keys = keys
        self.commerce = commerce
        self.history = history
    }

    /// Notifications come from an environment that the app was set up without.
    package func stray(at now: Moment) -> StrayEnvironment? {
        StrayEnvironment(of: app, heard: lastNotification, at: now)
    }

    /// The key that signs in an environment now; nil where there is none.
    package func signer(isSandbox: Bool) -> KeyReport? {
        KeyChoice.signing(
            keys.map {
                KeyChoice.Candidate(app: $0.key.app, state: $0.key.state, standing: $0.standings[isSandbox: isSandbox])
            }
        ).map { keys[$0] }
    }
}

/// A signing key, whether it opens, and how Apple takes it for one app in each environment.
package struct KeyReport: Sendable {
    package let key: SigningKeyInfo
    /// False: the master key that sealed it was not there when it was last needed.
    package let opens: Bool
    package let standings: PerEnvironment<KeyStanding>

    package init(key: SigningKeyInfo, opens: Bool, standings: PerEnvironment<KeyStanding>) {
        self.key = key
        self.opens = opens
        self.standings = standings
    }
}

extension KeyReport {
    init(_ story: KeyStory, for app: App) {
        self.init(
            key: story.info, opens: story.opens,
            standings: PerEnvironment(
                production: story.standing(for: app.id, isSandbox: false),
                sandbox: story.standing(for: app.id, isSandbox: true)))
    }
}

extension [KeyStory] {
    /// Keys that are tied to an app before those of the whole tenant; otherwise in their order.
    package var ownFirst: [KeyStory] { filter { $0.info.app != nil } + filter { $0.info.app == nil } }
}

/// A value for each of Apple's environments, where there is one.
package struct PerEnvironment<Value: Sendable>: Sendable {
    package var production: Value?
    package var sandbox: Value?

    package init(production: Value? = nil, sandbox: Value? = nil) {
        self.production = production
        self.sandbox = sandbox
    }

    /// With Apple's names, Production first.
    package var all: [(environment: String, value: Value)] {
        [("Production", production), ("Sandbox", sandbox)].compactMap { name, value in value.map { (name, $0) } }
    }
}
