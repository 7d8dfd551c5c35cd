/// How delivery and use of a purchase become known.
package enum EvidenceMode: String, Hashable, Sendable, CaseIterable {
    /// Nobody reports: the app's settings speak.
    case none
    /// The app's server reports as things happen.
    case push
    /// The app's server is asked when a request arrives.
    case callback
}
