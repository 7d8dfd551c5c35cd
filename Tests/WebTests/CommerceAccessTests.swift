import AppStore
import Crypto
import FoundationEssentials
import Postgres
import Refunds
import Simulator
import Support
import Tenants
import Testing
import Time

@testable import Web

@Suite struct `The page about Advanced Commerce` {
    private static let app = "com.example.alpha"
    private static let page = Site.commerceAccess("alpha", bundleID: app, done: nil)
    private static func part(_ part: CommerceAccessPart) -> Site {
        .commerceAccessPart("alpha", bundleID: app, part)
    }

    private static let production = ("environment", "Production")

    /// Sam as an admin, with an Apple that answers as `answer` says.
    private func withAdmin(
        _ answer: ScriptedServer.Step = .answer(404, body: #"{"errorCode":4040010,"errorMessage":"Not found."}"#),
        _ body: (TestBrowser, SampleDesk, Records, ScriptedServer) async throws -> Void
    ) async throws {
        try await withConsole { desk, plain, _ in
            try await desk.makeSam(.admin)
            let server = try ScriptedServer { _, _ in answer }
            defer { server.stop() }
            let apple = AppleSide.sample(
                trusting: [], calling: "http://127.0.0.1:\(server.port)", clock: desk.clock.clock)
            let sam = TestBrowser(try console(of: desk, apple: apple))
            try await sam.signIn()
            try await body(sam, desk, plain.records, server)
        }
    }

    private func standing(of desk: SampleDesk, _ records: Records) async throws -> CommerceAccess {
        try #require(try await records.commerceAccess(of: desk.alphaApp).first)
    }

    private func giveKey(_ sam: TestBrowser) async throws {
        let key = try NewSigningKey.make()
        let answer = try await sam.upload(
            .setupPart("alpha", bundleID: Self.app, .key),
            [
                ("file", "SubscriptionKey_\(key.keyID).p8", key.p8), ("keyID", nil, ""),
                ("issuerID", nil, key.issuerID), ("serves", nil, "all"),
            ])
        #expect(answer.status == 303, "\(answer.text)")
    }

    /// What the engine writes after a refusal that no table explains, with requests that wait.
    private func stop(_ desk: SampleDesk, waiting: Int = 2, body: String = "{}") async throws {
        let now = desk.clock.now
        try await desk.transaction(for: desk.alphaApp) { tx in
            let (tenant, app) = (desk.alpha.id.rawValue, desk.alphaApp.id.rawValue)
            try await tx.execute(
                """
                insert into refunds.commerce_access (tenant_id, app_id, environment, addendum, refused_call,
                  refused_status, refused_code, refused_message, refused_body, refused_at, stopped_at, changed_at)
                values (\(tenant), \(app), 'Production', 'refused', 'refund', 403, 4039999, 'No <addendum>',
                  \(Array(body.utf8)), \(now), \(now), \(now))
                """)
            for n in 0..<waiting {
                try await tx.execute(
                    """
                    insert into refunds.commerce_requests (tenant_id, request_id, app_id, environment, kind,
                      transaction_id, original_transaction_id, request_reference_id, idempotency_key, asked_sha256,
                      state, body, asked_at, submitted_at, listed_at, changed_at)
                    values (\(tenant), gen_random_uuid(), \(app), 'Production', 'cancel', \("t\(n)"), 't',
                      gen_random_uuid(), \("k\(n)"), sha256(\(Array("k\(n)".utf8))), 'queued', '{}'::bytea, \(now),
                      \(now), \(now), \(now))
                    """)
            }
        }
    }

    private func actions(_ desk: SampleDesk) async throws -> [String] {
        try await desk.administration.audit(of: desk.alpha.id, filter: AuditFilter(), before: nil).lines.map(\.action)
            .filter { $0.hasPrefix("commerce.") }
    }

    // MARK: Who may

    @Test func `those who may not change settings see all of it without a form, and theirs are refused`() async throws {
        try await withConsole { desk, console, _ in
            try await stop(desk)
            let sam = TestBrowser(console)
            for role in [Tenants.Role.viewer, .support] {
                try await desk.makeSam(role)
                try await sam.signIn()
                let page = try await sam.get(Self.page)
                #expect(page.status == 200 && page.text.contains("Owners and admins of your tenant change it"))
                #expect(page.text.contains("2 requests wait"))
                #expect(!page.text.contains("advanced-commerce/"))
                for part in CommerceAccessPart.allCases {
                    #expect(try await sam.post(Self.part(part), [Self.production]).status == 403, "\(role) \(part)")
                }
            }
            #expect(try await actions(desk) == [])
        }
    }

    @Test func `BL-062: another tenant's app, and one that never was, are nowhere, to the byte`() async throws {
        try await withAdmin { sam, desk, _, _ in
            let nothing = try await sam.get("/no/such/page")
            for (slug, bundleID) in [
                ("beta", "com.example.beta"), ("alpha", "com.example.beta"), ("alpha", "no.such"),
                ("nobody", "no.such"),
            ] {
                let page = try await sam.get(.commerceAccess(slug, bundleID: bundleID, done: nil))
                #expect(page.status == 404 && page.text == nothing.text, "\(slug) \(bundleID)")
                for part in CommerceAccessPart.allCases {
                    let answer = try await sam.post(
                        .commerceAccessPart(slug, bundleID: bundleID, part), [Self.production])
                    #expect(answer.status == 404 && answer.text == nothing.text, "\(slug) \(bundleID) \(part)")
                }
            }
            #expect(try await sam.post("/t/alpha/apps/\(Self.app)/advanced-commerce/nothing").text == nothing.text)
            #expect(try await actions(desk) == [])
        }
    }

    @Test func `BL-071: a foreign page changes nothing`() async throws {
        try await withAdmin { sam, desk, _, _ in
            for part in CommerceAccessPart.allCases {
                let answer = try await sam.post(
                    Self.part(part).url, [Self.production], headers: [("Origin", "https://evil.example")])
                #expect(answer.status == 403, "\(part)")
            }
            #expect(try await actions(desk) == [])
        }
    }

    // MARK: Two facts

    @Test func `approval and addendum are two facts of one environment each, and both leave a trace`() async throws {
        try await withAdmin { sam, desk, records, _ in
            let before = try await sam.get(Self.page)
            #expect(before.text.contains("No purchase through Advanced Commerce is known"))
            #expect(before.text.contains("Nobody has said as what Apple approved the app"))
            let approved = try await sam.post(Self.part(.approval), [Self.production, ("approval", "add-ons")])
            #expect(approved.location?.hasSuffix("?done=approval&environment=Production#production") == true)
            var access = try await standing(of: desk, records)
            #expect(access.approvedAs == .addOns && access.addendum == .unknown)
            let accepted = try await sam.post(
                Self.part(.addendum), [Self.production, ("version", "<2026-02>"), ("on", "2026-03-01")])
            #expect(accepted.status == 303)
            access = try await standing(of: desk, records)
            #expect(access.addendum == .accepted && access.addendumVersion == "<2026-02>")
            let page = try await sam.get(accepted.location.map { String($0.prefix { $0 != "#" }) } ?? "")
            #expect(
                page.text.contains("Saved.") && page.text.contains("Version &lt;2026-02&gt;, accepted on 2026-03-01"))
            #expect(page.text.contains("A subscription with optional add-ons"))
            // Sandbox stands as it stood.
            let all = try await records.commerceAccess(of: desk.alphaApp)
            #expect(all.map(\.environment) == [.production, .sandbox] && all[1].approvedAs == nil)
            let taken = try await sam.post(Self.part(.approval), [Self.production, ("approval", "none")])
            #expect(taken.status == 303)
            #expect(try await standing(of: desk, records).approvedAs == nil)
            #expect(
                try await actions(desk) == ["commerce.approval-set", "commerce.addendum-set", "commerce.approval-set"])
        }
    }

    // MARK: The stopped queue

    @Test func `BL-079: a stopped queue shows what Apple said to the byte, and how many requests wait`() async throws {
        try await withAdmin { sam, desk, _, _ in
            let said = #"{"errorCode":4039999,"errorMessage":"<script>alert(1)</script> \u202e"}"# + "\u{202E}\0\n"
            try await stop(desk, waiting: 3, body: said)
            let page = try await sam.get(Self.page).text
            #expect(page.contains("3 requests wait; none is lost.") && page.contains("<dd>4039999</dd>"))
            #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && !page.contains("<script>alert"))
            #expect(page.contains(#"\xe2\x80\xae\x00"#) && !page.contains("\u{202E}"))
            #expect(page.contains("No &lt;addendum&gt;") && page.contains("data-copies=\"letter-production\""))
            #expect(page.contains("To the Account Holder") && page.contains("I have looked: let it run"))
            #expect(page.contains("cancel the subscription of a transaction that cannot exist"))
            #expect(Markup(page).troubles == [])
            for place: Site in [.apps("alpha"), .overview("alpha")] {
                let list = try await sam.get(place).text
                #expect(list.contains("Alpha asks Apple for no refunds in Production."), "\(place.url)")
            }
            let setup = try await sam.get(.setup("alpha", bundleID: Self.app, done: nil)).text
            #expect(setup.contains("Production: stopped: Apple refuses; 3 requests wait."))
            let apps = try await sam.get(.apps("alpha")).text
            #expect(apps.contains("stopped: Apple refuses; 3 requests wait"))
            #expect(apps.contains("href=\"/t/alpha/apps/com.example.alpha/advanced-commerce\""))
        }
    }

    @Test func `somebody who has looked lets the queue run`() async throws {
        try await withAdmin { sam, desk, records, server in
            try await stop(desk)
            let answer = try await sam.post(Self.part(.release), [Self.production])
            #expect(answer.status == 303)
            let access = try await standing(of: desk, records)
            #expect(!access.isStopped && access.addendum == .refused)
            let page = try await sam.get(answer.location.map { String($0.prefix { $0 != "#" }) } ?? "").text
            #expect(page.contains("The queue runs.") && page.contains("the queue was let run since"))
            #expect(try await actions(desk) == ["commerce.released"] && server.received.isEmpty)
        }
    }

    @Test func `a check that Apple answers with 404 opens the door, and the stopped queue runs`() async throws {
        try await withAdmin { sam, desk, records, server in
            try await stop(desk)
            let without = try await sam.post(Self.part(.check), [Self.production])
            #expect(without.status == 409 && without.text.contains("No signing key serves this app"))
            try await giveKey(sam)
            let answer = try await sam.post(Self.part(.check), [Self.production])
            #expect(answer.status == 303, "\(answer.text)")
            let access = try await standing(of: desk, records)
            #expect(!access.isStopped && access.addendum == .accepted && access.wentThroughAt != nil)
            let page = try await sam.get(answer.location.map { String($0.prefix { $0 != "#" }) } ?? "").text
            #expect(page.contains("The door is open.") && page.contains("The last refusal"))
            #expect(server.received.map(\.target) == ["/advancedCommerce/v1/subscription/cancel/1"])
            #expect(try await actions(desk) == ["commerce.checked"])
        }
    }

    @Test func `a check that Apple refuses as it likes stops the queue and is told at its place`() async throws {
        try await withAdmin(.answer(403, body: #"{"errorCode":4039998,"errorMessage":"Sign <it>."}"#)) {
            sam, desk, records, _ in
            try await giveKey(sam)
            let answer = try await sam.post(Self.part(.check), [Self.production])
            #expect(answer.status == 303, "\(answer.text)")
            let access = try await standing(of: desk, records)
            #expect(access.isStopped && access.refusal?.code == 4_039_998 && access.refusal?.request == nil)
            let page = try await sam.get(answer.location.map { String($0.prefix { $0 != "#" }) } ?? "").text
            #expect(page.contains("The door is shut: Apple refuses.") && page.contains("Sign &lt;it&gt;."))
            #expect(page.contains("none: a check from this page"))
        }
    }

    @Test func `an address that claims an open door is not believed`() async throws {
        try await withAdmin { sam, desk, _, _ in
            try await stop(desk)
            let page = try await sam.get(Self.page.url + "?done=check&environment=Production").text
            #expect(!page.contains("The door is open.") && page.contains("The door is shut"))
        }
    }

    // MARK: Settings

    @Test func `a limit is written in its currency's decimals, counts from then on, and can be taken away`()
        async throws
    {
        try await withAdmin { sam, desk, records, _ in
            #expect(try await sam.get(Self.page).text.contains("No limit is set"))
            for (currency, amount) in [("eur", "25,50"), ("JPY", "3000")] {
                let answer = try await sam.post(Self.part(.limit), [("currency", currency), ("amount", amount)])
                #expect(answer.location?.hasSuffix("?done=limit#limits") == true, "\(answer.text)")
            }
            #expect(try await records.approvalLimits(of: desk.alphaApp) == ["EUR": 25_500, "JPY": 3_000_000])
            let page = try await sam.get(Self.page).text
            #expect(page.contains(">25.50 EUR<") && page.contains(">3 000 JPY<"))
            #expect(try await sam.post(Self.part(.limitRemoval), [("currency", "EUR")]).status == 303)
            #expect(try await records.approvalLimits(of: desk.alphaApp) == ["JPY": 3_000_000])
            #expect(
                try await actions(desk) == ["commerce.limit-set", "commerce.limit-set", "commerce.limit-set"])
        }
    }

    @Test func `costs are set for a SKU and a kind, shown as text, replaced and taken away`() async throws {
        try await withAdmin { sam, desk, records, _ in
            let fields = [
                ("sku", "<i>lesson</i>"), ("kind", "payout"), ("amount", "4.20"), ("currency", "EUR"),
                ("note", "<b>teacher</b>"),
            ]
            #expect(try await sam.post(Self.part(.cost), fields).status == 303)
            let page = try await sam.get(Self.page).text
            #expect(page.contains("&lt;i&gt;lesson&lt;/i&gt;") && page.contains("&lt;b&gt;teacher&lt;/b&gt;"))
            #expect(page.contains(">4.20 EUR<") && !page.contains("<b>teacher"))
            let more = fields.map { $0.0 == "amount" ? ("amount", "5") : $0 }
            #expect(try await sam.post(Self.part(.cost), more).status == 303)
            #expect(try await records.skuCosts(of: desk.alphaApp).map(\.milliunits) == [5000])
            let removal = [("sku", "<i>lesson</i>"), ("kind", "payout")]
            #expect(try await sam.post(Self.part(.costRemoval), removal).status == 303)
            #expect(try await records.skuCosts(of: desk.alphaApp).isEmpty)
            #expect(try await actions(desk) == ["commerce.cost-removed", "commerce.cost-set", "commerce.cost-set"])
        }
    }

    @Test func `the checklist names a place and somebody of the tenant who may approve`() async throws {
        try await withAdmin { sam, desk, records, _ in
            let ann = try await desk.addPerson("ann@alpha.example", .support, to: desk.alpha)
            let bo = try await desk.addPerson("bo@beta.example", .owner, to: desk.beta)
            let vera = try await desk.addPerson("vera@alpha.example", .viewer, to: desk.alpha)
            for nobody in [bo.id.rawValue.text, vera.id.rawValue.text, UUID().text, "nobody"] {
                let answer = try await sam.post(Self.part(.checklist), [("refundPath", "Here"), ("owner", nobody)])
                #expect(answer.status == 422 && answer.text.contains("Choose somebody of your tenant"))
            }
            let answer = try await sam.post(
                Self.part(.checklist), [("refundPath", "Settings <Purchases>"), ("owner", ann.id.rawValue.text)])
            #expect(answer.location?.hasSuffix("?done=checklist#checklist") == true)
            let checklist = try await records.commerceChecklist(of: desk.alphaApp)
            #expect(checklist.refundPath == "Settings <Purchases>" && checklist.approvalsOwner == ann.id)
            let page = try await sam.get(Self.page).text
            #expect(page.contains("Settings &lt;Purchases&gt;") && page.contains("ann@alpha.example"))
            #expect(page.contains("not ready: a key and consent are needed"))
        }
    }

    /// A part, what is sent, the field it is wrong in, and what is said there.
    private static let wrong: [(CommerceAccessPart, [(String, String)], String, String)] = [
        (.approval, [production, ("approval", "rubbish")], "", "Choose from what is offered."),
        (.approval, [("approval", "programme")], "", "Choose an environment of this app."),
        (.addendum, [production, ("version", ""), ("on", "2026-03-01")], "version", "A version has 1 to 100 bytes"),
        (.addendum, [production, ("version", "2"), ("on", "2026-02-30")], "on", "A day is written as"),
        (.release, [("environment", "Mars")], "", "Choose an environment of this app."),
        (.limit, [("currency", "XYZ"), ("amount", "1")], "limit-currency", "Apple sells in no such currency."),
        (.limit, [("currency", "EUR"), ("amount", "-1")], "limit-amount", "Write the amount with digits only"),
        (.limit, [("currency", "EUR"), ("amount", "1.005")], "limit-amount", "EUR has 2 decimals:"),
        (.limit, [("currency", "JPY"), ("amount", "10.5")], "limit-amount", "JPY has no decimals:"),
        (
            .limit, [("currency", "EUR"), ("amount", "9999999999999999")], "limit-amount",
            "Write the amount with digits only"
        ),
        (.limitRemoval, [("currency", "")], "", "A currency is three capital letters"),
        (
            .cost, [("sku", ""), ("kind", "payout"), ("amount", "1"), ("currency", "EUR")], "cost-sku",
            "A SKU has 1 to 128 characters."
        ),
        (
            .cost, [("sku", "a"), ("kind", "rubbish"), ("amount", "1"), ("currency", "EUR")], "",
            "Choose what it is for."
        ),
        (.costRemoval, [("sku", "a"), ("kind", "")], "", "There is no such cost."),
    ]

    @Test func `what is wrong is said at its field, and changes nothing`() async throws {
        try await withAdmin { sam, desk, _, _ in
            for (part, fields, id, text) in Self.wrong {
                let answer = try await sam.post(Self.part(part), fields)
                #expect(answer.status == 422, "\(part) \(fields)")
                if part.section != nil || fields.contains(where: { $0 == Self.production }) {
                    #expect(answer.text.contains(text), "\(part) \(fields)")
                }
                #expect(Markup(answer.text).troubles == [], "\(part) \(fields)")
                guard !id.isEmpty else { continue }
                let field = Markup(answer.text).tags.first {
                    $0.attributes["aria-invalid"] != nil && ($0.attributes["id"] ?? "").hasPrefix("field-\(id)")
                }
                #expect(field != nil, "\(part) \(fields)")
            }
            #expect(try await actions(desk) == [])
        }
    }

    @Test func `a rehearsal is one environment for people, and Sandbox alone is one`() async throws {
        try await withAdmin { sam, desk, _, _ in
            let app = try await desk.addRehearsal()
            let page = try await sam.get(.commerceAccess("alpha", bundleID: app.bundleID, done: nil)).text
            #expect(page.contains(">Rehearsal</h2>") && !page.contains(">Sandbox</h2>"))
            let answer = try await sam.post(
                .commerceAccessPart("alpha", bundleID: app.bundleID, .approval),
                [("environment", "Sandbox"), ("approval", "programme")])
            #expect(answer.status == 422)
        }
    }
}

@Suite struct `Bytes as text` {
    @Test(
        arguments: [
            ("plain <b>".utf8.map { $0 }, "plain <b>"), ([0xC3, 0xA4], "ä"), ([0x41, 0xC3], #"A\xc3"#),
            ([0xFF, 0x0A, 0x09], "\\xff\n\t"), ([0x00, 0x1B, 0x7F], #"\x00\x1b\x7f"#),
            ([0xE2, 0x80, 0xAE], #"\xe2\x80\xae"#), ([0xED, 0xA0, 0x80], #"\xed\xa0\x80"#), ([], ""),
        ] as [([UInt8], String)])
    func `what is no text and what would not be seen stands in hexadecimal`(bytes: [UInt8], text: String) {
        #expect(BytesText.text(bytes) == text)
    }
}
