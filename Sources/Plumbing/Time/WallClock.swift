import Glibc
import Synchronization

/// The time of day, handed to whoever needs it. There is no ambient clock.
///
/// Deadlines and due times are compared with this clock; leases between processes use the
/// database's clock, because machines disagree.
package struct WallClock: Sendable {
    private let read: @Sendable () -> Moment

    package init(_ read: @escaping @Sendable () -> Moment) { self.read = read }

    package var now: Moment { read() }

    package static let system = WallClock {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Moment(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

/// A clock that stands still until it is set: for tests of rooms.
package final class ManualClock: Sendable {
    private let moment: Mutex<Moment>

    package init(_ start: Moment) { moment = Mutex(start) }

    package var clock: WallClock { WallClock { self.now } }
    package var now: Moment { moment.withLock { $0 } }
    package func set(_ new: Moment) { moment.withLock { $0 = new } }
    package func advance(by duration: Duration) { moment.withLock { $0 = $0 + duration } }
}
