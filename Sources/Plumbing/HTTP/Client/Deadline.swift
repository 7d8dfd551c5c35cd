/// A moment on the monotonic clock after which an answer is no longer wanted.
package struct Deadline: Sendable, Comparable {
    package let instant: ContinuousClock.Instant

    package init(_ instant: ContinuousClock.Instant) { self.instant = instant }

    package static func after(_ duration: Duration) -> Deadline { Deadline(.now + duration) }

    /// A thousand days ahead: the request's own total time-out decides.
    package static var never: Deadline { .after(.seconds(86_400_000)) }

    package static func < (a: Deadline, b: Deadline) -> Bool { a.instant < b.instant }
}
