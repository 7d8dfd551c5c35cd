import Crypto
import FoundationEssentials
package import Time

/// Judges Apple's signed texts: form, certificates, dates, signature, identity, each with a reason of its own.
///
/// A chain is judged at the moment its text was signed, so that what Apple signed stays good when its
/// certificate ends. No setting and no input leaves the signature out.
/// Source: Apple's App Store Server Library, without its mode for local tests.
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

    /// How far Apple's clock may be ahead of ours.
    package static let aheadMax: Duration = .minutes(5)
    /// How old a posted notification may be: Apple's last retry comes 157 hours after the first try.
    package static let postedAgeMax: Duration = .days(8)
    /// Bytes of a type or subtype; Apple's longest has 25.
    private static let wordMax = 200

    private let trust: TrustAnchors
    private let revocation: RevocationCheck
    private let clock: WallClock
    private let chains: ChainCache
    private let recent = RecentHeaders()

    package init(trust: TrustAnchors, revocation: RevocationCheck = .off, clock: WallClock) {
        self.trust = trust
        self.revocation = revocation
        self.clock = clock
        chains = ChainCache(trust: trust)
    }

    init(trust: TrustAnchors, revocation: RevocationCheck = .off, clock: WallClock, limits: ChainCache.Limits) {
        self.trust = trust
        self.revocation = revocation
        self.clock = clock
        chains = ChainCache(trust: trust, limits: limits)
    }

    /// False where there are no trust roots: nothing can be verified.
    package var isReady: Bool { !trust.isEmpty }

    /// How many chains are known; for counters.
    package var knownChains: Int { chains.count }

    /// A notification, whose signature covers every byte, that of the texts inside too.
    ///
    /// - Parameter inbox: new chains are limited by inbox and second.
    package func outer(
        _ signedPayload: [UInt8], for app: AppIdentity, inbox: Int64 = 0, at now: Moment, from source: Source
    ) async throws(JWSError) -> VerifiedNotification {
        let (jws, document) = try read(signedPayload, isNotification: true)
        let payload = NotificationPayload(document)
        if Self.isLocal(payload.environment) { throw .xcode }
        guard let type = payload.notificationType, !type.isEmpty, let id = payload.notificationUUID else {
            throw JWSError(.notANotification, "the signed text is not a notification: it has no type or no UUID")
        }
        guard let uuid = UUID(uuidString: id) else {
            throw JWSError(.notANotification, "the notificationUUID is not a UUID")
        }
        for word in [type, payload.subtype ?? ""] where word.utf8.count > Self.wordMax || word.utf8.contains(0) {
            throw JWSError(.payloadUnreadable, "the type or subtype is no word")
        }
        guard let signedAt = payload.signedDate else {
            throw JWSError(.signedDateMissing, "the notification does not say when it was signed")
        }
        try requireNotAhead(signedAt, now)
        if source == .posted, signedAt < now - Self.postedAgeMax {
            throw JWSError(
                .signedTooLongAgo, "signed \(signedAt.iso8601), more than eight days before \(now.iso8601)")
        }
        let isRevocationUnknown = try await believe(jws, signedAt: signedAt, now: now, inbox: inbox)
        let (environment, learned) = try Self.identify(payload, app)
        return VerifiedNotification(
            payload: payload, uuid: uuid, type: type, environment: environment, signedAt: signedAt,
            learnedAppleID: learned, jws: jws, isRevocationUnknown: isRevocationUnknown)
    }

    /// A transaction, from a notification or a look-up.
    ///
    /// - Parameter signedAt: when the text around it was signed, for one that does not say it itself.
    package func transaction(
        _ jws: String, bundleID: String, environment: Environment, from source: TransactionSource,
        signedAt: Moment? = nil
    ) async throws(JWSError) -> TransactionPayload {
        let (jws, document) = try read(Array(jws.utf8), isNotification: false)
        let payload = TransactionPayload(document)
        if Self.isLocal(payload.environment) { throw .xcode }
        try await believeInner(jws, payload.signedDate ?? signedAt)
        if let found = payload.bundleId {
            guard found == bundleID else {
                throw JWSError(.bundleMismatch, "the transaction is of \(found.shortened), not of \(bundleID)")
            }
        } else if source == .notification {
            throw JWSError(.bundleMismatch, "the transaction names no bundle id")
        }
        try Self.requireEnvironment(payload.environment, environment, "transaction")
        guard let id = payload.transactionId, !id.isEmpty else {
            throw JWSError(.transactionIDMissing, "the transaction has no transactionId")
        }
        return payload
    }

    /// Renewal info, which has no bundle id: it is tied to its transaction by the original transaction.
    package func renewal(
        _ jws: String, environment: Environment, originalTransactionID: String? = nil, signedAt: Moment? = nil
    ) async throws(JWSError) -> RenewalPayload {
        let (jws, document) = try read(Array(jws.utf8), isNotification: false)
        let payload = RenewalPayload(document)
        if Self.isLocal(payload.environment) { throw .xcode }
        try await believeInner(jws, payload.signedDate ?? signedAt)
        try Self.requireEnvironment(payload.environment, environment, "renewal info")
        if let originalTransactionID, let found = payload.originalTransactionId, found != originalTransactionID {
            throw JWSError(
                .transactionMismatch,
                "the renewal info is about \(found.shortened), the transaction about \(originalTransactionID.shortened)"
            )
        }
        return payload
    }

    /// What stands inside a notification about withdrawn consent.
    ///
    /// - Parameter signedAt: when the text around it was signed, for one that does not say it itself.
    package func appTransaction(
        _ jws: String, for app: AppIdentity, environment: Environment, signedAt: Moment
    ) async throws(JWSError) -> AppTransactionPayload {
        let (jws, document) = try read(Array(jws.utf8), isNotification: false)
        let payload = AppTransactionPayload(document)
        if Self.isLocal(payload.receiptType) { throw .xcode }
        try await believeInner(jws, payload.receiptCreationDate ?? signedAt)
        guard payload.bundleId == app.bundleID else {
            throw JWSError(
                .bundleMismatch,
                "the app transaction is of \(payload.bundleId?.shortened ?? "no app"), not of \(app.bundleID)")
        }
        if let known = app.appleID, let found = payload.appAppleId, environment == .production, found != known {
            throw JWSError(.appleIDMismatch, "the app transaction is of the app \(found), not of \(known)")
        }
        try Self.requireEnvironment(payload.receiptType, environment, "app transaction")
        guard let id = payload.appTransactionId, !id.isEmpty else {
            throw JWSError(.transactionIDMissing, "the app transaction has no appTransactionId")
        }
        return payload
    }

    // MARK: Parts

    private func read(_ text: [UInt8], isNotification: Bool) throws(JWSError) -> (JWS, JSONDocument) {
        guard isReady else { throw JWSError(.trustRootsMissing, "there are no trust roots: nothing can be verified") }
        let jws: JWS
        do { jws = try JWS(text) } catch {
            throw isNotification ? JWSError(.notANotification, error.text) : error
        }
        let document: JSONDocument
        do { document = try JSONDocument(jws.payload) } catch {
            throw JWSError(.payloadUnreadable, "the payload cannot be read: \(error)")
        }
        guard document.root.isObject else { throw JWSError(.payloadUnreadable, "the payload is no JSON object") }
        return (jws, document)
    }

    private func believeInner(_ jws: JWS, _ signedAt: Moment?) async throws(JWSError) {
        let now = clock.now
        let signedAt = signedAt ?? now
        try requireNotAhead(signedAt, now)
        _ = try await believe(jws, signedAt: signedAt, now: now, inbox: 0)
    }

    private func requireNotAhead(_ signedAt: Moment, _ now: Moment) throws(JWSError) {
        guard signedAt <= now + Self.aheadMax else {
            throw JWSError(.signedInFuture, "signed \(signedAt.iso8601), which is ahead of our clock, \(now.iso8601)")
        }
    }

    /// Certificates, their dates, the signature, revocation.
    /// - Returns: true where revocation could not be looked up and may be left out.
    private func believe(_ jws: JWS, signedAt: Moment, now: Moment, inbox: Int64) async throws(JWSError) -> Bool {
        let chain: TrustedChain
        let isKnown: Bool
        if let known = recent.chain(jws.headerText) {
            (chain, isKnown) = (known, true)
        } else {
            let header = try JWSHeader(jws.headerText)
            (chain, isKnown) = (try await chains.chain(header, inbox: inbox, at: now), false)
        }
        try chain.requireValid(at: signedAt)
        guard chain.leafKey.isValidSignature(jws.signature, for: jws.signedText) else {
            throw JWSError(.signatureInvalid, "the signature does not fit the text")
        }
        if !isKnown { recent.keep(jws.headerText, chain) }
        return try await revocation.isUnknown(chain, at: now)
    }

    private static func identify(
        _ payload: NotificationPayload, _ app: AppIdentity
    ) throws(JWSError) -> (Environment, learned: Int64?) {
        let shapes = payload.shapes
        guard shapes.count == 1 else {
            let names = shapes.isEmpty ? "none" : shapes.map(\.rawValue).joined(separator: " and ")
            throw JWSError(
                .shapesAmbiguous,
                "exactly one of data, summary, externalPurchaseToken and appData must be there: \(names)")
        }
        guard let bundleID = payload.bundleId else {
            throw JWSError(.bundleMismatch, "the notification names no bundle id")
        }
        guard bundleID == app.bundleID else {
            throw JWSError(.bundleMismatch, "the notification is for \(bundleID.shortened), not for \(app.bundleID)")
        }
        guard let name = payload.environment, let environment = Environment(rawValue: name) else {
            throw JWSError(
                .environmentUnknown, "the environment is \(payload.environment?.shortened ?? "missing")")
        }
        guard environment == .production else { return (environment, nil) }
        guard let appleID = payload.appAppleId else {
            throw JWSError(.appleIDMissing, "a Production notification must name the app's Apple ID")
        }
        guard let known = app.appleID else { return (environment, appleID) }
        guard appleID == known else {
            throw JWSError(.appleIDMismatch, "the notification is for the app \(appleID), not for \(known)")
        }
        return (environment, nil)
    }

    private static func requireEnvironment(
        _ name: String?, _ environment: Environment, _ what: String
    ) throws(JWSError) {
        guard name == environment.rawValue else {
            throw JWSError(
                .environmentMismatch,
                "the \(what) is from \(name?.shortened ?? "no environment"), not from \(environment.rawValue)")
        }
    }

    private static func isLocal(_ environment: String?) -> Bool {
        environment == "Xcode" || environment == "LocalTesting"
    }
}
