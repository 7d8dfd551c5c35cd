import FoundationEssentials
import HTTP
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import Web

/// Addresses and forms of requests to Apple, for tests of their pages.
enum CommercePages {
    static let purchase = SamplePurchase()
    static let requests = Site.commerceRequests("alpha", CommerceListQuery())
    static func new(_ purchase: SamplePurchase = SamplePurchase(), _ kind: CommerceKind? = nil) -> Site {
        .newCommerceRequest(
            "alpha",
            PurchaseQuery(
                app: "com.example.alpha", environment: purchase.isSandbox ? .sandbox : .production,
                transaction: purchase.transactionID, kind: kind))
    }

    /// A whole form of a refund of the second item, to spoil.
    static func fields(
        _ changes: [String: String] = [:], kind: CommerceKind = .refund,
        of purchase: SamplePurchase = SamplePurchase(),
        key: UUID = Samples.id(77)
    ) -> [(String, String)] {
        var fields = [
            "app": "com.example.alpha", "environment": purchase.isSandbox ? "Sandbox" : "Production",
            "transaction": purchase.transactionID, "kind": kind.rawValue, "key": key.text, "note": "She wrote to us.",
        ]
        if kind != .cancel { fields["risking"] = "no" }
        if kind == .revoke {
            fields["reason"] = "OTHER"
            fields["type"] = "FULL"
        }
        if kind == .refund {
            for (index, item) in purchase.items.enumerated() { fields["sku-\(index)"] = item.sku }
            let mine = min(1, purchase.items.count - 1)
            fields["take-\(mine)"] = "yes"
            fields["reason-\(mine)"] = "UNSATISFIED_WITH_PURCHASE"
            fields["type-\(mine)"] = "FULL"
            fields["access-\(mine)"] = "ends"
        }
        return fields.merging(changes) { $1 }.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map {
            ($0.key, $0.value)
        }
    }

    static func site(_ answer: TestBrowser.Answer) throws -> Site {
        try #require(answer.location.flatMap { Site(url: $0) })
    }

    static func query(_ fields: [(String, String)]) -> QueryString {
        QueryString(URLText.query(fields.map { ($0.0, Optional($0.1)) }).dropFirst().utf8)
    }
}

/// Sam, who supports customers, with purchases that the desk knows.
func withCommerceSam(
    _ purchases: [SamplePurchase] = [SamplePurchase()], role: Tenants.Role = .support,
    _ body: (TestBrowser, SampleDesk, Console, TestDatabase) async throws -> Void
) async throws {
    try await withConsole { desk, console, test in
        for purchase in purchases { try await desk.add(purchase, to: desk.alphaApp) }
        try await desk.makeSam(role)
        let sam = TestBrowser(console)
        try await sam.signIn()
        try await body(sam, desk, console, test)
    }
}

/// How many requests there are, of whatever tenant.
func commerceRequests(in test: TestDatabase) async throws -> Int64 {
    let row = try #require(
        try await test.asSuperuser("select count(*) as n from refunds.commerce_requests").first)
    return try row("n")
}
