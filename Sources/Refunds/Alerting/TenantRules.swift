import FoundationEssentials
import Tenants
import Time

/// The rules about one tenant. Pure: facts in, findings out.
enum TenantRules {
    /// A request is answered within seconds while all is well.
    static let failingAfter = Duration.minutes(2)
    static let failingAttempts = 3
    static let riskFrom = Duration.hours(4)
    static let riskCritical = Duration.hours(2)
    static let keyNeededWithin = Duration.days(30)

    /// Every rule that `findings` looks at: what it does not find any more is over.
    static let looked: Set<IncidentRule> = [
        .repliesFailing, .deadlineAtRisk, .deadlineMissed, .credentialsRefused, .keyAbsent, .sealedUnreadable,
        .commerceAddendumRefused, .commerceFailing, .notificationsRefused, .appleSilent, .historyGap, .clockOff,
        .relayFailing,
        .consentMissing, .reasonDrift, .channelFailing, .noChannel,
    ]

    static func findings(_ facts: AlertFacts) -> [Finding] {
        var found: [Finding] = []
        found += sealed(facts)
        found += keys(facts)
        found += clock(facts)
        found += replies(facts)
        found += deadlines(facts)
        found += commerce(facts)
        found += intake(facts)
        found += facts.histories.compactMap { history($0, facts) }
        found += others(facts)
        found += channels(facts)
        return Finding.fold(found)
    }

    // MARK: keys

    static func keys(_ facts: AlertFacts) -> [Finding] {
        var refused: [SigningKeyID: (key: KeyStory, apps: [App])] = [:]
        var found: [Finding] = []
        for app in facts.apps where !app.isRehearsal && app.environments.contains(.production) {
            let serving = facts.keys.filter { $0.info.state != .retired && $0.info.serves(app) }.ownFirst
            let waiting = facts.unanswered.filter { $0.app == app.id }
            guard let lead = serving.first(where: { $0.info.state == .active }) ?? serving.first else {
                found.append(absent(app, waiting, facts.now))
                continue
            }
            guard let standing = lead.standing(for: app.id, isSandbox: false), standing.isRefused else { continue }
            // What another app was refused holds this one's requests back, if there are any.
            if standing.isRefusedElsewhere && waiting.isEmpty { continue }
            let isCovered = serving.contains { other in
                other.info.id != lead.info.id
                    && other.standing(for: app.id, isSandbox: false)?.isAccepted == true
            }
            // Refused from the first call on, and nobody waits: most likely the app is not on sale yet.
            if standing.acceptedAt == nil && waiting.isEmpty { continue }
            if !isCovered { refused[lead.info.id, default: (lead, [])].apps.append(app) }
        }
        for (key, apps) in refused.values {
            let waiting = facts.unanswered.filter { one in apps.contains { $0.id == one.app } }
            let names = list(apps.map(\.bundleID))
            found.append(
                Finding(
                    .credentialsRefused, cause: "Production key \(key.info.id.rawValue.text)",
                    app: apps.count == 1 ? apps[0].id : nil, waiting.isEmpty ? .warning : .error,
                    title: "Apple refuses the key \(key.info.keyID) in Production, for \(names).",
                    effect: effect(waiting, facts.now),
                    firstStep:
                        "Open the set-up page of \(apps[0].bundleID): it says what Apple's refusal can mean. Then add a key that Apple takes.",
                    cases: waiting.map(\.caseID), money: money(waiting)))
        }
        return found.sorted { ($0.rule.rawValue, $0.cause) < ($1.rule.rawValue, $1.cause) }
    }

    private static func absent(_ app: App, _ waiting: [AlertFacts.Unanswered], _ now: Moment) -> Finding {
        Finding(
            .keyAbsent, cause: "app \(app.bundleID)", app: app.id, waiting.isEmpty ? .warning : .error,
            title: "\(app.bundleID) has no key that could sign.", effect: effect(waiting, now),
            firstStep: "Add an In-App Purchase key on the set-up page of the app.", cases: waiting.map(\.caseID),
            money: money(waiting))
    }

    static func sealed(_ facts: AlertFacts) -> [Finding] {
        facts.unreadable.map { row in
            Finding(
                .sealedUnreadable, cause: "secret \(row.id.text)", app: row.app,
                row.kind == .signingKey ? .error : .warning,
                title: "A sealed secret does not open: \(row.subject).",
                effect: row.kind == .signingKey
                    ? "Nothing can be signed with it; requests that need it wait."
                    : "What needs it does not work; replies go on.",
                firstStep: row.text)
        }
    }

