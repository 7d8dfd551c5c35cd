/// The errors of the Advanced Commerce API that its refund calls answer with.
///
/// A table of its own: some numbers are the App Store Server API's with another meaning. Names and numbers: error
/// codes page (apple sheet 6.12); the words are ours.
enum CommerceError {
    static let invalidStorefront = AppleError(4_000_028, "Invalid request. The storefront is invalid.")
    static let invalidAppAccountToken = AppleError(
        4_000_033, "Invalid request. The app account token must be a UUID or an empty string.")
    static let nullRequestInfo = AppleError(4_000_079, "Invalid request. The request info is missing.")
    static let nullRequestReferenceID = AppleError(4_000_080, "Invalid request. The request reference id is missing.")
    static let invalidRequestReferenceID = AppleError(
        4_000_081, "Invalid request. The request reference id must be a UUID.")
    static let invalidConsistencyToken = AppleError(4_000_082, "Invalid request. The consistency token is invalid.")
    static let repeatedRequestReferenceID = AppleError(
        4_000_097, "Invalid request. The request reference id was used before.")
    static let invalidRefundType = AppleError(4_000_123, "Invalid request. The refund type is invalid.")
    static let invalidRefundReason = AppleError(4_000_124, "Invalid request. The refund reason is invalid.")
    static let mismatchedStorefront = AppleError(
        4_000_133, "Invalid request. The storefront doesn't match the transaction's storefront.")
    static let operationNotAllowed = AppleError(4_000_135, "Invalid request. The operation isn't allowed.")
    static let nullRefundAmount = AppleError(
        4_000_153, "Invalid request. The refund amount is missing or invalid for a custom refund.")
    static let negativeRefundAmount = AppleError(4_000_154, "Invalid request. The refund amount must be positive.")
    static let refundAmountWithoutCustom = AppleError(
        4_000_155, "Invalid request. A refund amount is only allowed for a custom refund.")
    static let nullRefundReason = AppleError(4_000_156, "Invalid request. The refund reason is missing.")
    static let nullRefundType = AppleError(4_000_157, "Invalid request. The refund type is missing.")
    static let simulateRefundDeclineOnlyInSandbox = AppleError(
        4_000_158, "Invalid request. Simulating a declined refund is only valid in the sandbox.")
    static let nullRefundRisking = AppleError(4_000_159, "Invalid request. The refund risking preference is missing.")
    static let removalAllNotAllowed = AppleError(
        4_000_168, "Invalid request. An active subscription must keep at least one item.")
    static let pendingRefund = AppleError(4_000_181, "A refund of this transaction is already pending.")
    static let proratedOnlyLatestTransaction = AppleError(
        4_000_182, "Invalid request. A prorated refund is only allowed for the latest transaction.")
    static let partialSimulateRefundDecline = AppleError(
        4_000_184, "Invalid request. If one item simulates a declined refund, all items must.")
    static let revokeOnInactiveSubscription = AppleError(
        4_000_186, "Invalid request. Only an active subscription can be revoked.")
    static let itemSpecifiedMultipleTimes = AppleError(
        4_000_194, "Invalid request. An item can't be specified multiple times.")
    static let unauthorized = AppleError(4_010_000, "Unauthorized.")
    static let subscriptionDoesNotExist = AppleError(4_030_008, "The subscription doesn't exist.")
    static let subscriptionNotEligible = AppleError(4_030_010, "The subscription isn't eligible.")
    static let productNotOwned = AppleError(4_030_013, "The customer doesn't own the product.")
    static let insufficientFunds = AppleError(4_030_020, "There isn't enough money left to refund.")
    static let alreadyRefunded = AppleError(4_030_021, "The transaction was already refunded.")
    static let transactionNotRefundable = AppleError(4_030_024, "The transaction isn't refundable.")

    static func malformed(_ why: String) -> AppleError {
        AppleError(4_000_173, "Invalid request. The payload is malformed: \(why).")
    }
}
