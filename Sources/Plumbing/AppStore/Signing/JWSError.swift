/// Why a signed text is not accepted: one reason per check.
package struct JWSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Stable names: they are stored, counted and shown.
    package enum Reason: String, Sendable, CaseIterable {
        // The form
        case notANotification = "not-a-notification"
        case versionOneNotification = "version-1-notification"
        case xcodeTestData = "xcode-test-data"
        case malformed = "malformed"
        case headerUnreadable = "header-unreadable"
        case algorithmNotAllowed = "algorithm-not-allowed"
        case payloadUnreadable = "payload-unreadable"
        // The certificates
        case certificateListInvalid = "certificate-list-invalid"
        case certificateUnreadable = "certificate-unreadable"
        case rootNotTrusted = "root-not-trusted"
        case chainNotTrusted = "chain-not-trusted"
        case certificateExpired = "certificate-expired"
        case certificateNotYetValid = "certificate-not-yet-valid"
        case leafMarkerMissing = "leaf-marker-missing"
        case intermediateMarkerMissing = "intermediate-marker-missing"
        case certificateRevoked = "certificate-revoked"
        case signatureInvalid = "signature-invalid"
        // The dates
        case signedDateMissing = "signed-date-missing"
        case signedInFuture = "signed-in-future"
        case signedTooLongAgo = "signed-too-long-ago"
        // The identity
        case shapesAmbiguous = "shapes-ambiguous"
        case bundleMismatch = "bundle-mismatch"
        case appleIDMissing = "apple-id-missing"
        case appleIDMismatch = "apple-id-mismatch"
        case environmentUnknown = "environment-unknown"
        case environmentMismatch = "environment-mismatch"
        case transactionIDMissing = "transaction-id-missing"
        case transactionMismatch = "transaction-mismatch"
        // Our own trouble
        case trustRootsMissing = "trust-roots-missing"
        case revocationUnavailable = "revocation-unavailable"
        case tooManyNewChains = "too-many-new-chains"
    }

    package let reason: Reason
    /// For people: names the certificate and the date, or what was expected and what came. Values from
    /// the text are cut short.
    package let text: String

    package init(_ reason: Reason, _ text: String) {
        self.reason = reason
        self.text = text
    }

    /// True where the sender should try again later: nothing is wrong with the text as far as we know.
    package var isOurTrouble: Bool {
        switch reason {
        case .trustRootsMissing, .revocationUnavailable, .tooManyNewChains: true
        default: false
        }
    }

    package var description: String { "\(reason.rawValue): \(text)" }
}
