import Foundation
import Postgres
import Support
import Tenants
import Testing
import Time

/// Requests that wait for a person, answered by the tenant's own server.
@Suite struct AnswerCallTests {
    /// A case that waits, as the engine leaves it; its id.
    private func held(_ side: GatewayDesk.Side, _ desk: GatewayDesk) async throws -> UUID {
        let (id, round) = (UUID(), UUID())
        let (tenant, app, now) = (side.app.tenant.rawValue, side.app.id.rawValue, WallClock.system.now)
        let deadline = now + .hours(11)
        try await desk.test.asSuperuser(
            """
            insert into refunds.cases (tenant_id, case_id, app_id, environment, transaction_id, original_transaction_id,
              product_id, state, outcome, listed_at, deadline)
            values (\(tenant), \(id), \(app), 'Production', '2000000900000001', '2000000900000001', 'coins.100', 'held',
              'pending', \(now), \(deadline))
            """)
        try await desk.test.asSuperuser(
            """
            insert into refunds.transactions (tenant_id, app_id, environment, transaction_id, original_transaction_id,
              signed_at, product_id, type, price, currency, ownership, fields)
            values (\(tenant), \(app), 'Production', '2000000900000001', '2000000900000001', \(now), 'coins.100',
              'Consumable', 9990, 'USD', 'PURCHASED',
              '{"transactionId":"2000000900000001","type":"Consumable"}'::bytea)
            """)
        try await desk.test.asSuperuser(
            """
            insert into refunds.facts (tenant_id, case_id, fact_id, kind, signed_at, source)
            values (\(tenant), \(id), \(round), 'request', \(now - .hours(1)), 'notification')
            """)
        try await desk.test.asSuperuser(
            """
            insert into refunds.rounds (tenant_id, case_id, round_id, requested_at, deadline, state, first_received_at,
              decision, decided_at, hold_until, ask_until)
            values (\(tenant), \(id), \(round), \(now - .hours(1)), \(deadline), 'held', \(now - .hours(1)),
              '{"row":1,"situation":"otherwise","preference":"DECLINE","saw":[],"remarks":[],"policyVersion":3,"hold":{"otherwise":"prefer DECLINE"}}',
              \(now), \(deadline - .minutes(30)), \(deadline - .minutes(30)))
            """)
        let agreed = try await desk.call(
            "PUT /api/v1/apps/\(side.app.bundleID)/transactions/2000000900000001/consent",
            #"{"consented": true, "recordedAt": \#((now - .hours(2)).milliseconds)}"#)
        #expect(agreed.status == 200, "\(agreed.text)")
        return id
    }

    private func json(_ response: RawResponse) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(response.text.utf8)) as? [String: Any])
    }

    private static let answer = #"{"choice": "facts-only", "reason": "Spoke with them.", "answeredBy": "Lee, support"}"#

    @Test func `it is said once, and the case tells the hold, the version and who answered`() async throws {
        try await GatewayDesk.open { desk async throws in
            let id = try await held(desk.alpha, desk)
            let before = try json(try await desk.call("GET /api/v1/cases/\(id)"))
            #expect(before["state"] as? String == "held" && before["policyVersion"] as? Int == 3)
            #expect(before["heldUntil"] is Int && before["assigned"] as? Bool == false)
            let answered = try await desk.call("POST /api/v1/cases/\(id)/answer", Self.answer)
            #expect(answered.status == 200, "\(answered.text)")
            let after = try json(answered)
            #expect(after["state"] as? String == "open" && after["heldUntil"] == nil)
            let request = try #require((after["requests"] as? [[String: Any]])?.first)
            let hold = try #require(request["hold"] as? [String: Any])
            #expect(hold["answeredBy"] as? String == "Lee, support" && hold["isHeld"] as? Bool == false)
            #expect(hold["choice"] as? String == "facts-only" && hold["otherwise"] as? String == "prefer DECLINE")
            let again = try await desk.call("POST /api/v1/cases/\(id)/answer", Self.answer)
            #expect(again.status == 409 && again.text.contains("Lee, support answered this request before"))
            let log: Int64? = try await desk.test.asSuperuser(
                "select count(*) as n from tenants.audit where action = 'case.answered' and token_id is not null"
            ).first?("n")
            #expect(log == 1)
        }
    }

    @Test func `an answer to a request that Apple asked again after is refused, and names the newer one`() async throws
    {
        try await GatewayDesk.open { desk async throws in
            let id = try await held(desk.alpha, desk)
            let line = "POST /api/v1/cases/\(id)/answer"
            let before = try json(try await desk.call("GET /api/v1/cases/\(id)"))
            let request = try #require((before["requests"] as? [[String: Any]])?.first)
            let newest = try #require(request["notificationUUID"] as? String)
            let older = UUID()
            try await desk.test.asSuperuser(
                """
                insert into refunds.rounds (tenant_id, case_id, round_id, requested_at, deadline, state,
                  first_received_at)
                select tenant_id, case_id, \(older), requested_at - interval '1 hour', deadline, 'superseded',
                  first_received_at
                from refunds.rounds
                where case_id = \(id)
                """)
            func body(_ round: String) -> String {
                #"{"choice": "facts-only", "reason": "Spoke.", "notificationUUID": "\#(round)"}"#
            }
            let stale = try await desk.call(line, body("\(older)"))
            #expect(stale.status == 409 && stale.text.contains("Apple asked again meanwhile"), "\(stale.text)")
            #expect(try json(stale)["member"] as? String == "notificationUUID")
            let unknown = try await desk.call(line, body("\(UUID())"))
            #expect(try unknown.status == 422 && json(unknown)["member"] as? String == "notificationUUID")
            #expect(try await desk.call(line, body("x")).status == 400)
            #expect(try json(try await desk.call("GET /api/v1/cases/\(id)"))["state"] as? String == "held")
            #expect(try await desk.call(line, body(newest)).status == 200)
        }
    }

    @Test func `it takes a scope of its own, and reaches one's own apps only`() async throws {
        try await GatewayDesk.open { desk async throws in
            let id = try await held(desk.alpha, desk)
            let line = "POST /api/v1/cases/\(id)/answer"
            let reader = try await desk.token([.cases])
            let refused = try await desk.call(line, Self.answer, token: reader)
            #expect(refused.status == 403 && refused.text.contains("answers"))
            #expect(try await desk.call(line, Self.answer, token: desk.beta.token).status == 404)
            #expect(try await desk.call("POST /api/v1/cases/\(UUID())/answer", Self.answer).status == 404)
            #expect(try await desk.call("POST /api/v1/cases/x/answer", Self.answer).status == 404)
            let answerer = try await desk.token([.answers], app: desk.alpha.app.id)
            #expect(try await desk.call("GET /api/v1/cases/\(id)", token: answerer).status == 403)
            #expect(try await desk.call(line, Self.answer, token: answerer).status == 200)
        }
    }

    @Test(arguments: [
        (#"{"reason": "x"}"#, 400, "choice"), (#"{"choice": "MAYBE", "reason": "x"}"#, 400, "choice"),
        (#"{"choice": "DECLINE"}"#, 400, "reason"), (#"{"choice": "DECLINE", "reason": " "}"#, 422, "reason"),
        (#"{"choice": "DECLINE", "reason": "x", "deliveryStatus": "LOST"}"#, 400, "deliveryStatus"),
        (#"{"choice": "DECLINE", "reason": "x", "consumptionPercentage": 100001}"#, 400, "consumptionPercentage"),
        (#"{"choice": "DECLINE", "reason": "x", "answeredBy": ""}"#, 400, "answeredBy"),
        (#"{"choice": "DECLINE", "reason": "x", "person": "y"}"#, 400, "person"),
        (
            #"{"choice": "GRANT_PRORATED", "reason": "x", "consumptionPercentage": 100000, "deliveryStatus": "DELIVERED"}"#,
            422, "choice"
        ),
    ])
    func `what is wrong is named, and nothing is changed`(body: String, status: Int, member: String) async throws {
        try await GatewayDesk.open { desk async throws in
            let id = try await held(desk.alpha, desk)
            let response = try await desk.call("POST /api/v1/cases/\(id)/answer", body)
            #expect(response.status == status, "\(response.text)")
            #expect(try json(response)["member"] as? String == member)
            #expect(try json(try await desk.call("GET /api/v1/cases/\(id)"))["state"] as? String == "held")
        }
    }

    // MARK: whose purchase it is

    private static let customer = "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c111"

    @Test func `whose purchase it is can be told once, with a note, and taken back`() async throws {
        try await GatewayDesk.open { desk async throws in
            let id = try await held(desk.alpha, desk)
            let line = "/api/v1/cases/\(id)/customer"
            let body = #"{"appAccountToken": "\#(Self.customer)", "note": "Their receipt.", "namedBy": "Lee, support"}"#
            #expect(try await desk.call("PUT \(line)", body, token: desk.beta.token).status == 404)
            #expect(try await desk.call("PUT \(line)", body, token: desk.token([.cases])).status == 403)
            for (wrong, status, member) in [
                (#"{"note": "x"}"#, 400, "appAccountToken"),
                (#"{"appAccountToken": "x", "note": "x"}"#, 400, "appAccountToken"),
                (#"{"appAccountToken": "\#(Self.customer)", "note": " "}"#, 422, "note"),
                (#"{"appAccountToken": "\#(Self.customer)", "note": "x", "namedBy": ""}"#, 400, "namedBy"),
            ] {
                let refused = try await desk.call("PUT \(line)", wrong)
                #expect(
                    try refused.status == status && json(refused)["member"] as? String == member, "\(refused.text)")
            }
            let told = try await desk.call("PUT \(line)", body, token: desk.token([.answers]))
            #expect(told.status == 200, "\(told.text)")
            let named = try #require(try json(told)["namedCustomer"] as? [String: Any])
            #expect(
                named["appAccountToken"] as? String == Self.customer && named["namedBy"] as? String == "Lee, support")
            #expect(named["source"] as? String == "person" && named["note"] as? String == "Their receipt.")
            let again = try await desk.call("PUT \(line)", body)
            #expect(again.status == 409 && again.text.contains("Lee, support chose a customer before"))
            let back = try await desk.call("DELETE \(line)")
            #expect(try back.status == 200 && json(back)["namedCustomer"] == nil)
            #expect(try await desk.call("DELETE \(line)").status == 409)
            let log: Int64? = try await desk.test.asSuperuser(
                "select count(*) as n from tenants.audit where action like 'case.customer-%' and token_id is not null"
            ).first?("n")
            #expect(log == 2)
        }
    }
}
