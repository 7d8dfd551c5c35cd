package import FoundationEssentials
package import Time

/// A notification whose signature, dates and identity hold.
///
/// The strings inside (`signedTransactionInfo`, `signedRenewalInfo`) are covered by the signature as
/// text, but each has a signature of its own, which must be verified before they are used.
package struct VerifiedNotification: Sendable {
    package let payload: NotificationPayload
    package let uuid: UUID
    /// Raw: may be newer than this program.
    package let type: String
    package let environment: Environment
    package let signedAt: Moment
    /// Set where the app's Apple ID was unknown and this Production notification names one.
    package let learnedAppleID: Int64?
    /// The text, for keeping.
    package let jws: JWS
    /// True where the revocation check could not be made and the notification was accepted without it.
    package let isRevocationUnknown: Bool
}
