/// An app in the small App Store, with where its notifications go.
package struct RegisteredApp: Sendable {
    package let bundleID: String
    package let appAppleID: Int64
    /// The team's issuer id: keys belong to a team, and a key serves every app of it.
    package var issuerID: String
    /// Notification addresses, one for each environment; they may be equal.
    package var notificationURLs: [StoreEnvironment: String]
    /// The version of notifications that is chosen for an environment's address; 2 where nothing is said.
    package var notificationVersions: [StoreEnvironment: Int] = [:]
    /// Whether the app was ever released: until then the production API answers its tokens with 401
    /// (apple sheet 8.4, row 8).
    package var isReleased: Bool
    /// Taken from sale: its tokens are good, and every call says that the app was not found.
    package var isWithdrawn: Bool

    package init(
        bundleID: String, appAppleID: Int64, issuerID: String,
        notificationURLs: [StoreEnvironment: String] = [:], isReleased: Bool = true, isWithdrawn: Bool = false
    ) {
        self.bundleID = bundleID
        self.appAppleID = appAppleID
        self.issuerID = issuerID
        self.notificationURLs = notificationURLs
        self.isReleased = isReleased
        self.isWithdrawn = isWithdrawn
    }

    func notificationVersion(_ environment: StoreEnvironment) -> Int { notificationVersions[environment] ?? 2 }
}
