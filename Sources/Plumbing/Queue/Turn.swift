import Loop

/// Waits for the moment of a permit.
package enum Turn {
    /// Waits on the caller's own loop, where it has one: no other thread has to be woken for it.
    ///
    /// Returns at `moment` or as soon as the task is cancelled, never before.
    package static func wait(until moment: ContinuousClock.Instant) async {
        while !Task.isCancelled {
            let rest = moment - .now
            guard rest > .zero else { return }
            guard let loop = EventLoop.current else {
                try? await Task.sleep(until: moment, clock: .continuous)
                continue
            }
            try? await loop.sleep(for: rest)
        }
    }
}
