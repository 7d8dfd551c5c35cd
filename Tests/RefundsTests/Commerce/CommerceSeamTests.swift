import FoundationEssentials
import Postgres
import Queue
import Support
import Tenants
import Testing
import Time

@testable import AppStore
@testable import Refunds

/// Where the process may die: at every seam one reference, one body and one refund are left.
@Suite struct `A commerce request whose process dies` {
    // MARK: at the seams of asking

    @Test func `before the request is committed: asked again under its key it is made once`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            try await desk.withoutCommits(of: "refunds.commerce_requests") {
                await #expect(throws: PostgresError.self) { try await desk.ask(desk.refund("addon.a")) }
            }
            #expect(try await desk.count("queue.jobs where kind = 'commerce'") == 0)
            _ = try await desk.ask(desk.refund("addon.a"))
            try await desk.work()
            try await Self.expectOneRefund(desk, calls: 1)
        }
    }

    @Test func `after the request is committed: its answer is lost, and the key finds it`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            let lost = try await desk.ask(desk.refund("addon.a"))
            let again = try await desk.ask(desk.refund("addon.a"))
            #expect(again.id == lost.id && again.requestReferenceID == lost.requestReferenceID)
            try await desk.work()
            #expect(try await desk.ask(desk.refund("addon.a")).id == lost.id, "sent, it is still the same one")
            try await Self.expectOneRefund(desk, calls: 1)
        }
    }

    @Test func `two processes that are asked at once under one key make one request`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            let other = try desk.test.anotherDatabase()
            let desks = [desk.commerce, desk.commerce(on: other)]
            let (intention, app) = (desk.refund("addon.a"), desk.alpha.app)
            let made = try await withThrowingTaskGroup(of: (UUID, Bool).self) { group in
                for n in 0..<8 {
                    group.addTask {
                        let made = try await desks[n % 2].ask(
                            intention, app: app, by: Desk.asker, idempotencyKey: "one")
                        return (made.request.id, made.isNew)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(made.map(\.0)).count == 1)
            #expect(made.count { $0.1 } == 1)
            try await desk.work()
            try await Self.expectOneRefund(desk, calls: 1)
            await other.close(within: .seconds(1))
        }
    }

    // MARK: at the seams of the call

    @Test func `before the attempt is committed: nothing was sent, and the same bytes are`() async throws {
        try await Desk.open { desk in
            let (asked, job) = try await Self.claimed(desk)
            try await desk.withoutCommits(of: "refunds.commerce_attempts") {
                await #expect(throws: PostgresError.self) { try await desk.begin(job, asked) }
            }
            #expect(desk.advancedCommerce.calls.isEmpty)
            try await desk.rescue()
            try await desk.work()
            try await Self.expectOneRefund(desk, calls: 1)
            #expect(try await Self.results(desk) == ["accepted"])
        }
    }

    @Test func `after the attempt is committed: nobody calls until its time is over, then the same bytes`()
        async throws
    {
        try await Desk.open { desk in
            let (asked, job) = try await Self.claimed(desk)
            let call = try await desk.begin(job, asked)
            try await desk.rescue()
            try await desk.work()
            #expect(desk.advancedCommerce.calls.isEmpty, "the call may still be under way")
            #expect(try await desk.request(asked.id).state == .sending)
            try await Self.giveUp(desk)
            try await desk.workOn(until: desk.now + .minutes(1))
            #expect(desk.advancedCommerce.calls.map(\.body) == [String(decoding: call.body, as: UTF8.self)])
            #expect(try await Self.results(desk) == ["unknown", "accepted"])
            try await Self.expectOneRefund(desk, calls: 1)
        }
    }

    @Test func `after sending: the repeat is refused as a repeat, and that is the yes to the first`() async throws {
        try await Desk.open { desk in
            let (asked, job) = try await Self.claimed(desk)
            _ = await desk.commerceJob.perform(try await desk.begin(job, asked))
            try await desk.rescue()
            try await Self.giveUp(desk)
            try await desk.workOn(until: desk.now + .minutes(1))
            #expect(try await Self.results(desk) == ["unknown", "refused"])
            #expect(try await desk.request(asked.id).stateReason == .arrivedEarlier)
            try await Self.expectOneRefund(desk, calls: 2)
        }
    }

    @Test func `before the result is committed: it is as if it had never been learned`() async throws {
        try await Desk.open { desk in
            let (asked, job) = try await Self.claimed(desk)
            let call = try await desk.begin(job, asked)
            let ending = await desk.commerceJob.perform(call)
            // Nobody waits for the database in this process: its time is over.
            try await desk.withoutCommits(of: "refunds.commerce_attempts") {
                await desk.commerceJob.settle(call.givenUp, with: ending, job)
            }
            #expect(try await Self.results(desk) == ["in flight"])
            try await desk.rescue()
            try await Self.giveUp(desk)
            try await desk.workOn(until: desk.now + .minutes(1))
            #expect(try await Self.results(desk) == ["unknown", "refused"])
            try await Self.expectOneRefund(desk, calls: 2)
        }
    }

    @Test func `the database is away at the end: the result is kept and recorded when it is back`() async throws {
        try await Desk.open { desk in
            let (asked, job) = try await Self.claimed(desk)
            let call = try await desk.begin(job, asked)
            let ending = await desk.commerceJob.perform(call)
            try await desk.test.asSuperuser("alter table refunds.commerce_attempts rename to away")
            async let settled: Void = desk.commerceJob.settle(call, with: ending, job)
            try await Task.sleep(for: .milliseconds(300))
            try await desk.test.asSuperuser("alter table refunds.away rename to commerce_attempts")
            await settled
            #expect(try await Self.results(desk) == ["accepted"])
            try await Self.expectOneRefund(desk, calls: 1)
        }
    }

    // MARK: beside another

    @Test func `two workers on one request: one call`() async throws {
        try await Desk.open { desk in
            let (asked, job) = try await Self.claimed(desk)
            _ = try await desk.begin(job, asked)
            // The rescuer gave the job to somebody else too early.
            try await desk.rescue()
            let other = try #require(try await desk.claim(.commerce))
            guard case .calls(let second) = try await desk.commerceJob.begin([other]) else {
                Issue.record("the token is there")
                return
            }
            #expect(second.isEmpty, "a second call was begun beside one in flight")
            #expect(try await Self.results(desk) == ["in flight"])
        }
    }

    @Test func `a worker that lost its job still records what it learned`() async throws {
        try await Desk.open { desk in
            let (asked, job) = try await Self.claimed(desk)
            let call = try await desk.begin(job, asked)
            let ending = await desk.commerceJob.perform(call)
            try await desk.rescue()
            try await Self.giveUp(desk)
            let other = try #require(try await desk.claim(.commerce))
            await desk.commerceJob.settle(call, with: ending, job)
            try await desk.run(other)
            #expect(try await Self.results(desk) == ["accepted"])
            try await Self.expectOneRefund(desk, calls: 1)
        }
    }

    @Test func `a frozen worker finds its permission expired, a stopped one its turn not come: nothing is sent`()
        async throws
    {
        try await Desk.open { desk in
            let (asked, job) = try await Self.claimed(desk)
            let call = try await desk.begin(job, asked)
            let frozen = await desk.commerceJob.perform(call.permitted(from: .now - .seconds(9)))
            let task = Task { await desk.commerceJob.perform(call.permitted(from: .now + .seconds(60))) }
            task.cancel()
            for ending in [frozen, await task.value] {
                guard case .notSent = ending else {
                    Issue.record("it was sent: \(ending)")
                    continue
                }
            }
            #expect(desk.advancedCommerce.calls.isEmpty)
            await desk.commerceJob.settle(call, with: frozen, job)
            try await desk.workOn(until: desk.now + .minutes(1))
            #expect(try await Self.results(desk) == ["not-sent", "accepted"])
            try await Self.expectOneRefund(desk, calls: 1)
        }
    }

    @Test func `a call whose turn was missed takes another, and none where the next ones are taken`() async throws {
        try await Desk.open { desk in
            let (asked, job) = try await Self.claimed(desk)
            let call = try await desk.begin(job, asked)
            let late = call.permitted(from: .now - .seconds(1))
            try await desk.test.asSuperuser("update queue.lanes set free_at = now() + interval '1 hour'")
            guard case .notSent(let why) = await desk.commerceJob.perform(late) else {
                Issue.record("it was sent without a turn")
                return
            }
            #expect(why.contains("permits are taken"))
            #expect(desk.advancedCommerce.calls.isEmpty)
            try await desk.test.asSuperuser("update queue.lanes set free_at = '-infinity'")
            let sent = await desk.commerceJob.perform(late)
            await desk.commerceJob.settle(call, with: sent, job)
            #expect(try await desk.count("queue.lanes where free_at > '-infinity'") == 1)
            try await Self.expectOneRefund(desk, calls: 1)
        }
    }

    @Test func `a request that may have arrived is not taken back, one that did not is`() async throws {
        try await Desk.open { desk in
            let (asked, job) = try await Self.claimed(desk)
            let (commerce, tenant) = (desk.commerce, desk.alpha.app.tenant)
            _ = try await desk.begin(job, asked)
            await #expect(throws: CommerceRefused.tooLate(.sending)) {
                try await commerce.cancel(asked.id, of: tenant, by: Desk.asker)
            }
            try await desk.rescue()
            try await Self.giveUp(desk)
            await #expect(throws: CommerceRefused.self) {
                try await commerce.cancel(asked.id, of: tenant, by: Desk.asker)
            }
            try await desk.workOn(until: desk.now + .minutes(1))
            try await desk.know(desk.addOns { $0["transactionId"] = "2000000900000013" })
            var other = desk.refund("addon.a")
            other.transactionID = "2000000900000013"
            let unsent = try await desk.ask(other, key: "k2")
            #expect(try await commerce.cancel(unsent.id, of: tenant, by: Desk.asker).state == .cancelled)
            try await desk.workOn(until: desk.now + .minutes(1))
            try await Self.expectOneRefund(desk, calls: 1)
        }
    }

    @Test func `a tenant that is closed meanwhile: what was asked is sent all the same, and kept`() async throws {
        try await Desk.open { desk in
            let (asked, job) = try await Self.claimed(desk)
            try await desk.database.transaction(.house) { tx in
                try await TenantStore.close("alpha", at: desk.now, by: .commandLine, in: tx)
            }
            try await desk.run(job)
            #expect(try await desk.request(asked.id).state == .accepted)
            try await Self.expectOneRefund(desk, calls: 1)
        }
    }

    // MARK: small things

    /// A request that may be sent, and the job that sends it.
    private static func claimed(_ desk: Desk) async throws -> (CommerceRequest, Job) {
        try await desk.know(desk.addOns())
        let asked = try await desk.ask(desk.refund("addon.a"))
        return (asked, try #require(try await desk.claim(.commerce)))
    }

    private static func results(_ desk: Desk) async throws -> [String] {
        try await desk.test.asSuperuser(
            "select coalesce(result, 'in flight') as result from refunds.commerce_attempts order by request_id, attempt_no"
        ).map { try $0("result") }
    }

    /// The time until which a call that was begun must be waited for is over.
    private static func giveUp(_ desk: Desk) async throws {
        try await desk.test.asSuperuser(
            """
            update refunds.commerce_attempts
            set started_at = started_at - interval '1 minute', send_by = send_by - interval '1 minute',
              give_up_at = give_up_at - interval '1 minute'
            where ended_at is null
            """)
    }

    /// However many calls there were: one reference, one body, one refund, and a request that counts as taken.
    private static func expectOneRefund(
        _ desk: Desk, calls: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let made = desk.advancedCommerce
        #expect(made.calls.count == calls, sourceLocation: sourceLocation)
        #expect(made.references.count == 1, sourceLocation: sourceLocation)
        #expect(Set(made.calls.map(\.body)).count == 1, sourceLocation: sourceLocation)
        #expect(
            try await desk.count("refunds.commerce_requests where state = 'accepted'") == 1,
            sourceLocation: sourceLocation)
        #expect(try await desk.count("queue.jobs where kind = 'commerce'") == 0, sourceLocation: sourceLocation)
    }
}

