/// How much happens in the small App Store, and to whom.
package struct TrafficPlan: Sendable {
    /// Happenings a minute, most of them refund requests; 1…60,000.
    package var perMinute = 12
    /// The apps they happen to; empty: all that are registered.
    package var bundleIDs: [String] = []
    /// The share that happens in the sandbox, 0…1.
    package var sandboxShare = 0.2
    /// Stops after so many happenings; nil: never.
    package var count: Int?
    /// Only refund requests, no other happenings.
    package var onlyRequests = false
    /// The app's own server, which reports consent and use before a customer complains.
    package var backend: AppBackend?

    package init() {}
}
