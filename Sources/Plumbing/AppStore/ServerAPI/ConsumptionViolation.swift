/// A rule of Send Consumption Information that a body breaks.
///
/// Source: App Store Server API, Send Consumption Information, ConsumptionRequest and the pages of its
/// fields (read 2026-08).
package enum ConsumptionViolation: String, Error, Sendable, CaseIterable {
    case notConsented, familyShared, advancedCommerceNeedsV1, ordinaryPurchaseNeedsV2
    case percentageOutOfRange, percentageForAutoRenewable, undeliveredNeedsZero
    case proratedNeedsUseInPart, undeliveredCannotBeProrated

    /// The rule, for people.
    package var text: String {
        switch self {
        case .notConsented: "without the customer's consent nothing may be sent"
        case .familyShared: "a family-shared transaction is never answered"
        case .advancedCommerceNeedsV1: "a purchase made with the Advanced Commerce API is answered in version 1"
        case .ordinaryPurchaseNeedsV2: "a purchase made without the Advanced Commerce API is answered in version 2"
        case .percentageOutOfRange: "consumptionPercentage lies between 0 and 100000"
        case .percentageForAutoRenewable: "an auto-renewable subscription carries no consumptionPercentage"
        case .undeliveredNeedsZero: "what was not delivered has consumptionPercentage 0"
        case .proratedNeedsUseInPart: "GRANT_PRORATED needs a consumptionPercentage between 1 and 99999"
        case .undeliveredCannotBeProrated: "GRANT_PRORATED does not go with an UNDELIVERED status"
        }
    }
}
