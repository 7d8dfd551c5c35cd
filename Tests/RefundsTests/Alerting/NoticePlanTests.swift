import Crypto
import FoundationEssentials
import Tenants
import Testing
import Time

@testable import Refunds

@Suite struct `Who is to be told` {
    let now = Moment(seconds: 1_780_000_000)
    let channel = Random.uuid()

    private func incident(
        _ severity: Severity = .error, rule: IncidentRule = .credentialsRefused, app: Int64? = 1,
        opened: Duration = .zero,
        closed: Moment? = nil, acknowledged: Moment? = nil, snoozed: Moment? = nil
    ) -> Incident {
        Incident(
            id: Random.uuid(), tenant: TenantID(rawValue: 1), rule: rule, cause: "Production a",
            app: app.map(AppID.init),
            severity: severity, title: "t", effect: "e", firstStep: "f", openedAt: now - opened, seenAt: now,
            closedAt: closed, acknowledgedAt: acknowledged, snoozedUntil: snoozed)
    }

    private func channel(
        _ kind: ChannelKind = .slack, _ severity: Severity = .error, apps: Set<AppID> = [], after: Duration = .zero,
        quiet: QuietHours? = nil, off: Moment? = nil
    ) -> Channel {
        Channel(
            id: channel, tenant: TenantID(rawValue: 1), kind: kind, name: "c", severity: severity, apps: apps,
            after: after, quiet: quiet, createdAt: now - .days(1), offAt: off)
    }

    private func told(
        _ event: NoticePlan.Event = .trigger, _ severity: Severity = .error, _ state: NoticePlan.State = .sent,
        ago: Duration = .zero, attempts: Int = 1
    ) -> NoticePlan.Told {
        NoticePlan.Told(
            channel: channel, event: event, severity: severity, state: state, madeAt: now - ago, attempts: attempts,
            sequence: 1)
    }

    private func events(_ incident: Incident, _ channel: Channel, _ told: [NoticePlan.Told] = []) -> [NoticePlan.Event]
    {
        NoticePlan.wanted(incident, channels: [channel], told: told, at: now).map(\.event)
    }

    @Test func `an incident is told once over a channel that hears of it`() {
        #expect(events(incident(), channel()) == [.trigger])
        #expect(events(incident(), channel(), [told()]) == [])
        #expect(events(incident(), channel(), [told(.trigger, .error, .failed)]) == [])
        #expect(events(incident(), channel(), [told(.trigger, .error, .dropped)]) == [.trigger])
    }

    @Test func `what is less than a channel wants, or about another app, is not told over it`() {
        #expect(events(incident(.warning), channel()) == [])
        #expect(events(incident(.info), channel(.slack, .warning)) == [])
        #expect(events(incident(app: 1), channel(apps: [AppID(rawValue: 2)])) == [])
        #expect(events(incident(app: nil), channel(apps: [AppID(rawValue: 2)])) == [.trigger])
        #expect(events(incident(), channel(off: now)) == [])
    }

    @Test func `what gets worse is told again, and what gets better is not`() {
        #expect(events(incident(.critical), channel(), [told(.trigger, .error)]) == [.trigger])
        #expect(events(incident(.error), channel(), [told(.trigger, .critical)]) == [])
        let seen = incident(.critical, opened: .minutes(10), acknowledged: now)
        #expect(events(seen, channel(), [told(.trigger, .error, ago: .minutes(5))]) == [.trigger])
    }

    @Test func `nobody who comes later is called once somebody has acknowledged`() {
        let late = channel(after: .minutes(10))
        #expect(events(incident(opened: .minutes(9)), late) == [])
        #expect(events(incident(opened: .minutes(10)), late) == [.trigger])
        #expect(events(incident(opened: .minutes(10), acknowledged: now - .minutes(1)), late) == [])
    }

    @Test func `who was called is told that somebody is at it, once`() {
        let seen = incident(opened: .minutes(5), acknowledged: now)
        #expect(events(seen, channel(), [told(ago: .minutes(5))]) == [.acknowledged])
        #expect(events(seen, channel(), [told(ago: .minutes(5)), told(.acknowledged)]) == [])
        #expect(events(seen, channel()) == [])
    }

