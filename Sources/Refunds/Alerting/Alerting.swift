package import Journal
package import Postgres
package import Queue
package import Tenants
package import Time

/// The room of alerts, put together: the watch, the sending and the desk.
package struct Alerting: Sendable {
    package let watch: IncidentWatch
    package let desk: AlertDesk
    let sender: NoticeSender

    init(watch: IncidentWatch, desk: AlertDesk, sender: NoticeSender) {
        self.watch = watch
        self.desk = desk
        self.sender = sender
    }

    /// - Parameters:
    ///   - onboarding: asks for TEST notifications.
    ///   - houseFacts: what each process of the installation tells of itself and its machine.
    package init(
        database: Database, vault: Vault, onboarding: Onboarding, channels: ChannelSender, links: AlertLinks,
        bell: Bell,
        clock: WallClock, outbound: OutboundRules, journal: Journal, counters: Counters,
        houseFacts: @escaping @Sendable () async -> [HouseFacts]
    ) {
        let send: @Sendable (Notice, OpenedChannel) async -> ChannelAnswer = { await channels.send($0, over: $1) }
        sender = NoticeSender(
            database: database, vault: vault, links: links, send: send, clock: clock, journal: journal,
            counters: counters)
        watch = IncidentWatch(
            database: database, vault: vault, sender: sender,
            listening: Listening(database: database, clock: clock, journal: journal) { app in
                _ = try await onboarding.sendTest(app, isSandbox: false, by: .program)
            },
            lifeline: Lifeline(
                database: database, vault: vault, links: links, clock: clock, journal: journal, send: send),
            bell: bell, clock: clock, journal: journal, houseFacts: houseFacts)
        desk = AlertDesk(
            database: database, vault: vault, bell: bell, clock: clock, outbound: outbound,
            hasMail: channels.hasMail)
    }
}
