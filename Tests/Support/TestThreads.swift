import Dispatch
import Loop
import Synchronization

/// Threads for the tests that hold a database.
///
/// Swift's pool has as many threads as the machine has cores. Where hundreds of tests start at once,
/// those that only compute keep it busy for half a minute, and a transaction that waits there between
/// two statements runs into its time-out. The deadlines are the product's and stay; a test that is
/// bound by one has threads that nobody else fills.
package final class TestThreads: TaskExecutor {
    package static let shared = TestThreads(count: 6)

    private let jobs = Mutex<[UnownedJob]>([])
    private let filled = DispatchSemaphore(value: 0)

    private init(count: Int) {
        for number in 0..<count {
            Thread.start(name: "test \(number)") { self.work() }
        }
    }

    /// Runs `body`, and what it calls, on these threads.
    package func run<R>(_ body: () async throws -> R) async rethrows -> R {
        try await withTaskExecutorPreference(self) { try await body() }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        filled.signal()
    }

    private func work() -> Never {
        while true {
            filled.wait()
            let job = jobs.withLock { $0.removeFirst() }
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
