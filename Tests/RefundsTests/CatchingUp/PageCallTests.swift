import AppStore
import FoundationEssentials
import Postgres
import Queue
import Support
import Tenants
import Testing
import Time

@testable import Refunds

/// The way of a call that reads a page of one of Apple's lists.
@Suite("A call for a page")
struct PageCallTests {
    /// A job that reads a page, of each kind that there is.
    private func reading(
        _ kind: RefundJobs.Kind, _ body: (Desk, Job, () -> Int) async throws -> Void
    ) async throws {
        try await Desk.open { desk in
            try await desk.takeKey()
            try await desk.beginHistory()
            switch kind {
            case .history: break
            case .importPast:
                desk.clock.advance(by: .minutes(11))
                let now = desk.now
                _ = try await desk.database.transaction(.house) { tx in try await ImportRound.keep(at: now, in: tx) }
            default:
                try await desk.post(desk.note("REFUND", desk.tx()))
                try await desk.run(try #require(try await desk.claim(.notification)))
                let (app, deadline) = (desk.alpha.app, desk.now + .hours(1))
                _ = try await desk.database.transaction(app.tenant.scope) { tx in
                    try await RefundJobs.addPast(
                        .init(app: app.id.rawValue, environment: "Production", transaction: "2000000900000001"),
                        tenant: app.tenant, deadline: deadline, in: tx)
                }
            }
            let job = try #require(try await desk.claim(kind))
            try await body(desk, job) { desk.history.calls.count + desk.records.calls.count }
        }
    }

    private static let kinds: [RefundJobs.Kind] = [.history, .importPast, .past]

    private func taken(of lane: Int64, _ desk: Desk) async throws -> Moment? {
        try await desk.test.asSuperuser("select free_at from queue.lanes where lane = \(lane)").first?("free_at")
    }

    @Test(arguments: kinds)
    func `whose turn is later goes back to the queue, and comes back with its permit for one call`(
        kind: RefundJobs.Kind
    ) async throws {
        try await reading(kind) { desk, job, calls in
            let scope = desk.alpha.app.tenant.scope
            try await desk.database.transaction(scope) { tx in _ = try await Lane.ensure(job.lane, in: tx) }
            try await desk.test.asSuperuser(
                "update queue.lanes set free_at = clock_timestamp() + interval '900 milliseconds' where lane = \(job.lane)"
            )
            try await desk.run(job)
            #expect(calls() == 0)
            let permitted = try await taken(of: job.lane, desk)
            let row = try #require(
                try await desk.test.asSuperuser(
                    "select run_at, subject from queue.jobs where kind = \(kind.rawValue) and state = 'waiting'"
                ).first)
            let (at, subject): (Moment, String) = (try row("run_at"), try row("subject"))
            #expect(at > desk.now && at <= desk.now + .milliseconds(901) && subject.contains(#""permit":"#))

            desk.clock.set(at)
            try await desk.run(try #require(try await desk.claim(kind)))
            #expect(calls() == 1)
            // It used the permit that it had, and what follows takes one of its own.
            #expect(try await taken(of: job.lane, desk) == permitted)
            #expect(
                try await desk.count("queue.jobs where kind = \(kind.rawValue) and subject like '%permit%'") == 0)
        }
    }

    @Test(arguments: kinds)
    func `that comes back too late takes another permit`(kind: RefundJobs.Kind) async throws {
        try await reading(kind) { desk, job, calls in
            let scope = desk.alpha.app.tenant.scope
            try await desk.database.transaction(scope) { tx in _ = try await Lane.ensure(job.lane, in: tx) }
            try await desk.test.asSuperuser(
                "update queue.lanes set free_at = clock_timestamp() + interval '900 milliseconds' where lane = \(job.lane)"
            )
            try await desk.run(job)
            desk.clock.advance(by: .seconds(10))
            try await desk.test.asSuperuser("update queue.lanes set free_at = '-infinity'")
            try await desk.run(try #require(try await desk.claim(kind)))
            #expect(calls() == 1)
            #expect(try await taken(of: job.lane, desk) != nil)
            #expect(try await desk.count("queue.lanes where lane = \(job.lane) and free_at > '-infinity'") == 1)
        }
    }

    @Test(arguments: kinds)
    func `that brings no page says what that means for the key, and is made again`(kind: RefundJobs.Kind) async throws {
        try await reading(kind) { desk, job, calls in
            desk.history.script(.failed(ScriptedApple.unauthenticated))
            desk.records.script(.failed(ScriptedApple.unauthenticated))
            try await desk.run(job)
            #expect(calls() == 1)
            #expect(try await desk.count("tenants.key_proofs where refused_since is not null") == 1)
            #expect(
                try await desk.count("queue.jobs where kind = \(kind.rawValue) and state = 'waiting'") == 1)
        }
    }
}