    @Test func `quiet hours hold back what can wait, and never a deadline`() throws {
        let minute = Int(now.seconds % 86_400 / 60)
        let quiet = try #require(QuietHours(from: minute, to: (minute + 60) % 1440, zone: "UTC"))
        #expect(events(incident(), channel(quiet: quiet)) == [])
        #expect(events(incident(.critical), channel(quiet: quiet)) == [.trigger])
        #expect(events(incident(rule: .deadlineAtRisk), channel(quiet: quiet)) == [.trigger])
    }

    @Test func `snoozing holds back all but a deadline and what got worse`() {
        #expect(events(incident(.critical, snoozed: now + .hours(1)), channel()) == [])
        #expect(events(incident(rule: .deadlineAtRisk, snoozed: now + .hours(1)), channel()) == [.trigger])
        #expect(
            events(incident(.critical, snoozed: now + .hours(1)), channel(), [told(.trigger, .error)]) == [.trigger])
        #expect(events(incident(snoozed: now - .seconds(1)), channel()) == [.trigger])
    }

    @Test func `the end is told to who was called, switched off since or not`() {
        let over = incident(opened: .hours(1), closed: now)
        #expect(events(over, channel(off: now), [told(ago: .minutes(50))]) == [.resolved])
        #expect(events(over, channel(), [told(ago: .minutes(50)), told(.resolved)]) == [])
        #expect(events(over, channel()) == [])
        #expect(events(over, channel(), [told(.trigger, .error, .waiting, ago: .minutes(50), attempts: 0)]) == [])
        #expect(
            events(over, channel(), [told(.trigger, .error, .waiting, ago: .minutes(50), attempts: 1)]) == [.resolved])
    }

    @Test func `a service that forgets is told again and again, and five minutes long that it is over`() throws {
        let manager = channel(.alertmanager)
        let every = try #require(ChannelKind.alertmanager.resendEvery)
        let open = incident(opened: .hours(1))
        #expect(events(open, manager, [told(ago: every - .seconds(1))]) == [])
        #expect(events(open, manager, [told(ago: every)]) == [.reminder])
        #expect(events(open, channel(), [told(ago: every * 5)]) == [])
        let history = [told(ago: .minutes(59)), told(.resolved, ago: every)]
        #expect(events(incident(opened: .hours(1), closed: now - .minutes(4)), manager, history) == [.resolved])
        #expect(events(incident(opened: .hours(1), closed: now - .minutes(6)), manager, history) == [])
    }

    @Test func `a dead channel is told about through the others`() {
        let dead = Incident(
            id: Random.uuid(), tenant: TenantID(rawValue: 1), rule: .channelFailing, cause: "channel \(channel.text)",
            severity: .error, title: "t", effect: "e", firstStep: "f", openedAt: now, seenAt: now)
        #expect(events(dead, channel()) == [])
        let other = Channel(
            id: Random.uuid(), tenant: TenantID(rawValue: 1), kind: .slack, name: "o", createdAt: now)
        #expect(NoticePlan.wanted(dead, channels: [channel(), other], told: [], at: now).map(\.channel) == [other.id])
    }
}

@Suite struct `Quiet hours` {
    private func moment(_ hour: Int64, _ minute: Int64) -> Moment { Moment(seconds: hour * 3600 + minute * 60) }

    @Test(arguments: [
        (22 * 60, 6 * 60, "UTC", 23, true), (22 * 60, 6 * 60, "UTC", 5, true), (22 * 60, 6 * 60, "UTC", 6, false),
        (22 * 60, 6 * 60, "UTC", 21, false), (9 * 60, 17 * 60, "UTC", 9, true), (9 * 60, 17 * 60, "UTC", 17, false),
        // New York was five hours behind in January 1970.
        (9 * 60, 17 * 60, "America/New_York", 14, true), (9 * 60, 17 * 60, "America/New_York", 13, false),
    ])
    func `are hours of the reader's day, over midnight too`(
        from: Int, to: Int, zone: String, hour: Int64, isQuiet: Bool
    )
        throws
    {
        let quiet = try #require(QuietHours(from: from, to: to, zone: zone))
        #expect(quiet.contains(moment(hour, 0)) == isQuiet)
    }

    @Test func `are refused when they are none`() {
        #expect(QuietHours(from: 60, to: 60, zone: "UTC") == nil)
        #expect(QuietHours(from: 60, to: 1440, zone: "UTC") == nil)
        #expect(QuietHours(from: 60, to: 90, zone: "Mars/Olympus") == nil)
    }
}
