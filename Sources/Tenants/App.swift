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
    /// A rehearsal's cases are in no total.
    package let rehearsal: Bool
    package let unreportedDelivery: UnreportedDelivery
    /// What is said of sample content where nobody reported it.
    package let sampleContent: Bool
    package let consent: ConsentSetting
    /// Rows of quarantine; older refusals are overwritten.
    package let refusalAllowance: Int
    /// Out of use: nothing arrives for it any more, and its cases stay.
    package let isRemoved: Bool

    package init(
        tenant: TenantID, id: AppID, bundleID: String, appleID: Int64? = nil, name: String, rehearsal: Bool = false,
        unreportedDelivery: UnreportedDelivery = .delivered, sampleContent: Bool = false,
        consent: ConsentSetting = .perCustomer, refusalAllowance: Int = 500, isRemoved: Bool = false
    ) {
        self.tenant = tenant
        self.id = id
        self.bundleID = bundleID
        self.appleID = appleID
        self.name = name
        self.rehearsal = rehearsal
        self.unreportedDelivery = unreportedDelivery
        self.sampleContent = sampleContent
        self.consent = consent
        self.refusalAllowance = refusalAllowance
        self.isRemoved = isRemoved
    }

    /// Letters, digits, hyphens and dots, 1 to 155 of them.
    ///
    /// Source: Apple, Bundle Resources, CFBundleIdentifier. The length is App Store Connect's.
    package static func isBundleID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return (1...155).contains(bytes.count)
            && bytes.allSatisfy { byte in
                (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
                    || byte == 0x2D || byte == 0x2E
            }
    }

    /// The queue's lanes of an app: Apple's limits and refusals are per app and environment.
    package static func lane(_ app: AppID, isSandbox: Bool) -> Int64 { app.rawValue * 2 + (isSandbox ? 1 : 0) }
}

/// What is answered for `deliveryStatus` when neither backend nor product settings reported it.
package enum UnreportedDelivery: String, Hashable, Sendable, CaseIterable {
    /// Say DELIVERED, "by the app's setting".
    case delivered
    /// Send nothing.
    case withhold
}

/// Who has agreed that data about their purchases is sent to Apple.
package enum ConsentSetting: Hashable, Sendable {
    /// Each customer is asked; the app's backend reports the answer.
    case perCustomer
    /// Everybody who bought at or after this moment agreed to this wording.
    case allFrom(Moment, wording: String)
}
