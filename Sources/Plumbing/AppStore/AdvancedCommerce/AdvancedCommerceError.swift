/// Apple's numbered errors of the Advanced Commerce API.
///
/// Kept apart from `ServerAPIError`: both families number from the same places and mean different things by it.
/// All codes are here, those of other calls too: a code that is published, whoever it belongs to, says something of
/// the request, and one that is not may be the missing addendum.
/// Source: Advanced Commerce API, Error codes (read 2026-08), and the additions known since.
package enum AdvancedCommerceError: Int64, Sendable, CaseIterable {
    case invalidTransactionId = 4_000_006
    case invalidStorefront = 4_000_028
    case invalidAppAccountToken = 4_000_033
    case invalidCurrency = 4_000_053
    case oneItemNeededInModify = 4_000_063
    case nullRequestInfo = 4_000_079
    case nullRequestReferenceID = 4_000_080
    case invalidRequestReferenceID = 4_000_081
    case invalidConsistencyToken = 4_000_082
    case nullVersion = 4_000_083
    case unexpectedVersion = 4_000_084
    case nullTransactionId = 4_000_085
    case negativePrice = 4_000_086
    case skuLengthExceeded = 4_000_087
    case descriptionLengthExceeded = 4_000_088
    case displayNameLengthExceeded = 4_000_089
    case negativeProratedPrice = 4_000_091
    case nullOfferPeriod = 4_000_092
    case nullPeriodCount = 4_000_093
    case periodCountNotPositive = 4_000_094
    case nullReason = 4_000_095
    case invalidPreviousTransactionID = 4_000_096
    case repeatedRequestReferenceId = 4_000_097
    case nullCurrency = 4_000_098
    case nullTaxCode = 4_000_099
    case nullStorefront = 4_000_100
    case nullItems = 4_000_101
    case nullItem = 4_000_102
    case nullDescriptors = 4_000_103
    case nullPeriod = 4_000_104
    case nullSKU = 4_000_105
    case nullDisplayName = 4_000_106
    case nullDescription = 4_000_107
    case nullPrice = 4_000_109
    case nullRetainBillingCycle = 4_000_110
    case nullEffective = 4_000_111
    case nullNewSKU = 4_000_112
    case invalidPreviousSubscription = 4_000_113
    case productAlreadyExists = 4_000_114
    case invalidProductChanges = 4_000_115
    case invalidSalable = 4_000_116
    case invalidSalableDuration = 4_000_117
    case invalidDisplayName = 4_000_118
    case invalidDescription = 4_000_119
    case invalidProduct = 4_000_121
    case invalidSKU = 4_000_122
    case invalidRefundType = 4_000_123
    case invalidRefundReason = 4_000_124
    case invalidChangeReason = 4_000_125
    case invalidOfferReason = 4_000_126
    case invalidTaxProductCode = 4_000_127
    case invalidOfferPeriod = 4_000_128
    case invalidOfferPeriodCount = 4_000_129
    case invalidRenewalPeriod = 4_000_130
    case invalidRenewalPrice = 4_000_131
    case invalidAmount = 4_000_132
    case mismatchedStorefront = 4_000_133
    case missingPricingConfigForStorefront = 4_000_134
    case operationNotAllowed = 4_000_135
    case moreItemsThanAllowed = 4_000_136
    case moreOffersThanAllowed = 4_000_137
    case emptyAddChangeItems = 4_000_139
    case missingUpdatedItemsWithPeriodChange = 4_000_140
    case periodResetWithRetainBillingCycle = 4_000_141
    case periodChangeEffectiveConflict = 4_000_142
    case multipleOperationsOnSingleSKU = 4_000_143
    case removeItemsWithoutAddOrChangeItems = 4_000_144
    case removeItemNotFound = 4_000_145
    case changeItemNotFound = 4_000_146
    case misalignedBillingCycle = 4_000_147
    case billingCycleResetWithEffectiveLater = 4_000_148
    case periodChangeImmediateWithEffectiveAtNextBillingCycle = 4_000_149
    case multiplePrices = 4_000_150
    case invalidProratedPrice = 4_000_151
    case invalidOfferPrice = 4_000_152
    case nullRefundAmount = 4_000_153
    case negativeRefundAmount = 4_000_154
    case refundAmountWithoutCustom = 4_000_155
    case nullRefundReason = 4_000_156
    case nullRefundType = 4_000_157
    case simulateRefundDeclineOnlyInSandbox = 4_000_158
    case nullRefundRisking = 4_000_159
    case atLeastOneItem = 4_000_160
    case atLeastOneOfDisplayNameOrDescription = 4_000_165
    case nullTargetProductID = 4_000_166
    case invalidTargetProductID = 4_000_167
    case removalAllNotAllowed = 4_000_168
    case nullCurrentSKU = 4_000_169
    case currentSKULengthExceeded = 4_000_170
    case nullAdvancedCommerceData = 4_000_171
    case invalidOperation = 4_000_172
    case malformedPayload = 4_000_173
    case invalidSignature = 4_000_174
    case subscriptionAlreadyMigrated = 4_000_176
    case offerPreventsItemMidCycleChange = 4_000_177
    case priceChangeNotSupportedThroughModifyItems = 4_000_178
    case itemLimitExceeded = 4_000_179
    case pendingChangesMismatch = 4_000_180
    case pendingRefund = 4_000_181
    case proratedOnlyLatestTransaction = 4_000_182
    case partialSimulateRefundDecline = 4_000_184
    case revokeOnInactiveSubscription = 4_000_186
    case dependentSKUsCannotBeShared = 4_000_192
    case dependentSKUsCannotBeChained = 4_000_193
    case itemCannotBeSpecifiedMultipleTimes = 4_000_194
    case priceChangeCannotBeIssuedWhenAlreadyCommunicated = 4_000_205
    case invalidPriceForChangeItemInPriceIncrease = 4_000_214
    case invalidSKUProvidedMustBeCurrentSKUSetToRenew = 4_000_220
    case acaPriceIncreaseIsNotCurrentlySupportedInIndia = 4_000_221
    case invalidProratedPriceForChangeItemWithEffectiveLater = 4_000_222
    case freeTrialOfferMustUsePeriodCountOfOne = 4_000_223
    case unauthorized = 4_010_000
    case subscriptionDoesNotExist = 4_030_008
    case subscriptionAlreadyExists = 4_030_009
    case subscriptionNotEligible = 4_030_010
    case subscriptionAlreadyActive = 4_030_011
    case productNotOwned = 4_030_013
    case inactiveACASub = 4_030_015
    case insufficientFunds = 4_030_020
    case alreadyRefunded = 4_030_021
    case storefrontChange = 4_030_022
    case productNotEligible = 4_030_023
    case transactionNotRefundable = 4_030_024
    case transactionCannotBeRefundedContactSupport = 4_030_025
    case migrationNotAllowedWhenPriceIncreaseCommunicated = 4_030_027
    case transactionIdNotFound = 4_040_010
    case productNotFound = 4_040_016
    case rateLimitExceeded = 4_290_000
    case generalInternal = 5_000_000
    case generalInternalRetryable = 5_000_001

    /// The name under which it is documented: `PendingRefundError`.
    package var documentationName: String {
        switch self {
        case .skuLengthExceeded: "SKULengthExceededError"
        case .acaPriceIncreaseIsNotCurrentlySupportedInIndia: "ACAPriceIncreaseIsNotCurrentlySupportedInIndiaError"
        case .unauthorized: "Unauthorized"
        case .transactionCannotBeRefundedContactSupport: "TransactionCannotBeRefundedContactSupport"
        default:
            // The case's own name, as documented but for its first letter and its end.
            "\(self)".prefix(1).uppercased() + "\(self)".dropFirst() + "Error"
        }
    }

    /// Apple can say it only after it has looked the transaction up: whoever is told this stands behind the door that
    /// key, approval and addendum open. Of other codes nobody knows before which door they are said.
    package var showsTransactionWasLookedUp: Bool {
        switch self {
        case .transactionIdNotFound, .mismatchedStorefront, .removalAllNotAllowed, .pendingRefund,
            .proratedOnlyLatestTransaction, .revokeOnInactiveSubscription, .subscriptionDoesNotExist,
            .subscriptionNotEligible, .productNotOwned, .inactiveACASub, .insufficientFunds, .alreadyRefunded,
            .storefrontChange, .productNotEligible, .transactionNotRefundable,
            .transactionCannotBeRefundedContactSupport:
            true
        default: false
        }
    }

    /// Apple had trouble of its own: the same bytes again later.
    package var isPassing: Bool {
        switch self {
        case .rateLimitExceeded, .generalInternal, .generalInternalRetryable: true
        default: false
        }
    }
}
