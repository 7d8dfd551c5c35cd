import Crypto
import FoundationEssentials
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import AppStore
@testable import Refunds

@Suite("Intake")
struct IntakeTests {
    private func reason(_ outcome: IntakeOutcome) -> String? {
        if case .rejected(let reason, _) = outcome { reason } else { nil }
    }

    private func isUnavailable(_ outcome: IntakeOutcome) -> Bool {
        if case .unavailable = outcome { true } else { false }
    }

    @Test func `BL-001: a TEST without a transaction is stored, and nothing else happens`() async throws {
        try await Desk.open { desk in
            try await desk.take(
                desk.note("TEST") {
                    $0["data"] = [
                        "appAppleId": 6_450_000_001, "bundleId": "com.example.alpha", "environment": "Sandbox",
                    ]
                })
            let rows = try await desk.test.asSuperuser("select type, environment, standing from refunds.notifications")
            #expect(rows.count == 1)
            #expect(try rows[0]("type") == "TEST")
            #expect(try rows[0]("environment") == "Sandbox")
            #expect(try rows[0]("standing") == "nothing-to-do")
            #expect(try await desk.count("refunds.cases") == 0)
            #expect(desk.apple.calls.isEmpty)
        }
    }

    @Test func `BL-005: six deliveries of the same bytes are one event, one case, one call, counted`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            let body = try desk.body(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            var outcomes: [IntakeOutcome] = []
            for _ in 1...3 { outcomes.append(await desk.post(body)) }
            try await desk.work()
            for _ in 4...6 { outcomes.append(await desk.post(body)) }
            try await desk.work()
            #expect(outcomes == [.accepted] + Array(repeating: .duplicate, count: 5))
            let rows = try await desk.test.asSuperuser("select deliveries from refunds.notifications")
            #expect(try rows.map { try $0("deliveries") as Int32 } == [6])
            #expect(desk.apple.calls.count == 1)
            #expect(try await desk.cases() == [.init(state: "answered", outcome: "pending")])
        }
    }

    @Test func `copies that come at once are folded, and one of them is the first`() async throws {
        try await Desk.open { desk in
            let bodies = try (0..<20).map { _ in try desk.body(desk.note("ONE_TIME_CHARGE", desk.tx())) }
            let outcomes = await withTaskGroup(of: IntakeOutcome.self) { group in
                for body in bodies {
                    for _ in 0..<5 { group.addTask { await desk.post(body) } }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count(where: { $0 == .duplicate }) + outcomes.count(where: { $0 == .accepted }) == 100)
            #expect(outcomes.count(where: { $0 == .accepted }) >= 20)
            let sums = try await desk.test.asSuperuser(
                "select count(*) as n, sum(deliveries) as deliveries from refunds.notifications")
            #expect(try sums[0]("n") == Int64(20))
            #expect(try sums[0]("deliveries") == Int64(100))
            #expect(try await desk.count("queue.jobs") == 20)
        }
    }

    @Test func `a notification is kept packed and comes back to the byte`() async throws {
        try await Desk.open { desk in
            let signed = try desk.chain.sign(
                desk.note("ONE_TIME_CHARGE", desk.tx { $0["name"] = "caf\u{e9}.\u{4e2d}" }))
            _ = await desk.post(Array(#"{"signedPayload":"\#(signed)"}"#.utf8))
            let row = try #require(
                try await desk.test.asSuperuser(
                    "select form, headers, signature, body from refunds.notification_bodies"
                ).first)
            let form: Int16 = try row("form")
            let stored = StoredNotification(
                form: StoredNotification.Form(rawValue: form)!, headers: try row("headers"),
                signature: try row("signature"), body: try row("body"))
            #expect(form == 1)
            #expect(stored.headers.count == 2)
            #expect(try await desk.headers.text(of: stored) == Array(signed.utf8))
            #expect(try await desk.count("refunds.signature_headers") == 1)
        }
    }

    @Test func `BL-011: a type nobody knew yet is kept in its own words and changes no state`() async throws {
        try await Desk.open { desk in
            try await desk.take(desk.note("REFUND", desk.tx()))
            let before = try await desk.cases()
            try await desk.take(
                desk.note("SOMETHING_NEW_2031", desk.tx { $0["price"] = 1 }) {
                    $0["subtype"] = "ODD"
                    $0["data"]?["foo"] = ["a": [1, [:]]]
                })
            let rows = try await desk.test.asSuperuser(
                "select subtype, standing from refunds.notifications where type = 'SOMETHING_NEW_2031'")
            #expect(try rows.first?("subtype") == "ODD")
            #expect(try rows.first?("standing") == "nothing-to-do")
            #expect(try await desk.cases() == before)
            #expect(try await desk.count("refunds.transactions where price = 1") == 0)
            #expect(try await desk.count("queue.jobs") == 0)
        }
    }

    @Test func `BL-012: either of the inner texts may be missing`() async throws {
        try await Desk.open { desk in
            try await desk.take(desk.note("ONE_TIME_CHARGE", desk.tx()))
            let renewal: J = [
                "originalTransactionId": "2000000900000010", "autoRenewStatus": 0, "environment": "Production",
                "signedDate": .number(desk.now.milliseconds),
            ]
            try await desk.take(
                desk.note("DID_CHANGE_RENEWAL_STATUS") {
                    $0["data"]?["signedRenewalInfo"] = .text((try? desk.chain.sign(renewal)) ?? "")
                })
            let rows = try await desk.test.asSuperuser("select standing from refunds.notifications")
            #expect(try rows.map { try $0("standing") as String } == ["nothing-to-do", "nothing-to-do"])
        }
    }

    @Test func `BL-013: the Apple ID is asked for in Production only`() async throws {
        try await Desk.open { desk in
            let sandbox = try desk.note("ONE_TIME_CHARGE", desk.tx { $0["environment"] = "Sandbox" })
            let without = try desk.note("ONE_TIME_CHARGE", desk.tx()) { $0["data"]?["appAppleId"] = nil }
            let other = try desk.note("ONE_TIME_CHARGE", desk.tx()) { $0["data"]?["appAppleId"] = 6_450_000_999 }
            #expect(try await desk.post(sandbox) == .accepted)
            #expect(reason(try await desk.post(without)) == "apple-id-missing")
            #expect(reason(try await desk.post(other)) == "apple-id-mismatch")
            #expect(try await desk.count("refunds.notifications") == 1)
        }
    }

    @Test func `an unknown Apple ID is learned once, audited, and then fixed`() async throws {
        try await Desk.open(alpha: { $0.appleID = nil }) { desk in
            #expect(try await desk.post(desk.note("ONE_TIME_CHARGE", desk.tx())) == .accepted)
            // The address in memory still says unknown: what another process learned counts all the same.
            let other = try desk.note("ONE_TIME_CHARGE", desk.tx()) { $0["data"]?["appAppleId"] = 6_450_000_999 }
            #expect(reason(try await desk.post(other)) == "apple-id-mismatch")
            #expect(try await desk.post(desk.note("ONE_TIME_CHARGE", desk.tx())) == .accepted)
            #expect(try await desk.count("tenants.apps where apple_id = 6450000001") == 1)
            #expect(try await desk.count("tenants.audit where action = 'app.apple-id-learned'") == 1)
        }
    }

    @Test func `BL-049: an Apple ID of ten digits is kept whole`() async throws {
        try await Desk.open(alpha: { $0.appleID = 6_743_115_016 }) { desk in
            let note = try desk.note("ONE_TIME_CHARGE", desk.tx()) { $0["data"]?["appAppleId"] = 6_743_115_016 }
            #expect(try await desk.post(note) == .accepted)
        }
    }

    @Test func `BL-017: without the database it is our trouble, and afterwards one event`() async throws {
        try await Desk.open { desk in
            let body = try desk.body(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            try await desk.test.asSuperuser("alter table refunds.notifications rename to away")
            #expect(isUnavailable(await desk.post(body)))
            try await desk.test.asSuperuser("alter table refunds.away rename to notifications")
            #expect(await desk.post(body) == .accepted)
            #expect(try await desk.count("refunds.notifications") == 1)
        }
    }

    @Test func `BL-045: summary, external purchase and app data are kept, and open no case`() async throws {
        try await Desk.open { desk in
            let shapes: [(String, String, J)] = [
                (
                    "RENEWAL_EXTENSION", "summary",
                    [
                        "environment": "Production", "appAppleId": 6_450_000_001, "bundleId": "com.example.alpha",
                        "productId": "pro.monthly", "requestIdentifier": "r", "succeededCount": 3, "failedCount": 1,
                    ]
                ),
                (
                    "EXTERNAL_PURCHASE_TOKEN", "externalPurchaseToken",
                    [
                        "externalPurchaseId": "p1", "tokenCreationDate": 1, "appAppleId": 6_450_000_001,
                        "bundleId": "com.example.alpha",
                    ]
                ),
                (
                    "RESCIND_CONSENT", "appData",
                    [
                        "appAppleId": 6_450_000_001, "bundleId": "com.example.alpha", "environment": "Production",
                        "signedAppTransactionInfo": .text(
                            try desk.chain.sign(
                                [
                                    "receiptType": "Production", "bundleId": "com.example.alpha",
                                    "appTransactionId": "704500000000000001",
                                ] as J)),
                    ]
                ),
            ]
            for (type, name, part) in shapes {
                try await desk.take(
                    desk.note(type) {
                        $0["data"] = nil
                        $0[name] = part
                    })
            }
            #expect(
                try await desk.count(
                    "refunds.notifications where environment = 'Production' and standing = 'nothing-to-do'") == 2)
            #expect(
                try await desk.count("refunds.notifications where type = 'RESCIND_CONSENT' and standing = 'acted'") == 1
            )
            #expect(try await desk.count("refunds.cases") == 0)
        }
    }

    @Test func `BL-086: the sandbox of an external purchase is told by the prefix, two shapes are refused`()
        async throws
    {
        try await Desk.open { desk in
            for id in ["SANDBOX_9f", "9f"] {
                try await desk.take(
                    desk.note("EXTERNAL_PURCHASE_TOKEN") {
                        $0["data"] = nil
                        $0["externalPurchaseToken"] = [
                            "externalPurchaseId": .text(id), "appAppleId": 6_450_000_001,
                            "bundleId": "com.example.alpha",
                        ]
                    })
            }
            #expect(try await desk.count("refunds.notifications where environment = 'Sandbox'") == 1)
            #expect(try await desk.count("refunds.notifications where environment = 'Production'") == 1)
            let two = try desk.note("REFUND", desk.tx()) {
                $0["summary"] = ["environment": "Production", "bundleId": "com.example.alpha"]
            }
            #expect(reason(try await desk.post(two)) == "shapes-ambiguous")
            #expect(try await desk.count("refunds.refusals where reason = 'shapes-ambiguous'") == 1)
            #expect(try await desk.count("refunds.cases") == 0)
        }
    }

    @Test func `BL-046: a version 1 body is refused with a hint, and nothing of it is kept`() async throws {
        try await Desk.open { desk in
            let body =
                #"{"notification_type":"CONSUMPTION_REQUEST","password":"shared-secret","environment":"PROD","bid":"com.example.alpha","unified_receipt":{"latest_receipt_info":[]}}"#
            let outcome = await desk.post(Array(body.utf8))
            #expect(reason(outcome) == "version-1-notification")
            let row = try #require(
                try await desk.test.asSuperuser("select body, detail, bytes from refunds.refusals").first)
            #expect(try row("body") as [UInt8]? == nil)
            #expect(try row("bytes") == Int32(body.utf8.count))
            #expect(try (row("detail") as String).contains("version 2"))
        }
    }

    @Test func `BL-047: other signed texts and other values are not notifications`() async throws {
        try await Desk.open { desk in
            let bare = try desk.chain.sign(desk.tx())
            for value in ["\"\(bare)\"", "7", "null", "\"\"", "\"a.b\"", "\"a.b.c.d\""] {
                let outcome = await desk.post(Array(#"{"signedPayload":\#(value)}"#.utf8))
                #expect(reason(outcome) == "not-a-notification", "\(value.prefix(20)): \(outcome)")
            }
            #expect(reason(await desk.post(Array("hello".utf8))) == "not-a-notification")
            #expect(try await desk.count("refunds.refusals where reason = 'not-a-notification'") == 7)
        }
    }

    @Test func `BL-053: a foreign chain is refused and kept for a person, and nothing happens`() async throws {
        try await Desk.open { desk in
            let body = try desk.body(desk.note("REFUND", desk.tx()), by: desk.evil)
            #expect(reason(await desk.post(body)) != nil)
            #expect(try await desk.count("refunds.notifications") == 0)
            #expect(try await desk.count("refunds.signature_headers") == 0)
            let row = try #require(
                try await desk.test.asSuperuser("select user_agent, forwarded_for, body from refunds.refusals").first)
            #expect(try row("user_agent") == "App Store")
            #expect(try row("forwarded_for") == "17.58.0.1")
            #expect(try row("body") as [UInt8]? != nil)
        }
    }

    @Test func `BL-061: a notification of another tenant's app reaches neither, and leaves one audit line`()
        async throws
    {
        try await Desk.open { desk in
            for _ in 1...3 {
                let note = try desk.note("REFUND", desk.tx { $0["bundleId"] = "com.example.beta" }) {
                    $0["data"]?["bundleId"] = "com.example.beta"
                    $0["data"]?["appAppleId"] = 6_450_000_002
                }
                #expect(reason(try await desk.post(note)) == "bundle-mismatch")
            }
            #expect(try await desk.count("refunds.notifications") == 0)
            let lines = try await desk.test.asSuperuser(
                "select tenant_id, convert_from(detail, 'UTF8') as detail from tenants.audit where action = 'notification.misdirected'"
            )
            #expect(lines.count == 1)
            #expect(try lines.first?("tenant_id") == desk.alpha.app.tenant.rawValue)
            let detail: String = try #require(try lines.first?("detail"))
            #expect(!detail.contains("beta") && !detail.contains("2000000900000001"))
        }
    }

    @Test func `BL-087: a notification whose data lacks the bundle id is refused`() async throws {
        try await Desk.open { desk in
            let note = try desk.note("REFUND", desk.tx()) { $0["data"]?["bundleId"] = nil }
            #expect(reason(try await desk.post(note)) == "bundle-mismatch")
            // Inside a sound notification, a transaction without one is set aside.
            try await desk.take(desk.note("REFUND", desk.tx { $0["bundleId"] = nil }))
            #expect(try await desk.count("refunds.notifications where standing = 'set-aside'") == 1)
            #expect(try await desk.count("refunds.cases") == 0)
        }
    }

    @Test func `a flood of forgeries overwrites itself, is counted, and keeps no more than ten a second`() async throws
    {
        try await Desk.open { desk in
            let allowance = 4
            try await desk.test.asSuperuser("update tenants.apps set refusal_allowance = 4")
            let app = desk.alpha.app
            let small = App(
                tenant: app.tenant, id: app.id, bundleID: app.bundleID, appleID: app.appleID, name: app.name,
                refusalAllowance: allowance)
            let inbox = Inbox(app: small, inboxID: 1)
            let body = try desk.body(desk.note("REFUND", desk.tx()), by: desk.evil)
            for second in 0..<2 {
                for _ in 0..<15 { _ = await desk.post(body, to: inbox) }
                desk.clock.advance(by: .seconds(1))
                let seen = try await desk.test.asSuperuser("select seen from refunds.refusal_heads")
                #expect(try seen[0]("seen") == Int64((second + 1) * Quarantine.storedPerSecondMax))
            }
            await desk.quarantine.flush()
            #expect(try await desk.count("refunds.refusals") == Int64(allowance))
            let counted = try await desk.test.asSuperuser("select sum(n)::bigint as n from refunds.refusal_counts")
            #expect(try counted[0]("n") == Int64(30))
        }
    }

    @Test func `a hostile tenant's flood does not keep another from being taken in`() async throws {
        try await Desk.open { desk in
            let forged = try desk.body(desk.note("REFUND", desk.tx()), by: desk.evil)
            let good = try desk.body(
                desk.note("ONE_TIME_CHARGE", desk.tx { $0["bundleId"] = "com.example.beta" }) {
                    $0["data"]?["bundleId"] = "com.example.beta"
                    $0["data"]?["appAppleId"] = 6_450_000_002
                })
            let answered = await withTaskGroup(of: IntakeOutcome?.self) { group in
                for _ in 0..<300 {
                    group.addTask {
                        _ = await desk.post(forged)
                        return nil
                    }
                }
                group.addTask { await desk.post(good, to: desk.beta) }
                return await group.reduce(into: [IntakeOutcome]()) { all, one in
                    if let one { all.append(one) }
                }
            }
            #expect(answered == [.accepted])
        }
    }

    @Test func `what cannot be kept in a column is refused or cut, and harms no neighbour`() async throws {
        try await Desk.open { desk in
            let strange = try desk.note("REFUND", desk.tx { $0["productId"] = "a\u{0}b" })
            try await desk.take(strange)
            #expect(try await desk.count("refunds.transactions where product_id = 'ab'") == 1)
            let type = try desk.note("A\u{0}B", desk.tx())
            #expect(reason(try await desk.post(type)) == "payload-unreadable")
            let far = try desk.note("REFUND", desk.tx { $0["purchaseDate"] = .number(Int64.max) })
            try await desk.take(far)
            #expect(try await desk.count("refunds.notifications where standing = 'acted'") == 2)
        }
    }
}
