import AppStore
import FoundationEssentials
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("A draft beside the policy") struct ShadowTests {
    private static let ada = HeldCaseTests.author

    @Test func `decides each new case too, and nothing of it is sent`() async throws {
        try await Desk.open { desk in
            let (app, deciding) = (desk.alpha.app, desk.deciding)
            try await desk.save("otherwise prefer DECLINE")
            try await deciding.startShadow(
                "if reason is LEGAL then prefer DECLINE\notherwise ask a person, else prefer GRANT_FULL", of: app,
                by: Self.ada, role: .admin, address: nil)
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            try await desk.take(
                desk.note(
                    "CONSUMPTION_REQUEST",
                    desk.tx {
                        $0["transactionId"] = "2000000900000002"
                        $0["originalTransactionId"] = "2000000900000002"
                    }
                ) { $0["data"]?["consumptionRequestReason"] = "LEGAL" })
            #expect(desk.apple.calls.count == 2 && desk.apple.calls.allSatisfy { $0.body.contains("DECLINE") })
            let trials = try await deciding.trials(of: app)
            let comparison = try #require(trials.comparison)
            #expect(comparison.cases == 2 && comparison.agreeing == 1 && comparison.money == ["USD": 9990])
            let difference = try #require(comparison.differences.first)
            #expect(difference.live == .decline && difference.draft == .refundInFull && difference.asks)
            let beside = try await deciding.beside(difference.id, customer: nil, app: app.id, of: app.tenant)
            #expect(beside.draft?.rule == 2 && beside.draft?.number == 1)
        }
    }

    @Test func `is stopped, replaced by another, and made the policy that decides`() async throws {
        try await Desk.open { desk in
            let (app, deciding) = (desk.alpha.app, desk.deciding)
            func start(_ text: String) async throws {
                try await deciding.startShadow(text, of: app, by: Self.ada, role: .admin, address: nil)
            }
            try await start("otherwise send nothing")
            try await start("otherwise prefer GRANT_FULL")
            #expect(try await desk.count("refunds.shadows where stopped_at is null and shadow_no = 2") == 1)
            await #expect(throws: DecidingDesk.Refused.overtaken(by: nil)) {
                _ = try await deciding.promoteShadow(basedOn: 3, of: app, by: Self.ada, role: .admin, address: nil)
            }
            let version = try await deciding.promoteShadow(
                basedOn: 0, of: app, by: Self.ada, role: .admin, address: nil)
            #expect(version.number == 1 && version.text == "otherwise prefer GRANT_FULL")
            #expect(try await deciding.trials(of: app).shadow?.promoted == 1)
            try await start("otherwise send nothing")
            try await deciding.stopShadow(of: app, by: Self.ada, role: .admin, address: nil)
            await #expect(throws: DecidingDesk.Refused.overtaken(by: nil)) {
                _ = try await deciding.promoteShadow(basedOn: 1, of: app, by: Self.ada, role: .admin, address: nil)
            }
            await #expect(throws: DecidingDesk.Refused.forbidden) {
                try await deciding.stopShadow(of: app, by: Self.ada, role: .viewer, address: nil)
            }
            let actions = try await desk.test.asSuperuser(
                "select action from tenants.audit where action like 'policy.%' order by action"
            ).map { try $0("action") as String }
            #expect(
                actions == [
                    "policy.changed", "policy.shadow-started", "policy.shadow-started", "policy.shadow-started",
                    "policy.shadow-stopped",
                ])
        }
    }
}

@Suite("Cases without a preference") struct HoldOutTests {
    private static let ada = HeldCaseTests.author

    @Test func `the lot says the same of a request whenever it is asked, and takes the share that is set`() {
        let rounds = (0..<4000).map { _ in UUID() }
        for share in [0, 10, 50] {
            let taken = rounds.filter { HoldOut.takes($0, share: share) }
            #expect(abs(taken.count - 40 * share) < 150, "\(share): \(taken.count)")
            #expect(taken.allSatisfy { HoldOut.takes($0, share: share) })
        }
        // Who is taken by a small share is taken by a greater one.
        #expect(rounds.allSatisfy { !HoldOut.takes($0, share: 10) || HoldOut.takes($0, share: 50) })
        #expect(rounds.filter { HoldOut.takes($0, share: 500) }.count < 2200)
    }

    /// What a policy says of a request that the lot takes.
    private func decide(_ text: String, _ change: (inout PurchaseFacts) -> Void = { _ in }) throws -> Decision {
        let policy = try PolicyText.read(text).get()
        return policy.decide(
            purchase {
                $0.isHeldOut = true
                change(&$0)
            })
    }

