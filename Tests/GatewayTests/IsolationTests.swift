import Foundation
import HTTP
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Gateway

/// Walks every call of the API with what belongs to another tenant. A new call is walked too: one whose parts are not
/// known here fails the test.
@Suite struct `Isolation of the API` {
    private static let customer = "7e3fb204-2f6d-4a3c-9d5e-6a1c0f9b8e21"
    private static let transaction = "2000000900000001"

    private static func bodies(_ route: Route) -> String? {
        switch route.method {
        case .get: nil
        default:
            route.pattern.hasSuffix("consent")
                ? #"{"consented":true}"#
                : route.pattern.hasSuffix("commerce-requests")
                    ? #"{"kind":"cancel","environment":"Production","transactionId":"\#(transaction)"}"#
                    : route.pattern.hasSuffix("usage-batches")
                        ? #"{"usage":[{"transactionId":"\#(transaction)","observedAt":1781524800000,"consumptionPercentage":1}]}"#
                        : #"{"observedAt":1781524800000,"consumptionPercentage":1}"#
        }
    }

    private static func target(_ pattern: String, bundleID: String, caseID: UUID) throws -> String {
        var path = pattern
        for (name, value) in [
            ("{bundleId}", bundleID), ("{caseId}", caseID.uuidString.lowercased()), ("{appAccountToken}", customer),
            ("{transactionId}", transaction), ("{requestId}", caseID.uuidString.lowercased()),
        ] { path = path.replacingOccurrences(of: name, with: value) }
        try #require(!path.contains("{"), "\(pattern) has a part that this test has no foreign value for")
        return path
    }

    /// A case of beta's and a commerce request of the same id, as bare as they can be.
    private static func theirCase(_ desk: GatewayDesk) async throws -> UUID {
        let id = UUID()
        _ = try await desk.test.database.transaction(desk.beta.app.tenant.scope) { tx in
            try await tx.execute(
                """
                insert into refunds.cases (tenant_id, case_id, app_id, environment, transaction_id,
                  original_transaction_id, product_id, state, outcome, listed_at, deadline)
                values (\(desk.beta.app.tenant.rawValue), \(id), \(desk.beta.app.id.rawValue), 'Production',
                  \(transaction), \(transaction), 'coins', 'open', 'pending', now(), now())
                """)
            try await tx.execute(
                """
                insert into refunds.commerce_requests (tenant_id, request_id, app_id, environment, kind, transaction_id,
                  original_transaction_id, request_reference_id, idempotency_key, asked_sha256, state, asked_at,
                  listed_at, changed_at)
                values (\(desk.beta.app.tenant.rawValue), \(id), \(desk.beta.app.id.rawValue), 'Production', 'cancel',
                  \(transaction), \(transaction), gen_random_uuid(), 'one', sha256(''), 'draft', now(), now(), now())
                """)
        }
        return id
    }

    private static func counts(_ desk: GatewayDesk) async throws -> [Int64] {
        let row = try await desk.test.asSuperuser(
            """
            select (select count(*) from refunds.consent_changes) as c, (select count(*) from refunds.usage) as u,
              (select count(*) from refunds.cases) as k, (select count(*) from tenants.audit) as a
            """
        ).first
        return try ["c", "u", "k", "a"].map { try row?($0) ?? -1 }
    }

    @Test func `BL-062: on every call what is another tenant's is answered like what never was, and nothing changes`()
        async throws
    {
        try await GatewayDesk.open { desk in
            let theirs = try await Self.theirCase(desk)
            for subject in ["customers/\(Self.customer)", "transactions/\(Self.transaction)"] {
                let told = try await desk.call(
                    "PUT /api/v1/apps/com.example.beta/\(subject)/consent", #"{"consented":true}"#,
                    token: desk.beta.token)
                try #require(told.status == 200)
            }
            let before = try await Self.counts(desk)
            var walked = 0
            for route in desk.routes where route.pattern.contains("{") && route.pattern.hasPrefix("/api/") {
                walked += 1
                let body = Self.bodies(route)
                let foreign = try await desk.call(
                    "\(route.method.name) \(Self.target(route.pattern, bundleID: "com.example.beta", caseID: theirs))",
                    body)
                let random = try await desk.call(
                    "\(route.method.name) \(Self.target(route.pattern, bundleID: "com.example.nobody", caseID: UUID()))",
                    body)
                #expect(foreign.status == 404 && random.status == 404, "\(route.method) \(route.pattern)")
                #expect(foreign.body == random.body, "\(route.method) \(route.pattern)")
                // The owner of it gets it: what was asked for does exist.
                if route.method == .get {
                    let own = try await desk.call(
                        "GET \(Self.target(route.pattern, bundleID: "com.example.beta", caseID: theirs))",
                        token: desk.beta.token)
                    #expect(own.status == 200, "\(route.pattern)")
                }
            }
            #expect(walked >= 8)
            #expect(try await Self.counts(desk) == before)
        }
    }

    @Test func `a closed tenant's address and token answer as if they had never been`() async throws {
        try await GatewayDesk.open { desk in
            let body = try desk.test()
            #expect(try await desk.post(body).status == 200)
            try await desk.test.asSuperuser("update tenants.tenants set closed_at = now() where slug = 'alpha'")
            desk.directory.drop()
            #expect(try await desk.post(body).status == 404)
            #expect(try await desk.call("GET /api/v1/apps/com.example.alpha/cases").status == 401)
            #expect(
                try await desk.call("GET /api/v1/apps/com.example.beta/cases", token: desk.beta.token).status == 200)
        }
    }
}
