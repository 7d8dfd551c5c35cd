/// What a look-up at Apple brought.
package enum LookUpResult: Sendable {
    /// The compact JWS of the transaction, not verified yet.
    case found(signedTransactionInfo: String)
    case failed(CallResult)
}
