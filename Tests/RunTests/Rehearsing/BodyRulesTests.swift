import Testing

@testable import Run

/// Apple's rules, looked at from the bytes: a valid body, and one thing spoiled at a time.
@Suite("Rules of a body") struct BodyRulesTests {
    private static let subscription = "Auto-Renewable Subscription"

    private static func broken(_ more: String, type: String = "Consumable", without: String = "") -> [String] {
        let members = [
            #""customerConsented":true"#, #""deliveryStatus":"DELIVERED""#, #""sampleContentProvided":false"#,
        ].filter { without.isEmpty || !$0.contains(without) }
        let json = "{" + (members + [more].filter { !$0.isEmpty }).joined(separator: ",") + "}"
        return BodyRules.broken(Array(json.utf8), productType: type)
    }

    @Test(arguments: [
        ("", "Consumable"), (#""consumptionPercentage":0"#, "Consumable"),
        (#""consumptionPercentage":50000,"refundPreference":"GRANT_PRORATED""#, "Non-Consumable"),
        (#""refundPreference":"GRANT_PRORATED""#, subscription), (#""refundPreference":"DECLINE""#, subscription),
        (#""consumptionPercentage":100000,"refundPreference":"DECLINE""#, "Non-Renewing Subscription"),
    ])
    func `what Apple takes breaks none`(more: String, type: String) {
        #expect(Self.broken(more, type: type) == [])
    }

    @Test(arguments: [
        ("", "customerConsented", "customerConsented"), ("", "deliveryStatus", "deliveryStatus"),
        ("", "sampleContent", "sampleContentProvided"),
        (#""customerConsented":false"#, "customerConsented", "not true"),
        (#""deliveryStatus":"LOST""#, "deliveryStatus", "none of Apple's words"),
        (#""extra":1"#, "", "does not know: extra"), (#""consumptionPercentage":100001"#, "", "out of range"),
        (#""consumptionPercentage":1.5"#, "", "out of range"),
        (#""refundPreference":"NO_PREFERENCE""#, "", "refundPreference"),
        (#""refundPreference":"GRANT_PRORATED""#, "", "without a use in part"),
        (#""consumptionPercentage":100000,"refundPreference":"GRANT_PRORATED""#, "", "without a use in part"),
        (#""deliveryStatus":"UNDELIVERED_OTHER""#, "deliveryStatus", "another consumptionPercentage than 0"),
    ])
    func `what Apple refuses is named`(more: String, without: String, why: String) {
        let broken = Self.broken(more, without: without)
        #expect(broken.contains { $0.contains(why) }, "\(broken)")
    }

    @Test func `BL-009: a subscription carries no percentage, not even 0`() {
        #expect(Self.broken(#""consumptionPercentage":0"#, type: Self.subscription).count == 1)
        #expect(BodyRules.broken(Array("[]".utf8), productType: nil) == ["it is no JSON object"])
    }
}
