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
        .relayFailing, .callbackFailing,
        .consentMissing, .consentRescinded, .reasonDrift, .channelFailing, .noChannel,
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
        found += drifts(facts)
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
            found.append(
                Finding(
                    .credentialsRefused, cause: "Production key \(key.info.id.rawValue.text)",
                    app: apps.count == 1 ? apps[0].id : nil, waiting.isEmpty ? .warning : .error,
                    .credentialsRefused(
                        key: key.info.keyID, apps: apps.map(\.bundleID), waiting: Self.waiting(waiting, facts.now)),
                    cases: waiting.map(\.caseID), money: money(waiting)))
        }
        return found.sorted { ($0.rule.rawValue, $0.cause) < ($1.rule.rawValue, $1.cause) }
    }

    private static func absent(_ app: App, _ waiting: [AlertFacts.Unanswered], _ now: Moment) -> Finding {
        Finding(
            .keyAbsent, cause: "app \(app.bundleID)", app: app.id, waiting.isEmpty ? .warning : .error,
            .keyAbsent(app: app.bundleID, waiting: Self.waiting(waiting, now)), cases: waiting.map(\.caseID),
            money: money(waiting))
    }

    static func sealed(_ facts: AlertFacts) -> [Finding] {
        facts.unreadable.map { row in
            Finding(
                .sealedUnreadable, cause: "secret \(row.id.text)", app: row.app,
                row.kind == .signingKey ? .error : .warning,
                .sealedUnreadable(subject: row.subject, isKey: row.kind == .signingKey, step: row.text))
        }
    }

    static func clock(_ facts: AlertFacts) -> [Finding] {
        guard let offset = facts.clockOffset else { return [] }
        let drift = ClockDrift(offset)
        guard !drift.isBearable else { return [] }
        return [
            Finding(.clockOff, cause: "clock", .error, .clockOff(offsetSeconds: offset.wholeMilliseconds / 1000))
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
                .repliesFailing(app: app.bundleID, said: said, waiting: waiting(cases, facts.now)),
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
                .deadlineAtRisk(app: app.bundleID, count: cases.count, leftSeconds: left.wholeMilliseconds / 1000),
                cases: cases.map(\.caseID),
                money: money(cases))
        }
        found += Dictionary(grouping: facts.missed, by: \.app).compactMap { id, cases -> Finding? in
            guard let app = facts.app(id) else { return nil }
            return Finding(
                .deadlineMissed, cause: "Production \(app.bundleID)", app: id, .error,
                .deadlineMissed(app: app.bundleID, count: cases.count), cases: cases.map(\.caseID),
                money: money(cases.map { ($0.currency, $0.price) }))
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
                .commerceStopped(app: app.bundleID, said: said, waiting: queue.waiting))
        }
            + facts.failed.compactMap { failed in
                guard let app = facts.app(failed.app) else { return nil }
                return Finding(
                    .commerceFailing, cause: "Production \(app.bundleID)", app: app.id, .warning,
                    .commerceFailing(app: app.bundleID, count: failed.count, newest: failed.newest))
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
                isVersion1
                    ? .versionOneArrives(app: app.bundleID)
                    : .notificationsRefused(app: app.bundleID, count: refusals.recent, reason: refusals.reason))
        }
        found += facts.silences.compactMap { silence in
            guard let app = facts.app(silence.app) else { return nil }
            let impossible: String?
            switch silence.test {
            case .awaited(let since):
                guard facts.now - since >= Rhythm.testArrivesWithin else { return nil }
                impossible = nil
            case .impossible(let why): impossible = why
            }
            return Finding(
                .appleSilent, cause: "Production \(app.bundleID)", app: app.id, .error,
                .appleSilent(
                    app: app.bundleID, sinceMilliseconds: silence.lastAt.milliseconds,
                    gapSeconds: silence.usualGap.wholeMilliseconds / 1000, why: impossible))
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
                .relayFailing(app: app.bundleID, said: relay.lastError, waiting: relay.waiting))
        }
        found += facts.callbacks.compactMap { callback in
            guard let app = facts.app(callback.app), callback.failures >= 3,
                callback.lastSuccessAt.map({ facts.now - $0 >= .minutes(10) }) ?? true
            else { return nil }
            return Finding(
                .callbackFailing, cause: "app \(app.bundleID)", app: app.id, .warning,
                .callbackFailing(app: app.bundleID, said: callback.lastError, without: callback.unanswered))
        }
        found += facts.withheld.compactMap { withheld in
            guard let app = facts.app(withheld.app), withheld.requests >= 10,
                withheld.withoutConsent * 2 >= withheld.requests
            else { return nil }
            return Finding(
                .consentMissing, cause: "app \(app.bundleID)", app: app.id, .warning,
                .consentMissing(
                    app: app.bundleID, without: withheld.withoutConsent, requests: withheld.requests))
        }
        found += facts.rescinded.compactMap { rescinded in
            guard let app = facts.app(rescinded.app), rescinded.customers > 0 else { return nil }
            return Finding(
                .consentRescinded, cause: "Production \(app.bundleID)", app: app.id, .warning,
                .consentRescinded(app: app.bundleID, count: rescinded.customers))
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
                .historyUnread(app: app.bundleID, said: trouble))
        }
        guard let at = standing.fetchedAt, facts.now - at <= gapToldFor, standing.fetchedLately > 0 else { return nil }
        return Finding(
            .historyGap, cause: "fetched Production \(app.bundleID)", app: app.id, .warning,
            .historyFetched(app: app.bundleID, count: standing.fetchedLately))
    }

    static func drifts(_ facts: AlertFacts) -> [Finding] {
        (facts.drifts ?? []).flatMap { counts in
            facts.app(counts.app).map { ReasonDrift.findings(counts, of: $0) } ?? []
        }
    }

    static func channels(_ facts: AlertFacts) -> [Finding] {
        let alive = facts.channels.filter(\.isUsed)
        var found: [Finding] = facts.channels.filter { $0.isOff || $0.failures >= 3 }.map { channel in
            Finding(
                .channelFailing, cause: "channel \(channel.id.text)", .error,
                .channelFailing(
                    name: channel.name, kind: channel.kind.name, isOff: channel.isOff,
                    said: channel.offWhy ?? channel.lastError ?? ""))
        }
        if alive.isEmpty || alive.allSatisfy({ $0.failures >= 3 }), facts.apps.contains(where: { !$0.isRehearsal }) {
            found.append(
                Finding(
                    .noChannel, cause: "channels", .error, facts.channels.isEmpty ? .noChannel : .noChannelWorks))
        }
        return found
    }

    // MARK: figures

    static func waiting(_ waiting: [AlertFacts.Unanswered], _ now: Moment) -> WaitingRequests {
        let left = waiting.map(\.deadline).min().map { ($0 - now).wholeMilliseconds }
        // What has begun of a second that is over is over.
        return WaitingRequests(count: waiting.count, leftSeconds: left.map { $0 <= 0 ? min($0 / 1000, -1) : $0 / 1000 })
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