    static func clock(_ facts: AlertFacts) -> [Finding] {
        guard let offset = facts.clockOffset else { return [] }
        let drift = ClockDrift(offset)
        guard !drift.isBearable else { return [] }
        return [
            Finding(
                .clockOff, cause: "clock", .error,
                title: "Our clock is \(drift.words).",
                effect: "Apple refuses calls that are signed by a clock that is off, with the same 401 as a wrong key.",
                firstStep: "Set the clock of this machine by NTP. The keys need not be changed.")
        ]
    }

    // MARK: replies

    static func replies(_ facts: AlertFacts) -> [Finding] {
        let failing = facts.unanswered.filter {
            $0.attempts >= failingAttempts && $0.result != "credentials" && $0.result != "not-sent"
                && facts.now - $0.requestedAt >= failingAfter
        }
        return Dictionary(grouping: failing, by: \.app).compactMap { id, cases in
            guard let app = facts.app(id), let newest = cases.first else { return nil }
            let said = [newest.status.map { "HTTP \($0)" }, newest.code.map { "\($0)" }, newest.message]
                .compactMap { $0 }.joined(separator: " ")
            return Finding(
                .repliesFailing, cause: "Production \(app.bundleID)", app: id, .error,
                title:
                    "Replies for \(app.bundleID) fail: \(said.isEmpty ? "Apple does not answer" : "Apple says \(said)").",
                effect: effect(cases, facts.now),
                firstStep:
                    "Nothing has to be sent by hand: each reply is repeated until its deadline. Look at developer.apple.com/system-status and at the newest case.",
                cases: cases.map(\.caseID), money: money(cases))
        }.sorted { $0.cause < $1.cause }
    }

    static func deadlines(_ facts: AlertFacts) -> [Finding] {
        let risky = facts.unanswered.filter {
            // What is held goes out by itself before its deadline.
            $0.heldUntil.map { $0 <= facts.now } ?? true && $0.deadline - facts.now <= riskFrom
                && $0.deadline > facts.now && facts.now - $0.requestedAt >= failingAfter
        }
        var found = Dictionary(grouping: risky, by: \.app).compactMap { id, cases -> Finding? in
            guard let app = facts.app(id), let first = cases.min(by: { $0.deadline < $1.deadline }) else { return nil }
            let left = first.deadline - facts.now
            return Finding(
                .deadlineAtRisk, cause: "Production \(app.bundleID)", app: id,
                left <= riskCritical ? .critical : .error,
                title: "\(Self.cases(cases.count)) of \(app.bundleID) without an answer, \(words(left)) left.",
                effect: "The first deadline is in \(words(left)). After it Apple decides without us.",
                firstStep: "Open the first case: it says what its answer waits for.", cases: cases.map(\.caseID),
                money: money(cases))
        }
        found += Dictionary(grouping: facts.missed, by: \.app).compactMap { id, cases -> Finding? in
            guard let app = facts.app(id) else { return nil }
            return Finding(
                .deadlineMissed, cause: "Production \(app.bundleID)", app: id, .error,
                title: "\(Self.cases(cases.count)) of \(app.bundleID) ended without our answer in the last day.",
                effect: "Apple decides them without us.",
                firstStep:
                    "Open the case: its page says why no answer went out in time. This closes by itself after a day.",
                cases: cases.map(\.caseID), money: money(cases.map { ($0.currency, $0.price) }))
        }
        return found.sorted { ($0.rule.rawValue, $0.cause) < ($1.rule.rawValue, $1.cause) }
    }

    // MARK: Advanced Commerce

    static func commerce(_ facts: AlertFacts) -> [Finding] {
        facts.stopped.compactMap { queue in
            guard let app = facts.app(queue.app) else { return nil }
            let said = [queue.status.map { "HTTP \($0)" }, queue.code.map { "\($0)" }, queue.message]
                .compactMap { $0 }.joined(separator: " ")
            return Finding(
                .commerceAddendumRefused, cause: "Production \(app.bundleID)", app: app.id, .warning,
                title:
                    "Advanced Commerce calls of \(app.bundleID) are stopped: \(said.isEmpty ? "Apple refused one" : "Apple said \(said)"), perhaps for want of the addendum.",
                effect: "\(queue.waiting) request\(queue.waiting == 1 ? " waits" : "s wait"); none is lost.",
                firstStep:
                    "Open the app's Advanced Commerce page, look at what Apple said, and forward the text to the Account Holder."
            )
        }
            + facts.failed.compactMap { failed in
                guard let app = facts.app(failed.app) else { return nil }
                return Finding(
                    .commerceFailing, cause: "Production \(app.bundleID)", app: app.id, .warning,
                    title:
                        "\(failed.count) Advanced Commerce request\(failed.count == 1 ? "" : "s") of \(app.bundleID) failed in the last day: \(failed.newest)",
                    effect: "Customers wait for refunds that somebody asked for.",
                    firstStep: "Open the failed requests: each says what Apple's code means and what to do.")
            }
    }

