import FoundationEssentials
import Journal
import Postgres
import Queue
import Tenants
import Time

/// Looks at a round when its time is up, so that it is missed without any traffic.
struct DeadlineJob: Sendable {
    let database: Database
    let clock: WallClock
    let journal: Journal
    let counters: Counters

    /// A round that was missed just now.
    private struct Ended: Sendable {
        let reason: String?
        let isRehearsal: Bool
    }

    func run(_ job: Job) async throws {
        try await RefundJobs.persist(job, on: database, clock: clock, journal: journal, ceiling: .minutes(5)) {
            try await look(job)
        }
    }

    private func look(_ job: Job) async throws {
        let subject = try ReplySubject(job)
        let tenant = TenantID(rawValue: job.tenant)
        let now = clock.now
        let ended = try await database.transaction(tenant.scope) { tx -> Ended? in
            guard var locked = try await CaseStore.lock(subject.case, tenant: tenant, in: tx),
                let round = locked.round(subject.round)
            else {
                try await job.done(in: tx)
                return nil
            }
            let before = locked.stored[round.id]?.state
            try await CaseStore.save(&locked, at: now, in: tx)
            if let inFlight = round.attemptInFlight {
                // It was begun in time: its result counts.
                try await job.again(at: max(now, inFlight.giveUpAt) + .seconds(1), in: tx)
                return nil
            }
            if [.open, .held].contains(locked.stored[round.id]?.state) {
                try await job.again(at: max(now + .seconds(1), round.window.end), in: tx)
                return nil
            }
            try await job.done(in: tx)
            let standing = locked.value.standing(of: round, at: now)
            guard standing.state != before, standing.state == .missed else { return nil }
            let row = try await tx.row(
                "select rehearsal from tenants.apps where tenant_id = \(tenant.rawValue) and app_id = \(locked.app.rawValue)"
            )
            return Ended(reason: standing.reason, isRehearsal: try row?("rehearsal") ?? false)
        }
        guard let ended else { return }
        if ended.isRehearsal {
            // In no total, and nobody's alarm.
            return journal.info(
                "a request of a rehearsal was missed: its deadline passed",
                ["tenant": .init(tenant.rawValue), "case": .init(subject.case.uuidString.lowercased())])
        }
        counters.add("replies_missed_total", 1, [:], help: "Requests whose deadline passed without an answer.")
        journal.error(
            "a request was missed: its deadline passed",
            [
                "tenant": .init(tenant.rawValue), "case": .init(subject.case.uuidString.lowercased()),
                "reason": .init(ended.reason),
            ])
    }
}
