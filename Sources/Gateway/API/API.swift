import HTTP
import Refunds
import Tenants
import Time

/// `/api/v1`: what an app's own backend reports and asks.
struct API: Sendable {
    private let door: APIDoor
    private let consent: ConsentCalls
    private let usage: UsageCalls
    private let cases: CaseCalls
    private let overrides: OverrideCalls
    private let commerce: CommerceCalls

    init(
        tokens: APITokens, reports: Reports, records: Records, commerce desk: CommerceDesk, deciding: DecidingDesk,
        clock: WallClock
    ) {
        door = APIDoor(tokens: tokens, reports: reports, clock: clock)
        consent = ConsentCalls(reports: reports)
        usage = UsageCalls(reports: reports)
        cases = CaseCalls(records: records, deciding: deciding)
        overrides = OverrideCalls(deciding: deciding)
        commerce = CommerceCalls(desk: desk, records: records)
    }

    private static let app = "/api/v1/apps/{bundleId}"
    private static let customer = "\(app)/customers/{appAccountToken}"
    private static let transaction = "\(app)/transactions/{transactionId}"

    /// Paths that name a customer or a purchase are sensitive: the access log says who called what, not about whom.
    var routes: [Route] {
        [
            Route(.get, "/api/v1/openapi.json") { _, _ in .json(OpenAPI.bytes) },
            Route(
                .put, "\(Self.customer)/consent", sensitive: true,
                door.appCall(.consent) { try await consent.record($0, $1, .customer) }),
            Route(
                .get, "\(Self.customer)/consent", sensitive: true,
                door.appCall(.consent) { try await consent.show($0, $1, .customer) }),
            Route(
                .put, "\(Self.transaction)/consent", sensitive: true,
                door.appCall(.consent) { try await consent.record($0, $1, .purchase) }),
            Route(
                .get, "\(Self.transaction)/consent", sensitive: true,
                door.appCall(.consent) { try await consent.show($0, $1, .purchase) }),
            Route(
                .put, "\(Self.transaction)/usage", sensitive: true,
                door.appCall(.usage) { try await usage.record($0, $1) }),
            Route(
                .post, "\(Self.app)/usage-batches", bodyMax: UsageCalls.batchBytesMax,
                door.appCall(.usage) { try await usage.recordBatch($0, $1) }),
            Route(.get, "\(Self.app)/cases", door.appCall(.cases) { try await cases.list($0, $1) }),
            Route(.get, "/api/v1/cases/{caseId}", door.call(.cases) { try await cases.show($0) }),
            Route(.post, "/api/v1/cases/{caseId}/answer", door.call(.answers) { try await cases.answer($0) }),
            Route(.put, "/api/v1/cases/{caseId}/customer", door.call(.answers) { try await cases.nameCustomer($0) }),
            Route(
                .delete, "/api/v1/cases/{caseId}/customer", door.call(.answers) { try await cases.unnameCustomer($0) }),
            Route(.get, "\(Self.app)/overrides", door.appCall(.answers) { try await overrides.list($0, $1) }),
            Route(
                .put, "\(Self.customer)/override", sensitive: true,
                door.appCall(.answers) { try await overrides.set($0, $1) }),
            Route(
                .delete, "\(Self.customer)/override", sensitive: true,
                door.appCall(.answers) { try await overrides.remove($0, $1) }),
            Route(
                .post, "\(Self.app)/commerce-requests", bodyMax: CommerceCalls.bodyMax,
                door.appCall(.commerce) { try await commerce.ask($0, $1) }),
            Route(
                .get, "\(Self.app)/commerce-requests", door.appCall(.commerce) { try await commerce.list($0, $1) }),
            Route(
                .get, "/api/v1/commerce-requests/{requestId}", door.call(.commerce) { try await commerce.show($0) }),
        ]
    }
}
