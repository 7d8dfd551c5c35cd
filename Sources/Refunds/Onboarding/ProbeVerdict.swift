import Tenants
package import Time

/// What a probe's answer says about the five things that were typed or chosen: key, key ID, issuer ID, bundle ID,
/// environment.
///
/// Apple's 401 never says which of them is wrong. Each cause is therefore either named, ruled out by something that
/// is known, or left to be checked. Pure. Source: the usual causes of a 401, in the order in which they are worth
/// checking (App Store Server API, Generating JSON Web Tokens; issues of Apple's server libraries; read 2026-08).
package enum ProbeVerdict {
    /// What is known beside the answer.
    package struct Facts: Sendable {
        package var isSandbox: Bool
        package var result: Probe.Result
        package var bundleID: String
        package var keyID: String
        /// The name under which the key's file was chosen or dropped; nil when it was pasted.
        package var fileName: String?
        package var status: Int?
        package var appleCode: Int64?
        package var detail = ""
        /// Our clock minus Apple's.
        package var clockOffset: Duration?
        /// The other environment's answer to the same key.
        package var elsewhere: Probe.Result?
        /// Another app that Apple accepts under the same key in this environment.
        package var worksFor: String?
        /// When Apple last accepted the same key for this app in this environment.
        package var acceptedBefore: Moment?

        package init(isSandbox: Bool, result: Probe.Result, bundleID: String, keyID: String) {
            self.isSandbox = isSandbox
            self.result = result
            self.bundleID = bundleID
            self.keyID = keyID
        }

        /// A rehearsal's simulator answers instead of Apple, in both environments alike.
        package var isRehearsal = false

        package var environment: String { isRehearsal ? "rehearsal" : isSandbox ? "Sandbox" : "Production" }

        /// Who answers, at the beginning of a sentence.
        var asker: String { isRehearsal ? "The simulator" : "Apple" }

        var drift: ClockDrift? { clockOffset.map { ClockDrift($0) } }
    }

    package static func words(_ facts: Facts) -> ProbeWords {
        switch facts.result {
        case .accepted:
            ProbeWords(
                summary: "\(facts.asker) accepts the key for \(facts.bundleID) in \(facts.environment).",
                remarks: drift(facts).map { [$0] } ?? [])
        case .refused: refused(facts)
        case .limited:
            ProbeWords(
                summary:
                    "\(facts.asker) asks for a pause before the next call in \(facts.environment): nothing was learned about the key. Try again in a minute."
            )
        case .unreachable:
            ProbeWords(
                summary:
                    "\(facts.asker) could not be reached for \(facts.environment): nothing was learned about the key. \(sentence(facts.detail))",
                left: facts.isRehearsal
                    ? [
                        "Whether the simulator runs, and at the address that this app was made with.",
                        "Whether whoever runs this installation allows that address (REFUND_DESK_OUTBOUND_ALLOW_PRIVATE).",
                    ]
                    : [
                        "Whether this machine may call Apple's address over HTTPS, directly or by the proxy that is set.",
                        "Whether its name server and its list of trusted certificates are in order.",
                    ])
        case .odd: odd(facts)
        }
    }

    // MARK: 401

    /// The usual causes, in the order in which they are worth checking.
    enum Suspect: Int, CaseIterable {
        case kindOfKey, keyID, issuer, bundleID, clock, notOnSale, revoked
    }

    private static func refused(_ facts: Facts) -> ProbeWords {
        let summary =
            "\(facts.asker) refuses the key for \(facts.bundleID) in \(facts.environment) (401), and does not say why."
        let cause = cause(facts)
        var ruledOut: [String] = []
        var left: [String] = []
        for suspect in suspects(facts) where suspect != cause?.suspect {
            if let why = alibi(suspect, facts) {
                ruledOut.append(why)
            } else if let check = check(suspect, facts) {
                left.append(check)
            }
        }
        if cause == nil, left.isEmpty {
            left.append("Nothing that is known explains it: try again in a few minutes.")
        }
        ruledOut.append(
            "The form of the token: audience, algorithm and signature are made by this program, and the key's test signature was right."
        )
        return ProbeWords(
            summary: summary, cause: cause?.text, ruledOut: ruledOut, left: cause?.isCertain == true ? [] : left,
            remarks: cause?.suspect == .clock ? [] : drift(facts).map { [$0] } ?? [])
    }

    /// A simulator knows no kinds of keys, and answers both environments alike.
    private static func suspects(_ facts: Facts) -> [Suspect] {
        facts.isRehearsal ? [.keyID, .issuer, .bundleID, .clock, .revoked] : Suspect.allCases
    }

    private struct Cause {
        let suspect: Suspect
        let text: String
        /// Nothing else needs to be checked before this is repaired.
        let isCertain: Bool
    }

    private static func cause(_ facts: Facts) -> Cause? {
        if let drift = facts.drift, !drift.isBearable {
            let effect = drift.isAhead ? "seems to come from the future" : "is out of date when it arrives"
            return Cause(
                suspect: .clock,
                text:
                    "This machine's clock is \(drift.words(than: facts.isRehearsal ? "the simulator" : "Apple")), so every token \(effect). Set the clock right; the key need not be changed.",
                isCertain: true)
        }
        if facts.isRehearsal { return rehearsalCause(facts) }
        if facts.elsewhere == .accepted {
            // The same key, issuer and bundle ID in the same minute: only the environment differs.
            if facts.isSandbox { return nil }
            if let before = facts.acceptedBefore {
                return Cause(
                    suspect: .notOnSale,
                    text:
                        "Apple took the key in Production before (last seen \(day(before))) and takes it in Sandbox still, so it is right. Look whether \(facts.bundleID) was taken from sale or moved to another team.",
                    isCertain: false)
            }
            return Cause(
                suspect: .notOnSale,
                text:
                    "The same key is accepted in Sandbox, so it is right. Apple refuses Production until an app has been released for the first time: most likely \(facts.bundleID) is not on sale yet. Nothing has to be repaired; until then set the app to Sandbox alone.",
                isCertain: true)
        }
        if let before = facts.acceptedBefore {
            return Cause(
                suspect: .revoked,
                text:
                    "Apple took this very key for this app before (last seen \(day(before))). Most likely it was revoked in App Store Connect: upload a new one.",
                isCertain: false)
        }
        if let other = facts.worksFor {
            return Cause(
                suspect: .bundleID,
                text:
                    "The same key works for \(other), so key, key ID and issuer ID are right. Compare the bundle ID \(facts.bundleID) with App Store Connect, letter by letter, capitals included: it must be an app of the same team.",
                // In Production it may as well be an app that was never released.
                isCertain: facts.isSandbox)
        }
        guard let name = facts.fileName else { return nil }
        if isConnectKey(name) {
            return Cause(
                suspect: .kindOfKey,
                text:
                    "The file is named \(shown(name)): that is how App Store Connect API keys are named. Here an In-App Purchase key is needed (SubscriptionKey_….p8), made under Users and Access, Integrations, In-App Purchase.",
                isCertain: false)
        }
        if let named = keyID(in: name), named != facts.keyID {
            return Cause(
                suspect: .keyID,
                text:
                    "The key ID was given as \(facts.keyID), and the file is named for \(named). Enter the key ID that App Store Connect shows beside this key.",
                isCertain: false)
        }
        return nil
    }

    private static func rehearsalCause(_ facts: Facts) -> Cause? {
        guard let before = facts.acceptedBefore else { return nil }
        return Cause(
            suspect: .revoked,
            text:
                "The simulator took this very key before (last seen \(day(before))). Most likely it was started anew and has forgotten it: its state is in the folder behind --state.",
            isCertain: false)
    }

    /// Why it is not that one; nil where nothing is known against it.
    private static func alibi(_ suspect: Suspect, _ facts: Facts) -> String? {
        let worksElsewhere =
            facts.elsewhere == .accepted ? "it is accepted in \(facts.isSandbox ? "Production" : "Sandbox")" : nil
        let worksForOther = facts.worksFor.map { "it works for \($0)" }
        let workedBefore = facts.acceptedBefore.map { "\(facts.asker) took it before (\(day($0)))" }
        let works = worksElsewhere ?? worksForOther ?? workedBefore
        switch suspect {
        case .kindOfKey:
            if let works { return "The kind of key: \(works)." }
            guard let name = facts.fileName, keyID(in: name) != nil else { return nil }
            return "The kind of key: the file is named as In-App Purchase keys are."
        case .keyID:
            if let works { return "The key ID: \(works)." }
            guard let name = facts.fileName, keyID(in: name) == facts.keyID else { return nil }
            return "The key ID: it is the one in the file's name."
        case .issuer: return works.map { "The issuer ID: \($0)." }
        case .bundleID: return (worksElsewhere ?? workedBefore).map { "The bundle ID: \($0)." }
        case .clock:
            guard let drift = facts.drift, drift.isBearable else {
                return worksElsewhere.map { "The clock: \($0)." }
            }
            return abs(drift.offset.wholeMilliseconds) < 2000
                ? "The clock: it agrees with \(facts.isRehearsal ? "the simulator" : "Apple")'s."
                : "The clock: it differs from \(facts.isRehearsal ? "the simulator" : "Apple")'s by \(span(drift.offset)), which the token allows for."
        case .notOnSale:
            if facts.isSandbox { return "An app that is not on sale yet: Sandbox does not ask for that." }
            return workedBefore.map { "An app that is not on sale yet: \($0)." }
        case .revoked: return worksForOther.map { "A key that was revoked: \($0)." }
        }
    }

    /// What to compare, and where it stands.
    private static func check(_ suspect: Suspect, _ facts: Facts) -> String? {
        if facts.isRehearsal { return rehearsalCheck(suspect, facts) }
        return switch suspect {
        case .kindOfKey:
            "The kind of key: it must be an In-App Purchase key (Users and Access, Integrations, In-App Purchase), no App Store Connect API key and none for APNs or Sign in with Apple."
        case .keyID: "The key ID \(facts.keyID): App Store Connect shows it beside the key whose file this is."
        case .issuer:
            "The issuer ID: App Store Connect shows it above the list of In-App Purchase keys. Another team's is refused like this too."
        case .bundleID:
            "The bundle ID \(facts.bundleID): letter by letter, capitals included, and of the same team as the key."
        case .clock: "This machine's clock: Apple's answer bore no date to compare it with."
        case .notOnSale:
            "Whether the app was ever released: until then Apple refuses every call in Production, and Sandbox works."
        case .revoked: "Whether the key was revoked, or made only minutes ago: then try again in a while."
        }
    }

    private static func rehearsalCheck(_ suspect: Suspect, _ facts: Facts) -> String? {
        switch suspect {
        case .kindOfKey, .notOnSale: nil
        case .keyID: "The key ID \(facts.keyID): the one that the simulator gave together with this key's file."
        case .issuer: "The issuer ID: the one that the simulator's app belongs to."
        case .bundleID: "The bundle ID \(facts.bundleID): registered at the simulator, letter by letter."
        case .clock: "This machine's clock: the simulator's answer bore no date to compare it with."
        case .revoked: "Whether the simulator was started anew with another state, or the key was revoked there."
        }
    }

    // MARK: Other answers

    private static func odd(_ facts: Facts) -> ProbeWords {
        // 4040003 AppNotFound: the token was believed.
        if facts.appleCode == 4_040_003 {
            return ProbeWords(
                summary: "\(facts.asker) knows the key and finds no app \(facts.bundleID) in \(facts.environment).",
                cause: facts.isRehearsal
                    ? "Register \(facts.bundleID) at the simulator, under the issuer ID of this key."
                    : "The bundle ID belongs to no app of the team, or the app was taken from sale. Compare \(facts.bundleID) with App Store Connect, letter by letter, capitals included.",
                ruledOut: [
                    "The kind of key, the key ID, the issuer ID and the clock: \(facts.asker) believed the token."
                ])
        }
        let what = [facts.status.map(String.init), facts.appleCode.map { "code \($0)" }].compactMap { $0 }
        let answer = what.isEmpty ? "" : " (\(what.joined(separator: ", ")))"
        guard let status = facts.status, status < 500 else {
            return ProbeWords(
                summary:
                    "\(facts.asker) had trouble of its own in \(facts.environment)\(answer): nothing was learned about the key. Try again in a few minutes."
            )
        }
        return ProbeWords(
            summary:
                "The answer for \(facts.environment) was none that the App Store Server API gives to this call\(answer). \(sentence(facts.detail))",
            left: [
                "Whether a proxy or a filter on the way answers in Apple's place.",
                "Whether the address of the App Store Server API was changed in the settings.",
            ])
    }

    // MARK: Parts

    /// A clock that begins to drift, where it does no harm yet.
    private static func drift(_ facts: Facts) -> String? {
        guard let drift = facts.drift, drift.isWorthSaying else { return nil }
        guard !facts.isRehearsal else {
            return
                "This machine's clock is \(drift.words(than: "the simulator")). Beyond a minute every call is refused."
        }
        return "This machine's clock is \(drift.words). Beyond a minute Apple refuses every call: synchronise it."
    }

    private static func isConnectKey(_ name: String) -> Bool { base(name).hasPrefix("AuthKey_") }

    /// The key ID in `SubscriptionKey_2X9R4HXF34.p8`; browsers add things like ` (1)`.
    static func keyID(in name: String) -> String? {
        let prefix = "SubscriptionKey_"
        let base = base(name)
        guard base.hasPrefix(prefix) else { return nil }
        let rest = base.dropFirst(prefix.count)
        let id = rest.prefix(10)
        guard id.utf8.count == 10, id.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }),
            let next = rest.dropFirst(10).first.map({ !$0.isLetter && !$0.isNumber }) ?? true as Bool?, next
        else { return nil }
        return String(id)
    }

    /// Without folders of either kind of system.
    private static func base(_ name: String) -> Substring {
        name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
    }

    private static func shown(_ name: String) -> String {
        let base = base(name)
        return base.count <= 60 ? String(base) : base.prefix(59) + "…"
    }

    /// `47 seconds`, `10 minutes`: never a sign.
    static func span(_ duration: Duration) -> String {
        let seconds = (abs(duration.wholeMilliseconds) + 500) / 1000
        switch seconds {
        case ..<120: return "\(seconds) \(seconds == 1 ? "second" : "seconds")"
        case ..<7200: return "\((seconds + 30) / 60) minutes"
        case ..<172_800: return "\((seconds + 1800) / 3600) hours"
        default: return "\((seconds + 43_200) / 86_400) days"
        }
    }

    static func day(_ moment: Moment) -> String { String(moment.iso8601.prefix(10)) }

    private static func sentence(_ text: String) -> String {
        guard let first = text.first else { return "" }
        let whole = first.uppercased() + text.dropFirst()
        return whole.last.map { ".!?".contains($0) } == true ? whole : whole + "."
    }
}

extension ProbeVerdict.Facts {
    /// Nil where the key that is to be tried now is another.
    init?(_ facts: OnboardingFacts, _ probe: Probe) {
        let isSandbox = probe.isSandbox
        guard let key = facts.keys.first, key.key.id == probe.key else { return nil }
        self.init(isSandbox: isSandbox, result: probe.result, bundleID: facts.app.bundleID, keyID: key.key.keyID)
        fileName = facts.keyFileName
        status = probe.status
        appleCode = probe.appleCode
        detail = probe.detail
        isRehearsal = facts.app.isRehearsal
        clockOffset = probe.clockOffset
        worksFor = facts.worksFor[isSandbox: isSandbox]
        acceptedBefore = facts.acceptedBefore[isSandbox: isSandbox]
        if facts.isAccepted[isSandbox: !isSandbox] == true {
            elsewhere = .accepted
        } else if let other = facts.probes[isSandbox: !isSandbox], other.key == probe.key {
            elsewhere = other.result
        }
    }
}
