import AppStore
import Refunds

/// Apple's rules for the body of Send Consumption Information, version 2, looked at from outside: from the bytes that were sent, and
/// apart from the code that made them.
///
/// Source: App Store Server API, ConsumptionRequest and the pages of its fields (read 2026-08).
enum BodyRules {
    private static let deliveries: Set<String> = [
        "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
        "UNDELIVERED_OTHER",
    ]
    private static let names: Set<String> = [
        "customerConsented", "deliveryStatus", "sampleContentProvided", "consumptionPercentage", "refundPreference",
    ]

    /// A sentence for each rule that is broken; empty for version 1, which has others.
    static func broken(_ reply: CaseStory.Reply, productType: String?) -> [String] {
        reply.api == 2 ? broken(reply.body, productType: productType) : []
    }

    static func broken(_ body: [UInt8], productType: String?) -> [String] {
        guard let root = (try? JSONDocument(body))?.root, root.isObject else { return ["it is no JSON object"] }
        var broken: [String] = []
        func rule(_ isKept: Bool, _ text: String) { if !isKept { broken.append(text) } }
        let strangers = root.members.map(\.name).filter { !names.contains($0) }
        rule(strangers.isEmpty, "it has a member that Apple does not know: \(strangers.first ?? "")")
        rule(root["customerConsented"]?.bool == true, "customerConsented is not true")
        let delivery = root["deliveryStatus"]?.string
        rule(delivery.map(deliveries.contains) ?? false, "deliveryStatus is none of Apple's words")
        rule(root["sampleContentProvided"]?.bool != nil, "sampleContentProvided is neither true nor false")
        let share = root["consumptionPercentage"]
        rule(
            share == nil || share?.int.map { (0...100_000).contains($0) } == true,
            "consumptionPercentage is out of range")
        let preference = root["refundPreference"]?.string
        rule(
            root["refundPreference"] == nil || ["DECLINE", "GRANT_FULL", "GRANT_PRORATED"].contains(preference),
            "refundPreference is none of Apple's words")
        if productType == ProductType.autoRenewableSubscription.rawValue {
            rule(share == nil, "an auto-renewable subscription carries a consumptionPercentage")
        } else if let type = productType, ProductType(rawValue: type) != nil {
            rule(
                delivery == "DELIVERED" || share?.int == 0,
                "what was not delivered has another consumptionPercentage than 0")
            rule(
                preference != "GRANT_PRORATED"
                    || delivery == "DELIVERED" && share?.int.map { (1...99_999).contains($0) } == true,
                "GRANT_PRORATED without a use in part")
        }
        return broken
    }
}
