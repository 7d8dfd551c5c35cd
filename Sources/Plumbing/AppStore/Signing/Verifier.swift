package import Time

/// Judges Apple's signed texts: form, certificates, dates, signature, identity, in this order.
package final class Verifier: Sendable {
    /// Where a notification came from.
    package enum Source: Sendable {
        /// Sent to our address: must be recent.
        case posted
        /// From Apple's notification history: may be old.
        case history
    }

    /// Where a transaction came from.
    package enum TransactionSource: Sendable {
        case notification
        /// From an authenticated call to Apple: very old records may lack the bundle id.
        case lookup
    }

    private let trust: TrustAnchors
    private let clock: WallClock

    package init(trust: TrustAnchors, revocation: RevocationCheck = .off, clock: WallClock) {
        self.trust = trust
        self.clock = clock
    }

    package var isReady: Bool { !trust.isEmpty }

    package func outer(
        _ signedPayload: [UInt8], for app: AppIdentity, inbox: Int64 = 0, at now: Moment, from source: Source
    ) async throws(JWSError) -> VerifiedNotification {
        preconditionFailure("follows")
    }

    package func transaction(
        _ jws: String, bundleID: String, environment: Environment, from source: TransactionSource,
        signedAt: Moment? = nil
    ) async throws(JWSError) -> TransactionPayload {
        preconditionFailure("follows")
    }

    package func renewal(
        _ jws: String, environment: Environment, signedAt: Moment? = nil
    ) async throws(JWSError) -> RenewalPayload {
        preconditionFailure("follows")
    }
}
