/// What a refusal's code means, and what a person can do about it.
enum RefusalWords {
    /// One line; an unknown code stands for itself.
    static func title(_ code: String) -> String { known[code]?.title ?? code }

    static func hint(_ code: String) -> String? { known[code]?.hint }

    private static let known: [String: (title: String, hint: String?)] = [
        "version-1": (
            "Version 1 notification",
            "App Store Connect sends this app's notifications in version 1, which is not signed. Open App Store Connect, App Information, App Store Server Notifications, and choose version 2 for Production and for Sandbox."
        ),
        "xcode": (
            "Xcode test data",
            "Signed by Xcode's StoreKit testing on somebody's machine, not by Apple. Use a Sandbox account to test against this desk."
        ),
    ]
}
