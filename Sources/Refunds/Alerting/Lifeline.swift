import Crypto
import FoundationEssentials
import Journal
import Postgres
import Synchronization
import Tenants
import Time

/// Tells people that the database is away, from memory: what is written down nowhere is told all the same.
///
/// Channels and their sealed secrets are kept from the last round in which the database answered. Each process with an
/// engine tells by itself; services that fold by key make one alert of them.
actor Lifeline {
    /// How long the database may be away before somebody is called: a restart takes less.
    static let patience = Duration.seconds(30)
    /// No room is no passing trouble: the second round that fails of it tells.
    static let patienceWhenFull = Duration.seconds(5)
    /// PostgreSQL's disk_full.
    static let full = "53100"
    private static let channelsMax = 50

    private struct Line: Sendable {
        let tenant: Tenant
        let channel: Channel
        let secret: SealedChannelSecret?
    }

    private struct Outage {
        let id: UUID
        let since: Moment
        let isFull: Bool
        var told: Set<UUID> = []
    }

    private let database: Database
    private let vault: Vault
    private let links: AlertLinks
    private let send: @Sendable (Notice, OpenedChannel) async -> ChannelAnswer
    private let clock: WallClock
    private let journal: Journal
    private var lines: [Line] = []
    private var outage: Outage?

    init(
        database: Database, vault: Vault, links: AlertLinks, clock: WallClock, journal: Journal,
        send: @escaping @Sendable (Notice, OpenedChannel) async -> ChannelAnswer
    ) {
        self.database = database
        self.vault = vault
        self.links = links
        self.clock = clock
        self.journal = journal
        self.send = send
    }

    /// Keeps who is to be called: the installation's channels, or else those of its tenants.
    func remember() async {
        do {
            var found = try await read(.installation)
            if found.isEmpty {
                let tenants = try await database.transaction(.house) { tx in
                    try await tx.rows(
                        """
                        select distinct tenant_id
                        from refunds.channels
                        where removed_at is null and off_at is null and severity <> 'info'
                        order by tenant_id
                        limit \(Int64(Self.channelsMax))
                        """
                    ).map { TenantID(rawValue: try $0("tenant_id")) }
                }
                for tenant in tenants where found.count < Self.channelsMax { found += try await read(tenant) }
            }
            lines = found
        } catch {
            journal.warning("who is to be called could not be read; the last list stays", ["error": .init(error)])
        }
    }

    private func read(_ id: TenantID) async throws -> [Line] {
        let vault = vault
        return try await database.transaction(id.scope) { tx in
            guard let tenant = try await TenantStore.tenant(id, in: tx) else { return [] }
            let channels = try await ChannelStore.all(of: id, in: tx).filter { $0.isUsed && $0.after == .zero }
            let secrets = try await vault.channelSecrets(channels.compactMap(\.secret), of: id, in: tx)
            return channels.map { Line(tenant: tenant, channel: $0, secret: $0.secret.flatMap { secrets[$0] }) }
        }
    }

    /// A round failed.
    func failed(_ error: any Error, at now: Moment) async {
        await failed("\(error)", isFull: (error as? PostgresError)?.sqlState == Self.full, at: now)
    }

    /// A round was made, but somebody was refused for want of room since.
    func isStillFull(at now: Moment) async { await failed("could not write: the disk is full", isFull: true, at: now) }

    private func failed(_ text: String, isFull: Bool, at now: Moment) async {
        if outage == nil { outage = Outage(id: Random.uuid(), since: now, isFull: isFull) }
        guard let outage, now - outage.since >= (outage.isFull ? Self.patienceWhenFull : Self.patience) else { return }
        for line in lines where !outage.told.contains(line.channel.id) {
            let answer = await say(.trigger, line, cause: text)
            if case .accepted = answer { self.outage?.told.insert(line.channel.id) }
        }
    }

    /// The database answers.
    ///
    /// - Parameter hasWritten: it kept something, too: one without room goes on answering questions.
    func answered(hasWritten: Bool, at now: Moment) async {
        guard let over = outage, hasWritten || !over.isFull else { return }
        outage = nil
        for line in lines where over.told.contains(line.channel.id) { _ = await say(.resolved, line, over: over) }
        for tenant in Set(lines.filter { over.told.contains($0.channel.id) }.map(\.tenant.id)) {
            await write(over, of: tenant, at: now)
        }
    }

    /// Whether it is from here that people hear of a database without room.
    var tellsOfFullness: Bool { outage?.isFull == true }

    private func say(_ event: Notice.Event, _ line: Line, cause: String = "", over: Outage? = nil) async
        -> ChannelAnswer
    {
        guard let outage = over ?? outage else { return .refused("over") }
        do {
            let secret = try line.secret.map { secret throws(VaultError) in try vault.open(secret) }
            let incident = incident(outage, of: line.tenant.id, cause: cause)
            var notice = links.notice(
                incident, .trigger, sequence: 1, tenant: line.tenant, by: "", over: line.channel, at: clock.now)
            notice.event = event
            return await send(
                notice,
                OpenedChannel(
                    kind: line.channel.kind, id: line.channel.id, target: line.channel.target, secret: secret))
        } catch {
            return .again("\(error)", after: nil)
        }
    }

    private func finding(_ outage: Outage, cause: String) -> Finding {
        let detail = Text.kept(cause, bytesMax: 300)
        if outage.isFull { return HouseRules.databaseFull(detail) }
        return Finding(.databaseUnreachable, cause: "database", .critical, .databaseUnreachable(detail: detail))
    }

    private func incident(_ outage: Outage, of tenant: TenantID, cause: String) -> Incident {
        let finding = finding(outage, cause: cause)
        let said = finding.said
        return Incident(
            id: outage.id, tenant: tenant, rule: finding.rule, cause: finding.cause, severity: finding.severity,
            title: said.title, effect: said.effect, firstStep: said.firstStep, words: finding.words,
            openedAt: outage.since, seenAt: clock.now)
    }

    /// Afterwards, for the history.
    private func write(_ outage: Outage, of tenant: TenantID, at now: Moment) async {
        let finding = finding(outage, cause: "")
        do {
            try await database.transaction(tenant.scope) { tx in
                try await IncidentStore.record(
                    finding, id: outage.id, from: outage.since, to: now, of: tenant, in: tx)
            }
        } catch {
            journal.warning("an outage that is over could not be written down", ["error": .init(error)])
        }
    }
}
