import HTTP
import Testing
import Time

@testable import Simulator

@Suite struct `The rules of Advanced Commerce` {
    /// The errors that each call's page lists (apple sheets 6.5, 6.6); 4000194 is named without a call.
    static let listed: [CommerceKind: Set<Int64>] = [
        .refund: [
            4_000_097, 4_000_079, 4_000_033, 4_000_080, 4_000_081, 4_000_082, 4_000_028, 4_000_133, 4_000_135,
            4_000_173,
            4_000_158, 4_000_155, 4_000_159, 4_000_123, 4_000_124, 4_000_154, 4_000_153, 4_000_156, 4_000_157,
            4_000_168,
            4_000_181, 4_000_182, 4_000_184, 4_030_008, 4_030_010, 4_030_013, 4_030_020, 4_030_021, 4_030_024,
            4_040_010,
            4_000_194,
        ],
        .revoke: [
            4_000_097, 4_000_079, 4_000_033, 4_000_080, 4_000_081, 4_000_082, 4_000_028, 4_000_133, 4_000_135,
            4_000_173,
            4_000_158, 4_000_155, 4_000_159, 4_000_123, 4_000_124, 4_000_154, 4_000_153, 4_000_156, 4_000_157,
            4_000_181,
            4_000_186, 4_030_008, 4_030_010, 4_030_013, 4_030_020, 4_030_021, 4_030_024, 4_040_010,
        ],
        .cancel: [
            4_000_079, 4_000_033, 4_000_080, 4_000_081, 4_000_082, 4_000_028, 4_000_133, 4_000_135, 4_000_173,
            4_030_008,
            4_030_010, 4_030_013, 4_040_010,
        ],
    ]

    typealias Spoiled = (kind: CommerceKind, changes: JSONObject, code: Int64)

    /// One thing spoiled in a good body.
    static let everywhere: [(changes: JSONObject, code: Int64)] = [
        (["requestInfo": nil], 4_000_079), (["requestInfo": "x"], 4_000_173),
        (["requestInfo": ["requestReferenceId": nil]], 4_000_080),
        (["requestInfo": ["requestReferenceId": "not-a-uuid"]], 4_000_081),
        (["requestInfo": ["requestReferenceId": 7]], 4_000_081),
        (["requestInfo": ["appAccountToken": "me"]], 4_000_033), (["requestInfo": ["consistencyToken": 5]], 4_000_082),
        (["requestInfo": ["mood": "good"]], 4_000_173), (["storefront": "usa"], 4_000_028),
        (["storefront": "XYZ"], 4_000_028),
        (["storefront": "DEU"], 4_000_133), (["extra": 1], 4_000_173),
    ]

    static let both: [(changes: JSONObject, code: Int64)] = [
        (["refundRiskingPreference": nil], 4_000_159), (["refundRiskingPreference": "yes"], 4_000_173),
    ]

    static let refund: [(changes: JSONObject, code: Int64)] = [
        (["items": nil], 4_000_173), (["items": []], 4_000_173), (["items": [1]], 4_000_173),
        (["currency": "usd"], 4_000_173),
        (["currency": "EUR"], 4_000_135), (["items": [Shop.item("audio"), Shop.item("audio")]], 4_000_194),
        (["items": [Shop.item("stranger")]], 4_030_013),
        (["items": [Shop.item("audio", ["SKU": nil])]], 4_000_173),
        (["items": [Shop.item(String(repeating: "s", count: 129))]], 4_000_173),
        (["items": [Shop.item("audio", ["refundReason": nil])]], 4_000_156),
        (["items": [Shop.item("audio", ["refundReason": "BORED"])]], 4_000_124),
        (["items": [Shop.item("audio", ["refundType": nil])]], 4_000_157),
        (["items": [Shop.item("audio", ["refundType": "HALF"])]], 4_000_123),
        (["items": [Shop.item("audio", ["refundAmount": 10])]], 4_000_155),
        (["items": [Shop.item("audio", ["refundType": "PRORATED", "refundAmount": 10])]], 4_000_155),
        (["items": [Shop.item("audio", ["refundType": "CUSTOM"])]], 4_000_153),
        (["items": [Shop.item("audio", ["refundType": "CUSTOM", "refundAmount": "10"])]], 4_000_153),
        (["items": [Shop.item("audio", ["refundType": "CUSTOM", "refundAmount": 0])]], 4_000_154),
        (["items": [Shop.item("audio", ["refundType": "CUSTOM", "refundAmount": 2_147_483_648])]], 4_000_173),
        (["items": [Shop.item("audio", ["refundType": "CUSTOM", "refundAmount": 2_991])]], 4_030_020),
        (["items": [Shop.item("audio", ["revoke": nil])]], 4_000_173),
        (["items": [Shop.item("audio", ["refundReason": "SIMULATE_REFUND_DECLINE"])]], 4_000_158),
        (
            ["items": [Shop.item("audio", ["refundReason": "SIMULATE_REFUND_DECLINE"]), Shop.item("base")]], 4_000_184
        ),
        (["items": .array(["base", "audio", "archive"].map { Shop.item($0, ["revoke": true]) })], 4_000_168),
    ]

