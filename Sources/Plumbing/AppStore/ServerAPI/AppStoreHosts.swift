/// The base addresses of the App Store Server API, one for each environment.
///
/// Each may have a path prefix, which every call then carries.
package struct AppStoreHosts: Sendable, Equatable {
    /// Without a final slash.
    package let production: String
    package let sandbox: String

    package init(production: String, sandbox: String) {
        self.production = Self.trimmed(production)
        self.sandbox = Self.trimmed(sandbox)
    }

    /// Apple's own, in use since 2026-05-05 (App Store Server API changelog).
    package static let apple = AppStoreHosts(
        production: "https://api.storekit.apple.com", sandbox: "https://api.storekit-sandbox.apple.com")

    package func base(for environment: Environment) -> String {
        switch environment {
        case .production: production
        case .sandbox: sandbox
        }
    }

    private static func trimmed(_ url: String) -> String {
        var url = Substring(url)
        while url.last == "/" { url.removeLast() }
        return String(url)
    }
}
