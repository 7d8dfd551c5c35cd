/// Which app a signed text must be about.
package struct AppIdentity: Sendable, Hashable {
    package let bundleID: String
    /// nil until it is known: the first verified Production notification teaches it.
    package let appleID: Int64?

    package init(bundleID: String, appleID: Int64?) {
        self.bundleID = bundleID
        self.appleID = appleID
    }
}