    // MARK: what arrives

    /// Below it nobody is called: a scanner knocks at every door.
    static let refusalsMin = 20

    static func intake(_ facts: AlertFacts) -> [Finding] {
        var found: [Finding] = facts.refusals.compactMap { refusals in
            guard let app = facts.app(refusals.app) else { return nil }
            let isVersion1 = refusals.reason == "version-1"
            guard isVersion1 || (refusals.recent >= refusalsMin && Double(refusals.recent) > 5 * refusals.usual) else {
                return nil
            }
            return Finding(
                .notificationsRefused, cause: "\(refusals.reason) \(app.bundleID)", app: app.id, .warning,
                title: isVersion1
                    ? "Version 1 notifications arrive for \(app.bundleID)."
                    : "\(refusals.recent) notifications for \(app.bundleID) were refused within two hours: \(refusals.reason).",
                effect: isVersion1
                    ? "Version 1 has no consumption requests that could be answered: none is until this is switched."
                    : "Genuine notifications are taken as before.",
                firstStep: isVersion1
                    ? "In App Store Connect, App Information, App Store Server Notifications, choose Version 2."
                    : "Look at the quarantine: it names the fault of each. If they are forged, change the notification URL."
            )
        }
        found += facts.silences.compactMap { silence in
            guard let app = facts.app(silence.app) else { return nil }
            let why =
                switch silence.test {
                case .awaited(let since):
                    facts.now - since >= Rhythm.testArrivesWithin
                        ? "A TEST notification that was asked for has not arrived either." : nil
                case .impossible(let why): why
                } as String?
            guard let why else { return nil }
            return Finding(
                .appleSilent, cause: "Production \(app.bundleID)", app: app.id, .error,
                title: "No notification for \(app.bundleID) since \(silence.lastAt.iso8601).",
                effect:
                    "Its longest usual gap is \(words(silence.usualGap)). \(why) Refund requests may be lost to us.",
                firstStep:
                    "Check in App Store Connect that the notification URL is still ours, then that the public address can be reached from outside."
            )
        }
        return found
    }

    // MARK: neighbours

    static func others(_ facts: AlertFacts) -> [Finding] {
        var found: [Finding] = facts.relays.compactMap { relay in
            guard let app = facts.app(relay.app), relay.failures >= 3,
                relay.lastSuccessAt.map({ facts.now - $0 >= .minutes(10) }) ?? true
            else { return nil }
            return Finding(
                .relayFailing, cause: "app \(app.bundleID)", app: app.id, .warning,
                title: "The other receiver of \(app.bundleID) does not take its notifications: \(relay.lastError)",
                effect:
                    "\(relay.waiting) notification\(relay.waiting == 1 ? " waits" : "s wait") for it, three days at most. Our own replies go on.",
                firstStep: "Repair the receiver, or change its URL on the set-up page of the app.")
        }
        found += facts.withheld.compactMap { withheld in
            guard let app = facts.app(withheld.app), withheld.requests >= 10,
                withheld.withoutConsent * 2 >= withheld.requests
            else { return nil }
            return Finding(
                .consentMissing, cause: "app \(app.bundleID)", app: app.id, .warning,
                title:
                    "\(withheld.withoutConsent) of the last \(withheld.requests) refund requests of \(app.bundleID) were not answered for want of consent.",
                effect: "Apple decides them without us.",
                firstStep: "Report consent through the API, or declare it for all purchasers on the set-up page.")
        }
        found += facts.reasons.compactMap { reasons in
            guard let app = facts.app(reasons.app), reasons.recent >= 10,
                Double(reasons.recent) >= 4 * max(reasons.usual, 1)
            else { return nil }
            return Finding(
                .reasonDrift, cause: "\(reasons.reason) \(reasons.product) \(app.bundleID)", app: app.id, .warning,
                title: "\(reasons.recent) refund requests for \(reasons.product) in a day give \(reasons.reason).",
                effect:
                    "Usually it is \((reasons.usual * 10).rounded() / 10) a day: something may be broken in the app.",
                firstStep: "Open the newest of these cases, and look at what changed in the app or its server.")
        }
        return found
    }

