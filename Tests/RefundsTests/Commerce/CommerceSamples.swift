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

    private let state = Mutex<(calls: [Call], script: [AdvancedCommerceResult], body: [UInt8])>(([], [], []))

    var calls: [Call] { state.withLock { $0.calls } }
    /// The next answers; afterwards Apple takes everything.
    func script(_ results: AdvancedCommerceResult...) { state.withLock { $0.script += results } }
    func say(_ body: String) { state.withLock { $0.body = Array(body.utf8) } }

    func answer(_ call: CommerceJob.Call) -> AdvancedCommerceAPI.Outcome {
        state.withLock { state in
            state.calls.append(
                Call(
                    kind: call.request.kind, transactionID: call.request.transactionID,
                    body: String(decoding: call.body, as: UTF8.self), attempt: call.attempt))
            let result =
                state.script.isEmpty
                ? .accepted(Self.answer(200), signedTransaction: nil, signedRenewal: nil) : state.script.removeFirst()
            return AdvancedCommerceAPI.Outcome(result: result, body: state.body)
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
            journal: .silent, counters: test.counters
        ) { call, _ in advancedCommerce.answer(call) }
    }

    var commerce: CommerceDesk {
        CommerceDesk(
            database: database, apple: side, vault: vault, tokens: TokenCache(), bell: bell, clock: clock.clock,
            journal: .silent)
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

    func request(_ id: UUID) async throws -> CommerceRequest {
        let found = try await Records(database: database).commerceRequest(of: alpha.app.tenant, id: id)
        guard let found else { throw CommerceRefused.noSuchRequest }
        return found
    }
}
