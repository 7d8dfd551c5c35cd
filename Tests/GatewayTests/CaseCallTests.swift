import Foundation
import Postgres
import Support
import Tenants
import Testing

@Suite struct CaseCallTests {
    /// A case as it stands in the database, for reading; its id.
    private func addCase(to side: GatewayDesk.Side, sandbox: Bool = false, _ desk: GatewayDesk) async throws -> UUID {
        let id = UUID()
        try await desk.test.asSuperuser(
            """
            insert into refunds.cases (tenant_id, case_id, app_id, environment, transaction_id, original_transaction_id,
              product_id, state, outcome, listed_at)
            values (\(side.app.tenant.rawValue), \(id), \(side.app.id.rawValue),
              \(sandbox ? "Sandbox" : "Production"), '2000000900000001', '2000000900000001', 'coins.100', 'unasked',
              'refunded', tenants.now_ms())
            """)
        return id
    }

    @Test func `BL-062: another tenant's case is answered like one that never was, to the byte`() async throws {
        try await GatewayDesk.open { desk async throws in
            let (mine, theirs) = (try await addCase(to: desk.alpha, desk), try await addCase(to: desk.beta, desk))
            #expect(try await desk.call("GET /api/v1/cases/\(mine)").status == 200)
            #expect(try await desk.call("GET /api/v1/cases/\(theirs)", token: desk.beta.token).status == 200)
            let nothing = try await desk.call("GET /api/v1/cases/\(UUID())")
            let foreign = try await desk.call("GET /api/v1/cases/\(theirs)")
            #expect(foreign.status == 404 && nothing.status == 404)
            #expect(foreign.text == nothing.text)
            let list = try await desk.call("GET /api/v1/apps/com.example.alpha/cases").text.lowercased()
            #expect(list.contains("\(mine)".lowercased()) && !list.contains("\(theirs)".lowercased()))
        }
    }

    @Test func `BL-038: an environment in Apple's spelling narrows the list, in any other it is refused`() async throws
    {
        try await GatewayDesk.open { desk async throws in
            let ids = [
                ("Production", try await addCase(to: desk.alpha, desk)),
                ("Sandbox", try await addCase(to: desk.alpha, sandbox: true, desk)),
            ]
            let list = "GET /api/v1/apps/com.example.alpha/cases?environment="
            for (environment, id) in ids {
                let text = try await desk.call(list + environment).text.lowercased()
                for (_, other) in ids { #expect(text.contains("\(other)".lowercased()) == (other == id)) }
            }
            for spelling in ["PRODUCTION", "production", "SANDBOX", "sandbox", ""] {
                #expect(try await desk.call(list + spelling).status == 400, "\(spelling)")
            }
            let rehearsal = try await desk.call(list + "Rehearsal")
            #expect(rehearsal.status == 400 && rehearsal.text.contains("all that a rehearsal app has is rehearsal"))
        }
    }
}
