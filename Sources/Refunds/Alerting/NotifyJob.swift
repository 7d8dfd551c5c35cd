import FoundationEssentials
import Journal
import Postgres
import Queue
import Tenants
import Time

/// Sends one notice: a durable job, like a reply.
struct NotifyJob: Sendable {
    struct Subject: Codable, Sendable { let notice: UUID }

    let database: Database
    let sender: NoticeSender
    let clock: WallClock
    let journal: Journal

    func run(_ job: Job) async throws {
        try await RefundJobs.persist(job, on: database, clock: clock, journal: journal, ceiling: .minutes(1)) {
            let subject = try JSONDecoder().decode(Subject.self, from: Data(job.subject.utf8))
            let tenant = TenantID(rawValue: job.tenant)
            let ending = try await sender.deliver(subject.notice, of: tenant)
            try await database.transaction(tenant.scope) { tx in
                switch ending {
                case .done: try await job.done(in: tx)
                case .again(let moment, let why): try await job.again(at: moment, error: why, in: tx)
                }
            }
        }
    }
}
