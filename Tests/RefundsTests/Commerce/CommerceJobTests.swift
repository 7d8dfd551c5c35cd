import AppStore
import FoundationEssentials
import HTTP
import Postgres
import Queue
import Support
import Synchronization
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
            let later = desk.now
            try await desk.take(desk.note("REFUND", desk.refunded("addon.a")))
            let refunded = try await desk.request(asked.id)
            #expect(refunded.state == .refunded)
            #expect(refunded.items.first?.refundedAmount == 3000)
            #expect(refunded.items.first?.revokedAt == later)
            #expect(refunded.caseID != nil)
        }
    }

    @Test func `of two refunds of one item each request has its own amount, and keeps it`() async throws {
        try await Desk.open { desk in
            func notice(_ refunds: [(Int64, Moment)]) -> J {
                desk.addOns {
                    let list = refunds.map { amount, at -> J in
                        [
                            "refundAmount": .number(amount), "refundDate": .number(at.milliseconds),
                            "refundType": "CUSTOM",
                        ]
                    }
                    let items: [J] = [
                        ["SKU": "base", "price": 4990], ["SKU": "addon.a", "price": 3000, "refunds": .array(list)],
                        ["SKU": "addon.b", "price": 2000],
                    ]
                    $0["advancedCommerceInfo"] = ["items": .array(items)]
                }
            }
            func custom(_ amount: Int64) -> CommerceIntention {
                CommerceIntention(
                    kind: .refund, environment: .production, transactionID: "2000000900000012",
                    items: [
                        CommerceItem(
                            sku: "addon.a", refundReason: .unsatisfiedWithPurchase, refundType: .custom,
                            refundAmount: amount, revoke: false)
                    ], refundRiskingPreference: false, currency: "USD")
            }
            try await desk.know(desk.addOns())
            let first = try await desk.ask(custom(1000))
            try await desk.work()
            desk.clock.advance(by: .seconds(30))
            let one = (Int64(1000), desk.now)
            try await desk.take(desk.note("REFUND", notice([one])))

            // Soon after, a second one: within what clocks may differ.
            let troubles = try await #require(throws: CommerceRefused.self) {
                try await desk.ask(custom(500), key: "k2")
            }
            #expect("\(troubles)".contains("1.00 USD of this item were refunded before"))
            let second = try await desk.ask(custom(500), key: "k2", acceptsWarnings: true)
            try await desk.test.asSuperuser("update queue.lanes set free_at = '-infinity'")
            try await desk.work()
            desk.clock.advance(by: .seconds(30))
            try await desk.take(desk.note("REFUND", notice([one, (500, desk.now)])))
            for (id, amount) in [(first.id, Int64(1000)), (second.id, 500)] {
                let request = try await desk.request(id)
                #expect(request.state == .refunded && request.items.first?.refundedAmount == amount)
            }
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

    @Test func `another note under the same key is another intention: it is not lost in silence`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            let first = try await desk.ask(desk.refund("addon.a"))
            var changed = desk.refund("addon.a")
            changed.note = "Told us on the telephone."
            await #expect(throws: CommerceRefused.keyTaken(by: first.id)) { try await desk.ask(changed) }
        }
    }

    @Test func `a draft is handed in when it is asked for under its key, by whoever asks`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            let other = CommerceActor.person(PersonID(rawValue: UUID()), .support, address: nil)
            for actor in [Desk.asker, Desk.asker] {
                let draft = try await desk.commerce.ask(
                    desk.refund("addon.a"), app: desk.alpha.app, by: actor, idempotencyKey: "k1", asDraft: true
                ).request
                #expect(draft.state == .draft && draft.submittedBy == nil)
            }
            let sent = try await desk.ask(desk.refund("addon.a"), by: other)
            #expect(sent.state == .queued && sent.askedBy == Desk.asker.person && sent.submittedBy == other.person)
            try await desk.work()
            #expect(desk.advancedCommerce.calls.count == 1)
            // Written down once more under the key, it stays what it is.
            let known = try await desk.commerce.ask(
                desk.refund("addon.a"), app: desk.alpha.app, by: Desk.asker, idempotencyKey: "k1", asDraft: true)
            #expect(known.request.state == .accepted && !known.isNew)
        }
    }

    @Test func `what stands behind a stopped queue can be taken back, also the one that Apple refused`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            desk.advancedCommerce.script(.doubted(ScriptedCommerce.answer(403, 4_039_999)))
            let asked = try await desk.ask(desk.refund("addon.a"))
            try await desk.run(try #require(try await desk.claim(.commerce)))
            #expect(try await desk.request(asked.id).mayBeTakenBack)
            _ = try await desk.commerce.cancel(asked.id, of: desk.alpha.app.tenant, by: Desk.asker)
            let admin = CommerceActor.person(PersonID(rawValue: UUID()), .admin, address: nil)
            _ = try await desk.commerce.release(app: desk.alpha.app, environment: .production, by: admin)
            try await desk.test.asSuperuser("update queue.lanes set free_at = '-infinity'")
            try await desk.work()
            #expect(try await desk.request(asked.id).state == .cancelled)
            #expect(desk.advancedCommerce.calls.count == 1)
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

    @Test(arguments: [nil, 3000 as Int64])
    func `a limit that is removed or raised sends nothing; what waited for it is handed in by whoever asks`(
        limit: Int64?
    ) async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            let (commerce, app) = (desk.commerce, desk.alpha.app)
            let admin = CommerceActor.person(PersonID(rawValue: UUID()), .admin, address: nil)
            try await commerce.setLimit(2000, currency: "USD", app: app, by: admin)
            let asked = try await desk.ask(desk.refund("addon.a"))
            let records = Records(database: desk.database)
            func needsNobody() async throws -> Bool? {
                try await records.commerceStory(of: app.tenant, id: asked.id)?.needsNobody
            }
            // While the limit asks for somebody nothing goes on, whoever tries and however.
            #expect(try await needsNobody() == false)
            await #expect(throws: CommerceRefused.self) {
                try await commerce.submit(asked.id, of: app.tenant, by: admin)
            }
            #expect(try await desk.ask(desk.refund("addon.a")).state == .awaitingApproval)

            try await commerce.setLimit(limit, currency: "USD", app: app, by: admin)
            try await desk.work()
            #expect(try await desk.request(asked.id).state == .awaitingApproval)
            #expect(desk.advancedCommerce.calls.isEmpty)
            #expect(try await needsNobody() == true)
            let viewer = CommerceActor.person(PersonID(rawValue: UUID()), .viewer, address: nil)
            await #expect(throws: CommerceRefused.self) {
                try await commerce.submit(asked.id, of: app.tenant, by: viewer)
            }
            // By its page, or under its key: the same request either way.
            let sent =
                limit == nil
                ? try await commerce.submit(asked.id, of: app.tenant, by: Desk.asker)
                : try await desk.ask(desk.refund("addon.a"))
            #expect(sent.id == asked.id && sent.state == .queued && !sent.needsApproval)
            try await desk.work()
            #expect(try await desk.request(asked.id).state == .accepted)
            #expect(try await needsNobody() == false)
            #expect(desk.advancedCommerce.calls.count == 1)
        }
    }

    @Test func `a draft goes by the limits of the moment in which it is handed in`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            let admin = CommerceActor.person(PersonID(rawValue: UUID()), .admin, address: nil)
            let draft = try await desk.commerce.ask(
                desk.refund("addon.a"), app: desk.alpha.app, by: Desk.asker, idempotencyKey: "k1", asDraft: true
            ).request
            try await desk.commerce.setLimit(2000, currency: "USD", app: desk.alpha.app, by: admin)
            let handedIn = try await desk.commerce.submit(draft.id, of: desk.alpha.app.tenant, by: Desk.asker)
            #expect(handedIn.state == .awaitingApproval)
            try await desk.work()
            #expect(desk.advancedCommerce.calls.isEmpty)
        }
    }

    // MARK: many at once

    @Test func `requests of an app that are claimed together are begun together, and each is sent once`() async throws {
        try await Desk.open { desk in
            let asked = try await desk.askForSeveral(4)
            let jobs = try await desk.claimAll(.commerce)
            #expect(jobs.count == 4)
            // The key was never tried: one call goes ahead, the others come after it.
            try await desk.commerceJob.run(jobs)
            #expect(desk.advancedCommerce.calls.map(\.transactionID) == [asked[0].transactionID])
            desk.clock.advance(by: .seconds(2))
            let rest = try await desk.claimAll(.commerce)
            #expect(rest.count == 3)
            try await desk.commerceJob.run(rest)
            #expect(desk.advancedCommerce.calls.map(\.transactionID) == asked.map(\.transactionID))
            #expect(desk.advancedCommerce.references.count == 4)
            #expect(try await desk.count("refunds.commerce_requests where state = 'accepted'") == 4)
            #expect(try await desk.count("queue.jobs where kind = 'commerce'") == 0)
            let gaps = try await desk.test.asSuperuser(
                "select extract(epoch from max(started_at) - min(started_at))::float8 as s from refunds.commerce_attempts where request_id <> \(asked[0].id)"
            )
            #expect(try gaps[0]("s") as Double >= 0.415, "one spacing apart")
        }
    }

    @Test func `a call whose answer comes late holds back those after it, so that no second has one too many`()
        async throws
    {
        try await Desk.open { desk in
            try await desk.proveKey()
            _ = try await desk.askForSeveral(1)
            let known = Lateness()
            _ = known.excess(of: .milliseconds(1))
            var job = desk.commerceJob
            let answered = Mutex<Moment?>(nil)
            let answer = job.send
            job = CommerceJob(
                database: job.database, vault: job.vault, tokens: job.tokens, apple: job.apple, clock: job.clock,
                journal: job.journal, counters: job.counters, lateness: known
            ) { call, token in
                // The delay is the subject: the answer to a call that arrived late.
                try? await Task.sleep(for: .milliseconds(400))
                defer { answered.withLock { $0 = WallClock.system.now } }
                return await answer(call, token)
            }
            try await job.run(try await desk.claimAll(.commerce))
            let free: Moment = try await desk.test.asSuperuser(
                "select free_at from queue.lanes where lane = \(Lane.commerce(app: desk.alpha.app.id.rawValue, isSandbox: false))"
            )[0]("free_at")
            let end = try #require(answered.withLock { $0 })
            #expect(free - end >= .milliseconds(100), "four more in the second after its arrival, not five")
        }
    }

    @Test(arguments: ["the addendum", "the limit", "the key"])
    func `what one answer says of all is heard by the calls that were begun with it`(trouble: String) async throws {
        try await Desk.open { desk in
            try await desk.proveKey()
            let asked = try await desk.askForSeveral(3)
            switch trouble {
            case "the addendum": desk.advancedCommerce.script(.doubted(ScriptedCommerce.answer(403, 4_039_999)))
            case "the limit":
                desk.advancedCommerce.script(.rateLimited(ScriptedCommerce.answer(429), until: desk.now + .minutes(5)))
            default: desk.advancedCommerce.script(.credentials(ScriptedCommerce.answer(401), clockOffset: nil))
            }
            let before = desk.advancedCommerce.calls.count
            try await desk.commerceJob.run(try await desk.claimAll(.commerce))
            #expect(desk.advancedCommerce.calls.count == before + 1)
            for request in asked { #expect(try await desk.request(request.id).state == .queued) }
            #expect(try await desk.count("refunds.commerce_attempts where result = 'not-sent'") == 2)
            #expect(try await desk.count("queue.jobs where kind = 'commerce'") == 3)
        }
    }

    @Test func `a lane that another process stops meanwhile is left alone by the calls that wait for their turns`()
        async throws
    {
        try await Desk.open { desk in
            try await desk.proveKey()
            let asked = try await desk.askForSeveral(3)
            let before = desk.advancedCommerce.calls.count
            guard case .calls(let begun) = try await desk.commerceJob.begin(try await desk.claimAll(.commerce)) else {
                Issue.record("the token is there")
                return
            }
            let last = try #require(begun.count == 3 ? begun[2].1 : nil)
            let lane = Lane.commerce(app: desk.alpha.app.id.rawValue, isSandbox: false)
            try await desk.database.transaction(desk.alpha.app.tenant.scope) { tx in
                try await Lane.rest(lane, until: desk.now + .hours(1), why: "Apple said 429 elsewhere", in: tx)
            }
            let ending = await desk.commerceJob.perform(last)
            guard case .notSent(let why) = ending else {
                Issue.record("it was sent: \(ending)")
                return
            }
            #expect(why.contains("429 elsewhere"))
            #expect(desk.advancedCommerce.calls.count == before)
            #expect(asked.count == 3)
        }
    }

    @Test func `one job that cannot be read does not hold up those that were claimed with it`() async throws {
        try await Desk.open { desk in
            try await desk.proveKey()
            let asked = try await desk.askForSeveral(2)
            try await desk.test.asSuperuser(
                "update queue.jobs set subject = 'nonsense' where unique_key = \(asked[0].id.uuidString.lowercased())")
            try await desk.commerceJob.run(try await desk.claimAll(.commerce))
            #expect(try await desk.request(asked[1].id).state == .accepted)
            #expect(try await desk.request(asked[0].id).state == .queued)
            #expect(try await desk.count("queue.jobs where state = 'waiting' and kind = 'commerce'") == 1)
        }
    }

    // MARK: what Apple signed in its answer

    @Test func `who made the token that asked does not approve, somebody else does`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            let admin = CommerceActor.person(PersonID(rawValue: UUID()), .admin, address: nil)
            try await desk.commerce.setLimit(1000, currency: "USD", app: desk.alpha.app, by: admin)
            let (token, tenant) = (UUID(), desk.alpha.app.tenant)
            try await desk.test.asSuperuser(
                """
                insert into tenants.tokens (tenant_id, token_id, token_sha256, prefix, scopes, created_by)
                values (\(tenant.rawValue), \(token), sha256('token'), 'rd', '{commerce}', \(admin.person?.rawValue))
                """)
            let asked = try await desk.ask(desk.refund("addon.a"), by: .token(token))
            #expect(asked.state == .awaitingApproval)
            await #expect(throws: CommerceRefused.self) {
                try await desk.commerce.approve(asked.id, of: tenant, by: admin)
            }
            let other = CommerceActor.person(PersonID(rawValue: UUID()), .admin, address: nil)
            #expect(try await desk.commerce.approve(asked.id, of: tenant, by: other).state == .queued)
        }
    }

    @Test func `what is signed in the answer is verified and kept`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            desk.clock.advance(by: .minutes(1))
            let (signed, renewal) = try desk.answered()
            desk.advancedCommerce.script(
                .accepted(ScriptedCommerce.answer(200), signedTransaction: signed, signedRenewal: renewal))
            let asked = try await desk.ask(desk.refund("addon.a"))
            try await desk.work()
            #expect(try await desk.request(asked.id).state == .accepted)
            #expect(try await desk.count("refunds.transactions where signed_at = \(desk.now)") == 1)
            #expect(try await desk.count("refunds.renewals where not auto_renews") == 1)
        }
    }

    @Test(arguments: ["forged", "another transaction", "another app", "no transaction", "nonsense", "a forged renewal"])
    func `what cannot be believed is not kept, and said; the request is taken all the same`(
        spoiled: String
    ) async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            desk.clock.advance(by: .minutes(1))
            var (signed, renewal): (String?, String?) = try desk.answered()
            switch spoiled {
            case "forged": (signed, renewal) = try desk.answered(by: desk.evil)
            case "another transaction":
                (signed, renewal) = try desk.answered { $0["transactionId"] = "2000000900000013" }
            case "another app": (signed, renewal) = try desk.answered { $0["bundleId"] = "com.example.beta" }
            case "no transaction": signed = nil
            case "nonsense": signed = "a.b.c"
            default: renewal = try desk.answered(by: desk.evil).1
            }
            desk.advancedCommerce.script(
                .accepted(ScriptedCommerce.answer(200), signedTransaction: signed, signedRenewal: renewal))
            let asked = try await desk.ask(desk.refund("addon.a"))
            try await desk.work()
            #expect(try await desk.request(asked.id).state == .accepted)
            #expect(try await desk.count("refunds.renewals") == 0)
            let isTransactionGood = spoiled == "a forged renewal"
            #expect(
                try await desk.count("refunds.transactions where signed_at = \(desk.now)")
                    == (isTransactionGood ? 1 : 0))
            #expect(desk.lines.all.contains { $0.contains("what it signed in its answer is not believed") })
        }
    }

    // MARK: what follows

    @Test func `BL-078: a refund of one item is read at the item, and the other one stays`() async throws {
        try await Desk.open { desk in
            try await desk.know(desk.addOns())
            var both = desk.refund("addon.a")
            both.items += desk.refund("addon.b").items
            let asked = try await desk.ask(both)
            try await desk.work()
            desk.clock.advance(by: .minutes(20))
            try await desk.take(desk.note("REFUND", desk.refunded("addon.a")))
            let some = try await desk.request(asked.id)
            #expect(some.state == .accepted && some.stateReason == .partly)
            #expect(some.items.map { $0.refundedAt != nil } == [true, false])
            #expect(some.items.map { $0.revokedAt != nil } == [true, false])
            let look = try await desk.commerce.look(
                app: desk.alpha.app, environment: .production, transactionID: "2000000900000012")
            #expect(look.items.filter { $0.revokedAt != nil }.map(\.sku) == ["addon.a"])
            desk.clock.advance(by: .minutes(1))
            try await desk.take(desk.note("REFUND", desk.refunded("addon.a", "addon.b")))
            #expect(try await desk.request(asked.id).state == .refunded)
        }
    }

    @Test func `BL-082: without the risk option a consumption request is the customer's own`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.know(desk.addOns())
            let asked = try await desk.ask(desk.refund("addon.a"))
            try await desk.work()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.addOns()))
            #expect(desk.apple.calls.map(\.version) == [.v1])
            #expect(try await desk.request(asked.id).roundID == nil)
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
