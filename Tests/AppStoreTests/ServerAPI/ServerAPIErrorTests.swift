import AppStore
import Testing

@Suite struct `App Store Server API errors` {
    @Test(arguments: [
        (4_000_006, "InvalidTransactionIdError"), (4_000_035, "InvalidCustomerConsentedError"),
        (4_000_047, "InvalidTransactionTypeNotSupportedError"),
        (4_000_209, "ConsumptionPercentageAutoRenewableSubscriptionError"), (4_040_010, "TransactionIdNotFoundError"),
        (4_290_000, "RateLimitExceededError"), (5_000_001, "GeneralInternalRetryableError"),
    ])
    func `are named as Apple names them`(code: Int64, name: String) throws {
        #expect(try #require(ServerAPIError(rawValue: code)).documentationName == name)
    }

    @Test func `may be repeated where Apple says so`() {
        for error in ServerAPIError.allCases {
            let isOurs = [ServerAPIError.generalInternal, .rateLimitExceeded].contains(error)
            #expect(error.isRetryable == (isOurs || error.documentationName.contains("Retryable")), "\(error)")
        }
    }

    @Test func `begin with their HTTP status`() {
        for error in ServerAPIError.allCases {
            #expect([400, 403, 404, 409, 429, 500].contains(error.rawValue / 10_000), "\(error)")
        }
    }
}
