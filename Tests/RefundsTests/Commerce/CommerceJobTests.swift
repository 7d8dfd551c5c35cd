import AppStore
import FoundationEssentials
import HTTP
import Postgres
import Queue
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite struct `A commerce request on its way` {
    @Test func `is sent once, taken, and refunded only when Apple's notification says so`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            let asked = try await desk.ask(desk.refund("addon.a"))
            #expect(asked.state == .queued)
            try await desk.work()
            #expect(try await desk.request(asked.id).state == .accepted)
            let call = try #require(desk.advancedCommerce.calls.first)
            #expect(desk.advancedCommerce.calls.count == 1)
            let reference = asked.requestReferenceID.uuidString.lowercased()
            #expect(
                call.body
                    == #"{"requestInfo":{"requestReferenceId":"\#(reference)"},"refundRiskingPreference":false,"items":[{"SKU":"addon.a","refundReason":"UNSATISFIED_WITH_PURCHASE","refundType":"FULL","revoke":true}]}"#
            )
            desk.clock.advance(by: .minutes(20))
            let (at, later) = (desk.now.milliseconds, desk.now)
            try await desk.take(
                desk.note(
                    "REFUND",
                    desk.addOns {
                        let refunds: [J] = [["refundAmount": 3000, "refundDate": .number(at), "refundType": "FULL"]]
                        let items: [J] = [
                            ["SKU": "base", "price": 4990],
                            [
                                "SKU": "addon.a", "price": 3000, "refunds": .array(refunds),
                                "revocationDate": .number(at),
                            ],
                            ["SKU": "addon.b", "price": 2000],
                        ]
                        $0["advancedCommerceInfo"] = ["items": .array(items)]
                        $0["signedDate"] = .number(later.milliseconds)
                    }))
            let refunded = try await desk.request(asked.id)
            #expect(refunded.state == .refunded)
            #expect(refunded.items.first?.refundedAmount == 3000)
            #expect(refunded.items.first?.revokedAt == later)
            #expect(refunded.caseID != nil)
        }
    }

    @Test func `the same key is the same request, another intention under it is refused, a second form too`()
        async throws
    {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            let first = try await desk.ask(desk.refund("addon.a"))
            #expect(try await desk.ask(desk.refund("addon.a")).id == first.id)
            await #expect(throws: CommerceRefused.keyTaken(by: first.id)) { try await desk.ask(desk.refund("addon.b")) }
            await #expect(throws: CommerceRefused.alreadyAsked(first.id)) {
                try await desk.ask(desk.refund("addon.a"), key: "k2")
            }
            try await desk.work()
            #expect(desk.advancedCommerce.calls.count == 1)
            #expect(try await desk.count("refunds.commerce_requests") == 1)
        }
    }

    @Test func `two who ask at the same moment make one request`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            let made = await withTaskGroup(of: Bool.self) { group in
                for n in 0..<8 {
                    group.addTask { (try? await desk.ask(desk.refund("addon.a"), key: "key-\(n)")) != nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(made == 1)
            #expect(try await desk.count("refunds.commerce_requests") == 1)
        }
    }

    @Test func `a call whose end is unknown is repeated with the same bytes and the same reference`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            let asked = try await desk.ask(desk.refund("addon.a"))
            // Killed after the attempt was committed: nobody settles.
            let job = try #require(try await desk.claim(.commerce))
            guard case .needsToken(let key, let app) = try await desk.commerceJob.begin(job, asked.id) else {
                Issue.record("a token was there")
                return
            }
            try await desk.replies.tokens.make(key, app)
            guard case .call(let call) = try await desk.commerceJob.begin(job, asked.id) else {
                Issue.record("no call was begun")
                return
            }
            // Stopped before its turn it would send nothing.
            var waiting = call
            (waiting.sendAfter, waiting.sendBy) = (.now + .seconds(60), .now + .seconds(65))
            let early = waiting
            let task = Task { await desk.commerceJob.perform(early) }
            task.cancel()
            guard case .notSent = await task.value else {
                Issue.record("it was sent before its turn")
                return
            }
            // Killed after sending, before recording.
            _ = await desk.commerceJob.perform(call)
            try await desk.test.asSuperuser(
                "update refunds.commerce_attempts set send_by = started_at, give_up_at = started_at + interval '1 ms'")
            try await desk.rescue()
            try await desk.workOn(until: desk.now + .minutes(1))
            let calls = desk.advancedCommerce.calls
            #expect(calls.count == 2)
            #expect(Set(calls.map(\.body)).count == 1)
            #expect(try await desk.request(asked.id).state == .accepted)
        }
    }

    @Test func `BL-079: a refusal that no table explains stops the queue and loses no request`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            desk.advancedCommerce.say("{\"errorCode\":4039999}")
            desk.advancedCommerce.script(.doubted(ScriptedCommerce.answer(403, 4_039_999)))
            let asked = try await desk.ask(desk.refund("addon.a"))
            let job = try #require(try await desk.claim(.commerce))
            try await desk.run(job)
            let stopped = try await desk.request(asked.id)
            #expect(stopped.state == .queued)
            #expect(stopped.stateReason == .doubted)
            #expect(stopped.words?.isDoubted == true)
            let records = Records(database: desk.database)
            let access = try #require(try await records.commerceAccess(of: desk.alpha.app).first)
            #expect(access.isStopped && access.addendum == .refused)
            #expect(access.refusal.map { String(decoding: $0.body, as: UTF8.self) } == "{\"errorCode\":4039999}")
            // Whoever claims it all the same finds the door closed.
            let again = try #require(try await desk.claim(.commerce))
            try await desk.run(again)
            #expect(desk.advancedCommerce.calls.count == 1)

            let admin = CommerceActor.person(PersonID(rawValue: UUID()), .admin, address: nil)
            _ = try await desk.commerce.release(app: desk.alpha.app, environment: .production, by: admin)
            try await desk.test.asSuperuser("update queue.lanes set free_at = '-infinity'")
            try await desk.work()
            #expect(try await desk.request(asked.id).state == .accepted)
            #expect(Set(desk.advancedCommerce.calls.map(\.body)).count == 1)
        }
    }

    @Test func `a pending refund is waited for and not asked for again`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            desk.advancedCommerce.script(.refused(ScriptedCommerce.answer(400, 4_000_181)))
            let asked = try await desk.ask(desk.refund("addon.a"))
            try await desk.workOn(until: desk.now + .hours(1))
            let pending = try await desk.request(asked.id)
            #expect(pending.state == .pendingAtApple)
            #expect(pending.words?.verdict == .wait)
            #expect(desk.advancedCommerce.calls.count == 1)
        }
    }

    @Test func `above the limit a second person approves, and nothing is sent before`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            let admin = CommerceActor.person(PersonID(rawValue: UUID()), .admin, address: nil)
            try await desk.commerce.setLimit(2000, currency: "USD", app: desk.alpha.app, by: admin)
            let asked = try await desk.ask(desk.refund("addon.a"))
            #expect(asked.state == .awaitingApproval)
            #expect(asked.body == nil)
            try await desk.work()
            #expect(desk.advancedCommerce.calls.isEmpty)
            let (desk1, tenant) = (desk.commerce, desk.alpha.app.tenant)
            await #expect(throws: CommerceRefused.self) {
                try await desk1.approve(asked.id, of: tenant, by: Desk.asker)
            }
            let viewer = CommerceActor.person(PersonID(rawValue: UUID()), .viewer, address: nil)
            await #expect(throws: CommerceRefused.self) { try await desk1.approve(asked.id, of: tenant, by: viewer) }
            #expect(try await desk1.approve(asked.id, of: tenant, by: admin).state == .queued)
            try await desk.work()
            #expect(try await desk.request(asked.id).state == .accepted)
        }
    }

    @Test func `BL-082: the consumption request of our own refund is linked and not opposed`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.know(desk.addOns())
            // Used up: the rules alone would ask Apple to decline.
            try await desk.usage(.delivered, share: 100_000, transaction: "2000000900000012")
            let asked = try await desk.ask(desk.refund("addon.a", risking: true))
            try await desk.work()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.addOns()))
            let reply = try #require(desk.apple.calls.first)
            #expect(reply.version == .v1)
            #expect(reply.body.contains("\"refundPreference\":1"))
            let linked = try await desk.request(asked.id)
            #expect(linked.roundID != nil)
            #expect(linked.caseID != nil)
        }
    }
}
