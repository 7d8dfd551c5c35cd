import AppStore

/// One member of a reply as it was sent, or left out, and the rule of Apple's that it follows.
package struct SentField: Sendable, Hashable {
    package let name: String
    /// As it stands in the body; nil: left out.
    package let value: String?
    package let rule: String
}

extension CaseStory.Reply {
    /// The body member by member, in Apple's order.
    ///
    /// Source: App Store Server API, ConsumptionRequest, its fields, and ConsumptionRequestV1 (read 2026-08).
    ///
    /// - Parameter type: the product's, as the transaction has it.
    package func fields(productType type: String?) -> [SentField] {
        guard let document = try? JSONDocument(body) else { return [] }
        var said: [String: String] = [:]
        for (name, value) in document.root.members {
            said[name] = value.string ?? String(decoding: value.raw, as: UTF8.self)
        }
        return api == 1 ? FirstVersion.fields(said) : SecondVersion.fields(said, type)
    }
}

/// Send Consumption Information, version 2.
private enum SecondVersion {
    static func fields(_ said: [String: String], _ type: String?) -> [SentField] {
        let isAutoRenewable = type == ProductType.autoRenewableSubscription.rawValue
        return [
            SentField(
                name: "customerConsented", value: said["customerConsented"],
                rule: "Must be true. Without the customer's consent nothing may be sent at all."),
            SentField(
                name: "deliveryStatus", value: said["deliveryStatus"],
                rule: "One of five words, in every reply."),
            SentField(
                name: "sampleContentProvided", value: said["sampleContentProvided"],
                rule: "True or false, in every reply."),
            SentField(
                name: "consumptionPercentage", value: said["consumptionPercentage"],
                rule: share(said, isAutoRenewable, isTypeKnown: type.map { ProductType(rawValue: $0) != nil } ?? false)),
            SentField(
                name: "refundPreference", value: said["refundPreference"],
                rule: preference(said["refundPreference"], isAutoRenewable)),
        ]
    }

    private static func share(_ said: [String: String], _ isAutoRenewable: Bool, isTypeKnown: Bool) -> String {
        if isAutoRenewable { return "Never for an auto-renewable subscription: Apple computes its use from time." }
        if let delivery = said["deliveryStatus"], delivery != "DELIVERED" {
            return "Must be 0 for what was not delivered."
        }
        if said["refundPreference"] == "GRANT_PRORATED" {
            return "Between 1 and 99999 with GRANT_PRORATED."
        }
        if said["consumptionPercentage"] != nil { return "Between 0 and 100000, thousandths of a percent." }
        return isTypeKnown
            ? "Optional. Nobody measured it, so nothing is said."
            : "Optional, and forbidden for some types: of an unknown type nothing is said."
    }

    private static func preference(_ word: String?, _ isAutoRenewable: Bool) -> String {
        switch word {
        case nil: "Optional. No preference is stated by leaving it out."
        case "GRANT_PRORATED":
            isAutoRenewable
                ? "Allowed for an auto-renewable subscription: Apple refunds the rest of its period."
                : "Allowed for what was delivered and used in part."
        default: "Allowed for every type of product."
        }
    }
}

/// Version 1, for purchases made with the Advanced Commerce API: numbers, of which 0 says nothing.
private enum FirstVersion {
    private static let members: [(name: String, rule: String)] = [
        ("customerConsented", "Must be true. Without the customer's consent nothing may be sent at all."),
        ("consumptionStatus", "0 not said, 1 not used, 2 used in part, 3 used up."),
        ("platform", "0 not said, 1 Apple's, 2 another."),
        ("sampleContentProvided", "True or false, in every reply."),
        (
            "deliveryStatus",
            "0 delivered and working, 1 quality, 2 wrong item, 3 server outage, 4 currency change, 5 other."
        ),
        ("appAccountToken", "Always there; empty where the purchase has none that is a UUID."),
        ("accountTenure", "0 not said; else 1 to 7, from days to more than a year."),
        ("playTime", "0 not said; else 1 to 7, from minutes to more than 16 days."),
        ("lifetimeDollarsPurchased", "0 not said; else 1 to 7, from nothing to over 2,000 USD."),
        ("lifetimeDollarsRefunded", "0 not said; else 1 to 7, from nothing to over 2,000 USD."),
        ("userStatus", "0 not said, 1 active, 2 suspended, 3 ended, 4 limited."),
        ("refundPreference", "Optional: 0 not said, 1 grant, 2 decline, 3 none."),
    ]

    static func fields(_ said: [String: String]) -> [SentField] {
        members.map { SentField(name: $0.name, value: said[$0.name], rule: $0.rule) }
    }
}
