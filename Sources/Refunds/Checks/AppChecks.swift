import Tenants
import Time

/// Everything one app's replies depend on.
struct AppChecks {
    /// A month without a word from Apple is worth a question.
    private static let unheardAfter = Duration.days(30)

    let tenant: Tenant
    let app: App
    /// Of the tenant, retired ones too, newest first.
    let keys: [KeyStory]
    let known: TenantCheckFacts
    let now: Moment

    private var name: String { "app \(tenant.slug)/\(app.bundleID)" }
    private var place: Remedy.Place { .setUp(bundleID: app.bundleID) }
    private var called: String { app.name == app.bundleID ? app.bundleID : "\(app.name) (\(app.bundleID))" }
    private var heard: PerEnvironment<Moment> { known.heard[app.id] ?? PerEnvironment() }
    private var serving: [KeyStory] { keys.filter { $0.info.state != .retired && $0.info.serves(app) }.ownFirst }
    private var lead: KeyStory? { serving.first { $0.info.state == .active } ?? serving.first }

    func all(_ unreadable: [UnreadableSecret]) -> [Check] {
        let others: [Check?] = [appleID, url, notifications, environments, consent, relay, callback]
        let checks = [key(unreadable)] + credentials + others.compactMap { $0 } + history + commerce
        guard let side = app.rehearsal else { return checks }
        return [.ok("\(name) rehearsal", "rehearses with \(side.apiURL): in no total, pages nobody")]
            + checks.map(\.asWarning)
    }

    /// A stopped queue holds requests back; what else is wrong with Advanced Commerce will refuse the next one.
    private var commerce: [Check] {
        (known.commerce[app.id]?.lines ?? []).map { line in
            let state: Check.State = line.access.isStopped ? .fail : line.state == .trouble ? .warn : .ok
            return Check(name: "\(name) commerce \(line.environment.rawValue)", state: state, text: line.text)
        }
    }

    /// Whether all that Apple sent is here.
    private var history: [Check] {
        (known.histories[app.id] ?? PerEnvironment()).all.map { place, standing in
            let name = "\(name) history \(place)"
            var text = "\(standing.words) in \(HistoryStanding.days) days"
            text += standing.sweptAt.map { "; read to its end at \($0.iso8601)" } ?? "; not read to its end yet"
            if let lost = standing.lost {
                text +=
                    "; Apple had forgotten \(lost.lowerBound.iso8601) to \(lost.upperBound.iso8601) before it was read"
            }
            if let trouble = standing.trouble, let since = standing.troubleSince {
                return .warn(name, "\(text); since \(since.iso8601) it cannot be read: \(trouble)")
            }
            return standing.isOld(at: now) || standing.lost != nil ? .warn(name, text) : .ok(name, text)
        }
    }

    /// The key that signs: is there one, and does it open.
    private func key(_ unreadable: [UnreadableSecret]) -> Check {
        guard let key = lead else {
            let isOwn = app.isRehearsal ? " --bundle-id \(app.bundleID)" : ""
            return .fail(
                "\(name) key", "No key signs for \(called): its requests are kept and cannot be answered.",
                Remedy(
                    app.isRehearsal ? "Add a key that the simulator made." : "Add an In-App Purchase key.", at: place,
                    command:
                        "refund-desk key add --tenant \(tenant.slug)\(isOwn) --key-id ID --issuer-id UUID --file PATH"))
        }
        if let bad = unreadable.first(where: { $0.id == key.info.id.rawValue }) {
            return .fail("\(name) key", "The key of \(called) does not open: \(bad.text)")
        }
        let used = key.proofs.contains { $0.app == app.id && $0.acceptedAt != nil }
        return .ok(
            "\(name) key",
            "\(key.info.keyID), \(used ? "accepted by \(app.isRehearsal ? "the simulator" : "Apple")" : "not used for this app yet"), \(key.info.fingerprint)"
        )
    }

    /// How Apple takes it in each environment in which it was tried.
    private var credentials: [Check] {
        guard let key = lead else { return [] }
        let told = [false, true].compactMap { key.standing(for: app.id, isSandbox: $0) }
            .filter { $0.isRefused || $0.acceptedAt != nil || signer(isSandbox: $0.isSandbox)?.info.id != key.info.id }
        // One simulator stands behind both environments of a rehearsal: the worse of them is told.
        let shown = app.isRehearsal ? Array((told.filter(\.isRefused) + told).prefix(1)) : told
        return shown.map { credential($0, key) }
    }

    private func credential(_ standing: KeyStanding, _ key: KeyStory) -> Check {
        let name = "\(name) \(app.environmentLabel(standing.isSandbox ? .sandbox : .production))"
        let signer = signer(isSandbox: standing.isSandbox)
        let meanwhile = signer?.info.id == key.info.id ? nil : signer?.info.keyID
        guard standing.isRefused else {
            if let meanwhile {
                return .warn(
                    name,
                    "The key \(key.info.keyID) was not accepted for \(called) yet; until it is, \(meanwhile) signs.",
                    Remedy("Try the key.", at: place))
            }
            let before = standing.refusedAt.map { ", refused last at \($0.iso8601)" } ?? ""
            return .ok(name, "Apple accepted \(key.info.keyID) at \(standing.acceptedAt?.iso8601 ?? "")\(before)")
        }
        if standing.isRefusedElsewhere {
            let since = standing.refusedSince.map { " since \($0.iso8601)" } ?? ""
            return .warn(
                name,
                "Apple refuses the key \(key.info.keyID) for another app\(since); for \(called) it is tried again soon.",
                Remedy("Try the key.", at: place))
        }
        let (state, text) = CredentialWords.refused(standing, key: key, of: app)
        guard let meanwhile else {
            return Check(name: name, state: state, text: text, remedy: state == .fail ? again : nil)
        }
        return .warn(name, "\(text) Meanwhile \(meanwhile) signs.", again)
    }

