/// Timers by due time: a binary heap that forgets cancelled ones in bulk.
///
/// Most timers are time-outs that never fire. A cancelled one stays in the heap, empty, until it
/// comes to the top or until it is swept with the others, which costs a constant on average.
struct TimerHeap {
    private struct Entry {
        let due: UInt64
        /// Timers of one moment fire in the order they were set.
        let number: UInt64
        let timer: Timer

        static func < (a: Entry, b: Entry) -> Bool { (a.due, a.number) < (b.due, b.number) }
    }

    private var entries: [Entry] = []
    private var number: UInt64 = 0
    private var sweepAt = 256

    var count: Int { entries.count }

    mutating func add(_ timer: Timer, due: UInt64) {
        if entries.count >= sweepAt { sweep() }
        number += 1
        entries.append(Entry(due: due, number: number, timer: timer))
        rise(entries.count - 1)
    }

    /// What the next timer that is due does; nil when none is.
    mutating func takeDue(now: UInt64) -> (@Sendable () -> Void)? {
        while let first = entries.first, first.due <= now {
            removeFirst()
            if let body = first.timer.take() { return body }
        }
        return nil
    }

    /// How long to wait for the next timer, rounded up; -1: for ever.
    mutating func millisecondsToNext(now: UInt64) -> CInt {
        while let first = entries.first, first.timer.isCancelled { removeFirst() }
        guard let first = entries.first else { return -1 }
        guard first.due > now else { return 0 }
        return CInt(min((first.due - now + 999_999) / 1_000_000, 3_600_000))
    }

    private mutating func sweep() {
        entries.removeAll { $0.timer.isCancelled }
        entries.sort(by: <)  // A sorted array is a heap.
        sweepAt = max(256, entries.count * 2)
    }

    private mutating func removeFirst() {
        let last = entries.removeLast()
        guard !entries.isEmpty else { return }
        entries[0] = last
        sink(0)
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard entries[index] < entries[parent] else { return }
            entries.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
                if entries[child] < entries[least] { least = child }
            }
            guard least != index else { return }
            entries.swapAt(index, least)
            index = least
        }
    }
}
