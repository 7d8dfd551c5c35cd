package import FoundationEssentials
package import Time

/// Names an app.
package struct AppID: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package var description: String { "app \(rawValue)" }
}

/// One bundle ID of a tenant with its settings; serves Production and Sandbox alike.
package struct App: Hashable, Sendable {
    package let tenant: TenantID
    package let id: AppID
    /// To the letter: Apple's bundle IDs differ by case.
    package let bundleID: String
    /// Apple's `appAppleId`; nil until it is given or learned from a verified Production notification.
    package let appleID: Int64?
    package let name: String
    /// Where notifications are to be expected from; Production and Sandbox, or Sandbox alone while the app is not on
    /// sale. What comes from elsewhere is taken and answered all the same, and told.
    package let environments: Set<AppEnvironment>
    /// Set for an app made to rehearse with: its own root and API. Its cases are in no total, and page nobody.
    package let rehearsal: RehearsalSide?
    package let unreportedDelivery: UnreportedDelivery
    /// What is said of sample content where nobody reported it.
    package let sampleContent: Bool
    package let consent: ConsentSetting
    /// Who declared that everybody agreed; nil while each customer is asked.
    package let consentDeclaration: ConsentDeclaration?
    /// How use and delivery become known.
    package let evidence: EvidenceMode
    /// Asked at the time of a request; set where `evidence` is `.callback`.
    package let callbackURL: String?
    /// The sealed secret that signs what the app's server is asked; nil: nothing is asked.
    package let callbackSecret: UUID?
    /// When that secret was made: for a day after it the one before signs too.
    package let callbackSecretAt: Moment?
    /// Whether somebody else wants the notifications too; nil: never asked.
    package let hasOtherReceiver: Bool?
    /// The sealed address of the other receiver; nil: nothing is passed on.
    package let relaySecret: UUID?
    /// Rows of quarantine; older refusals are overwritten.
    package let refusalAllowance: Int
    /// Out of use: nothing arrives for it any more, and its cases stay.
    package let isRemoved: Bool

    package init(
        tenant: TenantID, id: AppID, bundleID: String, appleID: Int64? = nil, name: String,
        environments: Set<AppEnvironment> = Set(AppEnvironment.allCases), rehearsal: RehearsalSide? = nil,
        unreportedDelivery: UnreportedDelivery = .delivered, sampleContent: Bool = false,
        consent: ConsentSetting = .perCustomer, consentDeclaration: ConsentDeclaration? = nil,
        evidence: EvidenceMode = .none, callbackURL: String? = nil, callbackSecret: UUID? = nil,
        callbackSecretAt: Moment? = nil, hasOtherReceiver: Bool? = nil,
        relaySecret: UUID? = nil, refusalAllowance: Int = 500, isRemoved: Bool = false
    ) {
        self.tenant = tenant
        self.id = id
        self.bundleID = bundleID
        self.appleID = appleID
        self.name = name
        self.environments = environments
        self.rehearsal = rehearsal
        self.unreportedDelivery = unreportedDelivery
        self.sampleContent = sampleContent
        self.consent = consent
        self.consentDeclaration = consentDeclaration
        self.evidence = evidence
        self.callbackURL = callbackURL
        self.callbackSecret = callbackSecret
        self.callbackSecretAt = callbackSecretAt
        self.hasOtherReceiver = hasOtherReceiver
        self.relaySecret = relaySecret
        self.refusalAllowance = refusalAllowance
        self.isRemoved = isRemoved
    }

    package var isRehearsal: Bool { rehearsal != nil }
    /// Whether original notifications are passed on to another receiver.
    package var isRelayed: Bool { relaySecret != nil }
    /// Whether the app's server is asked at a request.
    package var isAsked: Bool { evidence == .callback && callbackURL != nil && callbackSecret != nil }

    static let bundleIDBytesMax = 155

    /// Letters, digits, hyphens and dots, 1 to 155 of them.
    ///
    /// Source: Apple, Bundle Resources, CFBundleIdentifier. The length is App Store Connect's.
    package static func isBundleID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return (1...bundleIDBytesMax).contains(bytes.count)
            // "." and ".." would be other addresses of the console.
            && bytes.contains { $0 != 0x2E && $0 != 0x2D }
            && bytes.allSatisfy { byte in
                (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
                    || byte == 0x2D || byte == 0x2E
            }
    }

    /// For people: what stands where an environment would, "Rehearsal" for a rehearsal of either.
    package func environmentLabel(_ environment: AppEnvironment) -> String {
        isRehearsal ? "Rehearsal" : environment.rawValue
    }

    /// The queue's lanes of an app: Apple's limits and refusals are per app and environment.
    package static func lane(_ app: AppID, isSandbox: Bool) -> Int64 { app.rawValue * 2 + (isSandbox ? 1 : 0) }
}
