/// What a refusal's code means, and what a person can do about it.
enum RefusalWords {
    /// One line; an unknown code stands for itself.
    static func title(_ code: String) -> String { known[code]?.title ?? code }

    /// Nil where nothing has to be done, or where the title says it all.
    static func hint(_ code: String) -> String? { known[code]?.hint }

    /// By the verifier's reasons, which are stable names.
    private static let known: [String: (title: String, hint: String?)] = [
        "not-a-notification": (
            "Not a notification",
            "Apple sends an object with one signed text, signedPayload. What came instead, or that it was empty, stands beside each: mostly a health check, a scanner, or a proxy that drops bodies. Apple's own notifications are answered all the same."
        ),
        "version-1-notification": (
            "Version 1 notification",
            "App Store Connect sends this app's notifications in version 1, which is not signed. In App Store Connect open App Information, App Store Server Notifications, and switch to version 2 for Production and for Sandbox."
        ),
        "xcode-test-data": (
            "Xcode test data",
            "Signed by Xcode's StoreKit testing on somebody's machine, not by Apple. Use a Sandbox account to test against this desk; Apple is never called for such data."
        ),
        "malformed": ("Not a signed text", nil),
        "header-unreadable": ("Unreadable signature header", nil),
        "algorithm-not-allowed": ("Signed in a way Apple does not use", nil),
        "payload-unreadable": ("Unreadable content", nil),
        "certificate-list-invalid": ("Unusable list of certificates", nil),
        "certificate-unreadable": ("Unreadable certificate", nil),
        "root-not-trusted": ("Not signed by Apple: foreign root certificate", nil),
        "chain-not-trusted": ("Not signed by Apple: broken chain of certificates", nil),
        "certificate-expired": ("Certificate had expired when it was signed", nil),
        "certificate-not-yet-valid": ("Certificate was not valid yet when it was signed", nil),
        "leaf-marker-missing": ("Certificate is not one for the App Store", nil),
        "intermediate-marker-missing": ("Certificate authority is not Apple's for the App Store", nil),
        "certificate-revoked": ("Certificate was revoked", nil),
        "signature-invalid": ("Signature does not fit: changed or forged", nil),
        "signed-date-missing": ("No signing date", nil),
        "signed-in-future": (
            "Signed in the future",
            "Apple's signing time lies more than five minutes ahead of this machine's clock. Check that the clock is synchronised."
        ),
        "signed-too-long-ago": (
            "Signed too long ago", "Apple's last repeat comes within a week. Older deliveries are somebody's replay."
        ),
        "shapes-ambiguous": ("Says two things at once", nil),
        "bundle-mismatch": (
            "Another app's notification",
            "It names another bundle ID than the app whose address it was sent to. Check which app in App Store Connect has this URL."
        ),
        "apple-id-missing": ("No Apple ID in a Production notification", nil),
        "apple-id-mismatch": (
            "Another Apple ID",
            "The bundle ID is this app's and the Apple ID is not the one on record. Compare it with App Information in App Store Connect."
        ),
        "environment-unknown": ("Unknown environment", nil),
        "environment-mismatch": ("Environments inside and outside differ", nil),
        "transaction-id-missing": ("Transaction without an ID", nil),
        "transaction-mismatch": ("Contradicts another signed form of the transaction", nil),
    ]
}
