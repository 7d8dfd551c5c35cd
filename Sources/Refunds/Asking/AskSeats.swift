import Synchronization
import Tenants

/// How many questions may be under way in a process, and how many of them to one app's server.
///
/// Servers that hang hold a hand of the workers for ten seconds each: many of them must leave hands to replies, and one
/// app's must leave seats to others.
final class AskSeats: Sendable {
    private let max: Int
    private let maxOfApp: Int
    private let taken = Mutex<[AppID: Int]>([:])

    init(max: Int = 12, ofApp: Int = 4) {
        self.max = max
        maxOfApp = ofApp
    }

    func take(_ app: AppID) -> Bool {
        taken.withLock { taken in
            guard taken.values.reduce(0, +) < max, taken[app, default: 0] < maxOfApp else { return false }
            taken[app, default: 0] += 1
            return true
        }
    }

    func give(_ app: AppID) {
        taken.withLock { taken in
            let left = taken[app, default: 0] - 1
            taken[app] = left > 0 ? left : nil
        }
    }
}
