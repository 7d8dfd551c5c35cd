package import Journal
import Synchronization

/// The loops of a process: one or two, next in turn for whatever needs a home.
package struct EventLoops: Sendable {
    package let all: [EventLoop]
    private let turn = Turn()

    private final class Turn: Sendable {
        let count = Atomic<Int>(0)
    }

    /// - Parameter count: at least one; more than there are cores gains nothing.
    package init(count: Int, name: String = "loop", journal: Journal, counters: Counters) {
        all = (0..<max(1, count)).map {
            EventLoop.start(name: "\(name)-\($0)", journal: journal, counters: counters)
        }
    }

    package init(_ loop: EventLoop) { all = [loop] }

    /// The loop of the calling thread if it is one of these, else the first.
    package var here: EventLoop {
        if let current = EventLoop.current, all.contains(where: { $0 === current }) { return current }
        return all[0]
    }

    package func next() -> EventLoop {
        let number = turn.count.wrappingAdd(1, ordering: .relaxed).oldValue
        return all[(number & Int.max) % all.count]
    }
}
