import FoundationEssentials
import Postgres
import Simulator
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import HTTP
@testable import Web

/// Whatever is done on a page stands in the audit log with the address it was done from.
@Suite struct `Actions of the console` {
    /// What the log knows and no page does: the command line's, the engine's, and what comes with pages to come.
    private static let elsewhere: Set<String> = [
        "app.removed", "app.apple-id-learned", "key.retired", "key.removed", "key.replaced", "inbox.retired",
        "notification.misdirected", "relay.retried", "person.recovery-code-used", "person.passkey-counted-back",
        "test.requested", "key.probed", "channel.confirmed", "consent.rescinded",
    ]

    private func link(in text: String) throws -> String {
        String(try #require(text.firstMatch(of: /https:\/\/refunds\.example(\/invitations\/[A-Za-z0-9_-]{43})</)).1)
    }

    private func app(_ part: SetupPart) -> Site { .setupPart("alpha", bundleID: "com.example.alpha", part) }

    @Test func `each of them names the address of whoever acted`() async throws {
        try await withConsole { desk, console, test in
            try await desk.makeSam(.owner)
            let start = desk.clock.now
            desk.clock.advance(by: .seconds(1))
            let (sam, ops, new) = (TestBrowser(console), TestBrowser(console), TestBrowser(console))
            try await sam.signIn()
            try await ops.signIn("ops@desk.example")
            // Tenants
            for (site, fields) in [
                (Site.tenants, [("slug", "gamma"), ("name", "Gamma")]),
                (.tenantName(ofTenant: "gamma"), [("name", "Gamma Games")]),
                (.tenantClosure(ofTenant: "gamma"), [("slug", "gamma")]), (.tenantReopening(ofTenant: "gamma"), []),
            ] as [(Site, [(String, String)])] {
                #expect(try await ops.post(site, fields).status == 303, "\(site.url)")
            }
            #expect(try await ops.post(.firstOwner(ofTenant: "gamma"), [("email", "g@gamma.example")]).status == 201)
            // People
            let invited = try await sam.post(
                .invitations("alpha"), [("email", "new@alpha.example"), ("role", "viewer")])
            let invitation = try #require(
                try await desk.administration.people(of: desk.alpha.id).invitations.first
            ).id
            _ = try link(in: invited.text)
            let renewed = try await sam.post(.invitationRenewal("alpha", invitation))
            let joined = try await new.post(
                try link(in: renewed.text), [("password", "seven lamps beside the river")])
            #expect(joined.status == 303)
            let person = try #require(
                try await desk.administration.people(of: desk.alpha.id).members.first {
                    $0.person.email == "new@alpha.example"
                }
            ).person.id.rawValue
            #expect(try await sam.post(.memberRole("alpha", person), [("role", "support")]).status == 303)
            #expect(try await sam.post(.memberRemoval("alpha", person)).status == 303)
            _ = try await sam.post(.invitations("alpha"), [("email", "x@alpha.example"), ("role", "viewer")])
            let second = try #require(
                try await desk.administration.people(of: desk.alpha.id).invitations.first
            ).id
            #expect(try await sam.post(.invitationWithdrawal("alpha", second)).status == 303)
            // Apps
            #expect(
                try await sam.post(
                    .newApp("alpha"), [("form", "one"), ("bundleID", "com.example.one"), ("environments", "both")]
                ).status == 303)
            #expect(
                try await sam.post(.newApp("alpha"), [("form", "list"), ("list", "com.example.two")]).status == 200)
            #expect(
                try await sam.post(app(.details), [("name", "Another"), ("environments", "both")]).status == 303)
            #expect(
                try await sam.post(app(.product), [("productID", "pro"), ("productSample", "yes")]).status == 303)
            let key = try NewSigningKey.make()
            let kept = try await sam.upload(
                app(.key),
                [
                    ("pasted", nil, key.p8), ("keyID", nil, key.keyID), ("issuerID", nil, key.issuerID),
                    ("serves", nil, "all"),
                ])
            #expect(kept.status == 303)
            // Tokens
            #expect(try await sam.post(app(.token)).status == 201)
            let token = try #require(try await desk.administration.tokens(of: desk.alpha.id).tokens.first).token.id
            #expect(try await sam.post(.tokenRemoval("alpha", token)).status == 303)
            #expect(
                try await sam.post(.tokens("alpha"), [("name", "CI"), ("scope", "cases"), ("life", "90")]).status == 201
            )
            // Channels
            let onCall = [
                ("kind", "email"), ("name", "On call"), ("target", "on-call@example.com"), ("severity", "error"),
                ("after", "0"),
            ]
            #expect(try await sam.post(.channels("alpha"), onCall).status == 303)
            let channel = try #require(try await desk.alerts().channels(of: desk.alpha.id).first).id
            #expect(try await sam.post(.channel("alpha", channel), onCall).status == 303)
            #expect(try await sam.post(.channelTest("alpha", channel)).status == 303)
            #expect(try await sam.post(.channelRemoval("alpha", channel)).status == 303)
            // Policies, and what waits for a person
            let rules = [("rules", "otherwise send facts only"), ("note", ""), ("basedOn", "0"), ("do", "save")]
            #expect(
                try await sam.post(.policy("alpha", bundleID: "com.example.alpha", .now), rules).status == 303)
            let policy = Site.policy("alpha", bundleID: "com.example.alpha", .now)
            let text = ("rules", "otherwise send facts only")
            let replayed = try await sam.post(policy, [text, ("do", "replay")])
            let replay = try #require(replayed.location?.firstMatch(of: /replay=([0-9a-f-]{36})/)).1
            for fields in [
                [("replay", String(replay)), ("do", "cancel")], [text, ("do", "shadow-start")], [("do", "shadow-stop")],
                [("share", "10"), ("do", "hold-out")],
            ] { #expect(try await sam.post(policy, fields).status == 303, "\(fields)") }
            let customers = Site.customers("alpha", bundleID: "com.example.alpha", customer: nil)
            let fixed = [("customer", UUID().uuidString), ("action", "hold"), ("reason", "So."), ("do", "set")]
            #expect(try await sam.post(customers, fixed).status == 303)
            let override = try #require(try await desk.deciding().overrides(of: desk.alphaApp).first).id
            #expect(
                try await sam.post(customers, [("override", override.uuidString), ("do", "remove")]).status == 303)
            var held = SampleCase()
            (held.state, held.outcome) = ("held", "pending")
            let waiting = try await desk.add(held, to: desk.alphaApp)
            let said = [
                ("round", held.notification.uuidString), ("choice", "nothing"), ("reason", "Spoke with them."),
            ]
            #expect(try await sam.post(.heldAnswer("alpha", waiting), said).status == 303)
            #expect(try await sam.post(.caseNote("alpha", waiting), [("note", "Called.")]).status == 303)
            let me = try #require(
                try await desk.administration.memberNames(of: desk.alpha.id).first { $0.email == "sam@alpha.example" })
            #expect(
                try await sam.post(.caseAssignment("alpha", waiting), [("assignee", me.id.rawValue.uuidString)]).status
                    == 303)
            #expect(try await sam.post(.caseBundle("alpha", waiting)).status == 200)
            let chosen = [("do", "choose"), ("customer", UUID().uuidString), ("customerNote", "Their receipt.")]
            try await test.asSuperuser("update refunds.transactions set customer = null")
            #expect(try await sam.post(.caseCustomer("alpha", waiting), chosen).status == 303)
            let naming: UUID = try #require(
                try await test.asSuperuser("select naming_id from refunds.named_customers").first?("naming_id"))
            let back = [("do", "take-back"), ("naming", naming.uuidString)]
            #expect(try await sam.post(.caseCustomer("alpha", waiting), back).status == 303)
            // Consent, and the past
            let wording = [("version", "v1"), ("from", "2026-01-31"), ("text", "I agree."), ("do", "wording")]
            #expect(
                try await sam.post(.consent("alpha", bundleID: "com.example.alpha", .now), wording).status == 303)
            let agreed = "transactionId,consented,recordedAt\n1,true,1770000000000\n"
            #expect(
                try await sam.upload(
                    .consent("alpha", bundleID: "com.example.alpha", .now),
                    [("do", nil, "upload"), ("file", "consent.csv", agreed)]
                ).status == 200)
            let rescission = UUID()
            try await test.asSuperuser(
                """
                insert into refunds.rescissions
                  (tenant_id, app_id, notification_uuid, environment, app_transaction_id, signed_at, learned_at)
                values (\(desk.alpha.id.rawValue), \(desk.alphaApp.id.rawValue), \(rescission), 'Production', '70',
                  \(start), \(start))
                """)
            let again = [("do", "answer-again"), ("rescission", rescission.uuidString)]
            #expect(try await sam.post(.consent("alpha", bundleID: "com.example.alpha", .now), again).status == 303)
            try await test.asSuperuser(
                """
                insert into refunds.histories (tenant_id, app_id, environment, began_at, due_at)
                values (\(desk.alpha.id.rawValue), \(desk.alphaApp.id.rawValue), 'Sandbox', \(start), \(start))
                on conflict do nothing
                """)
            for act in ["start", "stop"] {
                #expect(
                    try await sam.post(
                        .pastImport("alpha", bundleID: "com.example.alpha"),
                        [("do", act), ("environment", "Sandbox")]
                    ).status == 303)
            }
            // Evidence
            let evidence = Site.evidence("alpha", bundleID: "com.example.alpha", .now)
            let asked = try ScriptedServer(steps: [.answer(200)]).url
            #expect(
                try await sam.post(evidence, [("do", "callback"), ("asked", "yes"), ("callbackURL", asked)]).status
                    == 303)
            #expect(try await sam.post(evidence, [("do", "secret")]).status == 201)
            #expect(try await sam.post(evidence, [("do", "test")]).status == 200)
            let file = "transactionId,consumptionPercentage,observedAt\n1,5,1770000000000\n"
            #expect(
                try await sam.upload(evidence, [("do", nil, "upload"), ("file", "use.csv", file)]).status == 200)
            // Oneself
            let word = "seven lamps beside the river"
            #expect(
                try await sam.post(.password, [("present", SampleDesk.password), ("new", word), ("again", word)]).status
                    == 303)

            let written = try await test.asSuperuser(
                "select action, address from tenants.audit where at > \(start) and person_id is not null")
            var done: Set<String> = []
            for row in written {
                let (action, address): (String, String?) = (try row("action"), try row("address"))
                #expect(address == "192.0.2.7", "\(action)")
                done.insert(action)
            }
            let named = Set(AuditWords.actions.map(\.word)).subtracting(Self.elsewhere)
                .filter { !$0.hasPrefix("person.") && !$0.hasPrefix("commerce.") && $0 != "member.added" }
            #expect(named.subtracting(done) == [], "done by no page here")
            #expect(done.contains("person.password-changed"))
        }
    }
}
