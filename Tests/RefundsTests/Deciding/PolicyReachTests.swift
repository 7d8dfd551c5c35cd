import Testing

@testable import Refunds

@Suite("Rules that can never fit") struct PolicyReachTests {
    private func reach(_ rules: String) throws -> PolicyReach {
        PolicyReach(try PolicyText.read(rules + "\notherwise send facts only").get())
    }

    @Test(arguments: [
        ("requests below 0", "\"requests below 0\" is never so"),
        ("refunds below 0", "is never so"), ("age below 0 hours", "is never so"), ("use below 0%", "is never so"),
        ("product is a and product is b", "\"product is a\" and \"product is b\" are never so at once"),
        ("product is a.* and product is b.*", "never so at once"),
        ("product is a.* and product is b", "never so at once"),
        ("product is a.b* and product is not a.*", "never so at once"),
        ("use is none and use at least 50%", "\"use is none\" and \"use at least 50%\" are never so at once"),
        ("use is unknown and use below 50%", "never so at once"), ("use is part and use at least 100%", "never so"),
        ("use is full and use below 100%", "never so at once"), ("use is part and use below 0.001%", "never so"),
        ("delivery is delivered and delivery is undelivered", "never so at once"),
        ("delivery is UNDELIVERED_OTHER and delivery is not undelivered", "never so at once"),
        ("offer is none and offer is introductory", "never so at once"),
        ("currency is EUR and price below 5 USD", "never so at once"),
        ("price at least 5 EUR and price below 9 USD", "never so at once"),
        ("spent at least 9 EUR and spent below 9 EUR", "never so at once"),
        ("age at least 3 days and age below 48 hours", "never so at once"),
        ("elapsed at least 50% and elapsed below 20%", "never so at once"),
        ("time-left at least 2 hours and time-left below 60 minutes", "never so at once"),
        ("environment is not Production and environment is not Sandbox", "never so at once"),
        ("customer is not known and customer is not unknown", "never so at once"),
        ("type is consumable and storefront is USA and type is not consumable", "never so at once"),
        (
            "use is not none and use is not full and use at least 0% and use is not part",
            "\"use is not none and use is not full and use at least 0% and use is not part\" is never so"
        ),
    ]) func `a rule against itself is found, and what is against what`(conditions: String, words: String) throws {
        let why = try reach("if \(conditions) then send nothing").contradiction(in: 0)
        #expect(why?.contains(words) == true, "\(why ?? "nothing")")
    }

    @Test(arguments: [
        "price below 0 EUR", "use below 0.001%", "use at least 100%", "requests at least 0", "product is not a",
        "product is a.* and product is a.b.*", "product is a* and product is not a",
        "product is not a and product is b",
        "use is part and use at least 0.001%", "use is not none and use below 50%", "use is none and use below 0.001%",
        "spent below 9 EUR and spent at least 10 USD", "currency is not EUR and price below 5 USD",
        "delivery is undelivered and delivery is UNDELIVERED_OTHER", "offer is free-trial and offer is introductory",
        "offer is not none and offer is not introductory and offer is not promotional", "reason is NEW_ONE",
        "reason is not LEGAL and reason is not none", "customer is unknown and requests at least 1",
        "age at least 1 hour and elapsed below 10%", "type is unknown and elapsed at least 50%",
    ]) func `what may be so is no contradiction`(conditions: String) throws {
        #expect(try reach("if \(conditions) then send nothing").contradiction(in: 0) == nil)
    }

    @Test(arguments: [
        ("reason is LEGAL or OTHER", "reason is LEGAL"), ("price at least 10 EUR", "price at least 20 EUR"),
        ("price below 20 EUR", "price below 10 EUR"), ("use at least 50%", "use is full"),
        ("use is part or full", "use at least 0.001%"), ("product is a.*", "product is a.b"),
        ("product is a.*", "product is a.b.* and reason is LEGAL"), ("product is not a", "product is b"),
        ("delivery is undelivered", "delivery is UNDELIVERED_OTHER"), ("offer is not none", "offer is code"),
        ("currency is EUR", "price at least 1 EUR"), ("reason is not LEGAL", "reason is none"),
        ("reason is LEGAL or OTHER and use is part", "use is part and reason is OTHER and age at least 2 days"),
        ("age at least 2 days", "age at least 48 hours"),
        ("requests at least 1", "requests at least 2 and use is full"),
        ("environment is Production or Sandbox", "reason is LEGAL"),
    ]) func `a rule is taken by a wider one before it, and not the other way about`(wide: String, narrow: String) throws
    {
        let rules = (wide: "if \(wide) then send nothing", narrow: "if \(narrow) then send facts only")
        #expect(try reach("\(rules.wide)\n\(rules.narrow)").taker(of: 1)?.number == 1)
        let isSame = ["age at least 2 days", "use is part or full"].contains(wide)
        #expect(try (reach("\(rules.narrow)\n\(rules.wide)").taker(of: 1) == nil) != isSame)
    }

    @Test(arguments: [
        // The unknown is neither at least something nor below it.
        ("requests at least 0", "use is full"), ("use at least 0%", "use is not none"),
        ("price at least 0 EUR", "price at least 0 USD"), ("spent at least 0 EUR", "spent at least 5 USD"),
        ("price at least 0 EUR", "currency is EUR"), ("product is a.*", "product is a"),
        ("product is a*", "product is b"),
        ("offer is none or introductory or promotional or code or win-back", "offer is not free-trial"),
        (
            "reason is UNINTENDED_PURCHASE or FULFILLMENT_ISSUE or UNSATISFIED_WITH_PURCHASE or LEGAL or OTHER or none",
            "use is full"
        ),
        ("use is part and reason is LEGAL", "use is part"), ("customer is known", "requests at least 0"),
    ]) func `what may reach a later rule is not taken from it`(earlier: String, later: String) throws {
        let found = try reach("if \(earlier) then send nothing\nif \(later) then send facts only").taker(of: 1)
        #expect(found == nil)
    }

    @Test func `no rule of a template is warned of`() {
        for template in PolicyTemplate.allCases {
            let policy = Policy(template: template)
            var trial = PolicyTrial()
            trial.conclude(policy)
            #expect(trial.warnings.isEmpty, "\(template): \(trial.warnings)")
        }
    }

    @Test func `what is too much to look at is compared to the letter`() throws {
        let many = (0..<300).map { "p\($0)" }.joined(separator: " or ")
        let found = try reach("if product is \(many) then send nothing\nif product is p1 then send nothing")
        #expect(found.taker(of: 1) == nil && found.contradiction(in: 1) == nil)
        let same = try reach(
            "if product is \(many) then send nothing\nif product is \(many) and use is full then send nothing")
        #expect(same.taker(of: 1)?.number == 1)
    }
}
