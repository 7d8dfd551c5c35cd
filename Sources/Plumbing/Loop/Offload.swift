import Dispatch
import Synchronization

/// There is more blocking work than its threads can do; the caller's caller should try again later.
package struct OffloadFull: Error, CustomStringConvertible {
    package let name: String
    package var description: String { "too much work is waiting for \(name)" }
}

/// Bounded work off the loops: password hashing, name look-up, big JSON, calls of C that block.
///
/// On threads of its own, because Swift's pool has as many as there are cores and blocking one
/// stops everybody. Leaving a loop and coming back costs 6 to 9 µs: not worth it below 50 µs.
package final class Offload: Sendable {
    private let name: String
    private let threads: Int
    private let queueMax: Int
    private let queue = Mutex<[@Sendable () -> Void]>([])
    private let available = DispatchSemaphore(value: 0)

    /// - Parameter queueMax: how many may wait beside those that run.
    package init(name: String, threads: Int, queueMax: Int) {
        self.name = name
        self.queueMax = queueMax
        self.threads = max(1, threads)
        for number in 0..<self.threads {
            Thread.start(name: "\(name)-\(number)") { [available, weak self] in
                while true {
                    available.wait()
                    guard let self else { return }
                    self.next()?()
                }
            }
        }
    }

    deinit {
        // Each thread wakes once more, finds nobody, and ends.
        for _ in 0..<threads { available.signal() }
    }

    /// Runs `body` on one of the threads; the caller goes on where it was.
    ///
    /// - Throws: `OffloadFull` at once when too many wait; what `body` throws.
    package func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let isTaken = queue.withLock { queue in
                guard queue.count < queueMax else { return false }
                queue.append { continuation.resume(with: Result { try body() }) }
                return true
            }
            if isTaken {
                available.signal()
            } else {
                continuation.resume(throwing: OffloadFull(name: name))
            }
        }
    }

    private func next() -> (@Sendable () -> Void)? {
        queue.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
