import AppStore
import Foundation
import HTTP
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@Suite struct `Commerce requests by the API` {
    private static let requests = "/api/v1/apps/com.example.alpha/commerce-requests"
    private static let transaction = "2000000900000012"

    private static let refund = [
        #""kind":"refund""#, #""environment":"Production""#, #""transactionId":"\#(transaction)""#,
        #""refundRiskingPreference":false"#,
        #""items":[{"SKU":"addon.a","refundReason":"OTHER","refundType":"FULL","revoke":false}]"#,
    ]

    /// A valid request, with one member after the other in place of that of its name.
    private static func body(_ changes: String...) -> String {
        var members = refund
        for change in changes {
            let name = change.prefix { $0 != ":" }
            members.removeAll { $0.hasPrefix(name + ":") }
            if !change.hasSuffix(":") { members.append(change) }
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// A gateway whose first tenant sold a subscription of three items for 9.99 USD in all.
    private static func open(_ body: (GatewayDesk) async throws -> Void) async throws {
        try await GatewayDesk.open { desk in
            let bought = WallClock.system.now - .days(10)
            let fields = """
                {"transactionId":"\(transaction)","originalTransactionId":"2000000900000010",
                "bundleId":"com.example.alpha","productId":"generic","type":"Auto-Renewable Subscription",
                "inAppOwnershipType":"PURCHASED","environment":"Production","storefront":"USA","currency":"USD",
                "price":9990,"quantity":1,"purchaseDate":\(bought.milliseconds),
                "originalPurchaseDate":\(bought.milliseconds),"expiresDate":\((bought + .days(30)).milliseconds),
                "signedDate":\(bought.milliseconds),"advancedCommerceInfo":{"items":[{"SKU":"base","price":4990},
                {"SKU":"addon.a","price":3000},{"SKU":"addon.b","price":2000}]}}
                """
            try await desk.test.asSuperuser(
                """
                insert into refunds.transactions (tenant_id, app_id, environment, transaction_id,
                  original_transaction_id, product_id, purchased_at, signed_at, fields)
                values (\(desk.alpha.app.tenant.rawValue), \(desk.alpha.app.id.rawValue), 'Production', \(transaction),
                  '2000000900000010', 'generic', \(bought), \(bought), \(Array(fields.utf8)))
                """)
            try await body(desk)
        }
    }

    private static func object(_ response: RawResponse) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }

    private static func count(_ desk: GatewayDesk) async throws -> Int64 {
        try await desk.test.asSuperuser("select count(*) as n from refunds.commerce_requests").first?("n") ?? -1
    }

    // MARK: asking

    @Test func `a request is made once for each key, shown and listed`() async throws {
        try await Self.open { desk in
            let key = "Idempotency-Key: one\r\n"
            let made = try await desk.call("POST \(Self.requests)", Self.body(), headers: key)
            #expect(made.status == 201)
            let new = try Self.object(made)
            let id = try #require(new["id"] as? String)
            #expect(new["state"] as? String == "queued" && new["kind"] as? String == "refund")
            #expect(UUID(uuidString: new["requestReferenceId"] as? String ?? "") != nil)
            #expect(made["Location"] == "/api/v1/commerce-requests/\(id)")
            let again = try await desk.call("POST \(Self.requests)", Self.body(), headers: key)
            #expect(again.status == 200)
            #expect(try Self.object(again)["id"] as? String == id)
            #expect(try Self.object(again)["requestReferenceId"] as? String == new["requestReferenceId"] as? String)
            let shown = try await desk.call("GET /api/v1/commerce-requests/\(id)")
            #expect(shown.status == 200 && shown["Cache-Control"] == "no-store")
            #expect(try Self.object(shown)["bundleId"] as? String == "com.example.alpha")
            let items = try #require(try Self.object(shown)["items"] as? [[String: Any]])
            #expect(items.first?["SKU"] as? String == "addon.a" && items.first?["price"] as? Int == 3000)
            let list = try Self.object(try await desk.call("GET \(Self.requests)?state=queued&kind=refund"))
            #expect((list["commerceRequests"] as? [[String: Any]])?.map { $0["id"] as? String } == [id])
            let none = try Self.object(try await desk.call("GET \(Self.requests)?state=refunded"))
            #expect((none["commerceRequests"] as? [Any])?.isEmpty == true)
            #expect(try await Self.count(desk) == 1)
        }
    }

    @Test func `a key for something else, and a second request for the same purchase, are conflicts`() async throws {
        try await Self.open { desk in
            let key = "Idempotency-Key: one\r\n"
            #expect(try await desk.call("POST \(Self.requests)", Self.body(), headers: key).status == 201)
            let other = Self.body(
                #""items":[{"SKU":"addon.b","refundReason":"OTHER","refundType":"FULL","revoke":false}]"#)
            let taken = try await desk.call("POST \(Self.requests)", other, headers: key)
            #expect(taken.status == 409)
            #expect(try Self.object(taken)["member"] as? String == "Idempotency-Key")
            for header in ["", "Idempotency-Key: two\r\n"] {
                let second = try await desk.call("POST \(Self.requests)", Self.body(), headers: header)
                #expect(second.status == 409)
                #expect(try Self.object(second)["member"] as? String == "transactionId")
            }
            #expect(try await Self.count(desk) == 1)
        }
    }

    @Test func `the same key from eight callers at once is one request`() async throws {
        try await Self.open { desk in
            let ids = try await withThrowingTaskGroup(of: (Int, String).self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let response = try await desk.call(
                            "POST \(Self.requests)", Self.body(), headers: "Idempotency-Key: one\r\n")
                        return (response.status, try Self.object(response)["id"] as? String ?? "")
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(ids.count { $0.0 == 201 } == 1 && ids.count { $0.0 == 200 } == 7)
            #expect(Set(ids.map(\.1)).count == 1)
            #expect(try await Self.count(desk) == 1)
        }
    }

    @Test(arguments: [
        // The member, Apple's code, and what is spoiled.
        (
            "items[0].refundAmount", "4000153",
            #""items":[{"SKU":"addon.a","refundReason":"OTHER","refundType":"CUSTOM","revoke":false}]"#
        ),
        (
            "items[0].refundAmount", "4000155",
            #""items":[{"SKU":"addon.a","refundReason":"OTHER","refundType":"FULL","refundAmount":10,"revoke":false}]"#
        ),
        (
            "items[0].refundAmount", "4000154",
            #""items":[{"SKU":"addon.a","refundReason":"OTHER","refundType":"CUSTOM","refundAmount":-10,"revoke":false}]"#
        ),
        (
            "items[0].SKU", "4000122",
            #""items":[{"SKU":"stranger","refundReason":"OTHER","refundType":"FULL","revoke":false}]"#
        ),
        (
            "items[0].refundReason", "4000158",
            #""items":[{"SKU":"addon.a","refundReason":"SIMULATE_REFUND_DECLINE","refundType":"FULL","revoke":false}]"#
        ),
        ("refundRiskingPreference", "4000159", #""refundRiskingPreference":"#),
        ("items", "4000160", #""items":[]"#),
        ("storefront", "4000133", #""storefront":"DEU""#),
    ])
    func `BL-081: a rule that is broken is 422 with its member and Apple's code`(
        member: String, code: String, change: String
    ) async throws {
        try await Self.open { desk in
            let response = try await desk.call("POST \(Self.requests)", Self.body(change))
            #expect(response.status == 422)
            #expect(response["Content-Type"] == "application/problem+json")
            let problem = try Self.object(response)
            #expect(problem["member"] as? String == member)
            #expect((problem["detail"] as? String)?.contains("(Apple's \(code))") == true, "\(problem)")
            #expect(try await Self.count(desk) == 0)
        }
    }

    @Test func `a warning is 422 until it is accepted`() async throws {
        try await Self.open { desk in
            let above =
                #""items":[{"SKU":"addon.a","refundReason":"OTHER","refundType":"CUSTOM","refundAmount":4000,"revoke":false}]"#
            let warned = try await desk.call("POST \(Self.requests)", Self.body(above))
            #expect(warned.status == 422)
            #expect((try Self.object(warned)["detail"] as? String)?.contains("acceptWarnings") == true)
            let asked = try await desk.call("POST \(Self.requests)", Self.body(above, #""acceptWarnings":true"#))
            #expect(asked.status == 201)
        }
    }

    @Test(arguments: [
        ("kind", #""kind":"give""#), ("environment", #""environment":"Xcode""#),
        ("transactionId", #""transactionId":"""#),
        ("kind", #""kind":"#),
        ("items[0].SKU", #""items":[{"refundReason":"OTHER","refundType":"FULL","revoke":false}]"#),
        ("items[0].refundType", #""items":[{"SKU":"a","refundReason":"OTHER","refundType":"SOME","revoke":false}]"#),
        (
            "items[0].refundAmount",
            #""items":[{"SKU":"a","refundReason":"OTHER","refundType":"CUSTOM","refundAmount":4.99,"revoke":false}]"#
        ),
        ("unknown", #""unknown":1"#),
    ])
    func `what cannot be read is 400 and names the member`(member: String, change: String) async throws {
        try await Self.open { desk in
            let response = try await desk.call("POST \(Self.requests)", Self.body(change))
            #expect(response.status == 400)
            #expect(try Self.object(response)["member"] as? String == member)
        }
    }

    @Test(arguments: ["", "a b", String(repeating: "x", count: 201)])
    func `a key that is none is 400`(key: String) async throws {
        try await Self.open { desk in
            let response = try await desk.call(
                "POST \(Self.requests)", Self.body(), headers: "Idempotency-Key: \(key)\r\n")
            #expect(response.status == 400)
            #expect(try Self.object(response)["member"] as? String == "Idempotency-Key")
            let twice = try await desk.call(
                "POST \(Self.requests)", Self.body(), headers: "Idempotency-Key: a\r\nIdempotency-Key: b\r\n")
            #expect(twice.status == 400)
        }
    }

    @Test func `a purchase that nobody can be asked about is 503 without a key, and nothing is made`() async throws {
        try await Self.open { desk in
            let response = try await desk.call(
                "POST \(Self.requests)", Self.body(#""transactionId":"2000000900000099""#))
            #expect(response.status == 503)
            #expect(response["Retry-After"] != nil)
            #expect(try await Self.count(desk) == 0)
        }
    }

    // MARK: who may

    @Test func `the scope is commerce, and a token of another app or tenant sees nothing`() async throws {
        try await Self.open { desk in
            let made = try await desk.call("POST \(Self.requests)", Self.body())
            let id = try #require(try Self.object(made)["id"] as? String)
            let reader = try await desk.token([.cases, .consent, .usage, .entitlements])
            let commerce = try await desk.token([.commerce])
            for line in ["GET \(Self.requests)", "GET /api/v1/commerce-requests/\(id)"] {
                #expect(try await desk.call(line, token: reader).status == 403)
                #expect(try await desk.call(line, token: commerce).status == 200)
                #expect(try await desk.call(line, token: desk.beta.token).status == 404)
            }
            #expect(try await desk.call("POST \(Self.requests)", Self.body(), token: reader).status == 403)
            #expect(try await desk.call("POST \(Self.requests)", Self.body(), token: desk.beta.token).status == 404)
            let other = try await desk.test.database.transaction(desk.alpha.app.tenant.scope) { tx in
                try await TenantStore.addApp(
                    NewApp(bundleID: "com.example.other"), to: desk.alpha.app.tenant, at: WallClock.system.now,
                    by: .commandLine, in: tx)
            }
            let narrow = try await desk.token([.commerce], app: other.id)
            #expect(try await desk.call("GET /api/v1/commerce-requests/\(id)", token: narrow).status == 404)
            #expect(try await desk.call("GET \(Self.requests)", token: narrow).status == 404)
            for unknown in [UUID().uuidString, "no-id"] {
                #expect(try await desk.call("GET /api/v1/commerce-requests/\(unknown)").status == 404)
            }
        }
    }

    @Test(arguments: [
        ("state=Queued", "state"), ("kind=all", "kind"), ("environment=x", "environment"),
        ("environment=Rehearsal", "environment"), ("limit=0", "limit"),
        ("cursor=x", "cursor"), ("sort=asc", "sort"), ("state=queued&state=failed", "state"),
    ])
    func `a filter that cannot be read is 400 and names the parameter`(query: String, name: String) async throws {
        try await Self.open { desk in
            let response = try await desk.call("GET \(Self.requests)?\(query)")
            #expect(response.status == 400)
            #expect(try Self.object(response)["member"] as? String == name)
        }
    }
}