    @Test func `facts go out without the preference, and the case says which it was`() throws {
        let decision = try decide("otherwise prefer DECLINE")
        #expect(decision.answer == .factsOnly && decision.asked == .decline && decision.heldOut == .decline)
        #expect(decision.remarks.contains { $0.contains("DECLINE") })
    }

    @Test func `it never touches what a person is asked, what is withheld, our own requests and what is fixed`() throws
    {
        #expect(try decide("otherwise ask a person, else prefer DECLINE").answer == .decline)
        #expect(try decide("otherwise send nothing").answer == .nothing)
        #expect(try decide("otherwise prefer DECLINE") { $0.consent = .missing }.withheld == .noConsent)
        #expect(try decide("otherwise prefer DECLINE") { $0.isOwnRequest = true }.answer == .refundInFull)
        let fixed = try decide("otherwise prefer DECLINE") { $0.override = OverrideTests.sample(.grantFull) }
        #expect(fixed.answer == .refundInFull && fixed.heldOut == nil)
        #expect(try decide("otherwise send facts only").heldOut == nil)
    }

    @Test func `what it shows is counted apart, and set by those who may change the policy`() async throws {
        try await Desk.open { desk in
            let (app, deciding) = (desk.alpha.app, desk.deciding)
            #expect(try await deciding.trials(of: app).holdOut.share == 0)
            try await desk.save("otherwise prefer DECLINE")
            try await deciding.setHoldOut(50, of: app, by: Self.ada, role: .admin, address: nil)
            for share in [-1, 51] {
                await #expect(throws: DecidingDesk.Refused.self) {
                    try await deciding.setHoldOut(share, of: app, by: Self.ada, role: .admin, address: nil)
                }
            }
            await #expect(throws: DecidingDesk.Refused.forbidden) {
                try await deciding.setHoldOut(1, of: app, by: Self.ada, role: .support, address: nil)
            }
            try await desk.consent()
            for number in 1...8 {
                try await desk.take(
                    desk.note(
                        "CONSUMPTION_REQUEST",
                        desk.tx {
                            $0["transactionId"] = .text("200000090000010\(number)")
                            $0["originalTransactionId"] = .text("200000090000010\(number)")
                        }))
            }
            let told = try await desk.count("refunds.decisions where not held_out and answer = 'DECLINE'")
            let held = try await desk.count("refunds.decisions where held_out and answer = 'DECLINE'")
            #expect(told + held == 8)
            #expect(desk.apple.calls.filter { !$0.body.contains("refundPreference") }.count == Int(held))
            #expect(try await desk.count("refunds.cases where told = 'facts-only'") == held)
            // After fourteen days without a decision a case counts as not refunded.
            #expect(try await deciding.trials(of: app).holdOut.lines.isEmpty)
            desk.clock.advance(by: .days(15))
            let line = try #require(try await deciding.trials(of: app).holdOut.lines.first)
            #expect(line.told.of == Int(told) && line.heldOut.of == Int(held) && line.difference == nil)
        }
    }
}

@Suite("Customers with an answer of their own") struct OverrideTests {
    private static let token = "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c111"

    static func sample(_ action: CustomerOverride.Action, until: Moment? = nil) -> CustomerOverride {
        CustomerOverride(
            id: UUID(), customer: token, action: action, reason: "So.", author: HeldCaseTests.author,
            authorName: "ada@example.com", madeAt: noon, until: until)
    }

    private func fix(
        _ action: CustomerOverride.Action, _ desk: Desk, token: String = token, until: Moment? = nil,
        role: Tenants.Role = .support
    ) async throws {
        let app = desk.alpha.app
        let known = try await desk.deciding.override(of: token, in: app.id, of: app.tenant)
        try await desk.deciding.setOverride(
            action, for: token, reason: "Asks after each level.", until: until, basedOn: known?.id, of: app,
            by: .person(HeldCaseTests.author, name: "ada@example.com"), role: role, address: nil)
    }

