/// An error as the App Store Server API words it: `{"errorCode": …, "errorMessage": …}`.
///
/// The first three digits of the code are the HTTP status. Names and numbers: error codes page of the
/// App Store Server API (apple sheet 4.6). Messages are ours, except where the sheet quotes one.
package struct AppleError: Error, Sendable, Hashable {
    package let code: Int64
    package let message: String

    package init(_ code: Int64, _ message: String) {
        self.code = code
        self.message = message
    }

    package var status: Int { Int(code / 10_000) }

    var json: JSON { ["errorCode": .int(code), "errorMessage": .string(message)] }
}

extension AppleError {
    static let generalBadRequest = AppleError(4_000_000, "Bad request.")
    static let invalidRequestRevision = AppleError(4_000_005, "Invalid request revision.")
    static let invalidTransactionId = AppleError(4_000_006, "Invalid transaction id.")
    static let startDateTooFarInPast = AppleError(4_000_012, "Invalid request. The start date is too far in the past.")
    static let startDateAfterEndDate = AppleError(
        4_000_013, "Invalid request. The start date must be before the end date.")
    static let invalidPaginationToken = AppleError(4_000_014, "Invalid request. The pagination token is invalid.")
    static let invalidStartDate = AppleError(4_000_015, "Invalid request. The start date is invalid.")
    static let invalidEndDate = AppleError(4_000_016, "Invalid request. The end date is invalid.")
    static let invalidNotificationType = AppleError(
        4_000_018, "Invalid request. The notification type or subtype is invalid.")
    static let multipleFiltersSupplied = AppleError(
        4_000_019, "Invalid request. Supply either a transaction id or a notification type, but not both.")
    static let invalidTestNotificationToken = AppleError(
        4_000_020, "Invalid request. The test notification token is invalid.")
    static let invalidSort = AppleError(4_000_021, "Invalid request. The sort is invalid.")
    static let invalidProductType = AppleError(4_000_022, "Invalid request. The product type is invalid.")
    static let invalidProductId = AppleError(4_000_023, "Invalid request. The product id is invalid.")
    static let invalidSubscriptionGroupIdentifier = AppleError(
        4_000_024, "Invalid request. The subscription group identifier is invalid.")
    static let invalidInAppOwnershipType = AppleError(
        4_000_026, "Invalid request. The in-app ownership type is invalid.")
    static let invalidRevoked = AppleError(4_000_030, "Invalid request. The revoked parameter is invalid.")

    static let invalidAccountTenure = AppleError(4_000_032, "Invalid request. The account tenure field is invalid.")
    static let invalidAppAccountToken = AppleError(
        4_000_033, "Invalid request. The app account token field must be a UUID or an empty string.")
    static let invalidConsumptionStatus = AppleError(
        4_000_034, "Invalid request. The consumption status field is invalid.")
    static let invalidCustomerConsented = AppleError(
        4_000_035, "Invalid request. The customer consented field is required and must be true.")
    static let invalidDeliveryStatus = AppleError(4_000_036, "Invalid request. The delivery status field is invalid.")
    static let invalidLifetimeDollarsPurchased = AppleError(
        4_000_037, "Invalid request. The lifetime dollars purchased field is invalid.")
    static let invalidLifetimeDollarsRefunded = AppleError(
        4_000_038, "Invalid request. The lifetime dollars refunded field is invalid.")
    static let invalidPlatform = AppleError(4_000_039, "Invalid request. The platform field is invalid.")
    static let invalidPlayTime = AppleError(4_000_040, "Invalid request. The play time field is invalid.")
    static let invalidSampleContentProvided = AppleError(
        4_000_041, "Invalid request. The sample content provided field is required and must be a boolean.")
    static let invalidUserStatus = AppleError(4_000_042, "Invalid request. The user status field is invalid.")
    static let invalidRefundPreference = AppleError(
        4_000_044, "Invalid request. The refund preference field is invalid.")
    static let transactionTypeNotSupported = AppleError(
        4_000_047, "Invalid request. The transaction type doesn't support this request.")
    static let appTransactionIdNotSupported = AppleError(
        4_000_048, "Invalid request. An app transaction id isn't supported by this endpoint.")
    static let familyTransactionNotSupported = AppleError(
        4_000_185, "Invalid request. Family Sharing transactions aren't supported by this endpoint.")
    /// The text is the documentation's.
    static let percentageForAutoRenewable = AppleError(
        4_000_209,
        "Invalid request. The consumption percentage field is not supported for auto-renewable subscription transactions."
    )
    static let assignedTransactionNotSupported = AppleError(
        4_000_227, "Invalid request. Assigned transactions aren't supported by this endpoint.")

    static let appNotFound = AppleError(4_040_003, "App not found.")
    static let serverNotificationURLNotFound = AppleError(
        4_040_007, "No App Store server notification URL found for provided app.")
    static let testNotificationNotFound = AppleError(
        4_040_008, "Either the test notification token is expired or the notification and status are not yet available."
    )
    static let transactionIdNotFound = AppleError(4_040_010, "Transaction id not found.")
    /// The text is the documentation's.
    static let rateLimitExceeded = AppleError(4_290_000, "Rate limit exceeded.")
    static let generalInternal = AppleError(5_000_000, "An unknown error occurred.")
    static let generalInternalRetryable = AppleError(5_000_001, "An unknown error occurred. Please try again.")
}