    /// How long what was fetched is told, and how long the history may go unread.
    static let gapToldFor = Duration.hours(1)

    static func history(_ gap: AlertFacts.HistoryGap, _ facts: AlertFacts) -> Finding? {
        guard let app = facts.app(gap.app), app.environments.contains(.production) else { return nil }
        let standing = gap.standing
        // One that could never be read is most likely of an app that is not on sale yet.
        if standing.sweptAt != nil, standing.isOld(at: facts.now), let trouble = standing.trouble {
            // A key that is refused is told by its own rule.
            let isRefused = facts.keys.contains { key in
                (key.info.app == nil || key.info.app == app.id)
                    && key.standing(for: app.id, isSandbox: false).map(\.isRefused) ?? false
            }
            if isRefused { return nil }
            return Finding(
                .historyGap, cause: "unread Production \(app.bundleID)", app: app.id, .warning,
                title: "Apple's notification history of \(app.bundleID) cannot be read to its end: \(trouble)",
                effect: "What Apple could not deliver here stays unknown until it comes by itself.",
                firstStep: "Look at what Apple says; it is tried again every few minutes.")
        }
        guard let at = standing.fetchedAt, facts.now - at <= gapToldFor, standing.fetchedLately > 0 else { return nil }
        let count = standing.fetchedLately
        return Finding(
            .historyGap, cause: "fetched Production \(app.bundleID)", app: app.id, .warning,
            title:
                "\(count) notification\(count == 1 ? "" : "s") of \(app.bundleID) had not arrived and \(count == 1 ? "was" : "were") fetched from Apple's history.",
            effect: "They are worked on as if they had arrived; requests whose time was over are missed.",
            firstStep:
                "If no outage of ours explains it, check that the public address can be reached from outside. This closes by itself an hour after the last one."
        )
    }

    static func channels(_ facts: AlertFacts) -> [Finding] {
        let alive = facts.channels.filter(\.isUsed)
        var found: [Finding] = facts.channels.filter { $0.isOff || $0.failures >= 3 }.map { channel in
            Finding(
                .channelFailing, cause: "channel \(channel.id.text)", .error,
                title:
                    "The channel \(channel.name) (\(channel.kind.name)) \(channel.isOff ? "is switched off" : "does not take our messages").",
                effect: "Nobody is told over it. \(channel.offWhy ?? channel.lastError ?? "")",
                firstStep: "Open the channel, put in a new address or key, and press Test.")
        }
        if alive.isEmpty || alive.allSatisfy({ $0.failures >= 3 }), facts.apps.contains(where: { !$0.isRehearsal }) {
            found.append(
                Finding(
                    .noChannel, cause: "channels", .error,
                    title: facts.channels.isEmpty ? "There is no channel." : "No channel works.",
                    effect: "Whatever goes wrong, nobody is told.",
                    firstStep: "Add a channel on the page Alerts."))
        }
        return found
    }

    // MARK: words

    static func effect(_ waiting: [AlertFacts.Unanswered], _ now: Moment) -> String {
        guard let first = waiting.map(\.deadline).min() else { return "No refund request waits at the moment." }
        let left = first - now
        return
            "\(cases(waiting.count)) without an answer; the first \(left > .zero ? "ends in \(words(left))" : "has ended")."
    }

    static func cases(_ count: Int) -> String { "\(count) refund request\(count == 1 ? "" : "s")" }

    /// "1 h 58 m", "12 m", "40 s".
    static func words(_ duration: Duration) -> String {
        let seconds = max(0, duration.wholeMilliseconds / 1000)
        if seconds < 60 { return "\(seconds) s" }
        let minutes = seconds / 60
        if minutes < 60 { return "\(minutes) m" }
        if minutes < 2 * 24 * 60 { return "\(minutes / 60) h \(minutes % 60) m" }
        return "\(minutes / 1440) days"
    }

    static func list(_ names: [String]) -> String {
        names.count <= 3 ? names.joined(separator: ", ") : "\(names[0]), \(names[1]) and \(names.count - 2) more apps"
    }

    static func money(_ waiting: [AlertFacts.Unanswered]) -> [String: Int64] {
        money(waiting.map { ($0.currency, $0.price) })
    }

    static func money(_ amounts: [(currency: String?, price: Int64?)]) -> [String: Int64] {
        var sum: [String: Int64] = [:]
        for case (let currency?, let price?) in amounts {
            sum[currency] = (sum[currency] ?? 0).addingReportingOverflow(price).partialValue
        }
        return sum
    }
}
