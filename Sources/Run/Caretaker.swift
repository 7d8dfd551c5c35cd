import Crypto
import FoundationEssentials
import Journal
import Loop
import Postgres
import Queue
import Refunds
import Synchronization
import Tenants
import Time

/// What a serving process does by the clock: tells that it is there, sees to it that Apple's history is read, and tidies
/// once a day.
final class Caretaker: Sendable {
    private static let tidyEvery = Duration.hours(24)

    private let house: House
    private let instruments: Instruments
    private let isStopped = Mutex(false)
    private let tidied = Mutex<Moment?>(nil)
    /// Deliveries may have been missed: after a start, and after a round that failed.
    private let readsHistoryAtOnce = Mutex(true)
    private let bell: Bell?

    /// - Parameter bell: rung where work was added.
    init(_ house: House, instruments: Instruments, bell: Bell? = nil) {
        self.house = house
        self.instruments = instruments
        self.bell = bell
    }

    func start() {
        house.loops.all[0].run { await self.work() }
    }

    /// Tells the others that this process has gone.
    func stop() async {
        isStopped.withLock { $0 = true }
        try? await ProcessList.leave(house.process, at: house.clock.now, in: house.database)
    }

    private func work() async {
        let loop = house.loops.all[0]
        while !isStopped.withLock({ $0 }) {
            do { try await round() } catch {
                readsHistoryAtOnce.withLock { $0 = true }
                house.journal.warning("the caretaker could not do its round", ["error": .init(error)])
            }
            try? await loop.sleep(for: ProcessList.every)
        }
    }

    /// What is done each time, and what is done once a day.
    func round() async throws {
        let now = house.clock.now
        await instruments.measure()
        try await instruments.announce()
        try await keepHistory(at: now)
        let retired = try await house.vault.retireOverdue()
        if retired > 0 {
            house.journal.info("signing keys whose grace time was over are wiped", ["count": .init(retired)])
        }
        guard tidied.withLock({ $0 }).map({ now - $0 >= Self.tidyEvery }) ?? true else { return }
        try await house.signIn.forgetOld()
        try await house.administration.forgetOld()
        let forgotten = try await Retention(database: house.database, clock: house.clock).prune()
        for (kind, count) in forgotten {
            house.journal.info("old data is forgotten", ["kind": .string(kind), "count": .init(count)])
        }
        try await noteAuditHeads()
        tidied.withLock { $0 = now }
    }

    private func keepHistory(at now: Moment) async throws {
        let atOnce = readsHistoryAtOnce.withLock { $0 }
        let added = try await house.database.transaction(.house) { tx in
            let readings = try await HistoryRound.keep(atOnce: atOnce, at: now, in: tx)
            let looks = try await DecisionRound.keep(at: now, in: tx)
            return readings + looks + (try await ImportRound.keep(at: now, in: tx))
        }
        readsHistoryAtOnce.withLock { $0 = false }
        if added > 0 { bell?.ring() }
    }

    /// A copy of each chain's end outside the database: who cuts a tail off cannot reach it here.
    private func noteAuditHeads() async throws {
        var slug = ""
        while true {
            let after = slug
            let heads = try await house.database.transaction(.house) { tx in
                var heads: [(Tenant, AuditHead)] = []
                for tenant in try await TenantStore.tenants(after: after, limit: 100, withClosed: true, in: tx) {
                    heads.append((tenant, try await Audit.head(of: tenant.id, in: tx)))
                }
                return heads
            }
            guard let last = heads.last else { return }
            slug = last.0.slug
            for (tenant, head) in heads {
                house.journal.info(
                    "audit head",
                    [
                        "tenant": .init(tenant.id.rawValue), "sequence": .init(head.sequence),
                        "hash": .string(Hex.encode(head.hash)),
                    ])
            }
        }
    }
}