extension CommerceJob.Call {
    /// The same call, which may be sent from a moment on for as long as any.
    fileprivate func permitted(from moment: ContinuousClock.Instant) -> CommerceJob.Call {
        var call = self
        call.permit = CallPermit(after: .zero, asked: moment, given: moment)
        return call
    }

    /// The same call, whose result nobody expects any more.
    fileprivate var givenUp: CommerceJob.Call { permitted(from: .now - .minutes(1)) }
}

extension Desk {
    /// Begins the call of a claimed job, with a token that is made where there is none.
    func begin(_ job: Job, _ request: CommerceRequest) async throws -> CommerceJob.Call {
        for _ in 0..<2 {
            switch try await commerceJob.begin([job]) {
            case .calls(let calls): if let call = calls.first?.1 { return call }
            case .needsToken(let key, let app): try await replies.tokens.make(key, app)
            }
        }
        struct NotBegun: Error {}
        throw NotBegun()
    }

    /// Lets no transaction that writes to a table reach its commit while `body` runs, as if its process died before.
    func withoutCommits(of table: String, _ body: () async throws -> Void) async throws {
        try await test.asSuperuser(
            """
            create function refunds.die() returns trigger language plpgsql as $$
            begin raise exception 'the process died here'; end $$
            """)
        try await test.asSuperuser(
            SQL(
                stringLiteral: """
                    create constraint trigger dies after insert or update on \(table)
                    deferrable initially deferred for each row execute function refunds.die()
                    """))
        try await body()
        try await test.asSuperuser("drop function refunds.die() cascade")
    }
}
