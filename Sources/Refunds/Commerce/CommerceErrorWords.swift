import AppStore

/// What an answer of Apple's to a commerce request means for the person who made it: one sentence and what to do.
///
/// The sentences are for support agents; Apple's own words stand beside them, to the byte.
/// Source: Advanced Commerce API, Error codes (read 2026-08).
package struct CommerceErrorWords: Sendable, Hashable {
    package let sentence: String
    package let verdict: CommerceErrorVerdict
    /// Apple's name for the error, where it has one: `PendingRefundError`.
    package let name: String?
    /// No table explains the refusal: perhaps the addendum is not accepted.
    package let isDoubted: Bool

    static let repeatedReference = AdvancedCommerceError.repeatedRequestReferenceId.rawValue
    static let pendingRefund = AdvancedCommerceError.pendingRefund.rawValue
    static let alreadyRefunded = AdvancedCommerceError.alreadyRefunded.rawValue

    package init(status: Int, code: Int64?, kind: CommerceKind) {
        let known = code.flatMap(AdvancedCommerceError.init)
        name = known?.documentationName
        isDoubted = AdvancedCommerceRules.isDoubtful(status: status, code: code)
        if let known, let (verdict, sentence) = Self.table[known] {
            self.verdict = verdict
            self.sentence = sentence
            return
        }
        switch status {
        case 401:
            (verdict, sentence) = (
                .tell,
                "Apple does not accept the signing key. Check key ID, issuer ID and bundle ID; if other calls work, check that the Account Holder has accepted the Advanced Commerce addendum."
            )
        case 429, 500...599:
            (verdict, sentence) = (.wait, "Apple could not take the call just now. It is tried again by itself.")
        case _ where isDoubted:
            (verdict, sentence) = (
                .tell,
                "Apple refused in a way that its documentation does not explain. Perhaps the Account Holder has not accepted the newest Advanced Commerce addendum, or the app is not approved. The queue waits until somebody has looked; no request is lost."
            )
        case 400...499:
            (verdict, sentence) = (
                .tell, "Apple refused with an error that belongs to another kind of call. Report this as a fault."
            )
        default:
            (verdict, sentence) = (.wait, "What came back was no answer of Apple's. The call is tried again by itself.")
        }
    }

    private static let table: [AdvancedCommerceError: (CommerceErrorVerdict, String)] = [
        .invalidTransactionId: (
            .mend, "Apple does not read the transaction ID. Copy it again from the purchase."
        ),
        .invalidStorefront: (
            .mend, "Apple does not know this storefront. It is written with three letters, such as DEU or USA."
        ),
        .invalidAppAccountToken: (
            .tell,
            "Apple does not accept the customer token of the request. Refund Desk sends none: report this as a fault."
        ),
        .invalidCurrency: (
            .mend, "Apple does not know this currency. It is written with three letters, such as EUR or JPY."
        ),
        .nullRequestInfo: (
            .tell,
            "Apple says that the request information is missing. Refund Desk always sends it: report this as a fault."
        ),
        .nullRequestReferenceID: (
            .tell,
            "Apple says that the request's reference is missing. Refund Desk always sends it: report this as a fault."
        ),
        .invalidRequestReferenceID: (
            .tell, "Apple does not accept the request's reference. Refund Desk sends a UUID: report this as a fault."
        ),
        .invalidConsistencyToken: (
            .tell, "Apple does not accept a consistency token. Refund Desk sends none: report this as a fault."
        ),
        .skuLengthExceeded: (
            .mend, "The SKU is longer than 128 characters. Take it from the purchase."
        ),
        .repeatedRequestReferenceId: (
            .tell,
            "Apple has seen this request's reference before. Look at the purchase before you ask again: the first call may have worked."
        ),
        .nullItems: (
            .mend, "No item was named. Name at least one."
        ),
        .nullSKU: (
            .mend, "An item has no SKU. Name one of the purchase's items."
        ),
        .invalidSKU: (
            .mend, "Apple does not know this SKU for the purchase. Choose one of the purchase's items."
        ),
        .invalidRefundType: (
            .mend,
            "Apple does not accept this kind of refund here. A revocation is full or prorated; a refund may also be an amount of your own."
        ),
        .invalidRefundReason: (
            .mend, "Apple does not accept this refund reason. Choose another one."
        ),
        .invalidAmount: (
            .mend, "Apple does not accept the amount. Check it against the price that was paid."
        ),
        .mismatchedStorefront: (
            .mend, "The storefront is not the one in which the purchase was made. Leave it out, or take the purchase's."
        ),
        .operationNotAllowed: (
            .never, "Apple does not allow this for this purchase."
        ),
        .nullRefundAmount: (
            .mend, "A refund of your own amount needs an amount. Fill it in, or choose the full price."
        ),
        .negativeRefundAmount: (
            .mend, "The amount must be more than nothing."
        ),
        .refundAmountWithoutCustom: (
            .mend, "An amount belongs only to a refund of your own amount. Leave it out with full and prorated refunds."
        ),
        .nullRefundReason: (
            .mend, "The refund reason is missing. Choose one."
        ),
        .nullRefundType: (
            .mend, "The kind of refund is missing. Choose full, prorated or an amount of your own."
        ),
        .simulateRefundDeclineOnlyInSandbox: (
            .mend, "The reason that simulates a decline exists in Sandbox only. Choose a real reason."
        ),
        .nullRefundRisking: (
            .tell,
            "Apple says that the choice about consumption data is missing. Refund Desk always sends it: report this as a fault."
        ),
        .atLeastOneItem: (
            .mend, "No item was named. Name at least one."
        ),
        .removalAllNotAllowed: (
            .mend, "A running subscription must keep at least one item. To end all of them, revoke the subscription."
        ),
        .malformedPayload: (
            .tell, "Apple could not read the request. Refund Desk wrote it: report this as a fault."
        ),
        .pendingRefund: (
            .wait,
            "Apple already has a refund of this purchase pending, usually because the customer asked Apple first. Nothing is sent again; Apple's decision comes by notification."
        ),
        .proratedOnlyLatestTransaction: (
            .mend,
            "A prorated refund exists only for the latest transaction of a subscription. Choose full, or the latest transaction."
        ),
        .partialSimulateRefundDecline: (
            .mend, "If one item simulates a decline, all items must."
        ),
        .revokeOnInactiveSubscription: (
            .never, "Only a running subscription can be revoked. This one has ended; refund its transaction instead."
        ),
        .itemCannotBeSpecifiedMultipleTimes: (
            .mend, "An item is named twice. Name each item once."
        ),
        .unauthorized: (
            .tell,
            "Apple knows the key but does not let it make this call. Check that the app is approved for Advanced Commerce and that the Account Holder has accepted the addendum."
        ),
        .subscriptionDoesNotExist: (
            .never,
            "Apple knows no such subscription. A purchase without renewal is refunded, not revoked or cancelled."
        ),
        .subscriptionNotEligible: (
            .never, "Apple does not allow this for this subscription."
        ),
        .productNotOwned: (
            .never, "The customer does not own this product any more."
        ),
        .inactiveACASub: (
            .never, "The subscription is not active."
        ),
        .insufficientFunds: (
            .never,
            "Not enough of the price is left for this: more was asked for than was paid, or part of it was refunded before. Ask for a smaller amount, if anything is left."
        ),
        .alreadyRefunded: (
            .never, "This purchase was refunded before."
        ),
        .storefrontChange: (
            .tell, "The customer's storefront has changed since the purchase. Apple Support can help the customer."
        ),
        .productNotEligible: (
            .never, "Apple does not allow this for this product."
        ),
        .transactionNotRefundable: (
            .never, "Apple does not refund this transaction."
        ),
        .transactionCannotBeRefundedContactSupport: (
            .tell, "Apple does not refund this transaction by this way. Ask the customer to contact Apple Support."
        ),
        .transactionIdNotFound: (
            .mend,
            "Apple does not find this transaction for this app and environment. Check the ID and whether it is Production or Sandbox."
        ),
        .rateLimitExceeded: (
            .wait, "Apple asked for fewer calls. The request goes out by itself as soon as Apple allows it."
        ),
        .generalInternal: (
            .wait, "Apple had trouble of its own. The request is tried again by itself."
        ),
        .generalInternalRetryable: (
            .wait, "Apple had trouble of its own and asks to try again. That happens by itself."
        ),
    ]
}
