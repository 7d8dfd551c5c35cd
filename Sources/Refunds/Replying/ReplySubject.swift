import FoundationEssentials
import Postgres
import Queue
import Tenants
import Time

/// What a reply's job and a deadline's job are about: one request of one case.
struct ReplySubject: Codable, Sendable, Hashable {
    let `case`: UUID
    let round: UUID

    init(case: UUID, round: UUID) {
        self.case = `case`
        self.round = round
    }

    init(_ job: Job) throws { self = try JSONDecoder().decode(Self.self, from: Data(job.subject.utf8)) }

    var text: String { #"{"case":"\#(`case`.uuidString)","round":"\#(round.uuidString)"}"# }

    /// Sends the reply, or finds out that none is sent. One at a time for each round.
    func job(tenant: TenantID, lane: Int64, deadline: Moment, runAt: Moment? = nil) -> NewJob {
        NewJob(
            tenant: tenant.rawValue, lane: lane, kind: RefundJobs.Kind.reply.rawValue, subject: text, runAt: runAt,
            deadline: deadline, uniqueKey: round.uuidString)
    }

    /// Lets the job that waits look at the round now; one that runs sees what is committed before its lock.
    func hurry(tenant: TenantID, in tx: Transaction) async throws {
        try await Enqueue.hurry(
            tenant: tenant.rawValue, kind: RefundJobs.Kind.reply.rawValue, uniqueKey: round.uuidString, in: tx)
    }

    /// Looks at the round when its time is up, so that states appear without traffic.
    func deadlineJob(tenant: TenantID, lane: Int64, at moment: Moment) -> NewJob {
        NewJob(
            tenant: tenant.rawValue, lane: lane, kind: RefundJobs.Kind.deadline.rawValue, subject: text,
            runAt: moment, deadline: moment + .hours(1), uniqueKey: round.uuidString)
    }
}
