import Tenants

/// Where to go about what stands between an app and Advanced Commerce.
enum CommerceLinks {
    static func access(_ slug: String, _ app: App) -> Site { .commerceAccess(slug, bundleID: app.bundleID, done: nil) }
}
