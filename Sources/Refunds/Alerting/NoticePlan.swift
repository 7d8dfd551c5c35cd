import FoundationEssentials
import Time

/// Who is to be told what. Pure: what was told already is not told again.
enum NoticePlan {
    enum Event: String, Sendable, CaseIterable { case trigger, reminder, acknowledged, resolved, test, confirm }
    enum State: String, Sendable, CaseIterable { case waiting, sent, failed, dropped }

    /// A notice that stands in the database.
    struct Told: Sendable, Hashable {
        let channel: UUID
        let event: Event
        let severity: Severity
        let state: State
        let madeAt: Moment
        let attempts: Int
        let sequence: Int
    }

    struct Wanted: Sendable, Hashable {
        let channel: UUID
        let event: Event
        let sequence: Int
    }

    /// Services that forget what is not repeated hear so long that it is over.
    static let resolvedFor = Duration.minutes(5)

    static func wanted(_ incident: Incident, channels: [Channel], told: [Told], at now: Moment) -> [Wanted] {
        channels.compactMap { channel in
            let told = told.filter { $0.channel == channel.id }
            let event = incident.isOpen ? open(incident, channel, told, now) : closed(incident, channel, told, now)
            return event.map { Wanted(channel: channel.id, event: $0, sequence: (told.map(\.sequence).max() ?? 0) + 1) }
        }
    }

    private static func open(_ incident: Incident, _ channel: Channel, _ told: [Told], _ now: Moment) -> Event? {
        guard channel.isUsed else { return nil }
        let telling = told.filter { $0.madeAt >= incident.tellingSince && $0.state != .dropped }
        let triggers = telling.filter { $0.event == .trigger }
        guard let last = triggers.max(by: { $0.madeAt < $1.madeAt }) else {
            return isTold(incident, channel, now) ? .trigger : nil
        }
        if triggers.allSatisfy({ $0.severity < incident.severity }), isTold(incident, channel, isRaised: true, now) {
            return .trigger
        }
        if let at = incident.acknowledgedAt, at >= last.madeAt,
            !telling.contains(where: { $0.event == .acknowledged && $0.madeAt >= at })
        {
            return .acknowledged
        }
        guard let every = channel.kind.resendEvery, let newest = telling.max(by: { $0.madeAt < $1.madeAt }),
            newest.state == .sent, now - newest.madeAt >= every
        else { return nil }
        return .reminder
    }

    /// Whether this channel is one that hears of it now.
    ///
    /// - Parameter isRaised: it is worse than what somebody acknowledged or snoozed.
    private static func isTold(
        _ incident: Incident, _ channel: Channel, isRaised: Bool = false, _ now: Moment
    ) -> Bool {
        guard incident.severity > .info, incident.severity >= channel.severity, channel.serves(incident.app) else {
            return false
        }
        // A dead channel is told about through the others.
        if incident.rule == .channelFailing, incident.cause == "channel \(channel.id.text)" { return false }
        let presses = incident.severity == .critical || incident.rule.isDeadline
        if let until = incident.snoozedUntil, until > now, !incident.rule.isDeadline, !isRaised { return false }
        if let quiet = channel.quiet, quiet.contains(now), !presses { return false }
        if incident.acknowledgedAt != nil, !isRaised || channel.after > .zero { return false }
        return now >= incident.tellingSince + channel.after
    }

    /// Who got the trigger hears that it is over, switched off since or not.
    private static func closed(_ incident: Incident, _ channel: Channel, _ told: [Told], _ now: Moment) -> Event? {
        let telling = told.filter { $0.madeAt >= incident.tellingSince && $0.state != .dropped }
        guard telling.contains(where: { $0.event == .trigger && ($0.state == .sent || $0.attempts > 0) }),
            let closedAt = incident.closedAt
        else { return nil }
        let ends = telling.filter { $0.event == .resolved }
        guard let newest = ends.max(by: { $0.madeAt < $1.madeAt }) else { return .resolved }
        guard let every = channel.kind.resendEvery, newest.state == .sent, now - newest.madeAt >= every,
            now - closedAt <= resolvedFor
        else { return nil }
        return .resolved
    }
}
