import Crypto
import FoundationEssentials
import HTTP
import Journal
import Postgres
import Queue
import Support
import Synchronization
import Tenants
import Time

@testable import Refunds

/// Services that page people, as a script: what they were sent, and what they answer.
final class ScriptedPager: Sendable {
    struct Message: Sendable, Hashable {
        let channel: UUID
        let kind: ChannelKind
        let notice: Notice
    }

    private struct State {
        var messages: [Message] = []
        var script: [ChannelAnswer] = []
        var always: ChannelAnswer?
        var dead: Set<UUID> = []
        var silence: String?
        var asked: [AppID] = []
    }

    private let state = Mutex(State())

    var messages: [Message] { state.withLock { $0.messages } }
    /// Triggers of a rule.
    func triggers(_ rule: IncidentRule) -> [Message] {
        messages.filter { $0.notice.rule == rule.rawValue && $0.notice.event == .trigger }
    }
    func told(_ event: Notice.Event) -> [Message] { messages.filter { $0.notice.event == event } }

    /// The next answers; afterwards `always`, else it is taken.
    func script(_ answers: ChannelAnswer...) { state.withLock { $0.script += answers } }
    func always(_ answer: ChannelAnswer?) { state.withLock { $0.always = answer } }
    func kill(_ channel: UUID) { state.withLock { _ = $0.dead.insert(channel) } }

    /// Why no TEST notification can be asked for; nil where it can.
    func refuseTests(_ why: String?) { state.withLock { $0.silence = why } }
    var asked: [AppID] { state.withLock { $0.asked } }

    func take(_ notice: Notice, over channel: OpenedChannel) -> ChannelAnswer {
        state.withLock { state in
            state.messages.append(Message(channel: channel.id, kind: channel.kind, notice: notice))
            if state.dead.contains(channel.id) { return .gone("no_service") }
            return state.script.isEmpty ? state.always ?? .accepted("ok") : state.script.removeFirst()
        }
    }

    struct NoTest: Error, CustomStringConvertible { let description: String }

    func ask(_ app: App) throws {
        try state.withLock { state in
            if let why = state.silence { throw NoTest(description: why) }
            state.asked.append(app.id)
        }
    }
}

extension Desk {
    var noticeSender: NoticeSender {
        let pager = pager
        return NoticeSender(
            database: database, vault: vault, links: .sample, send: { pager.take($0, over: $1) }, clock: clock.clock,
            journal: .silent, counters: test.counters)
    }

    /// The watch of one process.
    func watch(house: @escaping @Sendable () -> [HouseFacts] = { [HouseFacts(host: "web-1")] }) -> IncidentWatch {
        let pager = pager
        return IncidentWatch(
            database: database, vault: vault, sender: noticeSender,
            listening: Listening(database: database, clock: clock.clock, journal: .silent) { try pager.ask($0) },
            lifeline: Lifeline(
                database: database, vault: vault, links: .sample, clock: clock.clock, journal: .silent,
                send: { pager.take($0, over: $1) }),
            bell: bell, clock: clock.clock, journal: .silent, houseFacts: { house() })
    }

    var alerting: Alerting { Alerting(watch: watch(), desk: alerts, sender: noticeSender) }

    var alerts: AlertDesk {
        AlertDesk(
            database: database, vault: vault, bell: bell, clock: clock.clock,
            outbound: OutboundRules({ _ in nil }, isInner: { _ in true }), hasMail: true)
    }

    /// A valid channel, until a test spoils one thing.
    @discardableResult
    func addChannel(
        _ kind: ChannelKind = .slack, of tenant: TenantID? = nil, _ change: (inout ChannelChange) -> Void = { _ in }
    ) async throws -> Channel {
        var wanted = ChannelChange(name: "On call", secret: Redacted(Self.secret(of: kind)))
        change(&wanted)
        return try await alerts.addChannel(kind, wanted, of: tenant ?? alpha.app.tenant, by: .commandLine)
    }

    private static func secret(of kind: ChannelKind) -> String {
        switch kind {
        case .pagerduty: "0123456789abcdef0123456789abcdef"
        default: "https://hooks.example.com/services/T0/B0/abc"
        }
    }

    /// A round of looking, and the sending of what it brought; replies stay where they are.
    func look(_ watch: IncidentWatch) async throws {
        // The rounds are spaced by the database's own clock, which nobody can set.
        try await test.asSuperuser("update refunds.watch set began_at = '-infinity'")
        await watch.round()
        while let job = try await claim(.notify) { try await run(job) }
    }

    func incidents() async throws -> [String] {
        try await test.asSuperuser(
            """
            select rule || ' ' || severity || case when closed_at is null then '' else ' closed' end as line
            from refunds.incidents
            where rule <> 'no-channel'
            order by opened_at, rule
            """
        ).map { try $0("line") }
    }
}

extension AlertLinks {
    static var sample: AlertLinks {
        AlertLinks(
            incident: { "https://desk.example.com/t/\($0 ?? "-")/alerts/\($1.text)" },
            refundCase: { "https://desk.example.com/t/\($0)/cases/\($1.text)" },
            alerts: { "https://desk.example.com/t/\($0 ?? "-")/alerts" },
            runbook: { "https://desk.example.com/runbooks/\($0.rawValue)" },
            confirmation: { "https://desk.example.com/channels/confirmation/\($0)" })
    }
}
