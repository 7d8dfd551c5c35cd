package import Time

/// What is to be different of an app; members that are nil stay as they are.
package struct AppChanges: Hashable, Sendable {
    package var name: String?
    /// A known one is what notifications are compared with: another takes its place only with `correctsAppleID`.
    package var appleID: Int64?
    /// No verified notification has named the known Apple ID: it is only what somebody typed, and may be corrected.
    package var correctsAppleID = false
    package var environments: Set<AppEnvironment>?
    package var unreportedDelivery: UnreportedDelivery?
    package var sampleContent: Bool?
    package var consent: Consent?
    package var evidence: EvidenceMode?
    /// Empty: none any more.
    package var callbackURL: String?
    package var hasOtherReceiver: Bool?
    /// The other receiver's address, sealed in the vault. Empty: nothing is passed on any more.
    package var relayURL: String?
    /// Nil: whatever the settings are by now.
    package var seen: Seen?

    package init() {}

    package enum Consent: Hashable, Sendable {
        /// Each customer is asked.
        case perCustomer
        /// Everybody who buys from a moment on agrees to a wording; somebody declares that it is shown.
        case allFrom(Moment, wording: String, shownWhere: String, declaredBy: String)
    }

    package static let wordingBytesMax = 64 * 1024
    package static let remarkBytesMax = 1000
}

extension AppChanges {
    /// Checks every member by itself and against the app.
    func check(against app: App, at now: Moment, outbound: OutboundRules) throws(AppChangeError) {
        if let name {
            do throws(Name.Trouble) { _ = try Name(name, charactersMax: Name.longMax) } catch {
                throw AppChangeError("name", "is not taken: \(error)")
            }
        }
        if let appleID {
            guard appleID > 0 else { throw AppChangeError("appleID", "is a positive number: \(AppleIDText.place)") }
            if let known = app.appleID, known != appleID, !correctsAppleID {
                throw AppChangeError("appleID", "is known to be \(known), and stays so")
            }
        }
        if let environments, environments.isEmpty {
            throw AppChangeError("environments", "must name Production, Sandbox or both")
        }
        if case .allFrom(let from, let wording, let shownWhere, let declaredBy) = consent {
            _ = try ConsentSetting.checkedStart(from, at: now)
            try Self.checkText(wording, "consentWording", bytesMax: Self.wordingBytesMax)
            try Self.checkRemark(shownWhere, "consentShownWhere")
            try Self.checkRemark(declaredBy, "consentDeclaredBy")
        }
        if let callbackURL, !callbackURL.isEmpty {
            _ = try OutboundURL.checked(callbackURL, member: "callbackURL", rules: outbound)
        }
        if evidence == .callback || (evidence == nil && app.evidence == .callback) {
            let url = callbackURL ?? app.callbackURL ?? ""
            guard !url.isEmpty else { throw AppChangeError("callbackURL", "is needed where the app is asked") }
        }
        if let relayURL, !relayURL.isEmpty {
            _ = try OutboundURL.checked(relayURL, member: "relayURL", rules: outbound)
            guard hasOtherReceiver != false else {
                throw AppChangeError("relayURL", "is given, though there is said to be no other receiver")
            }
        }
    }

    /// What somebody says beside a wording: not empty, and short.
    static func checkRemark(_ text: String, _ member: String) throws(AppChangeError) {
        try checkText(text, member, bytesMax: remarkBytesMax)
    }

    static func checkText(_ text: String, _ member: String, bytesMax: Int) throws(AppChangeError) {
        guard text.contains(where: { !$0.isWhitespace }) else { throw AppChangeError(member, "is missing") }
        guard text.utf8.count <= bytesMax else { throw AppChangeError(member, "is longer than \(bytesMax) bytes") }
        let isClean = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: true
            // Controls, and what turns the direction of writing: behind it something else may stand than what is seen.
            case 0...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: false
            default: true
            }
        }
        guard isClean else {
            throw AppChangeError(member, "has a control character, or one that turns the direction of writing")
        }
    }
}