    private func signer(isSandbox: Bool) -> KeyStory? {
        KeyChoice.signing(serving.map { $0.candidate(for: app.id, isSandbox: isSandbox) }).map { serving[$0] }
    }

    private var again: Remedy {
        Remedy(
            "When it is mended, try the key again, or add another.", at: place,
            command: "refund-desk key add --tenant \(tenant.slug) --key-id ID --issuer-id UUID --file PATH")
    }

    /// An Apple ID belongs to one app: where two have the same, one was mistyped.
    private var appleID: Check? {
        guard let id = app.appleID, !app.isRehearsal else { return nil }
        let others = known.appleIDs[id, default: []].filter { $0 != app.bundleID }
        guard let other = others.first else { return nil }
        return .warn(
            "\(name) apple-id", "\(called) and \(other) have the same Apple ID \(id): one of the two is wrong.",
            Remedy("Compare both with App Store Connect, App Information.", at: place))
    }

    private var url: Check {
        let count = known.inboxes[app.id] ?? 0
        guard count > 0 else {
            return .fail(
                "\(name) url", "No notification URL of \(called) is in use.",
                Remedy(
                    "Whoever runs this installation makes another.",
                    command: "refund-desk inbox add --tenant \(tenant.slug) --bundle-id \(app.bundleID)"))
        }
        return .ok("\(name) url", "\(count) notification URL\(count == 1 ? "" : "s") in use")
    }

    private var notifications: Check {
        let name = "\(name) notifications"
        guard let newest = heard.all.map(\.value).max() else {
            return .warn(
                name, "None has arrived yet.",
                Remedy(
                    app.isRehearsal
                        ? "Enter the URL at the simulator and send a test."
                        : "Enter the URL in App Store Connect (App Information, Version 2) and send a test.", at: place)
            )
        }
        let text =
            app.isRehearsal
            ? "last at \(newest.iso8601)"
            : heard.all.map { "\($0.environment) last at \($0.value.iso8601)" }.joined(separator: ", ")
        if newest < now - Self.unheardAfter {
            return .warn(
                name,
                "\(text): nothing for a month. Is the URL still entered at \(app.isRehearsal ? "the simulator" : "Apple")?"
            )
        }
        return .ok(name, text)
    }

    private var environments: Check? {
        guard let stray = StrayEnvironment(of: app, heard: heard, at: now) else { return nil }
        return .warn("\(name) environments", stray.words(of: called), Remedy(stray.advice, at: place))
    }

    private var consent: Check {
        switch app.consent {
        case .allFrom(let moment, _):
            return .ok(
                "\(name) consent",
                "all who bought from \(moment.iso8601.prefix(10)) on, by the wording that was declared")
        case .perCustomer:
            if known.consented.contains(app.id) {
                return .ok("\(name) consent", "of each customer, as reported through the API")
            }
            return .warn(
                "\(name) consent", "No customer of \(called) has agreed yet, so no request is answered.",
                Remedy("Report consent through the API, or declare it for all purchasers.", at: place))
        }
    }

    private var callback: Check? {
        guard app.evidence == .callback else { return nil }
        let name = "\(name) callback"
        let words = "--tenant \(tenant.slug) --bundle-id \(app.bundleID)"
        guard app.isAsked else {
            return .warn(
                name,
                "The server of \(called) is to be asked at each refund request, and there is no secret to sign with.",
                Remedy(
                    "Make the secret on the page Evidence of the app, and give it to the server.", at: place,
                    command: "refund-desk callback set \(words) --new-secret"))
        }
        guard let known = known.callbacks[app.id] else { return .ok(name, "asked at the next request") }
        if known.failures > 0 {
            let since = known.lastSuccessAt.map { "since \($0.iso8601)" } ?? "yet"
            return .warn(
                name, "The server of \(called) has answered nothing \(since) (\(known.lastError ?? "no answer")).",
                Remedy("Look at the server, then press Test on the page Evidence of the app.", at: place))
        }
        return .ok(name, "answers when it is asked")
    }

    private var relay: Check? {
        guard let relay = known.relays[app.id] else { return nil }
        let name = "\(name) relay"
        let again = Remedy(
            "Look at the other receiver, then try them again.", at: place,
            command: "refund-desk relay retry --tenant \(tenant.slug) --bundle-id \(app.bundleID)")
        if relay.failures > 0 {
            let since = relay.lastSuccessAt.map { "since \($0.iso8601)" } ?? "yet"
            return .warn(
                name,
                "The other receiver of \(called) has taken nothing \(since) (\(relay.lastError ?? "no answer")); \(relay.waiting) waiting, \(relay.givenUp) given up in the last week.",
                again)
        }
        if relay.givenUp > 0 {
            let what = relay.givenUp == 1 ? "1 notification was" : "\(relay.givenUp) notifications were"
            return .warn(name, "\(what) not taken by the other receiver of \(called) in the last week.", again)
        }
        return .ok(name, relay.waiting == 0 ? "passed on" : "passed on; \(relay.waiting) waiting")
    }
}
