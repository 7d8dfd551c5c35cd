package import Tenants
package import Time

/// What the evidence page of an app shows.
package struct EvidenceModel: Sendable {
    /// How the server that is asked does.
    package struct Standing: Sendable, Hashable {
        package var failures = 0
        package var unanswered = 0
        package var lastSuccessAt: Moment?
        package var lastError: String?
        package var lastErrorAt: Moment?
        package var pausedUntil: Moment?

        package init() {}
    }

    package let app: App
    package var standing = Standing()
    /// Questions that wait for an answer; counted up to 1,000.
    package var waiting = 0
    /// Products whose use is reckoned.
    package var models: [ProductSetting] = []

    package init(app: App) { self.app = app }
}
