@testable import AppStore
import FoundationEssentials
import HTTP
import Journal
import Postgres
import Queue
import Support
import Synchronization
import Tenants
import Time

@testable import Refunds

/// Apple's Advanced Commerce API, scripted; remembers every call.
final class ScriptedCommerce: Sendable {
    struct Call: Sendable {
        let kind: CommerceKind
        let transactionID: String
        let body: String
        let attempt: Int
    }

    private struct State {
        var calls: [Call] = []
        var script: [AdvancedCommerceResult] = []
        var body: [UInt8] = []
        var taken: Set<String> = []
    }

    private let state = Mutex(State())

    var calls: [Call] { state.withLock { $0.calls } }
    /// The references under which Apple took a request: as many refunds as there are of them.
    var references: Set<String> { state.withLock { $0.taken } }
    /// The next answers; afterwards Apple takes each reference once, as it does.
    func script(_ results: AdvancedCommerceResult...) { state.withLock { $0.script += results } }
    func say(_ body: String) { state.withLock { $0.body = Array(body.utf8) } }

    func answer(_ call: CommerceJob.Call) -> AdvancedCommerceAPI.Outcome {
        state.withLock { state in
            state.calls.append(
                Call(
                    kind: call.request.kind, transactionID: call.request.transactionID,
                    body: String(decoding: call.body, as: UTF8.self), attempt: call.attempt))
            if !state.script.isEmpty {
                return AdvancedCommerceAPI.Outcome(result: state.script.removeFirst(), body: state.body)
            }
            let isNew = state.taken.insert(call.request.requestReferenceID.text).inserted
            return AdvancedCommerceAPI.Outcome(
                result: isNew
                    ? .accepted(Self.answer(200), signedTransaction: nil, signedRenewal: nil)
                    : .refused(Self.answer(400, CommerceErrorWords.repeatedReference)), body: state.body)
        }
    }

    static func answer(_ status: Int, _ code: Int64? = nil) -> AppleAnswer {
        AppleAnswer(
            family: .advancedCommerce, status: status, code: code, message: code.map { "code \($0)" }, requestID: nil,
            receivedAt: WallClock.system.now, clockOffset: nil)
    }
}

extension Desk {
    var commerceJob: CommerceJob {
        CommerceJob(
            database: database, vault: vault, tokens: replies.tokens, apple: side, clock: clock.clock,
            journal: Journal(level: .debug, clock: clock.clock) { lines.add($0) }, counters: test.counters,
            lateness: Lateness()
        ) { call, _ in advancedCommerce.answer(call) }
    }

    var commerce: CommerceDesk { commerce() }

    /// The desk of this process or of another one, at another Apple where one is given.
    func commerce(on database: Database? = nil, at apple: AppleSide? = nil) -> CommerceDesk {
        CommerceDesk(
            database: database ?? self.database, apple: apple ?? side, vault: vault, tokens: TokenCache(), bell: bell,
            clock: clock.clock, journal: .silent)
    }

    static let asker = CommerceActor.person(PersonID(rawValue: UUID()), .support, address: nil)

    /// A subscription with three items, 9.99 USD in all.
    func addOns(_ change: (inout J) -> Void = { _ in }) -> J {
        sub {
            let items: [J] = [
                ["SKU": "base", "price": 4990], ["SKU": "addon.a", "price": 3000], ["SKU": "addon.b", "price": 2000],
            ]
            $0["advancedCommerceInfo"] = ["items": .array(items)]
            change(&$0)
        }
    }

    /// The same purchase after these items were refunded in full and ended, just now.
    func refunded(_ skus: String...) -> J {
        addOns {
            let at = now.milliseconds
            let items = [("base", 4990), ("addon.a", 3000), ("addon.b", 2000)].map { sku, price -> J in
                var item: J = ["SKU": .text(sku), "price": .number(Int64(price))]
                if skus.contains(sku) {
                    let refunds: [J] = [
                        ["refundAmount": .number(Int64(price)), "refundDate": .number(at), "refundType": "FULL"]
                    ]
                    item["refunds"] = .array(refunds)
                    item["revocationDate"] = .number(at)
                }
                return item
            }
            $0["advancedCommerceInfo"] = ["items": .array(items)]
        }
    }

    /// What Apple signs in its answer to a call: the purchase as it is now, and its renewal, which is off.
    func answered(by signer: AppleSigner? = nil, _ change: (inout J) -> Void = { _ in }) throws -> (String, String) {
        let renewal: J = [
            "originalTransactionId": "2000000900000010", "productId": "pro.monthly",
            "autoRenewProductId": "pro.monthly", "autoRenewStatus": 0, "environment": "Production",
            "signedDate": .number(now.milliseconds), "renewalDate": .number((now + .days(20)).milliseconds),
        ]
        return (try (signer ?? chain).sign(addOns(change)), try (signer ?? chain).sign(renewal))
    }

    /// Apple's notification of the purchase.
    func know(_ transaction: J) async throws { try await take(note("SUBSCRIBED", transaction)) }

    func refund(
        _ sku: String, _ type: CommerceRefundType = .full, amount: Int64? = nil, risking: Bool = false
    ) -> CommerceIntention {
        CommerceIntention(
            kind: .refund, environment: .production, transactionID: "2000000900000012",
            items: [
                CommerceItem(
                    sku: sku, refundReason: .unsatisfiedWithPurchase, refundType: type, refundAmount: amount,
                    revoke: true)
            ], refundRiskingPreference: risking)
    }

    func ask(
        _ intention: CommerceIntention, key: String = "k1", by actor: CommerceActor = Desk.asker,
        acceptsWarnings: Bool = false
    ) async throws -> CommerceRequest {
        try await commerce.ask(
            intention, app: alpha.app, by: actor, idempotencyKey: key, acceptsWarnings: acceptsWarnings
        ).request
    }

    /// Refunds of one item of as many purchases, in the order of asking.
    func askForSeveral(_ count: Int) async throws -> [CommerceRequest] {
        let ids = (0..<count).map { "20000009000001\(20 + $0)" }
        for id in ids { try await know(addOns { $0["transactionId"] = .text(id) }) }
        var asked: [CommerceRequest] = []
        for (n, id) in ids.enumerated() {
            var intention = refund("addon.a")
            intention.transactionID = id
            asked.append(try await ask(intention, key: "several-\(n)"))
            clock.advance(by: .milliseconds(1))
        }
        return asked
    }

    /// One request is sent and taken: Apple is known to accept the key.
    func proveKey() async throws {
        try await know(addOns())
        _ = try await ask(refund("addon.a"), key: "proof")
        try await work()
        try await test.asSuperuser("update queue.lanes set free_at = clock_timestamp()")
    }

    /// Claims all jobs of a kind that are due, in the order of asking.
    func claimAll(_ kind: RefundJobs.Kind) async throws -> [Job] {
        var jobs: [Job] = []
        while let job = try await claim(kind) {
            jobs.append(
                Job(
                    tenant: job.tenant, id: job.id, lane: job.lane, kind: job.kind, subject: job.subject,
                    attempts: job.attempts, deadline: job.deadline, claim: 7, worker: job.worker))
        }
        try await test.asSuperuser("update queue.jobs set claim = 7 where state = 'running'")
        return jobs
    }

    func request(_ id: UUID) async throws -> CommerceRequest {
        let found = try await Records(database: database).commerceRequest(of: alpha.app.tenant, id: id)
        guard let found else { throw CommerceRefused.noSuchRequest }
        return found
    }
}
