import Synchronization
import Time

/// The number of calls that an app may make, counted for each endpoint over an hour.
///
/// Source: Identifying rate limits (apple sheet 4.5): so many a second, enforced over an hour; the sandbox
/// has a tenth. When it is used up, the answer names the moment at which the hour ends.
package final class RateLimits: Sendable {
    private struct Window {
        var start: Moment
        var calls: Int64
    }

    private struct Key: Hashable {
        let app: String
        let environment: StoreEnvironment
        let endpoint: String
    }

    private struct State {
        var window = Duration.seconds(3600)
        var windows: [Key: Window] = [:]
    }

    private let state = Mutex(State())

    /// The length of the window: an hour, unless a test or a person at the control API wants to see the
    /// limit sooner. The number of calls allowed shrinks with it, and never below 1.
    package var window: Duration {
        get { state.withLock { $0.window } }
        set {
            state.withLock {
                $0.window = newValue
                $0.windows = [:]
            }
        }
    }

    /// Counts a call; nil, or the moment from which the app may call again.
    func refusal(
        _ endpoint: String, perSecond: Int64, app: String, environment: StoreEnvironment, now: Moment
    ) -> Moment? {
        state.withLock { state in
            let key = Key(app: app, environment: environment, endpoint: endpoint)
            var window = state.windows[key] ?? Window(start: now, calls: 0)
            if now - window.start >= state.window || now < window.start { window = Window(start: now, calls: 0) }
            let tenths = environment == .sandbox ? perSecond : perSecond * 10
            let allowed = max(1, tenths * state.window.wholeMilliseconds / 10_000)
            window.calls += 1
            state.windows[key] = window
            return window.calls > allowed ? window.start + state.window : nil
        }
    }
}
