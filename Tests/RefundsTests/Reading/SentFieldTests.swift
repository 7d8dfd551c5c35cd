import AppStore
import Refunds
import Testing
import Time

@Suite("What was sent, field by field") struct SentFieldTests {
    private static func fields(_ json: String, api: Int = 2, type: String?) -> [String: SentField] {
        let reply = CaseStory.Reply(api: api, body: Array(json.utf8), frozenAt: Moment(milliseconds: 0), attempts: [])
        return Dictionary(
            uniqueKeysWithValues: reply.fields(productType: type).map { ($0.name, $0) })
    }

    private static let subscription = "Auto-Renewable Subscription"

    @Test(
        arguments: [
            (subscription, #""deliveryStatus":"DELIVERED""#, "Never for an auto-renewable subscription"),
            ("Consumable", #""deliveryStatus":"DELIVERED""#, "Nobody measured it"),
            ("Consumable", #""deliveryStatus":"DELIVERED","consumptionPercentage":0"#, "Between 0 and 100000"),
            ("Consumable", #""deliveryStatus":"UNDELIVERED_OTHER","consumptionPercentage":0"#, "Must be 0"),
            (
                "Consumable",
                #""deliveryStatus":"DELIVERED","consumptionPercentage":5,"refundPreference":"GRANT_PRORATED""#,
                "Between 1 and 99999"
            ),
            ("A_TYPE_OF_2031", #""deliveryStatus":"DELIVERED""#, "of an unknown type nothing is said"),
        ])
    func `the use names the rule that applied to it`(type: String, members: String, rule: String) throws {
        let fields = Self.fields(#"{"customerConsented":true,"sampleContentProvided":false,\#(members)}"#, type: type)
        #expect(fields.count == 5 && fields["customerConsented"]?.value == "true")
        let share = try #require(fields["consumptionPercentage"])
        #expect(share.rule.contains(rule), "\(share.rule)")
        #expect((share.value != nil) == members.contains("consumptionPercentage"))
    }

    @Test func `a preference that is left out is said to be, and version 1 has its twelve members`() {
        let none = Self.fields(#"{"customerConsented":true}"#, type: "Consumable")["refundPreference"]
        #expect(none?.value == nil && none?.rule.contains("leaving it out") == true)
        let old = Self.fields(
            #"{"customerConsented":true,"deliveryStatus":0,"appAccountToken":"","refundPreference":2}"#, api: 1,
            type: Self.subscription)
        #expect(old.count == 12 && old["refundPreference"]?.value == "2" && old["appAccountToken"]?.value == "")
        #expect(Self.fields("no JSON", type: nil).isEmpty)
    }
}
