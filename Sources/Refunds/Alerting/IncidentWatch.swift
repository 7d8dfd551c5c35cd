import Journal
import Postgres
import Queue
import Synchronization
import Tenants
package import Time

/// Looks, every few seconds, whether anything stops replies from going out, and has people told.
///
/// Processes share one watch: whoever comes first makes the round. What the database cannot be asked for any more is told
/// from memory (`Lifeline`).
package final class IncidentWatch: Sendable {
    package static let every = Duration.seconds(10)
    /// What the workers have not begun by then is sent by the watch itself: they may be what is broken.
    static let overdueAfter = Duration.seconds(20)

    let database: Database
    let vault: Vault
    let sender: NoticeSender
    let listening: Listening
    let lifeline: Lifeline
    let bell: Bell
    let clock: WallClock
    let journal: Journal
    let houseFacts: @Sendable () async -> [HouseFacts]
    private let gauges: WatchGauges
    private let driftPace = DriftPace()
    private let health = Mutex(Health())

    init(
        database: Database, vault: Vault, sender: NoticeSender, listening: Listening, lifeline: Lifeline, bell: Bell,
        clock: WallClock, journal: Journal, houseFacts: @escaping @Sendable () async -> [HouseFacts]
    ) {
        self.database = database
        self.vault = vault
        self.sender = sender
        self.listening = listening
        self.lifeline = lifeline
        self.bell = bell
        self.clock = clock
        self.journal = journal
        self.houseFacts = houseFacts
        gauges = WatchGauges(sender.counters)
    }

    /// Whether the last round was made, here or by another process, and found nothing critical.
    package func isWell(at now: Moment) -> Bool {
        health.withLock { health in health.at.map { now - $0 < Self.every * 3 } ?? false && !health.isCritical }
    }

    private struct Health {
        var at: Moment?
        var isCritical = false
    }

    /// One round. Call it every `every`.
    ///
    /// - Returns: false where another process is making it, or the database cannot be asked.
    @discardableResult
    package func round() async -> Bool {
        do {
            let begun = ContinuousClock.now
            let isMine = try await database.transaction(.house) { tx in
                try await WatchStore.begin(spacing: Self.every - .seconds(2), in: tx)
            }
            let latency = ContinuousClock.now - begun
            await lifeline.answered(hasWritten: false, at: clock.now)
            let standing = try await database.transaction(.house) { tx in try await WatchStore.standing(in: tx) }
            gauges.set(standing)
            let now = clock.now
            health.withLock { $0 = Health(at: now, isCritical: standing.isCritical) }
            guard isMine else { return false }
            let isFull = try await look(latency: latency)
            gauges.round(took: ContinuousClock.now - begun)
            if isFull, await lifeline.tellsOfFullness {
                await lifeline.isStillFull(at: clock.now)
            } else {
                await lifeline.answered(hasWritten: true, at: clock.now)
            }
            await lifeline.remember()
            return true
        } catch {
            journal.warning("the watch could not make its round", ["error": .init(error)])
            await lifeline.failed(error, at: clock.now)
            return false
        }
    }

    /// - Returns: whether the database refuses what it has no room for.
    private func look(latency: Duration) async throws -> Bool {
        var work = try await database.transaction(.queue) { tx in try await WatchStore.work(in: tx) }
        work.latency = latency
        var house = HouseRules.findings(await houseFacts(), work, at: clock.now)
        let isFull = house.contains { $0.rule == .databaseFull && $0.severity == .critical }
        // What is told from memory is not told a second time from the database.
        if await lifeline.tellsOfFullness { house.removeAll { $0.rule == .databaseFull } }
        let tenants = try await database.transaction(.house) { tx in try await WatchStore.tenants(in: tx) }
        let isTold = try await lookAtInstallation(house)
        // Where nobody is told of the installation's own troubles, its tenants are: better twice than never.
        let shared = isTold ? [] : house
        for tenant in tenants {
            do {
                try await look(at: tenant, shared)
            } catch let error as PostgresError where error.sqlState == Lifeline.full {
                // Nothing that is found can be written down: the whole round has failed.
                throw error
            } catch {
                journal.warning(
                    "the watch could not look at a tenant", ["tenant": .init(tenant.rawValue), "error": .init(error)])
            }
        }
        try await database.transaction(.house) { tx in try await WatchStore.end(in: tx) }
        return isFull
    }

    /// - Returns: whether a channel of the installation is there to tell.
    private func lookAtInstallation(_ findings: [Finding]) async throws -> Bool {
        let tenant = TenantID.installation
        let channels = try await database.transaction(tenant.scope) { tx in
            try await ChannelStore.all(of: tenant, in: tx)
        }
        var found = findings
        let alive = channels.filter { $0.isUsed && $0.failures < 3 }
        if !channels.isEmpty {
            var facts = AlertFacts(now: clock.now)
            facts.channels = channels
            found += TenantRules.channels(facts)
        }
        try await settle(
            found, looked: HouseRules.looked.union([.channelFailing]), of: tenant, channels: channels)
        return !alive.isEmpty
    }

    func look(at tenant: TenantID, _ shared: [Finding] = []) async throws {
        let now = clock.now
        let facts = try await database.transaction(tenant.scope) { tx in
            try await AlertFactQueries.facts(
                of: tenant, vault: vault, withDrifts: driftPace.isDue(tenant, at: now), at: now, in: tx)
        }
        try await listening.listen(to: facts.apps)
        let findings = Finding.fold(TenantRules.findings(facts) + shared)
        var looked = TenantRules.looked.union(HouseRules.looked)
        if facts.drifts == nil {
            looked.remove(.reasonDrift)
        } else {
            driftPace.looked(at: tenant, found: findings.contains { $0.rule == .reasonDrift }, at: now)
        }
        try await settle(findings, looked: looked, of: tenant, channels: facts.channels)
    }

    /// Opens, updates and closes incidents, and writes down who is to be told.
    private func settle(
        _ findings: [Finding], looked: Set<IncidentRule>, of tenant: TenantID, channels: [Channel]
    ) async throws {
        let now = clock.now
        let (changes, isAnybodyTold, overdue) = try await database.transaction(tenant.scope) { tx in
            // A person who acknowledges meanwhile waits for the round, and the round for them.
            _ = try await tx.row(AdvisoryLock.sql("alerts \(tenant.rawValue)", exclusively: true))
            let known = try await IncidentStore.current(of: tenant, at: now, in: tx)
            let changes = IncidentPlan.changes(
                findings, looked: looked, open: known.open, closed: known.closed, at: now)
            try await IncidentStore.apply(changes, of: tenant, at: now, in: tx)
            let isAnybodyTold = try await tell(of: tenant, channels, at: now, in: tx)
            return (
                changes, isAnybodyTold,
                try await WatchStore.overdue(of: tenant, before: now - Self.overdueAfter, in: tx)
            )
        }
        for change in changes { count(change) }
        if isAnybodyTold { bell.ring() }
        for notice in overdue { _ = try await sender.deliver(notice, of: tenant, onlyIfFirst: true) }
    }

    private func count(_ change: IncidentPlan.Change) {
        switch change {
        case .open(let finding): gauges.changed(finding.rule, "opened")
        case .reopen(let known, _): gauges.changed(known.rule, "reopened")
        case .close(let known): gauges.changed(known.rule, "closed")
        case .seen, .clearing: break
        }
    }

    /// Writes the notices that are due.
    private func tell(of tenant: TenantID, _ channels: [Channel], at now: Moment, in tx: Transaction) async throws
        -> Bool
    {
        let (open, closed) = try await IncidentStore.current(of: tenant, at: now, in: tx)
        let incidents = open + closed
        if channels.isEmpty || incidents.isEmpty { return false }
        let told = try await NoticeStore.told(of: tenant, incidents: incidents.map(\.id), in: tx)
        var isAnybodyTold = false
        for incident in incidents {
            if !incident.isOpen { try await NoticeStore.dropUnsent(of: incident.id, tenant: tenant, at: now, in: tx) }
            let wanted = NoticePlan.wanted(incident, channels: channels, told: told[incident.id] ?? [], at: now)
            for one in wanted {
                try await NoticeStore.add(
                    one, of: incident.id, severity: incident.severity, tenant: tenant, at: now, in: tx)
                isAnybodyTold = true
            }
        }
        return isAnybodyTold
    }
}
