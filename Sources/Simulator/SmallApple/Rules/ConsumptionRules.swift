/// The rules of Send Consumption Information v2 for a body and the transaction it speaks of.
///
/// Source: App Store Server API, ConsumptionRequest and its field pages (apple sheet 5.2, 5.3). Where
/// the documentation leaves a question open the stricter reading is enforced, so that nobody learns to
/// lean on a kindness that Apple may not have; each such place says so.
struct ConsumptionRules {
    let numbers: UnconfirmedNumbers

    private static let members: Set = [
        "customerConsented", "deliveryStatus", "sampleContentProvided", "consumptionPercentage", "refundPreference",
    ]
    private static let deliveryStatuses: Set = [
        "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
        "UNDELIVERED_OTHER",
    ]

    /// What the transaction itself forbids, whatever the body says.
    func objection(to transaction: JSONObject) -> ConsumptionVerdict? {
        // R8: family-shared transactions are not supported.
        if transaction["inAppOwnershipType"]?.string == "FAMILY_SHARED" {
            return .refused(.familyTransactionNotSupported, rule: "R8")
        }
        // R9: transactions of an assigned business seat are not supported.
        if transaction["inAppOwnershipType"]?.string == "ASSIGNED" {
            return .refused(.assignedTransactionNotSupported, rule: "R9")
        }
        // R7: purchases made with the Advanced Commerce API belong to v1.
        if transaction["advancedCommerceInfo"] != nil {
            return .refused(numbers.advancedCommerceNotSupported, rule: "R7")
        }
        return nil
    }

    func verdict(on body: [UInt8], of transaction: JSONObject) -> ConsumptionVerdict {
        let members: JSONObject
        switch Result(catching: { () throws(JSONReader.Fault) in try JSONReader.read(body) }) {
        case .success(.object(let object)): members = object
        case .success: return .malformed("the body is no object")
        case .failure(let fault): return .malformed("the body is no JSON: \(fault)")
        }
        if let objection = objection(to: transaction) { return objection }

        // R1: missing, false, null, "true" and 1 are all not true.
        guard members["customerConsented"] == true else { return .refused(.invalidCustomerConsented, rule: "R1") }
        guard let status = members["deliveryStatus"]?.string, Self.deliveryStatuses.contains(status) else {
            return .refused(.invalidDeliveryStatus, rule: "deliveryStatus")
        }
        guard members["sampleContentProvided"]?.bool != nil else {
            return .refused(.invalidSampleContentProvided, rule: "sampleContentProvided")
        }
        var preference: ConsumptionAnswer.Preference?
        if let stated = members["refundPreference"] {
            // There is no NO_PREFERENCE in v2: to state none, the member is left out.
            preference = stated.string.flatMap(ConsumptionAnswer.Preference.init)
            guard preference != nil else { return .refused(.invalidRefundPreference, rule: "refundPreference") }
        }
        var percentage: Int64?
        if let stated = members["consumptionPercentage"] {
            // The type is int32; what a string or a fraction does is not documented: refused as malformed.
            percentage = stated.int
            guard percentage != nil else { return .malformed("consumptionPercentage is no integer") }
        }
        // What further members do is not documented: refused as malformed.
        if let stranger = members.names.first(where: { !Self.members.contains($0) }) {
            return .malformed("unknown member \(stranger)")
        }
        let answer = ConsumptionAnswer(
            isDelivered: status == "DELIVERED", consumptionPercentage: percentage, preference: preference)
        return crossed(answer, isAutoRenewable: transaction["type"]?.string == "Auto-Renewable Subscription")
    }

    /// The rules that need more than one member.
    private func crossed(_ answer: ConsumptionAnswer, isAutoRenewable: Bool) -> ConsumptionVerdict {
        if let percentage = answer.consumptionPercentage {
            // R3 before R6: for an auto-renewable subscription no value is right.
            if isAutoRenewable { return .refused(.percentageForAutoRenewable, rule: "R3") }
            if !(0...100_000).contains(percentage) { return .refused(numbers.percentageOutOfRange, rule: "R6") }
            if !answer.isDelivered, percentage != 0 {
                return .refused(numbers.undeliveredPercentageNonZero, rule: "R2")
            }
        }
        // R4 has no error name in the documentation: refused as malformed. R5: the other two
        // preferences are valid for every product type.
        if answer.preference == .grantProrated, !isAutoRenewable {
            guard let percentage = answer.consumptionPercentage, (1..<100_000).contains(percentage) else {
                return .malformed("R4: GRANT_PRORATED needs a consumptionPercentage above 0 and below 100000")
            }
        }
        return .accepted(answer)
    }
}