    static let revoke: [(changes: JSONObject, code: Int64)] = [
        (["refundReason": nil], 4_000_156), (["refundReason": "BORED"], 4_000_124), (["refundType": nil], 4_000_157),
        (["refundType": "CUSTOM"], 4_000_123), (["refundAmount": 10], 4_000_155),
        (["refundReason": "SIMULATE_REFUND_DECLINE"], 4_000_158), (["items": []], 4_000_173),
    ]

    @Test func `one thing spoiled in a good body is one code, and of the call's own list`() async throws {
        let shop = try await Shop()
        let sold = try #require(try shop.subscription().last)
        var cases: [Spoiled] = []
        for kind in CommerceKind.allCases { cases += Self.everywhere.map { (kind, $0.changes, $0.code) } }
        for kind in [CommerceKind.refund, .revoke] { cases += Self.both.map { (kind, $0.changes, $0.code) } }
        cases += Self.refund.map { (.refund, $0.changes, $0.code) } + Self.revoke.map { (.revoke, $0.changes, $0.code) }
        for spoiled in cases {
            let reply = try await shop.call(spoiled.kind, sold.id, Shop.body(spoiled.kind, spoiled.changes))
            let name = "\(spoiled.kind) \(JSON.object(spoiled.changes).text)"
            #expect(reply.code == spoiled.code, "\(name): \(reply.text)")
            #expect(reply.status == Int(spoiled.code / 10_000), "\(name)")
            #expect(Self.listed[spoiled.kind]?.contains(spoiled.code) == true, "\(name)")
        }
        for text in ["", "{", "[]", "7"] {
            let reply = try await Apple.send(
                .post, shop.apple.apple.apiURL(.production) + Shop.path(.cancel, sold.id),
                authorization: "Bearer \(try shop.apple.token())", body: Array(text.utf8))
            #expect(reply.code == 4_000_173, "\(text)")
        }
        #expect(shop.apple.apple.commerce.requests.isEmpty && shop.apple.apple.commerce.refunds.isEmpty)
        await shop.stop()
    }

    @Test func `a purchase that the call is not for is refused with its code`() async throws {
        let shop = try await Shop()
        let plain = try shop.apple.apple.purchase(Apple.bundleID, productType: "Auto-Renewable Subscription")
        let family = try #require(try shop.subscription { $0.isFamilyShared = true }.last)
        let course = try shop.oneTime()
        let free = try #require(
            try shop.apple.apple.sell(
                CommerceSale([CommerceSale.Item(sku: "audio", price: 0)], isSubscription: false), of: Apple.bundleID
            ).last)
        let chain = try shop.subscription(earlier: 2)
        let expired = try #require(try shop.subscription { $0.age = .days(40) }.last)
        let asked = try #require(try shop.subscription().last)
        try shop.apple.apple.write(
            NotificationOrder("CONSUMPTION_REQUEST", bundleID: Apple.bundleID, transactionID: asked.id))
        let barred = try #require(try shop.subscription().last)
        shop.apple.apple.commerce.refuse(barred.id, in: .production, with: 4_030_025)
        let prorated = [Shop.item("audio", ["refundType": "PRORATED"])]
        let cases: [(CommerceKind, String, [JSON], Int64)] = [
            (.refund, plain.id, [Shop.item("audio")], 4_000_135), (.revoke, plain.id, [], 4_000_135),
            (.cancel, plain.id, [], 4_000_135), (.refund, family.id, [Shop.item("audio")], 4_030_013),
            (.revoke, family.id, [], 4_030_013), (.cancel, family.id, [], 4_030_013),
            (.revoke, course.id, [], 4_030_008), (.cancel, course.id, [], 4_030_008),
            (.refund, free.id, [Shop.item("audio")], 4_030_024), (.refund, chain[0].id, prorated, 4_000_182),
            (.revoke, expired.id, [], 4_000_186), (.cancel, expired.id, [], 4_030_010),
            (.refund, asked.id, [Shop.item("audio")], 4_000_181), (.revoke, asked.id, [], 4_000_181),
            (.refund, barred.id, [Shop.item("audio")], 4_030_025), (.refund, "410009", [Shop.item("audio")], 4_040_010),
            (.cancel, "410009", [], 4_040_010), (.revoke, "no-number", [], 4_040_010),
        ]
        for (kind, id, items, code) in cases {
            let reply = try await shop.call(kind, id, Shop.body(kind, items: items))
            #expect(reply.code == code, "\(kind) \(id) \(code): \(reply.text)")
        }
        #expect(
            try await shop.call(.refund, course.id, Shop.body(.refund, items: [Shop.item("course")]), .sandbox).code
                == 4_040_010, "the other environment")
        await shop.stop()
    }

    @Test func `prorated on the latest transaction, all items with their access, and an old one are taken`()
        async throws
    {
        let shop = try await Shop()
        let chain = try shop.subscription(earlier: 1)
        let latest = Shop.body(.refund, items: [Shop.item("audio", ["refundType": "PRORATED"])])
        #expect(try await shop.call(.refund, chain[1].id, latest).status == 200)
        let old = ["base", "audio", "archive"].map { Shop.item($0, ["revoke": true]) }
        #expect(try await shop.call(.refund, chain[0].id, Shop.body(.refund, items: old)).status == 200)
        await shop.stop()
    }
}
