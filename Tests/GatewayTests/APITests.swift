import Foundation
import Gateway
import HTTP
import Loop
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@Suite struct APITests {
    private static let customer =
        "/api/v1/apps/com.example.alpha/customers/3D0E6C1E-54B4-4A5F-8D2A-93A0F0B7C111/consent"
    private static let purchase = "/api/v1/apps/com.example.alpha/transactions/2000000900000001/consent"
    private static let usage = "/api/v1/apps/com.example.alpha/transactions/2000000900000001/usage"
    private static let batches = "/api/v1/apps/com.example.alpha/usage-batches"
    private static let cases = "/api/v1/apps/com.example.alpha/cases"
    /// In the past of every clock that runs this.
    private static let t0: Int64 = 1_780_000_000_000

    private func object(_ response: RawResponse) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }

    // MARK: who may

    @Test(arguments: [
        "GET \(customer)", "PUT \(usage)", "POST \(batches)", "GET \(cases)", "GET /api/v1/cases/\(UUID())",
    ])
    func `without a token, or with a wrong one, nothing is told`(line: String) async throws {
        try await GatewayDesk.open { desk async throws in
            for token in [nil, "rd_" + String(repeating: "A", count: 43), "rd_x", desk.alpha.inbox] {
                let response = try await desk.call(line, "{}", token: token)
                #expect(response.status == 401)
                #expect(response["Content-Type"] == "application/problem+json")
                #expect(response["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
            }
        }
    }

    @Test func `a scope that is missing is 403, another's app is 404`() async throws {
        try await GatewayDesk.open { desk async throws in
            let reader = try await desk.token([.cases])
            #expect(try await desk.call("GET \(Self.cases)", token: reader).status == 200)
            #expect(try await desk.call("GET \(Self.customer)", token: reader).status == 403)
            #expect(try await desk.call("PUT \(Self.usage)", "{}", token: reader).status == 403)
            // The other tenant's token is good, for its own app.
            #expect(try await desk.call("GET \(Self.cases)", token: desk.beta.token).status == 404)
            #expect(
                try await desk.call("GET /api/v1/apps/com.example.beta/cases", token: desk.beta.token).status == 200)
            #expect(try await desk.call("GET /api/v1/apps/com.example.nobody/cases").status == 404)
            #expect(try await desk.call("GET /api/v1/apps/COM.example.alpha/cases").status == 404)
        }
    }

    @Test func `a token of one app does not reach another of the same tenant`() async throws {
        try await GatewayDesk.open { desk async throws in
            let other = try await desk.test.database.transaction(desk.alpha.app.tenant.scope) { tx in
                try await TenantStore.addApp(
                    NewApp(bundleID: "com.example.other"), to: desk.alpha.app.tenant, at: WallClock.system.now,
                    by: .commandLine, in: tx)
            }
            let token = try await desk.token([.all], app: other.id)
            #expect(try await desk.call("GET /api/v1/apps/com.example.other/cases", token: token).status == 200)
            #expect(try await desk.call("GET \(Self.cases)", token: token).status == 404)
        }
    }

    @Test(arguments: [
        "GET /api/v1/nothing", "GET /api/v2/cases", "GET \(customer.replacing("consent", with: "entitlements"))",
        "POST /api/v1/apps/com.example.alpha/device-transactions",
        "GET /api/v1/commerce-requests/1", "GET /api/v1/cases/not-an-id", "GET /api/v1/cases/\(UUID())",
        "GET \(cases)/",
    ])
    func `what is not there yet, and what never was, is 404 in JSON`(line: String) async throws {
        try await GatewayDesk.open { desk async throws in
            let response = try await desk.call(line, line.hasPrefix("POST") ? "{}" : nil)
            #expect(response.status == 404)
            #expect(response["Content-Type"] == "application/problem+json")
            #expect(try object(response)["status"] as? Int == 404)
        }
    }

    // MARK: strictness

    @Test(arguments: [
        ("PUT /api/v1/apps/com.example.alpha/customers/sam/consent", "appAccountToken", "a UUID"),
        (
            "GET /api/v1/apps/com.example.alpha/customers/7e3fb204-2f6d-4a3c-9d5e-6a1c0f9b8e2/consent",
            "appAccountToken", "a UUID"
        ),
        (
            "PUT /api/v1/apps/com.example.alpha/customers/7e3fb2042f6d4a3c9d5e6a1c0f9b8e21/consent", "appAccountToken",
            "a UUID"
        ),
        ("PUT /api/v1/apps/com.example.alpha/transactions/tx-1/consent", "transactionId", "decimal digits"),
        ("GET /api/v1/apps/com.example.alpha/transactions/1%202/consent", "transactionId", "decimal digits"),
        ("PUT /api/v1/apps/com.example.alpha/transactions/-1/usage", "transactionId", "decimal digits"),
        (
            "PUT /api/v1/apps/com.example.alpha/transactions/\(String(repeating: "1", count: 21))/usage",
            "transactionId", "decimal digits"
        ),
        ("PUT /api/v1/apps/com.example.alpha/transactions/%D9%A1/usage", "transactionId", "decimal digits"),
    ])
    func `an id in a path that cannot be one is 404 like one that is unknown, and says what it should be`(
        line: String, member: String, rule: String
    ) async throws { try await refused(line, status: 404, member: member, rule: rule) }

    @Test(arguments: [
        ("GET \(cases)?transactionId=abc", "transactionId", "decimal digits"),
        ("GET \(cases)?originalTransactionId=", "originalTransactionId", "decimal digits"),
        ("GET \(cases)?appAccountToken=sam", "appAccountToken", "a UUID"),
    ])
    func `an id in a query that cannot be one is 400 and says what it should be`(
        line: String, member: String, rule: String
    ) async throws { try await refused(line, status: 400, member: member, rule: rule) }

    private func refused(_ line: String, status: Int, member: String, rule: String) async throws {
        try await GatewayDesk.open { desk async throws in
            let body = "{\"consented\":true}"
            let usage = "{\"observedAt\":\(Self.t0),\"consumptionPercentage\":1}"
            let response = try await desk.call(
                line, line.hasPrefix("GET") ? nil : line.hasSuffix("usage") ? usage : body)
            #expect(response.status == status)
            #expect(response["Content-Type"] == "application/problem+json")
            let problem = try object(response)
            #expect(problem["member"] as? String == member)
            #expect((problem["detail"] as? String)?.contains(rule) == true)
            #expect(try await desk.test.asSuperuser("select from refunds.consent_changes").isEmpty)
            #expect(try await desk.test.asSuperuser("select from refunds.usage").isEmpty)
        }
    }

    @Test func `whatever is refused under the API is a problem in JSON, before a handler sees it too`() async throws {
        try await GatewayDesk.open { desk async throws in
            let large = "{\"consented\":true,\"source\":\"\(String(repeating: "x", count: 70_000))\"}"
            for (line, body, status) in [
                ("PUT \(Self.customer)", large, 413), ("DELETE \(Self.customer)", "", 405),
                ("GET /api/v1/apps/%00/cases", "", 400), ("GET /api/v1/apps/%zz/cases", "", 400),
                ("GET /api", "", 404), ("GET /api/v1/x", "", 404),
            ] {
                let response = try await desk.call(line, body.isEmpty ? nil : body)
                #expect(response.status == status, "\(line)")
                #expect(response["Content-Type"] == "application/problem+json", "\(line)")
                #expect(try object(response)["status"] as? Int == status, "\(line)")
                #expect(try object(response)["detail"] is String, "\(line)")
            }
            #expect(try await desk.call("DELETE \(Self.customer)")["Allow"] == "GET, HEAD, PUT")
        }
    }

    @Test func `what is refused on the notification address is a line of text`() async throws {
        try await GatewayDesk.open { desk async throws in
            for (line, status) in [
                ("GET /n/\(desk.alpha.inbox)", 405), ("DELETE /n/\(desk.alpha.inbox)", 405), ("POST /n", 404),
                ("POST /n/a/b", 404), ("POST /n/%00", 400),
            ] {
                let response = try await desk.call(line)
                #expect(response.status == status, "\(line)")
                #expect(response["Content-Type"] == "text/plain; charset=utf-8", "\(line)")
                #expect(!String(decoding: response.body, as: UTF8.self).contains("<"), "\(line)")
            }
            #expect(try await desk.call("GET /n/\(desk.alpha.inbox)")["Allow"] == "POST")
        }
    }

    @Test func `the access log never names a customer or a purchase`() async throws {
        try await GatewayDesk.open { desk async throws in
            for line in [
                "GET \(Self.customer)", "GET \(Self.purchase)", "DELETE \(Self.purchase)", "DELETE \(Self.usage)",
            ] {
                _ = try await desk.call(line)
            }
            _ = try await desk.call("PUT \(Self.usage)", "{}")
            _ = try await desk.call("PUT \(Self.usage)/more", "{}")
            let log = desk.server.journal.joined(separator: "\n")
            #expect(log.contains("/api/v1/apps/{bundleId}/transactions/{transactionId}/usage"))
            #expect(log.contains("/api/v1/apps/{bundleId}/transactions/{transactionId}/consent"))
            #expect(!log.contains("2000000900000001") && !log.contains("3D0E6C1E"))
        }
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let path: String
        let body: String
        let member: String?
        var testDescription: String { body.isEmpty ? "an empty body" : String(body.prefix(80)) }
        init(_ path: String, _ body: String, _ member: String? = nil) {
            self.path = path
            self.body = body
            self.member = member
        }
    }

    @Test(arguments: [
        Wrong(customer, ""), Wrong(customer, "[]"), Wrong(customer, "{\"consented\":true,}"),
        Wrong(customer, "{\"consented\":true,\"consented\":false}"), Wrong(customer, "{\"consented\":true} x"),
        Wrong(customer, "\u{FEFF}{\"consented\":true}"), Wrong(customer, "{consented:true}"),
        Wrong(customer, "{}", "consented"), Wrong(customer, "{\"consented\":\"true\"}", "consented"),
        Wrong(customer, "{\"consented\":1}", "consented"), Wrong(customer, "{\"consented\":null}", "consented"),
        Wrong(customer, "{\"consented\":true,\"recordedat\":1}", "recordedat"),
        Wrong(customer, "{\"consented\":true,\"recordedAt\":\(t0 / 1000)}", "recordedAt"),
        Wrong(customer, "{\"consented\":true,\"recordedAt\":1.78e12}", "recordedAt"),
        Wrong(customer, "{\"consented\":true,\"recordedAt\":\"\(t0)\"}", "recordedAt"),
        Wrong(customer, "{\"consented\":true,\"recordedAt\":4102444800000}", "recordedAt"),
        Wrong(customer, "{\"consented\":true,\"recordedAt\":99999999999999999999}", "recordedAt"),
        Wrong(customer, "{\"consented\":true,\"source\":\"\(String(repeating: "x", count: 501))\"}", "source"),
        Wrong(purchase, "{\"consented\":true,\"wordingVersion\":7}", "wordingVersion"),
        Wrong(purchase, "{\"consented\":true,\"wordingVersion\":\"\"}", "wordingVersion"),
        Wrong(usage, "{\"observedAt\":\(t0)}"), Wrong(usage, "{\"deliveryStatus\":\"DELIVERED\"}", "observedAt"),
        Wrong(usage, "{\"observedAt\":\(t0),\"deliveryStatus\":\"delivered\"}", "deliveryStatus"),
        Wrong(usage, "{\"observedAt\":\(t0),\"consumptionPercentage\":100001}", "consumptionPercentage"),
        Wrong(usage, "{\"observedAt\":\(t0),\"consumptionPercentage\":-1}", "consumptionPercentage"),
        Wrong(usage, "{\"observedAt\":\(t0),\"consumptionPercentage\":1e3}", "consumptionPercentage"),
        Wrong(usage, "{\"observedAt\":\(t0),\"consumptionPercentage\":50.0}", "consumptionPercentage"),
        Wrong(usage, "{\"observedAt\":\(t0),\"sampleContentProvided\":\"no\"}", "sampleContentProvided"),
        Wrong(usage, "{\"observedAt\":\(t0),\"transactionId\":\"1\",\"consumptionPercentage\":1}", "transactionId"),
        Wrong(usage, "{\"observedAt\":4102444800000,\"consumptionPercentage\":1}", "observedAt"),
        Wrong(usage, "{\"observedAt\":\(t0),\"creditsUsed\":1}", "creditsGranted"),
        Wrong(usage, "{\"observedAt\":\(t0),\"itemsGranted\":1}", "itemsUsed"),
        Wrong(usage, "{\"observedAt\":\(t0),\"creditsUsed\":-1,\"creditsGranted\":1}", "creditsUsed"),
        Wrong(usage, "{\"observedAt\":\(t0),\"itemsUsed\":1,\"itemsGranted\":0}", "itemsUsed"),
        Wrong(batches, "{\"usage\":{}}", "usage"), Wrong(batches, "{\"usage\":[],\"x\":1}", "x"),
        Wrong(batches, "{}", "usage"),
        Wrong(batches, "{\"usage\":[\(Array(repeating: "1", count: 1001).joined(separator: ","))]}", "usage"),
    ])
    func `a body that is not right is 400 and names the member`(wrong: Wrong) async throws {
        try await GatewayDesk.open { desk async throws in
            let method = wrong.path == Self.batches ? "POST" : "PUT"
            let response = try await desk.call("\(method) \(wrong.path)", wrong.body)
            #expect(response.status == 400)
            #expect(response["Content-Type"] == "application/problem+json")
            #expect(try object(response)["member"] as? String == wrong.member)
            #expect(try await desk.test.asSuperuser("select from refunds.consent_changes").isEmpty)
            #expect(try await desk.test.asSuperuser("select from refunds.usage").isEmpty)
        }
    }

    @Test func `another media type, and a body in UTF-16, are refused`() async throws {
        try await GatewayDesk.open { desk async throws in
            let body = "{\"consented\":true}"
            #expect(
                try await desk.call("PUT \(Self.customer)", body, headers: "Content-Type: text/plain\r\n").status == 415
            )
            #expect(
                try await desk.call(
                    "PUT \(Self.customer)", body, headers: "Content-Type: application/json; charset=utf-8\r\n"
                ).status == 200)
            let wide = String(body.flatMap { [$0, "\0"] })
            #expect(try await desk.call("PUT \(Self.customer)", wide).status == 400)
        }
    }

    // MARK: consent

    @Test func `consent is stored, shown with its history, and the newest counts`() async throws {
        try await GatewayDesk.open { desk async throws in
            #expect(try await desk.call("GET \(Self.customer)").status == 404)
            let given = "{\"consented\":true,\"recordedAt\":\(Self.t0),\"wordingVersion\":\"v3\",\"source\":\"app\"}"
            let withdrawn = "{\"consented\":false,\"recordedAt\":\(Self.t0 + 5000)}"
            #expect(try await desk.call("PUT \(Self.customer)", withdrawn).status == 200)
            let late = try object(try await desk.call("PUT \(Self.customer)", given))
            #expect(late["consented"] as? Bool == false)
            #expect(late["recordedAt"] as? Int64 == Self.t0 + 5000)
            // UUIDs are the same in either case.
            let shown = try object(try await desk.call("GET \(Self.customer.replacing("3D0E6C1E", with: "3d0e6c1e"))"))
            let history = try #require(shown["history"] as? [[String: Any]])
            #expect(history.compactMap { $0["consented"] as? Bool } == [true, false])
            #expect(history[0]["wordingVersion"] as? String == "v3")
            #expect(history[0]["source"] as? String == "app")
            // Nobody else sees it.
            #expect(
                try await desk.call(
                    "GET \(Self.customer.replacing("alpha", with: "beta"))", token: desk.beta.token
                ).status == 404)
        }
    }

    @Test func `consent of a buyer without a token is kept for the purchase`() async throws {
        try await GatewayDesk.open { desk async throws in
            #expect(try await desk.call("PUT \(Self.purchase)", "{\"consented\":true}").status == 200)
            #expect(try object(try await desk.call("GET \(Self.purchase)"))["consented"] as? Bool == true)
            #expect(try await desk.call("GET \(Self.customer)").status == 404)
        }
    }

    // MARK: usage

    @Test func `of each member the newest observation counts`() async throws {
        try await GatewayDesk.open { desk async throws in
            _ = try await desk.call(
                "PUT \(Self.usage)",
                "{\"observedAt\":\(Self.t0 + 1000),\"deliveryStatus\":\"DELIVERED\",\"consumptionPercentage\":40000}")
            let response = try await desk.call(
                "PUT \(Self.usage)",
                "{\"observedAt\":\(Self.t0),\"consumptionPercentage\":10000,\"sampleContentProvided\":true}")
            #expect(response.status == 200)
            let state = try object(response)
            #expect(state["deliveryStatus"] as? String == "DELIVERED")
            #expect(state["consumptionPercentage"] as? Int == 40_000)
            #expect(state["sampleContentProvided"] as? Bool == true)
            let observed = try #require(state["observedAt"] as? [String: Int64])
            #expect(observed["consumptionPercentage"] == Self.t0 + 1000)
            #expect(observed["sampleContentProvided"] == Self.t0)
        }
    }

    @Test func `credits and items are counted in their own units, and the newest of each counts`() async throws {
        try await GatewayDesk.open { desk async throws in
            for (at, used) in [(Self.t0 + 1000, 30), (Self.t0, 20)] {
                let response = try await desk.call(
                    "PUT \(Self.usage)",
                    "{\"observedAt\":\(at),\"creditsUsed\":\(used),\"creditsGranted\":100,\"itemsUsed\":0,\"itemsGranted\":3}"
                )
                #expect(response.status == 200)
                let state = try object(response)
                #expect(state["creditsUsed"] as? Int == 30 && state["creditsGranted"] as? Int == 100)
                #expect(state["itemsUsed"] as? Int == 0 && state["consumptionPercentage"] == nil)
                #expect((state["observedAt"] as? [String: Int64])?["credits"] == Self.t0 + 1000)
            }
        }
    }

    @Test func `rows of a batch are independent`() async throws {
        try await GatewayDesk.open { desk async throws in
            let rows = [
                "{\"transactionId\":\"1\",\"observedAt\":\(Self.t0),\"consumptionPercentage\":100000}",
                "{\"transactionId\":\"2\",\"observedAt\":\(Self.t0),\"consumptionPercentage\":100001}",
                "{\"transactionId\":\"3\",\"observedAt\":\(Self.t0),\"percentage\":1}",
                "{\"transactionId\":\"4\",\"observedAt\":\(Self.t0)}", "7",
                "{\"transactionId\":\"\",\"observedAt\":\(Self.t0),\"consumptionPercentage\":1}",
                "{\"transactionId\":\"1\",\"observedAt\":\(Self.t0 + 1),\"deliveryStatus\":\"UNDELIVERED_OTHER\"}",
            ]
            let response = try await desk.call("POST \(Self.batches)", "{\"usage\":[\(rows.joined(separator: ","))]}")
            #expect(response.status == 200)
            let results = try #require(try object(response)["results"] as? [[String: Any]])
            #expect(results.compactMap { $0["stored"] as? Bool } == [true, false, false, false, false, false, true])
            #expect(
                results.map { ($0["error"] as? String)?.isEmpty == false } == [
                    false, true, true, true, true, true, false,
                ])
            #expect(results[0]["transactionId"] as? String == "1")
            #expect(try await desk.test.asSuperuser("select from refunds.usage").count == 2)
        }
    }

    @Test func `a batch of a thousand rows is taken, and once more changes nothing`() async throws {
        try await GatewayDesk.open { desk async throws in
            let rows = (0..<1000).map {
                "{\"transactionId\":\"\($0)\",\"observedAt\":\(Self.t0),\"consumptionPercentage\":\($0)}"
            }.joined(separator: ",")
            for _ in 0..<2 {
                #expect(try await desk.call("POST \(Self.batches)", "{\"usage\":[\(rows)]}").status == 200)
                #expect(try await desk.test.asSuperuser("select from refunds.usage").count == 1000)
            }
        }
    }

    // MARK: cases

    @Test func `a list without cases is an empty list`() async throws {
        try await GatewayDesk.open { desk async throws in
            let response = try await desk.call(
                "GET \(Self.cases)?state=open&limit=100&from=0&to=\(Self.t0)&environment=Sandbox")
            #expect(response.status == 200)
            #expect(response["Content-Type"] == "application/json")
            #expect(response["Cache-Control"] == "no-store")
            #expect(try object(response)["cases"] as? [String] == [])
            #expect(try object(response)["nextCursor"] == nil)
        }
    }

    @Test(arguments: [
        ("state=Open", "state"), ("outcome=won", "outcome"), ("environment=Xcode", "environment"),
        ("environment=Rehearsal", "environment"), ("limit=0", "limit"),
        ("limit=101", "limit"), ("limit=05", "limit"), ("limit=x", "limit"), ("cursor=abc", "cursor"),
        ("cursor=", "cursor"),
        ("from=yesterday", "from"), ("to=1e3", "to"), ("sort=asc", "sort"), ("state=open&state=held", "state"),
        ("reason=", "reason"),
    ])
    func `a filter that cannot be read is 400 and names the parameter`(query: String, name: String) async throws {
        try await GatewayDesk.open { desk async throws in
            let response = try await desk.call("GET \(Self.cases)?\(query)")
            #expect(response.status == 400)
            #expect(try object(response)["member"] as? String == name)
        }
    }

    // MARK: its description

    @Test func `the OpenAPI file describes every call there is, and no other`() async throws {
        try await GatewayDesk.open { desk async throws in
            let response = try await desk.call("GET /api/v1/openapi.json", token: nil)
            #expect(response.status == 200)
            let paths = try #require(try object(response)["paths"] as? [String: [String: Any]])
            let described = paths.flatMap { path, calls in
                calls.keys.filter { $0 != "parameters" }.map { "\($0.uppercased()) \(path)" }
            }
            let served = desk.routes.filter { $0.pattern.hasPrefix("/api/") }.map { "\($0.method.name) \($0.pattern)" }
            #expect(Set(described) == Set(served))
        }
    }

    @Test func `while the database is away a call is told to come again`() async throws {
        try await GatewayDesk.open { desk async throws in
            await desk.test.database.close(within: .zero)
            let response = try await desk.call("GET \(Self.cases)")
            #expect(response.status == 503)
            #expect(response["Retry-After"] != nil)
        }
    }
}
