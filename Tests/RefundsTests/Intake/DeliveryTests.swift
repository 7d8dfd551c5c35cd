import AppStore
import Crypto
import Journal
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

/// Whole deliveries by signers of every kind: what comes of them in the database.
@Suite struct `Deliveries and their signatures` {
    /// A way in that trusts one chain, over the desk's database.
    private struct Door {
        let desk: Desk
        let chain: SampleChain
        let intake: Intake
        let job: NotificationJob

        init(_ desk: Desk) throws {
            self.desk = desk
            chain = try SampleChain(now: desk.now)
            let side = AppleSide.sample(trusting: [chain.root], clock: desk.clock.clock)
            intake = Intake(
                apple: side, database: desk.database, headers: desk.headers, quarantine: desk.quarantine,
                bell: desk.bell, journal: .silent, counters: desk.test.counters)
            job = NotificationJob(
                apple: side, database: desk.database, directory: desk.directory, headers: desk.headers,
                bell: desk.bell, clock: desk.clock.clock, journal: .silent, counters: desk.test.counters)
        }

        func post(_ signed: String) async -> IntakeOutcome {
            await intake.receive(Sample.body(signed), inbox: desk.alpha, meta: desk.meta, at: desk.now)
        }

        /// A refund, signed by this chain at this time, inside and outside.
        func refund(by signer: SampleChain, at moment: Moment) throws -> SampleValue {
            try Sample.notification("REFUND", transaction: Sample.transaction(moment), chain: signer, at: moment)
        }
    }

    @Test func `BL-052, BL-053, BL-055, BL-058, BL-060, BL-096, BL-133: what is not Apple's is kept with its reason`()
        async throws
    {
        try await Desk.open { desk in
            let door = try Door(desk)
            let (chain, now) = (door.chain, desk.now)
            let note = try door.refund(by: chain, at: now)
            let evil = try SampleChain(now: now)
            let ended = try chain.withLeaf { $0.notAfter = now - .days(1) }
            let early = try chain.withLeaf { $0.notBefore = now + .days(1) }
            let oldAuthority = try chain.withIntermediate { $0.notAfter = now - .days(1) }
            let longAgo = try chain.withLeaf {
                $0.notBefore = now - .days(400)
                $0.notAfter = now - .days(30)
            }
            var xcode = Sample.notification("REFUND", now, environment: "Xcode")
            xcode["data"]?["signedTransactionInfo"] = .string(
                try chain.jws(Sample.transaction(now).with(["environment": "Xcode"])))
            let cases: [(signed: String, reason: JWSError.Reason, words: [String])] = [
                (
                    try evil.jws(
                        note, header: ["alg": "ES256", "x5c": [evil.x5c[0], chain.x5c[1], chain.x5c[2]]]),
                    .chainNotTrusted, []
                ), (try evil.jws(note), .chainNotTrusted, []),
                (
                    try chain.jws(xcode, header: ["alg": "ES256", "x5c": [chain.x5c[0]]]), .xcodeTestData, ["Xcode"]
                ), (try chain.jws(note, header: chain.header.with(["alg": "none"])), .algorithmNotAllowed, []),
                (
                    try ended.jws(note), .certificateExpired, ["Sample Receipt Signing", Self.day(now - .days(1))]
                ),
                (
                    try early.jws(note), .certificateNotYetValid,
                    ["Sample Receipt Signing", Self.day(now + .days(1))]
                ),
                (
                    try oldAuthority.jws(note), .certificateExpired,
                    ["Sample Developer Relations", Self.day(now - .days(1))]
                ), (try longAgo.jws(door.refund(by: longAgo, at: now - .days(60))), .signedTooLongAgo, []),
                (
                    try chain.jws(note, header: ["alg": "ES256", "x5c": chain.x5c[0]]), .certificateListInvalid, []
                ),
            ]
            for (number, one) in cases.enumerated() {
                guard case .rejected(let reason, _) = await door.post(one.signed) else {
                    Issue.record("\(one.reason) was not refused")
                    continue
                }
                #expect(reason == one.reason.rawValue)
                let kept = try await desk.test.asSuperuser(
                    "select reason, detail from refunds.refusals order by refusal_no desc")
                #expect(kept.count == number + 1)
                let detail: String = try kept[0]("detail")
                #expect(try kept[0]("reason") == one.reason.rawValue)
                for words in one.words { #expect(detail.contains(words), "\(detail)") }
            }
            #expect(try await desk.count("refunds.notifications") == 0)
            #expect(try await desk.count("queue.jobs") == 0)
            #expect(desk.apple.calls.isEmpty)
        }
    }

    /// As a certificate has it: without the part of a second.
    private static func day(_ moment: Moment) -> String { String(moment.iso8601.prefix(19)) }

    @Test func `BL-096: the last repeat of a refund is acted on, although its certificate has ended since`()
        async throws
    {
        try await Desk.open { desk in
            let door = try Door(desk)
            let ended = try door.chain.withLeaf { $0.notAfter = desk.now - .hours(1) }
            let first = desk.now - .hours(150)
            #expect(await door.post(try ended.jws(door.refund(by: ended, at: first))) == .accepted)
            try await door.job.run(try #require(try await desk.claim(.notification)))
            #expect(try await desk.count("refunds.notifications where standing = 'acted'") == 1)
            #expect(try await desk.cases() == [.init(state: "unasked", outcome: "refunded")])
        }
    }

    @Test(arguments: [
        (SampleValue?.none, String?.none), (.null, nil), ("", nil), ("user-123", "user-123"),
    ])
    func `BL-023: a refund request is answered whatever the customer's token is`(
        token: SampleValue?, customer: String?
    ) async throws {
        let since = WallClock.system.now - .days(2)
        try await Desk.open(alpha: { $0.consent = .allFrom(since, wording: "You agree.") }) { desk in
            let door = try Door(desk)
            var transaction = Sample.transaction(desk.now)
            transaction["appAccountToken"] = token
            transaction["advancedCommerceInfo"] = ["requestReferenceId": "7c0f5e3a-0000-4000-8000-000000000001"]
            let note = try Sample.notification(
                "CONSUMPTION_REQUEST", transaction: transaction, chain: door.chain, at: desk.now)
            #expect(await door.post(try door.chain.jws(note)) == .accepted)
            try await door.job.run(try #require(try await desk.claim(.notification)))
            try await desk.work()
            let row = try #require(try await desk.test.asSuperuser("select customer from refunds.cases").first)
            #expect(try row("customer") as String? == customer)
            #expect(desk.apple.calls.count == 1)
            // A text that is no UUID is never passed off as one.
            #expect(desk.apple.calls.first?.body.contains(#""appAccountToken":"""#) == true)
        }
    }
}
