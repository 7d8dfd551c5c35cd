import AppStore
import Crypto
import Postgres
import Queue
import Support
import Tenants
import Testing
import Time

@testable import Refunds

/// A process may die between the effect of a job and the news of it, and whatever asks for work may ask
/// again: each kind of work must bear being done twice.
@Suite("Work that is done twice")
struct TwiceTests {
    @Test(arguments: RefundJobs.Kind.allCases)
    func `is done once`(kind: RefundJobs.Kind) async throws {
        try await Desk.open { desk in
            try await prepare(kind, at: desk)
            let before = try await footprint(of: desk)
            let job = try #require(try await desk.claim(kind), "no job of kind \(kind)")
            try await desk.run(job)
            let after = try await footprint(of: desk)
            #expect(after != before)

            // The same job, as if its end had been lost: somebody else may have it by now.
            await #expect(throws: ClaimLost.self) { try await desk.run(job) }
            #expect(try await footprint(of: desk) == after)

            // The same work, asked for anew.
            _ = try await desk.database.transaction(desk.alpha.app.tenant.scope) { tx in
                try await Enqueue.add(
                    NewJob(
                        tenant: job.tenant, lane: job.lane, kind: job.kind, subject: job.subject,
                        deadline: job.deadline - .minutes(1)),
                    in: tx)
            }
            let again = try #require(try await desk.claim(kind))
            #expect(again.id != job.id)
            try await desk.run(again)
            #expect(try await footprint(of: desk) == after)
        }
    }

    /// Brings about one job of the kind that is due.
    private func prepare(_ kind: RefundJobs.Kind, at desk: Desk) async throws {
        try await desk.consent()
        switch kind {
        case .notification:
            #expect(try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx())) == .accepted)
        case .reply:
            try await readRequest(at: desk)
        case .deadline:
            try await readRequest(at: desk)
            desk.clock.advance(by: .hours(13))
        case .relay:
            try await desk.relay(to: ScriptedServer(steps: [.answer(200)]).url)
            #expect(try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx())) == .accepted)
            try await desk.run(try #require(try await desk.claim(.notification)))
        case .lookUp:
            try await desk.take(desk.note("REFUND", desk.tx { $0["price"] = nil }))
            desk.apple.know(
                try desk.chain.sign(desk.tx { $0["signedDate"] = .number((desk.now + .seconds(1)).milliseconds) }))
            let (app, now) = (desk.alpha.app, desk.now)
            _ = try await desk.database.transaction(app.tenant.scope) { tx in
                try await RefundJobs.addLookUp(
                    transaction: "2000000900000001", environment: .production, tenant: app.tenant, app: app.id, at: now,
                    in: tx)
            }
        case .testStatus:
            let (app, now, id) = (desk.alpha.app, desk.now, Random.uuid())
            try await desk.database.transaction(app.tenant.scope) { tx in
                try await TestNotificationStore.add(id, of: app, isSandbox: true, by: nil, at: now, in: tx)
                try await TestNotificationStore.answered(id, of: app, token: "T", answer: nil, detail: "", in: tx)
                try await TestStatusJob.add(id, of: app, isSandbox: true, at: now, in: tx)
            }
            desk.clock.advance(by: .seconds(3))
        case .notify:
            let channel = try await desk.addChannel()
            try await desk.alerts.testChannel(channel.id, of: desk.alpha.app.tenant, by: .commandLine)
        case .history:
            try await desk.beginHistory()
        case .replay:
            try await readRequest(at: desk)
            try await desk.run(try #require(try await desk.claim(.reply)))
            _ = try await desk.deciding.beginReplay(
                "otherwise prefer DECLINE", of: desk.alpha.app, by: HeldCaseTests.author, role: .admin, address: nil)
        case .commerce:
            try await desk.know(desk.addOns())
            _ = try await desk.ask(desk.refund("addon.a"))
        }
    }

    private func readRequest(at desk: Desk) async throws {
        #expect(try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx())) == .accepted)
        try await desk.run(try #require(try await desk.claim(.notification)))
    }

    /// Every row of the room's tables, the work that is left, and the calls that Apple got.
    private func footprint(of desk: Desk) async throws -> [String] {
        let rows = try await desk.test.asSuperuser(
            """
            select tablename::text as name,
              query_to_xml(
                format('select md5(string_agg(t::text, ''|'' order by t::text)) as sum from refunds.%I t', tablename),
                true, false, '')::text as sum
            from pg_tables
            where schemaname = 'refunds'
            order by tablename
            """)
        let jobs = try await desk.test.asSuperuser("select kind, state from queue.jobs order by kind, job_id")
        var lines = [
            "calls \(desk.apple.calls.count) \(desk.advancedCommerce.calls.count) \(desk.pager.messages.count)"
        ]
        for row in rows {
            let (name, sum): (String, String) = (try row("name"), try row("sum"))
            lines.append("\(name) \(sum)")
        }
        for row in jobs {
            let (kind, state): (String, String) = (try row("kind"), try row("state"))
            lines.append("\(kind) \(state)")
        }
        return lines
    }
}
