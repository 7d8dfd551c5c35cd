import Foundation
import Postgres
import Support
import Tenants
import Testing
import Time

/// Customers with an answer of their own, set by the tenant's own server.
@Suite struct OverrideCallTests {
    private static let app = "/api/v1/apps/com.example.alpha"
    private static func line(_ customer: String) -> String { "\(app)/customers/\(customer)/override" }
    private static let customer = "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c111"

    private func json(_ response: RawResponse) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(response.text.utf8)) as? [String: Any])
    }

    @Test func `an answer is fixed, replaced by who names it, listed and removed`() async throws {
        try await GatewayDesk.open { desk async throws in
            let token = try await desk.token([.answers])
            func call(_ line: String, _ body: String? = nil) async throws -> RawResponse {
                try await desk.call(line, body, token: token)
            }
            let until = (WallClock.system.now + .days(30)).milliseconds
            let set = try await call(
                "PUT \(Self.line(Self.customer.uppercased()))",
                #"{"action": "hold", "reason": "Asks often.", "until": \#(until), "setBy": "Lee"}"#)
            #expect(set.status == 200, "\(set.text)")
            let fixed = try json(set)
            let id = try #require(fixed["id"] as? String)
            #expect(fixed["appAccountToken"] as? String == Self.customer && fixed["setBy"] as? String == "Lee")
            #expect(fixed["action"] as? String == "hold" && fixed["counts"] as? Bool == true)

            let other = #"{"action": "DECLINE", "reason": "So."}"#
            let overtaken = try await call("PUT \(Self.line(Self.customer))", other)
            #expect(overtaken.status == 409 && overtaken.text.contains(id))
            let replaced = try await call(
                "PUT \(Self.line(Self.customer))", #"{"action": "DECLINE", "reason": "So.", "replaces": "\#(id)"}"#)
            #expect(try replaced.status == 200 && json(replaced)["until"] == nil)
            let second = "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c222"
            #expect(try await call("PUT \(Self.line(second))", other).status == 200)

            let first = try json(try await call("GET \(Self.app)/overrides?limit=1"))
            let cursor = try #require(first["nextCursor"] as? String)
            let rest = try json(try await call("GET \(Self.app)/overrides?limit=1&cursor=\(cursor)"))
            let customers = [first, rest].flatMap { $0["overrides"] as? [[String: Any]] ?? [] }
                .compactMap { $0["appAccountToken"] as? String }
            #expect(customers == [second, Self.customer] && rest["nextCursor"] == nil)

            #expect(try await call("DELETE \(Self.line(second))").status == 200)
            #expect(try await call("DELETE \(Self.line(second))").status == 404)
            let log: Int64? = try await desk.test.asSuperuser(
                "select count(*) as n from tenants.audit where action like 'override.%' and token_id is not null"
            ).first?("n")
            #expect(log == 4)
        }
    }

    @Test func `it takes the scope of answers, and what is wrong is named`() async throws {
        try await GatewayDesk.open { desk async throws in
            let good = #"{"action": "DECLINE", "reason": "So."}"#
            let reader = try await desk.token([.cases, .consent])
            for line in [
                "GET \(Self.app)/overrides", "PUT \(Self.line(Self.customer))", "DELETE \(Self.line(Self.customer))",
            ] {
                #expect(try await desk.call(line, line.hasPrefix("PUT") ? good : nil, token: reader).status == 403)
            }
            #expect(try await desk.call("PUT \(Self.line("x"))", good).status == 404)
            for (body, status, member) in [
                (#"{"reason": "x"}"#, 400, "action"), (#"{"action": "MAYBE", "reason": "x"}"#, 400, "action"),
                (#"{"action": "hold"}"#, 400, "reason"), (#"{"action": "hold", "reason": " "}"#, 422, "reason"),
                (#"{"action": "hold", "reason": "x", "until": 1769947200000}"#, 422, "until"),
                (#"{"action": "hold", "reason": "x", "replaces": "y"}"#, 400, "replaces"),
                (#"{"action": "hold", "reason": "x", "replaces": "\#(UUID())"}"#, 409, "replaces"),
                (#"{"action": "hold", "reason": "x", "setBy": ""}"#, 400, "setBy"),
                (#"{"action": "hold", "reason": "x", "who": ""}"#, 400, "who"),
            ] {
                let refused = try await desk.call("PUT \(Self.line(Self.customer))", body)
                #expect(
                    try refused.status == status && json(refused)["member"] as? String == member, "\(refused.text)")
            }
            for query in ["limit=0", "limit=101", "cursor=x", "state=x"] {
                #expect(try await desk.call("GET \(Self.app)/overrides?\(query)").status == 400)
            }
            let kept: Int64? = try await desk.test.asSuperuser("select count(*) as n from refunds.overrides").first?(
                "n")
            #expect(kept == 0)
        }
    }
}
