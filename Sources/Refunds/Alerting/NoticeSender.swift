import Crypto
import FoundationEssentials
import Journal
import Postgres
import Queue
import Tenants
import Time

/// Sends one notice and records how it went: for the workers, and for the watch where the workers are what is broken.
///
/// Rather twice than never: between the service's answer and our own note of it a process may die, and services fold
/// what has the same key.
struct NoticeSender: Sendable {
    /// How long is tried at all.
    static let tryFor = Duration.hours(24)
    static let pauseMax = Duration.minutes(5)

    let database: Database
    let vault: Vault
    let links: AlertLinks
    let send: @Sendable (Notice, OpenedChannel) async -> ChannelAnswer
    let clock: WallClock
    let journal: Journal
    let counters: Counters

    enum Ending: Sendable, Hashable {
        /// Nothing is left to do.
        case done
        case again(at: Moment, why: String)
    }

    /// - Parameter onlyIfFirst: nothing is sent where somebody has begun it.
    func deliver(_ id: UUID, of tenant: TenantID, onlyIfFirst: Bool = false) async throws -> Ending {
        let begun = try await database.transaction(tenant.scope) { tx in
            try await begin(id, of: tenant, onlyIfFirst: onlyIfFirst, in: tx)
        }
        guard let begun else { return .done }
        let answer: ChannelAnswer
        do {
            let secret = try begun.secret.map { secret throws(VaultError) in try vault.open(secret) }
            answer = await send(
                begun.notice,
                OpenedChannel(
                    kind: begun.channel.kind, id: begun.channel.id, target: begun.channel.target, secret: secret))
        } catch {
            answer = .again("its secret does not open: \(error)", after: .minutes(5))
        }
        counters.add(
            "notices_total", 1, ["channel": begun.channel.kind.rawValue, "result": answer.label],
            help: "Sendings of alerts, by channel and result.")
        let now = clock.now
        let ending = Self.ending(answer, begun.stored, at: now)
        try await database.transaction(tenant.scope) { tx in
            try await ChannelStore.note(answer, of: begun.channel.id, tenant: tenant, at: now, in: tx)
            let (state, text) = Self.record(answer, ending)
            try await NoticeStore.end(id, state, answer: text, of: tenant, at: now, in: tx)
        }
        if case .accepted = answer {
        } else {
            journal.warning(
                "an alert was not taken",
                [
                    "tenant": .init(tenant.rawValue), "channel": .init(begun.channel.id.text),
                    "kind": .string(begun.channel.kind.rawValue), "answer": .string(answer.words),
                ])
        }
        return ending
    }

    private struct Begun: Sendable {
        let stored: NoticeStore.Stored
        let channel: Channel
        let notice: Notice
        let secret: SealedChannelSecret?
    }

    private func begin(_ id: UUID, of tenant: TenantID, onlyIfFirst: Bool, in tx: Transaction) async throws -> Begun? {
        guard let stored = try await NoticeStore.find(id, of: tenant, in: tx), stored.isWaiting else { return nil }
        if onlyIfFirst, stored.attempts > 0 { return nil }
        let now = clock.now
        let isTest = stored.event == .test || stored.event == .confirm
        guard let channel = try await ChannelStore.find(stored.channel, of: tenant, in: tx),
            isTest || !channel.isOff || stored.event == .resolved,
            stored.event == .confirm ? !channel.isConfirmed : channel.isConfirmed
        else {
            try await NoticeStore.end(id, .dropped, answer: "the channel is not in use", of: tenant, at: now, in: tx)
            return nil
        }
        var incident: Incident?
        if let id = stored.incident { incident = try await IncidentStore.find(id, of: tenant, in: tx) }
        guard isTest || incident != nil, let named = try await TenantStore.tenant(tenant, in: tx) else { return nil }
        let secrets = try await vault.channelSecrets([channel.secret].compactMap { $0 }, of: tenant, in: tx)
        try await NoticeStore.begin(id, of: tenant, at: now, in: tx)
        let notice: Notice
        if let incident {
            let person = try await acknowledger(of: incident, stored.event, in: tx)
            notice = links.notice(
                incident, stored.event, sequence: stored.sequence, tenant: named, by: person, over: channel, at: now)
        } else if stored.event == .confirm {
            let token = Random.token(bytes: 32)
            guard let hash = AlertDesk.hash(of: token) else { return nil }
            try await ChannelStore.addLink(hash, until: now + AlertDesk.linkLife, to: channel.id, of: tenant, in: tx)
            notice = links.confirmation(of: channel, token: token, tenant: named, at: now)
        } else {
            notice = links.test(of: channel, tenant: named, at: now)
        }
        return Begun(
            stored: stored, channel: channel, notice: notice, secret: channel.secret.flatMap { secrets[$0] })
    }

    /// The name under which somebody acknowledged it.
    private func acknowledger(
        of incident: Incident, _ event: NoticePlan.Event, in tx: Transaction
    ) async throws -> String {
        guard event == .acknowledged else { return "" }
        let row = try await tx.row(
            """
            select detail
            from refunds.incident_events
            where tenant_id = \(incident.tenant.rawValue) and incident_id = \(incident.id) and kind = 'acknowledged'
            order by event_no desc
            limit 1
            """)
        return try row?("detail") ?? ""
    }

    static func ending(_ answer: ChannelAnswer, _ stored: NoticeStore.Stored, at now: Moment) -> Ending {
        guard case .again(let why, let after) = answer, stored.event != .test else { return .done }
        let attempt = stored.attempts + 1
        // Three tries at once, then longer and longer pauses.
        let pause: Duration =
            attempt < 3 ? .seconds(attempt) : RetryPolicy.delay(attempt: attempt - 1, ceiling: pauseMax)
        let next = now + max(pause, after ?? .zero)
        return next - stored.madeAt > tryFor ? .done : .again(at: next, why: why)
    }

    private static func record(_ answer: ChannelAnswer, _ ending: Ending) -> (NoticePlan.State, String) {
        switch (answer, ending) {
        case (.accepted(let text), _): (.sent, text)
        case (_, .again(_, let why)): (.waiting, why)
        default: (.failed, answer.words)
        }
    }
}

extension ChannelAnswer {
    var label: String {
        switch self {
        case .accepted: "accepted"
        case .again: "again"
        case .refused: "refused"
        case .gone: "gone"
        }
    }
}
