/// What the rules say of a consumption body.
enum ConsumptionVerdict: Error, Hashable {
    /// 202.
    case accepted(ConsumptionAnswer)
    /// 400 with an error code; `rule` names the broken rule for the ledger.
    case refused(AppleError, rule: String)
    /// 400 without an error code: the documentation's sign of a malformed request (apple sheet 4.3, 5.4).
    case malformed(String)
}

/// What a developer told Apple about one transaction, in the words of the newer body.
package struct ConsumptionAnswer: Sendable, Hashable {
    package enum Preference: String, Sendable {
        case decline = "DECLINE"
        case grantFull = "GRANT_FULL"
        case grantProrated = "GRANT_PRORATED"
    }

    package var isDelivered: Bool
    /// Milliunits of a percent, 0…100000.
    package var consumptionPercentage: Int64?
    package var preference: Preference?
}
