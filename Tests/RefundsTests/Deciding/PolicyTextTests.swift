import AppStore
import FoundationEssentials
import Testing
import Time

@testable import Refunds

@Suite("Policies as people write them") struct PolicyTextTests {
    private func read(_ text: String) throws -> Policy { try PolicyText.read(text).get() }

    /// A rule with a condition, before one that takes everything else.
    private func fits(_ condition: String, _ facts: PurchaseFacts) throws -> Bool {
        try read("if \(condition) then send nothing\notherwise send facts only").rule(for: facts)?.number == 1
    }

    @Test(arguments: PolicyTemplate.allCases) func `every template can be read, and printed to be read again`(
        template: PolicyTemplate
    ) throws {
        let policy = try read(template.text)
        #expect(try read(policy.text) == policy)
        #expect(policy.rules.last?.conditions.isEmpty == true)
    }

    @Test func `strict declines from half used on, and prefers a refund only where a failure was reported`() {
        let strict = Policy(template: .strict)
        let used = { (share: Int) in purchase { $0.share = Evidence(share, .reported(observedAt: noon)) } }
        #expect(strict.decide(used(49_999)).answer == .factsOnly)
        #expect(strict.decide(used(50_000)).answer == .decline)
        #expect(strict.decide(purchase { $0.reason = Known("LEGAL") }).answer == .factsOnly)
        let failed = purchase { $0.delivery = Evidence(.undeliveredOther, .reported(observedAt: noon)) }
        #expect(strict.decide(failed).answer == .refundInFull)
        #expect(
            strict.decide(
                purchase {
                    $0.reason = Known("UNINTENDED_PURCHASE"); $0.share = nil
                }
            ).answer == .factsOnly)
    }

    @Test(arguments: [
        ("reason is OTHER", true), ("reason is legal or other", true), ("reason is not OTHER", false),
        ("reason is none", false), ("reason is A_REASON_OF_LATER", false), ("product is com.example.coins.100", true),
        ("product is com.example.*", true), ("product is com.other.*", false), ("type is consumable", true),
        ("type is auto-renewable or non-renewing", false), ("currency is EUR", true), ("currency is usd", false),
        ("storefront is DEU", true), ("environment is Production", true), ("delivery is delivered", true),
        ("delivery is unreported", false), ("use is part", true), ("use is full or none", false),
        ("offer is none", true), ("offer is free-trial", false), ("customer is known", true),
        ("price at least 9.99 EUR", true), ("price at least 10.00 EUR", false), ("price below 10.00 EUR", true),
        ("price at least 1 USD", false), ("price below 100 USD", false), ("use at least 50%", true),
        ("use below 50%", false), ("age at least 2 days", true), ("age below 49 hours", true),
        ("time-left below 3 hours", true), ("requests at least 2", true), ("refunds at least 2", false),
        ("spent at least 100 EUR", true), ("spent at least 0.01 USD", false), ("elapsed at least 10%", false),
        ("reason is OTHER and price at least 5 EUR", true), ("reason is OTHER and price below 5 EUR", false),
    ]) func `a condition is so, or it is not`(condition: String, isSo: Bool) throws {
        let facts = purchase {
            $0.circumstances = PurchaseFacts.Circumstances(
                product: "com.example.coins.100", price: 9990, currency: "EUR", storefront: "DEU",
                purchasedAt: noon - .days(2), isCustomerKnown: true, earlierRequests: 2, earlierRefunds: 1,
                spent: ["EUR": 100_000], timeLeft: .hours(2))
        }
        #expect(try fits(condition, facts) == isSo)
    }

    @Test(arguments: [
        "price at least 0 EUR", "price below 1000 EUR", "use at least 0%", "use below 100%", "requests below 5",
    ])
    func `what is not known is neither at least nor below`(condition: String) throws {
        #expect(try !fits(condition, purchase { $0.share = nil }))
    }

    @Test func `a subscription's period counts from its purchase to its end`() throws {
        let facts = purchase {
            $0.circumstances.purchasedAt = noon - .days(15)
            $0.circumstances.expiresAt = noon + .days(15)
        }
        #expect(try fits("elapsed at least 50%", facts) && !fits("elapsed at least 50.001%", facts))
    }

    @Test(arguments: [
        ("", "The last rule says"), ("if use is full then prefer DECLINE", "The last rule says"),
        ("if reason is \u{202E}LEGAL then send nothing", "direction of writing"),
        ("# \u{1B}[2J\notherwise send nothing", "control character"),
        ("otherwise", "An action is"), ("otherwise send facts only\notherwise send nothing", "Nothing comes after"),
        ("when use is full then send nothing", "A line begins with"),
        ("if use then send nothing", "After \"use\" write"),
        ("if mood is bad then send nothing", "nothing a rule can look at"),
        ("if reason is bored then send nothing", "is no reason"),
        ("if price at least 5 then send nothing", "An amount is written"),
        ("if price at least -5 EUR then send nothing", "An amount is written"),
        ("if use at least 150% then send nothing", "A share is written"),
        ("if age at least 2 then send nothing", "A time is written"),
        ("if age at least 2 weeks then send nothing", "A time is written"),
        ("if requests at least many then send nothing", "A whole number"),
        ("if currency is euro then send nothing", "three letters"),
        ("if product is *.coins then send nothing", "A star may stand"),
        ("if use is full", "comes \"and\", \"or\" or \"then\""),
        ("if use is full then prefer MAYBE", "is no preference"),
        ("otherwise ask a person", "if nobody answers in time"),
        ("otherwise ask a person, else ask a person, else send nothing", "An action is"),
        ("otherwise send facts only please", "which says nothing"),
    ]) func `what cannot be read is said, with its line`(text: String, words: String) {
        guard case .failure(let troubles) = PolicyText.read("# a remark\n" + text) else {
            Issue.record("it was read")
            return
        }
        #expect(troubles.all.contains { $0.text.contains(words) }, "\(troubles.all)")
        #expect(troubles.all.allSatisfy { $0.line >= 1 && $0.line <= 3 })
    }

    @Test func `a text that is too long, or has too many rules, is refused`() {
        let rule = "if use is full then prefer DECLINE\n"
        for text in [String(repeating: "# long\n", count: 5000), String(repeating: rule, count: 201)] {
            guard case .failure = PolicyText.read(text + "otherwise send facts only") else {
                Issue.record("it was read")
                continue
            }
        }
    }

    @Test func `a trial says which rules fit, what would change, and what to think about`() throws {
        let policy = try read(
            """
            if use is part then prefer DECLINE
            if use is part and reason is OTHER then prefer GRANT_FULL
            if use is full then prefer DECLINE
            otherwise prefer DECLINE
            """)
        var trial = PolicyTrial()
        let facts = purchase {
            $0.circumstances.price = 9990
            $0.circumstances.currency = "EUR"
        }
        for answer in [Decision.Answer.decline, .refundInFull] {
            trial.add(PastDecision(caseID: .init(), facts: facts, answer: answer, outcome: .refunded), by: policy)
        }
        trial.conclude(policy)
        #expect(trial.looked == 2 && trial.fits == [1: 2] && trial.changed == 1 && trial.money == ["EUR": 9990])
        #expect(trial.changes.first?.was == .refundInFull && trial.changes.first?.now == .decline)
        #expect(trial.warnings.contains { $0.contains("Rule 2 never fits") && $0.contains("rule 1") })
        #expect(trial.warnings.count == 1 && trial.fewCases?.contains("With 2, that says little") == true)
        var declining = PolicyTrial()
        declining.conclude(try read("otherwise prefer DECLINE"))
        #expect(declining.warnings.contains { $0.contains("may go to their bank") })
    }
}