    @Test(arguments: [
        (CustomerOverride.Action.decline, "answered", "DECLINE" as String?), (.grantFull, "answered", "GRANT_FULL"),
        // Its use is not known: Apple's own rule leaves the preference out.
        (.grantProrated, "answered", "facts-only"), (.factsOnly, "answered", "facts-only"), (.nothing, "withheld", nil),
        (.hold, "held", nil),
    ]) func `are answered by it before any rule`(
        action: CustomerOverride.Action, state: String, told: String?
    ) async throws {
        try await Desk.open { desk in
            try await desk.save("otherwise prefer GRANT_FULL")
            try await fix(action, desk, token: Self.token.uppercased())
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(try await desk.cases().map(\.state) == [state])
            #expect(
                try await desk.test.asSuperuser("select told from refunds.cases").map { try $0("told") as String? }
                    == [told])
            #expect(try await desk.count("refunds.rounds where decision like '%Asks after each level.%'") == 1)
            // No rule was asked: no trial of rules counts it.
            #expect(try await desk.count("refunds.decisions") == 0)
        }
    }

    @Test func `a person's answer counts where one is asked because of it`() async throws {
        try await Desk.open { desk in
            try await fix(.hold, desk)
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            let id: UUID = try await desk.test.asSuperuser("select case_id from refunds.cases")[0]("case_id")
            try await desk.deciding.answer(
                id, of: desk.alpha.app.tenant,
                HeldAnswer(
                    choice: .decline, reason: "Spoke with them.", person: HeldCaseTests.author.rawValue,
                    name: "ada@example.com", at: desk.now), role: .support, address: nil)
            try await desk.work()
            #expect(desk.apple.calls.map { $0.body.contains("DECLINE") } == [true])
        }
    }

    @Test func `BL-010: consent goes before it, and so do family members' copies`() {
        let policy = Policy.standard
        #expect(
            policy.decide(
                purchase {
                    $0.override = Self.sample(.grantFull); $0.consent = .missing
                }
            ).withheld == .noConsent)
        let family = policy.decide(
            purchase {
                $0.override = Self.sample(.grantFull)
                $0.ownership = .init("FAMILY_SHARED")
            })
        #expect(family.withheld == .familyShared)
    }

    @Test func `it ends with its day, or when somebody takes it away`() async throws {
        try await Desk.open { desk in
            try await desk.save("otherwise prefer GRANT_FULL")
            try await desk.consent()
            try await fix(.decline, desk, until: desk.now + .minutes(1))
            desk.clock.advance(by: .minutes(1))
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.map { $0.body.contains("GRANT_FULL") } == [true])
            try await fix(.nothing, desk)
            let fixed = try #require(try await desk.deciding.overrides(of: desk.alpha.app).first)
            #expect(fixed.action == .nothing && fixed.until == nil)
            func remove() async throws -> Bool {
                try await desk.deciding.removeOverride(
                    fixed.id, of: desk.alpha.app, by: .person(HeldCaseTests.author, name: "ada"), role: .support,
                    address: nil)
            }
            #expect(try await remove())
            #expect(try await !remove())
            #expect(try await desk.count("tenants.audit where action like 'override.%'") == 3)
            #expect(try await desk.count("tenants.audit where detail like '%3d0e6c1e%'") == 0)
        }
    }

    @Test func `it is not set by who may only look, without a reason, for nobody, or for a day that is over`()
        async throws
    {
        try await Desk.open { desk in
            await #expect(throws: DecidingDesk.Refused.forbidden) { try await fix(.decline, desk, role: .viewer) }
            await #expect(throws: DecidingDesk.Refused.self) { try await fix(.decline, desk, token: "") }
            await #expect(throws: DecidingDesk.Refused.self) { try await fix(.decline, desk, until: desk.now) }
            await #expect(throws: DecidingDesk.Refused.self) {
                try await desk.deciding.setOverride(
                    .decline, for: Self.token, reason: " \n", until: nil, basedOn: nil, of: desk.alpha.app,
                    by: .person(HeldCaseTests.author, name: "ada"), role: .support, address: nil)
            }
            let kept = try await desk.deciding.overrides(of: desk.alpha.app)
            #expect(kept.isEmpty)
        }
    }

    @Test(arguments: [
        ("user-123" as String?, "withheld"), ("USER-123", "answered"), ("", "answered"), (nil, "answered"),
    ])
    func `BL-023: a customer is whatever text the app gave, and who has none is nobody's`(
        given: String?, state: String
    ) async throws {
        try await Desk.open(
            alpha: { $0.consent = .allFrom(WallClock.system.now - .days(9), wording: "You agree.") }
        ) { desk in
            try await fix(.nothing, desk, token: "user-123")
            try await desk.take(
                desk.note("CONSUMPTION_REQUEST", desk.tx { $0["appAccountToken"] = given.map { .text($0) } }))
            #expect(try await desk.cases().map(\.state) == [state])
        }
    }

    @Test func `whoever fixes another answer at the same time is told of the first one`() async throws {
        try await Desk.open { desk in
            try await fix(.decline, desk)
            let first = try #require(try await desk.deciding.overrides(of: desk.alpha.app).first)
            for basedOn in [nil, UUID()] {
                let overtaken = await #expect(throws: DecidingDesk.OverrideOvertaken.self) {
                    try await desk.deciding.setOverride(
                        .grantFull, for: Self.token.uppercased(), reason: "So.", until: nil, basedOn: basedOn,
                        of: desk.alpha.app, by: .person(HeldCaseTests.author, name: "bo"), role: .support, address: nil)
                }
                #expect(overtaken?.current?.id == first.id)
            }
            let kept = try await desk.deciding.overrides(of: desk.alpha.app)
            #expect(kept.map(\.action) == [.decline])
            #expect(try await desk.count("tenants.audit where action = 'override.set'") == 1)
        }
    }

    @Test func `another app's customer of the same name is not meant`() async throws {
        try await Desk.open { desk in
            try await fix(.nothing, desk)
            let other = try await desk.addApp("com.example.other")
            let found = try await desk.deciding.override(of: Self.token, in: other.id, of: other.tenant)
            #expect(found == nil)
        }
    }
}

