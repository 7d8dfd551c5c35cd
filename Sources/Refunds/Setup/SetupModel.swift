package import Journal
package import Tenants
package import Time

/// Everything the setup page of one app shows. No key, no API token and no path of another receiver's address is in
/// it; the app's own notification URLs are, for those who may change apps.
package struct SetupModel: Sendable {
    package var app: App
    /// Production first; one, named "Rehearsal", for a rehearsal app.
    package var environments: [SetupEnvironment]
    /// Keys that serve this app: active ones, then those that are kept, then those that were wiped; in each state the
    /// app's own before those of the whole tenant, newest first.
    package var keys: [KeyStory]
    /// Whether anything can be sealed: without a master key no key can be taken.
    package var canSeal: Bool
    package var addresses: Addresses
    package var receiver: Receiver
    package var products: [ProductSetting]
    /// The newest version 1 delivery, where nothing of version 2 came since.
    package var versionOneAt: Moment?
    /// API tokens of this app alone.
    package var tokens: [APITokenSummary]
    /// Whether consent or use was ever reported, of nobody's purchase too.
    package var hasReports: Bool
    /// The newest refused delivery, where it says that something is set up wrong.
    package var refused: Refused?
    /// Another app of the tenant with the same Apple ID: its bundle ID.
    package var sameAppleID: String?
    /// Apple's own notifications named the Apple ID: it is not changed any more.
    package var isAppleIDProven: Bool
    package var readiness: [ReadinessItem]
    /// Notifications come from an environment that the app was set up without.
    package var stray: StrayEnvironment?

    package init(
        app: App, environments: [SetupEnvironment], keys: [KeyStory] = [], canSeal: Bool = true, addresses: Addresses,
        receiver: Receiver = .notAsked, products: [ProductSetting] = [], versionOneAt: Moment? = nil,
        tokens: [APITokenSummary] = [], hasReports: Bool = false, refused: Refused? = nil,
        sameAppleID: String? = nil, isAppleIDProven: Bool = false, readiness: [ReadinessItem],
        stray: StrayEnvironment? = nil
    ) {
        self.app = app
        self.environments = environments
        self.keys = keys
        self.canSeal = canSeal
        self.addresses = addresses
        self.receiver = receiver
        self.products = products
        self.versionOneAt = versionOneAt
        self.tokens = tokens
        self.hasReports = hasReports
        self.refused = refused
        self.sameAppleID = sameAppleID
        self.isAppleIDProven = isAppleIDProven
        self.readiness = readiness
        self.stray = stray
    }

    /// The environments in which a key signs now, by name.
    package func environments(signedBy key: KeyStory) -> [String] {
        environments.filter { $0.signer == key.info.id }.map(\.name)
    }

    /// A refused delivery, and what it means.
    package struct Refused: Sendable {
        package let at: Moment
        package let words: RefusedWords

        package init(at: Moment, words: RefusedWords) {
            self.at = at
            self.words = words
        }
    }

    /// The secret parts of the app's notification URLs.
    package enum Addresses: Sendable {
        /// Newest first.
        case shown([Redacted<String>])
        /// For those who may not change apps: how many there are.
        case counted(Int)
        /// A row does not open: its master key is not there.
        case unreadable
    }

    /// Who gets Apple's notifications today.
    package enum Receiver: Sendable {
        case notAsked
        case nobody
        /// The host alone: the path may hold a secret. Newest deliveries first.
        case relay(host: String, standing: RelayStanding, newest: [RelayLine])
    }
}

/// One of Apple's environments, as the setup page sees it.
package struct SetupEnvironment: Sendable {
    package let id: AppEnvironment
    /// `Production`, `Sandbox`, or `Rehearsal`.
    package let name: String
    /// The key that signs here now.
    package var signer: SigningKeyID?
    /// The newest try that told something of the key; where none did, the newest.
    package var probe: SetupProbe?
    /// A newer try that told nothing.
    package var trouble: SetupProbe?
    /// The newest reply of this app that told something of the newest key.
    package var call: KeyCall?
    /// What the newest of both says.
    package var trial: KeyTrial?
    package var test: SetupTest?
    package var lastNotification: Moment?

    package init(
        id: AppEnvironment, name: String, probe: SetupProbe? = nil, test: SetupTest? = nil,
        lastNotification: Moment? = nil
    ) {
        self.id = id
        self.name = name
        self.probe = probe
        self.test = test
        self.lastNotification = lastNotification
    }
}

/// How a key fared when it was tried.
package struct SetupProbe: Sendable {
    package let at: Moment
    package let result: Probe.Result
    package let words: ProbeWords
    /// Nil where the key that was tried is out of use.
    package let keyID: String?

    package init(at: Moment, result: Probe.Result, words: ProbeWords, keyID: String?) {
        self.at = at
        self.result = result
        self.words = words
        self.keyID = keyID
    }
}

/// A TEST notification that was asked for, and what became of it.
package struct SetupTest: Sendable {
    package let state: TestNotification.State
    package let askedAt: Moment
    package let words: TestWords

    package init(state: TestNotification.State, askedAt: Moment, words: TestWords) {
        self.state = state
        self.askedAt = askedAt
        self.words = words
    }
}
