/// The customer and the purchase that the set-up page's samples speak of: nobody's, so what is reported of them shows
/// that reporting works, and never that a customer agreed or that anything is known.
package enum NobodysPurchase {
    /// Apple gives no such number.
    package static let transactionID = "2000000000000000"
    /// No app gives such an `appAccountToken`.
    package static let customer = "00000000-0000-4000-8000-000000000000"
}
