/// Numbers of three documented errors that no public source gives.
///
/// They are drawn anew at each start and depend on no seed, so that a client cannot learn them: it has
/// to take a code it has never seen for what it is, a 400 that repeating will not mend.
/// Source: error codes page (apple sheet 4.6, rows marked "number unconfirmed").
package struct UnconfirmedNumbers: Sendable, Hashable {
    package let consumptionPercentageOutOfRange: Int64
    package let undeliveredConsumptionPercentageNonZero: Int64
    package let advancedCommerceTransactionNotSupported: Int64

    package init() {
        var random = SystemRandomNumberGenerator()
        // 4000300…4009999: HTTP status 400, and clear of every number that is documented.
        var numbers = Set<Int64>()
        while numbers.count < 3 { numbers.insert(Int64.random(in: 4_000_300...4_009_999, using: &random)) }
        let drawn = numbers.shuffled(using: &random)
        consumptionPercentageOutOfRange = drawn[0]
        undeliveredConsumptionPercentageNonZero = drawn[1]
        advancedCommerceTransactionNotSupported = drawn[2]
    }

    var percentageOutOfRange: AppleError {
        AppleError(
            consumptionPercentageOutOfRange,
            "Invalid request. The consumption percentage field must be between 0 and 100000.")
    }

    var undeliveredPercentageNonZero: AppleError {
        AppleError(
            undeliveredConsumptionPercentageNonZero,
            "Invalid request. The consumption percentage must be 0 if the purchase was not delivered.")
    }

    var advancedCommerceNotSupported: AppleError {
        AppleError(
            advancedCommerceTransactionNotSupported,
            "Invalid request. Advanced Commerce transactions aren't supported by this endpoint.")
    }
}