@Suite("Warnings about a policy") struct PolicyWarningTests {
    @Test(arguments: [
        ("if price below 5 EUR and price at least 5 EUR then send nothing", "Rule 1 never fits"),
        ("if price at least 5 EUR and price below 9 USD then send nothing", "Rule 1 never fits"),
        ("if reason is LEGAL and reason is OTHER then send nothing", "Rule 1 never fits"),
        ("if reason is LEGAL and reason is not LEGAL or OTHER then send nothing", "Rule 1 never fits"),
        ("if age at least 3 days and age below 48 hours then send nothing", "Rule 1 never fits"),
        (
            "if use is full then send nothing\nif use is full and reason is LEGAL then send facts only",
            "Rule 2 never fits"
        ),
    ]) func `a rule that never fits is found without any case`(rules: String, words: String) throws {
        var trial = PolicyTrial()
        trial.conclude(try PolicyText.read(rules + "\notherwise send facts only").get())
        #expect(trial.warnings.contains { $0.hasPrefix(words) }, "\(trial.warnings)")
    }

    @Test(arguments: [
        "if price below 9 EUR and price at least 5 EUR then send nothing",
        "if spent below 9 EUR and spent at least 10 USD then send nothing",
        "if delivery is undelivered and delivery is UNDELIVERED_OTHER then send nothing",
        "if offer is free-trial and offer is introductory then send nothing",
        "if product is com.example.* and product is com.example.a then send nothing",
    ]) func `what may be so at once is no contradiction`(rules: String) throws {
        var trial = PolicyTrial()
        trial.conclude(try PolicyText.read(rules + "\notherwise send facts only").get())
        #expect(trial.warnings.isEmpty, "\(trial.warnings)")
    }

    @Test func `few cases say nothing of a rule, and twenty do`() throws {
        let policy = Policy(template: .fair)
        for count in [0, 1, 19, 20] {
            var trial = PolicyTrial()
            let facts = purchase { $0.share = Evidence(count % 2 == 0 ? 0 : 100_000, .setting) }
            for _ in 0..<count {
                trial.add(PastDecision(caseID: UUID(), facts: facts, answer: .decline, outcome: .pending), by: policy)
            }
            trial.conclude(policy)
            #expect(trial.warnings.contains { $0.contains("fits none of the last") } == (count >= 20), "\(count)")
            #expect(trial.fewCases?.contains("With \(count),") == ((1...19).contains(count) ? true : nil))
        }
    }

    @Test func `a preference that never varies is warned of; of declining, also that customers go to their bank`()
        throws
    {
        for (text, words, isBank) in [
            ("otherwise prefer DECLINE", "discounted", true), ("otherwise prefer GRANT_FULL", "discounted", false),
            ("if reason is LEGAL then prefer DECLINE\notherwise ask a person, else prefer DECLINE", "discounted", true),
        ] {
            var trial = PolicyTrial()
            trial.conclude(try PolicyText.read(text).get())
            #expect(trial.warnings.count == 1 && trial.warnings[0].contains(words))
            #expect(trial.warnings[0].contains("bank") == isBank)
        }
        var trial = PolicyTrial()
        let policy = try PolicyText.read("if use is none then prefer GRANT_FULL\notherwise prefer DECLINE").get()
        for _ in 0..<20 {
            trial.add(
                PastDecision(caseID: UUID(), facts: purchase(), answer: .decline, outcome: .pending), by: policy)
        }
        trial.conclude(policy)
        #expect(trial.warnings.contains { $0.contains("Every one of the last 20 requests would be declined") })
        trial = PolicyTrial()
        trial.conclude(try PolicyText.read("otherwise send facts only").get())
        #expect(trial.warnings.isEmpty)
    }
}
