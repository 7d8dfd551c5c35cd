/// The rules of Send Consumption Information v1, today the call for Advanced Commerce purchases.
///
/// Source: App Store Server API, ConsumptionRequestV1 and its field pages (apple sheet 5.6). All members
/// are required except `refundPreference`; numbers stand for choices, 0 meaning "not declared" except
/// for `deliveryStatus`, where it means delivered and working.
struct OldConsumptionRules {
    private static let choices: [(name: String, choices: ClosedRange<Int64>, error: AppleError)] = [
        ("consumptionStatus", 0...3, .invalidConsumptionStatus),
        ("platform", 0...2, .invalidPlatform),
        ("deliveryStatus", 0...5, .invalidDeliveryStatus),
        ("accountTenure", 0...7, .invalidAccountTenure),
        ("playTime", 0...7, .invalidPlayTime),
        ("lifetimeDollarsPurchased", 0...7, .invalidLifetimeDollarsPurchased),
        ("lifetimeDollarsRefunded", 0...7, .invalidLifetimeDollarsRefunded),
        ("userStatus", 0...4, .invalidUserStatus),
    ]
    private static let members = Set(
        choices.map(\.name) + ["customerConsented", "sampleContentProvided", "appAccountToken", "refundPreference"])

    func verdict(on body: [UInt8], of transaction: JSONObject) -> ConsumptionVerdict {
        let members: JSONObject
        switch Result(catching: { () throws(JSONReader.Fault) in try JSONReader.read(body) }) {
        case .success(.object(let object)): members = object
        case .success: return .malformed("the body is no object")
        case .failure(let fault): return .malformed("the body is no JSON: \(fault)")
        }
        // 4000227 is in the list of v1 errors since API 1.22; 4000185 is not in it.
        if transaction["inAppOwnershipType"]?.string == "ASSIGNED" {
            return .refused(.assignedTransactionNotSupported, rule: "R9")
        }
        // Before v2, consumables and auto-renewable subscriptions were the types this call knew. An
        // Advanced Commerce purchase is always one of the two.
        guard let type = transaction["type"]?.string, ["Consumable", "Auto-Renewable Subscription"].contains(type)
        else { return .refused(.transactionTypeNotSupported, rule: "type") }

        guard members["customerConsented"] == true else {
            return .refused(.invalidCustomerConsented, rule: "customerConsented")
        }
        guard members["sampleContentProvided"]?.bool != nil else {
            return .refused(.invalidSampleContentProvided, rule: "sampleContentProvided")
        }
        guard let token = members["appAccountToken"]?.string, token.isEmpty || isUUID(token) else {
            return .refused(.invalidAppAccountToken, rule: "appAccountToken")
        }
        for (name, choices, error) in Self.choices {
            guard let choice = members[name]?.int, choices.contains(choice) else {
                return .refused(error, rule: name)
            }
        }
        if let stated = members["refundPreference"] {
            guard let choice = stated.int, (0...3).contains(choice) else {
                return .refused(.invalidRefundPreference, rule: "refundPreference")
            }
        }
        if let stranger = members.names.first(where: { !Self.members.contains($0) }) {
            return .malformed("unknown member \(stranger)")
        }
        return .accepted(answer(members))
    }

    /// The old numbers in the words of the newer body.
    private func answer(_ members: JSONObject) -> ConsumptionAnswer {
        let percentage: Int64? =
            switch members["consumptionStatus"]?.int {
            case 1: 0
            case 2: 50_000
            case 3: 100_000
            default: nil
            }
        let preference: ConsumptionAnswer.Preference? =
            switch members["refundPreference"]?.int {
            case 1: .grantFull
            case 2: .decline
            default: nil
            }
        return ConsumptionAnswer(
            isDelivered: members["deliveryStatus"]?.int == 0, consumptionPercentage: percentage, preference: preference)
    }
}

/// Whether a text is a UUID in its usual form of 8-4-4-4-12 hexadecimal digits, in either case.
func isUUID(_ text: String) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
        && groups.allSatisfy { $0.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit } }
}
