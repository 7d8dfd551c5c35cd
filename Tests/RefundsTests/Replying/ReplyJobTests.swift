import FoundationEssentials
import HTTP
import Postgres
import Queue
import Support
import Tenants
import Testing
import Time

@testable import AppStore
@testable import Refunds

@Suite("The one call")
struct ReplyJobTests {
    private func request(
        _ desk: Desk, _ inner: J? = nil, _ change: (inout J) -> Void = { _ in }
    ) throws -> J { try desk.note("CONSUMPTION_REQUEST", inner ?? desk.tx(), change) }

    private func attempts(_ desk: Desk) async throws -> [String] {
        try await desk.test.asSuperuser(
            "select coalesce(result, 'in flight') as result from refunds.attempts order by round_id, attempt_no"
        )
        .map { try $0("result") }
    }

    // MARK: what is sent

    @Test func `BL-007: the call names the disputed transaction, not its original`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.take(request(desk, desk.sub()))
            #expect(desk.apple.calls.map(\.transactionID) == ["2000000900000012"])
            #expect(desk.apple.calls.first?.body.contains("consumptionPercentage") == false)
        }
    }

    @Test func `BL-010: without consent nothing is sent, with it the next request is answered`() async throws {
        try await Desk.open { desk in
            try await desk.take(request(desk))
            #expect(desk.apple.calls.isEmpty)
            #expect(try await desk.cases() == [.init(state: "withheld", reason: "no-consent", outcome: "pending")])
            desk.clock.advance(by: .minutes(1))
            // Given after the request: it does not reopen, it counts for the next.
            try await desk.consent(at: desk.now)
            try await desk.work()
            #expect(desk.apple.calls.isEmpty)
            desk.clock.advance(by: .minutes(1))
            try await desk.take(request(desk))
            #expect(desk.apple.calls.count == 1)
            #expect(desk.apple.calls.first?.body.contains(#""customerConsented":true"#) == true)
            #expect(try await desk.cases() == [.init(state: "answered", outcome: "pending")])
        }
    }

    @Test func `consent given before the request and learned later reopens it while there is time`() async throws {
        try await Desk.open { desk in
            let asked = desk.now
            try await desk.take(request(desk))
            desk.clock.advance(by: .hours(1))
            try await desk.consent(at: asked - .minutes(5))
            try await desk.work()
            #expect(desk.apple.calls.count == 1)
            #expect(try await desk.cases() == [.init(state: "answered", outcome: "pending")])
            #expect(try await desk.count("refunds.case_notes where kind = 'reopened'") == 1)
        }
    }

    @Test func `consent learned after the deadline reopens nothing`() async throws {
        try await Desk.open { desk in
            let asked = desk.now
            try await desk.take(request(desk))
            desk.clock.advance(by: .hours(12))
            try await desk.consent(at: asked - .minutes(5))
            try await desk.work()
            #expect(desk.apple.calls.isEmpty)
            #expect(try await desk.cases() == [.init(state: "withheld", reason: "no-consent", outcome: "pending")])
        }
    }

    @Test func `consent under any transaction of a purchase counts for its original`() async throws {
        try await Desk.open { desk in
            let app = desk.alpha.app
            let given = desk.now - .hours(1)
            // Reported under a month that we have not seen yet.
            _ = try await desk.database.transaction(app.tenant.scope) { tx in
                try await ConsentLedger.record(
                    .init(consented: true, recordedAt: given), of: .purchase(transactionID: "2000000900000011"),
                    tenant: app.tenant, app: app.id, at: desk.now, in: tx)
            }
            let without = desk.sub { $0["appAccountToken"] = nil }
            try await desk.take(request(desk, without))
            #expect(desk.apple.calls.isEmpty)
            var eleven = without
            eleven["transactionId"] = "2000000900000011"
            // Now the month is known to belong to the purchase: the consent was given in time, and learned late.
            try await desk.take(desk.note("DID_RENEW", eleven))
            #expect(desk.apple.calls.map(\.transactionID) == ["2000000900000012"])
            #expect(try await desk.cases() == [.init(state: "answered", outcome: "pending")])
        }
    }

    @Test func `BL-022: a buyer nobody saw is answered under consent of all, withheld without`() async throws {
        try await Desk.open(alpha: { $0.consent = .allFrom(WallClock.system.now - .days(2), wording: "v1") }) { desk in
            try await desk.take(request(desk, desk.tx { $0["appAccountToken"] = nil }))
            #expect(desk.apple.calls.count == 1)
            #expect(try await desk.count("refunds.cases where customer is null and state = 'answered'") == 1)
        }
        try await Desk.open { desk in
            try await desk.take(request(desk, desk.tx { $0["appAccountToken"] = nil }))
            #expect(desk.apple.calls.isEmpty)
            #expect(try await desk.cases() == [.init(state: "withheld", reason: "no-consent", outcome: "pending")])
        }
    }

    @Test func `a family member's copy is never answered`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.take(request(desk, desk.sub { $0["inAppOwnershipType"] = "FAMILY_SHARED" }))
            #expect(desk.apple.calls.isEmpty)
            #expect(try await desk.cases() == [.init(state: "withheld", reason: "family-shared", outcome: "pending")])
        }
    }

    @Test func `a delivery reported in time reopens what was withheld for want of it`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.take(
                request(desk) { $0["data"]?["consumptionRequestReason"] = "FULFILLMENT_ISSUE" })
            #expect(
                try await desk.cases() == [.init(state: "withheld", reason: "delivery-unreported", outcome: "pending")])
            try await desk.usage(share: 0)
            try await desk.work()
            #expect(desk.apple.calls.isEmpty)
            try await desk.usage(.delivered)
            try await desk.work()
            #expect(desk.apple.calls.count == 1)
            #expect(desk.apple.calls.first?.body.contains(#""refundPreference":"GRANT_FULL""#) == true)
        }
    }

    @Test func `the decision is kept with the values it saw, their source and time`() async throws {
        try await Desk.open(alpha: { $0.sampleContent = true }) { desk in
            try await desk.consent()
            try await desk.usage(share: 45_200)
            try await desk.take(request(desk))
            let text: String = try #require(
                try await desk.test.asSuperuser("select decision from refunds.rounds").first?("decision"))
            let decision = try JSONDecoder().decode(Decision.self, from: Data(text.utf8))
            #expect(decision.row == 8)
            #expect(decision.preference == .grantProrated)
            let saw = Dictionary(uniqueKeysWithValues: decision.saw.map { ($0.name, $0) })
            #expect(saw["deliveryStatus"]?.source == "by the app's setting")
            #expect(saw["sampleContentProvided"]?.value == "yes")
            #expect(saw["consumptionPercentage"]?.at == desk.now)
            #expect(
                desk.apple.calls.first?.body
                    == #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":true,"consumptionPercentage":45200,"refundPreference":"GRANT_PRORATED"}"#
            )
        }
    }

    @Test func `BL-083: a purchase with advancedCommerceInfo is answered in version 1`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.take(request(desk, desk.tx { $0["advancedCommerceInfo"] = ["requestReferenceId": "r"] }))
            #expect(desk.apple.calls.map(\.version) == [.v1])
            #expect(try await desk.count("refunds.replies where api = 1") == 1)
        }
    }

    // MARK: what comes back

    @Test func `BL-014: a permanent refusal ends it at once, with Apple's code`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            desk.apple.always(ScriptedApple.refused)
            try await desk.take(request(desk))
            try await desk.workOn(until: desk.now + .hours(1))
            #expect(desk.apple.calls.count == 1)
            #expect(try await desk.cases() == [.init(state: "refused", outcome: "pending")])
            #expect(
                try await desk.count(
                    "refunds.attempts where apple_code = 4000047 and apple_message = 'x' and status = 400") == 1)
        }
    }

    @Test func `BL-015: passing failures are repeated with the same bytes and growing waits`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            desk.apple.script(ScriptedApple.retry(500, code: 5_000_001), ScriptedApple.retry(504), ScriptedApple.reset)
            try await desk.take(request(desk))
            try await desk.workOn(until: desk.now + .minutes(2))
            let calls = desk.apple.calls
            #expect(calls.count == 4)
            #expect(Set(calls.map(\.body)).count == 1)
            let waits = zip(calls, calls.dropFirst()).map { ($1.at - $0.at).wholeMilliseconds }
            #expect(waits.count == 3 && waits[0] <= 2000 && waits[0] < waits[2])
            #expect(try await desk.cases() == [.init(state: "answered", outcome: "pending")])
            #expect(try await attempts(desk) == ["retry", "retry", "unknown", "accepted"])
        }
    }

    @Test func `BL-065: trouble that lasts ends missed, with the cause`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            desk.apple.always(ScriptedApple.retry(500))
            let signed = desk.now - .hours(12) + .seconds(60)
            // Consent must be older than the request.
            try await desk.consent(at: signed - .hours(1))
            try await desk.take(request(desk) { $0["signedDate"] = .number(signed.milliseconds) })
            try await desk.workOn(until: desk.now + .seconds(90))
            #expect(desk.apple.calls.count >= 3)
            #expect(try await desk.cases() == [.init(state: "missed", reason: "apple-unavailable", outcome: "pending")])
            #expect(try await desk.count("queue.jobs where kind <> 'past'") == 0)
        }
    }

    @Test func `a key that Apple refuses is tried at most five times in ten minutes, and its replies are kept`()
        async throws
    {
        try await Desk.open { desk in
            try await desk.consent()
            desk.apple.always(ScriptedApple.unauthenticated)
            for n in 1...6 {
                #expect(
                    try await desk.post(request(desk, desk.tx { $0["transactionId"] = .text("200000090000000\(n)") }))
                        == .accepted)
            }
            try await desk.workOn(until: desk.now + .minutes(10) - .seconds(1))
            #expect((1...5).contains(desk.apple.calls.count))
            #expect(try await desk.count("refunds.cases where state = 'open'") == 6)
            // A repaired key starts again, without a new notification.
            desk.apple.always(nil)
            try await desk.addKey("ABCDE12345")
            try await desk.workOn(until: desk.now + .minutes(3))
            #expect(try await desk.count("refunds.cases where state = 'answered'") == 6)
        }
    }

    @Test func `without a key the reply waits for one`() async throws {
        try await Desk.open(withKey: false) { desk in
            try await desk.consent()
            try await desk.take(request(desk))
            #expect(desk.apple.calls.isEmpty)
            #expect(try await desk.cases() == [.init(state: "open", outcome: "pending")])
            try await desk.addKey("ABCDE12345")
            try await desk.workOn(until: desk.now + .seconds(20))
            #expect(desk.apple.calls.count == 1)
        }
    }

    @Test func `a 429 holds the calls of its lane, and not its other work`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            let until = desk.now + .minutes(5)
            desk.apple.script(.rateLimited(ScriptedApple.answered(429), until: until))
            try await desk.take(request(desk))
            try await desk.take(request(desk, desk.tx { $0["transactionId"] = "2000000900000002" }))
            try await desk.take(
                request(
                    desk,
                    desk.tx {
                        $0["transactionId"] = "2000000900000003"; $0["environment"] = "Sandbox"
                    }))
            #expect(desk.apple.calls.map(\.transactionID) == ["2000000900000001", "2000000900000003"])
            try await desk.take(desk.note("REFUND", desk.tx { $0["transactionId"] = "2000000900000004" }))
            #expect(try await desk.count("refunds.cases where outcome = 'refunded'") == 1)
            try await desk.workOn(until: until + .minutes(1))
            #expect(try await desk.count("refunds.cases where state = 'answered'") == 3)
        }
    }

    // MARK: what others do meanwhile

    @Test func `Apple decides first: nothing is sent`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            let signed = desk.now
            desk.clock.advance(by: .minutes(1))
            try await desk.take(desk.note("REFUND", desk.tx()))
            try await desk.take(request(desk) { $0["signedDate"] = .number(signed.milliseconds) })
            #expect(desk.apple.calls.isEmpty)
            #expect(try await desk.cases() == [.init(state: "overtaken", outcome: "refunded")])
        }
    }

    @Test func `a second request while the first is unsent: only the newest is answered`() async throws {
        try await Desk.open(withKey: false) { desk in
            try await desk.consent()
            try await desk.take(request(desk))
            desk.clock.advance(by: .minutes(1))
            try await desk.take(request(desk))
            try await desk.addKey("ABCDE12345")
            try await desk.workOn(until: desk.now + .minutes(1))
            #expect(desk.apple.calls.count == 1)
            let rows = try await desk.test.asSuperuser("select state from refunds.rounds order by requested_at")
            #expect(try rows.map { try $0("state") as String } == ["superseded", "answered"])
        }
    }

    @Test func `withdrawn between two calls: no repeat, withheld, and it says that one may have arrived`() async throws
    {
        try await Desk.open { desk in
            try await desk.consent()
            desk.apple.script(ScriptedApple.reset)
            try await desk.take(request(desk))
            try await desk.consent(false, at: desk.now)
            try await desk.workOn(until: desk.now + .minutes(5))
            #expect(desk.apple.calls.count == 1)
            #expect(try await desk.cases() == [.init(state: "withheld", reason: "no-consent", outcome: "pending")])
            let note: String = try #require(
                try await desk.test.asSuperuser("select detail from refunds.case_notes").first?("detail"))
            #expect(note.contains("One call may have arrived."))
        }
    }

    @Test func `a withdrawal waits for a call that is being begun, and one that came first stops it`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            #expect(try await desk.post(request(desk)) == .accepted)
            let read = try #require(try await desk.claim(.notification))
            try await desk.run(read)
            try await desk.consent(false, at: desk.now)
            try await desk.work()
            #expect(desk.apple.calls.isEmpty)
            #expect(try await desk.count("refunds.replies") == 0)
        }
    }

    @Test func `a request that Apple first delivers after its deadline is sent once, at once, marked late`()
        async throws
    {
        try await Desk.open { desk in
            let signed = desk.now - .hours(13)
            try await desk.consent(at: signed - .hours(1))
            desk.apple.script(ScriptedApple.noConnection)
            try await desk.take(request(desk) { $0["signedDate"] = .number(signed.milliseconds) })
            try await desk.workOn(until: desk.now + .minutes(1))
            #expect(desk.apple.calls.count == 2)
            #expect(try await desk.count("refunds.rounds where state = 'answered' and late") == 1)
        }
    }

    @Test func `a late one that may have arrived is not repeated`() async throws {
        try await Desk.open { desk in
            let signed = desk.now - .hours(13)
            try await desk.consent(at: signed - .hours(1))
            desk.apple.script(ScriptedApple.retry(500))
            try await desk.take(request(desk) { $0["signedDate"] = .number(signed.milliseconds) })
            try await desk.workOn(until: desk.now + .minutes(11))
            #expect(desk.apple.calls.count == 1)
            #expect(try await desk.cases() == [.init(state: "missed", reason: "apple-unavailable", outcome: "pending")])
        }
    }

    @Test func `the deadline passes without any traffic: missed`() async throws {
        try await Desk.open(withKey: false) { desk in
            let signed = desk.now - .hours(12) + .minutes(3)
            try await desk.consent(at: signed - .hours(1))
            try await desk.take(request(desk) { $0["signedDate"] = .number(signed.milliseconds) })
            try await desk.workOn(until: desk.now + .minutes(4))
            #expect(try await desk.cases() == [.init(state: "missed", reason: "not-attempted", outcome: "pending")])
            #expect(try await desk.count("queue.jobs where kind <> 'past'") == 0)
        }
    }

    @Test func `many workers at once: every request is answered once, and nobody waits for each other`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            // Ten purchases, each with a request, a repeat of it, an ordinary notification and a second request.
            var bodies: [[UInt8]] = []
            for n in 0..<10 {
                let inner = desk.tx { $0["transactionId"] = .text("20000009000001\(n)") }
                let first = try request(desk, inner)
                let second = try request(desk, inner) {
                    $0["signedDate"] = .number((desk.now + .seconds(1)).milliseconds)
                }
                for note in [first, first, try desk.note("ONE_TIME_CHARGE", inner), second] {
                    bodies.append(try desk.body(note))
                }
            }
            let shuffled = bodies.shuffled()
            await withTaskGroup(of: Void.self) { group in
                for body in shuffled { group.addTask { _ = await desk.post(body) } }
            }
            // The database's permits are fifty a second; here they are not what is tested.
            try await desk.test.asSuperuser("update queue.lanes set call_spacing = '0'")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 { group.addTask { try await desk.work() } }
                try await group.waitForAll()
            }
            try await desk.workOn(until: desk.now + .seconds(30))
            #expect(try await desk.cases() == Array(repeating: .init(state: "answered", outcome: "pending"), count: 10))
            #expect(try await desk.count("refunds.attempts where result <> 'accepted'") == 0)
            #expect(try await desk.count("refunds.rounds where state not in ('answered', 'superseded')") == 0)
            #expect(try await desk.count("refunds.facts") == 30)
            // A first request may be answered before its second is known; never one of them twice.
            #expect(Int64(desk.apple.calls.count) == (try await desk.count("refunds.attempts")))
            #expect((10...20).contains(desk.apple.calls.count))
        }
    }

    // MARK: where the process may die

    /// A reply job that was claimed, for a request that may be answered.
    private func claimed(_ desk: Desk) async throws -> Job {
        try await desk.consent()
        #expect(try await desk.post(request(desk)) == .accepted)
        try await desk.run(try #require(try await desk.claim(.notification)))
        return try #require(try await desk.claim(.reply))
    }

    private func begin(_ desk: Desk, _ job: Job) async throws -> ReplyCall {
        for _ in 0..<2 {
            switch try await desk.replies.begin(job, ReplySubject(job)) {
            case .call(let call): return call
            case .needsToken(let key, let app): try await desk.replies.tokens.make(key, app)
            case .finished: break
            }
        }
        struct NotBegun: Error {}
        throw NotBegun()
    }

    /// The time until which a call that was begun must be waited for is over.
    private func giveUp(_ desk: Desk) async throws {
        try await desk.test.asSuperuser(
            "update refunds.attempts set started_at = started_at - interval '1 minute', send_by = send_by - interval '1 minute', give_up_at = give_up_at - interval '1 minute' where ended_at is null"
        )
    }

    @Test func `BL-064: killed after begin: one body, and the same bytes when its time is over`() async throws {
        try await Desk.open { desk in
            let call = try await begin(desk, try await claimed(desk))
            try await desk.rescue()
            try await desk.work()
            #expect(desk.apple.calls.isEmpty, "nobody may call while the first call may still be under way")
            #expect(try await desk.count("refunds.cases where state = 'open'") == 1)
            try await giveUp(desk)
            try await desk.workOn(until: desk.now + .minutes(1))
            #expect(desk.apple.calls.map(\.body) == [String(decoding: call.body, as: UTF8.self)])
            #expect(try await attempts(desk) == ["unknown", "accepted"])
            #expect(try await desk.count("refunds.replies") == 1)
        }
    }

    @Test func `BL-064: killed between sending and settling: one repeat of the same bytes`() async throws {
        try await Desk.open { desk in
            let call = try await begin(desk, try await claimed(desk))
            #expect(await desk.replies.perform(call).result == .accepted)
            try await desk.rescue()
            try await giveUp(desk)
            try await desk.workOn(until: desk.now + .minutes(1))
            #expect(desk.apple.calls.count == 2)
            #expect(Set(desk.apple.calls.map(\.body)).count == 1)
            #expect(try await desk.cases() == [.init(state: "answered", outcome: "pending")])
        }
    }

    @Test func `a frozen worker finds its permission expired and sends nothing`() async throws {
        try await Desk.open { desk in
            let job = try await claimed(desk)
            let call = try await begin(desk, job)
            let frozen = call.permitted(until: .now - .seconds(1))
            let result = await desk.replies.perform(frozen)
            #expect(result.result == .notSent)
            #expect(desk.apple.calls.isEmpty)
            await desk.replies.settle(frozen, with: result, job)
            try await desk.workOn(until: desk.now + .minutes(1))
            #expect(try await attempts(desk) == ["not-sent", "accepted"])
        }
    }

    @Test func `a worker that is stopped before the call's turn sends nothing, and another does`() async throws {
        try await Desk.open { desk in
            let job = try await claimed(desk)
            var call = try await begin(desk, job)
            call.permit = CallPermit(after: .zero, asked: .now + .seconds(60), given: .now + .seconds(60))
            let waiting = call
            let task = Task { await desk.replies.perform(waiting) }
            task.cancel()
            let result = await task.value
            #expect(result.result == .notSent)
            #expect(desk.apple.calls.isEmpty)
            await desk.replies.settle(call, with: result, job)
            try await desk.workOn(until: desk.now + .minutes(1))
            #expect(try await attempts(desk) == ["not-sent", "accepted"])
        }
    }

    @Test func `a worker that lost its job still records what it learned`() async throws {
        try await Desk.open { desk in
            let job = try await claimed(desk)
            let call = try await begin(desk, job)
            let result = await desk.replies.perform(call)
            try await desk.rescue()
            try await giveUp(desk)
            // Another worker finds the call without an end: unknown, and repeats it.
            try await desk.workOn(until: desk.now + .minutes(1))
            #expect(desk.apple.calls.count == 2)
            await desk.replies.settle(call, with: result, job)
            // Once one of them is accepted no other may be: the first stays what it was found to be.
            #expect(try await attempts(desk) == ["unknown", "accepted"])
            #expect(try await desk.cases() == [.init(state: "answered", outcome: "pending")])
        }
    }

    @Test func `a late 202 after the deadline is an answer, marked late`() async throws {
        try await Desk.open { desk in
            let job = try await claimed(desk)
            let call = try await begin(desk, job)
            try await giveUp(desk)
            desk.clock.advance(by: .hours(12))
            try await desk.rescue()
            try await desk.work()
            #expect(try await desk.cases() == [.init(state: "missed", reason: "result-unknown", outcome: "pending")])
            await desk.replies.settle(call, with: ReplyResult(.accepted(ScriptedApple.answered(202))), job)
            #expect(try await desk.cases() == [.init(state: "answered", outcome: "pending")])
        }
    }

    @Test func `two workers on one case: one call`() async throws {
        try await Desk.open { desk in
            let job = try await claimed(desk)
            _ = try await begin(desk, job)
            // The rescuer gave the job to somebody else too early.
            try await desk.rescue()
            let other = try #require(try await desk.claim(.reply))
            if case .call = try await desk.replies.begin(other, ReplySubject(other)) {
                Issue.record("a second call was begun beside one in flight")
            }
            #expect(try await attempts(desk) == ["in flight"])
        }
    }

    @Test func `the database is away at the end: the result is kept and recorded when it is back`() async throws {
        try await Desk.open { desk in
            let job = try await claimed(desk)
            let call = try await begin(desk, job)
            let result = await desk.replies.perform(call)
            try await desk.test.asSuperuser("alter table refunds.attempts rename to away")
            async let settled: Void = desk.replies.settle(call, with: result, job)
            try await Task.sleep(for: .milliseconds(300))
            try await desk.test.asSuperuser("alter table refunds.away rename to attempts")
            await settled
            #expect(try await attempts(desk) == ["accepted"])
        }
    }

    @Test func `tenant A's Apple is dead, and tenant B is answered`() async throws {
        try await Desk.open { desk in
            let beta = desk.beta.app
            _ = try await desk.database.transaction(beta.tenant.scope) { tx in
                try await ConsentLedger.record(
                    .init(consented: true, recordedAt: desk.now - .hours(1)),
                    of: .customer(appAccountToken: "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c111"), tenant: beta.tenant,
                    app: beta.id, at: desk.now, in: tx)
            }
            try await desk.consent()
            for n in 1...5 {
                #expect(
                    try await desk.post(request(desk, desk.tx { $0["transactionId"] = .text("200000090000000\(n)") }))
                        == .accepted)
            }
            let note = try request(desk, desk.tx { $0["bundleId"] = "com.example.beta" }) {
                $0["data"]?["bundleId"] = "com.example.beta"
                $0["data"]?["appAppleId"] = 6_450_000_002
            }
            #expect(try await desk.post(note, to: desk.beta) == .accepted)
            desk.apple.always(ScriptedApple.retry(500), of: desk.alpha.app.tenant)
            try await desk.work()
            #expect(
                try await desk.count("refunds.cases where tenant_id = \(beta.tenant.rawValue) and state = 'answered'")
                    == 1)
            #expect(try await desk.count("refunds.cases where state = 'open'") == 5)
        }
    }
}

extension ReplyCall {
    /// The same call with another end of its permission.
    fileprivate func permitted(until moment: ContinuousClock.Instant) -> ReplyCall {
        var call = self
        let start = moment - CallPermit.permission
        call.permit = CallPermit(after: .zero, asked: start, given: start)
        return call
    }
}
