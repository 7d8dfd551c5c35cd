import CLinux
import Glibc
package import Journal
import Synchronization

/// A thread that waits for sockets and timers and runs the tasks that live on it.
///
/// At once a serial executor (actors pin themselves to it by `unownedExecutor`) and a task executor
/// (plain async functions stay on it), so a request never changes threads between its first byte
/// and its last: a change costs as much as serving the request. Loops end with the process, because
/// an await on a stopped loop would never resume.
///
/// `@unchecked Sendable`: what other threads may touch is behind `mail`; all else is used by the
/// loop's own thread only, which `isCurrent` proves.
@safe
package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    package let name: String

    /// What is to run: a job of Swift's runtime, or a plain closure.
    enum Item {
        case job(UnownedJob)
        case work(@Sendable () -> Void)
    }

    private struct Mail {
        var items: [Item] = []
        /// The loop has been woken and has not yet looked.
        var isWoken = false
    }

    private let poll: CInt
    private let wakeup: CInt
    private let journal: Journal
    private let counters: Counters
    private let mail = Mutex(Mail())

    // The loop's thread only, from here on.
    private var queue: [Item] = []
    private var batch: [Item] = []
    private var endings: [() -> Void] = []
    private var watches = WatchTable()
    var timers = TimerHeap()
    /// Where sockets are read into: one for all connections, so that idle ones hold no buffer.
    let scratch: UnsafeMutableRawBufferPointer

    /// A turn that takes longer makes every connection of this loop wait.
    package static let slowTurn: Duration = .milliseconds(10)
    /// Bytes that one read takes at most.
    package static let scratchBytes = 64 * 1024

    private init(name: String, journal: Journal, counters: Counters) {
        self.name = name
        self.journal = journal
        self.counters = counters
        poll = epoll_create1(CInt(O_CLOEXEC))
        wakeup = eventfd(0, CInt(O_CLOEXEC) | CInt(O_NONBLOCK))
        precondition(poll >= 0 && wakeup >= 0, "a loop needs two file descriptors")
        unsafe scratch = .allocate(byteCount: Self.scratchBytes, alignment: 16)
        add(wakeup, EPOLLIN.rawValue, token: WatchTable.wakeupToken)
    }

    /// Starts a loop on a thread of its own, which ends with the process.
    package static func start(name: String, journal: Journal, counters: Counters) -> EventLoop {
        let loop = EventLoop(name: name, journal: journal, counters: counters)
        Thread.start(name: name) { loop.turnForEver() }
        return loop
    }

    /// The loop whose thread this is.
    package static var current: EventLoop? {
        guard let pointer = unsafe desk_current_loop() else { return nil }
        return unsafe Unmanaged<EventLoop>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Whether the caller is on this loop's thread.
    package var isCurrent: Bool {
        unsafe desk_current_loop() == Unmanaged.passUnretained(self).toOpaque()
    }

    /// Runs `work` on the loop: from any thread, in the order of the calls of one thread.
    package func post(_ work: @escaping @Sendable () -> Void) { add(.work(work)) }

    /// Runs `work` when everything that is ready in this turn has been handled: the moment at which
    /// what has gathered is sent as one batch. On the loop only.
    package func atEndOfTurn(_ work: @escaping () -> Void) {
        requireCurrent()
        endings.append(work)
    }

    /// Starts a task that lives on this loop. From any thread.
    package func run(_ body: @escaping @Sendable () async -> Void) {
        Task(executorPreference: self) { await body() }
    }

    func requireCurrent() { precondition(isCurrent, "only on the thread of loop \(name)") }

    private func add(_ item: Item) {
        if isCurrent {
            queue.append(item)
            return
        }
        let wake = mail.withLock { mail in
            mail.items.append(item)
            defer { mail.isWoken = true }
            return !mail.isWoken
        }
        if wake {
            _ = eventfd_write(wakeup, 1)
        }
    }
}

// Swift's side: the loop as an executor.
extension EventLoop {
    package func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { unsafe UnownedTaskExecutor(ordinary: self) }

    /// What an actor that lives here returns as its `unownedExecutor`. Safe because loops never end.
    @safe package var executor: UnownedSerialExecutor { unsafe asUnownedSerialExecutor() }

    /// Lets `assumeIsolated` work from a callback of the loop.
    package func checkIsolated() { requireCurrent() }

    package func isIsolatingCurrentContext() -> Bool? { isCurrent }
}

// The turns.
extension EventLoop {
    private func turnForEver() -> Never {
        unsafe desk_set_current_loop(Unmanaged.passUnretained(self).toOpaque())
        var events = [desk_event](repeating: desk_event(), count: 256)
        while true {
            let wait = queue.isEmpty ? timers.millisecondsToNext(now: Self.now) : 0
            let count = unsafe desk_poll_wait(poll, &events, CInt(events.count), wait)
            let start = Self.now
            for index in 0..<max(0, Int(count)) {
                let event = events[index]
                if event.token == WatchTable.wakeupToken {
                    takeMail()
                } else if let watch = watches[event.token] {
                    watch.ready(Readiness(epoll: event.events))
                }
            }
            while let body = timers.takeDue(now: start) { body() }
            drain()
            let took = Self.now - start
            if took > 10_000_000 { countSlowTurn(nanoseconds: took) }
        }
    }

    /// Runs what is queued until nothing is, but looks at the sockets again after a while: tasks
    /// that keep each other busy must not starve them.
    private func drain() {
        for _ in 0..<64 {
            if queue.isEmpty {
                if endings.isEmpty { return }
                let endings = endings
                self.endings.removeAll(keepingCapacity: true)
                for ending in endings { ending() }
                continue
            }
            swap(&queue, &batch)
            for item in batch {
                switch item {
                case .job(let job):
                    unsafe job.runSynchronously(
                        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
                case .work(let work): work()
                }
            }
            batch.removeAll(keepingCapacity: batch.count < 4096)
        }
    }

    private func takeMail() {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(wakeup, &count)
        let items = mail.withLock { mail in
            mail.isWoken = false
            var items: [Item] = []
            swap(&items, &mail.items)
            return items
        }
        queue.append(contentsOf: items)
    }

    private func countSlowTurn(nanoseconds: UInt64) {
        counters.add(
            "loop_slow_turns_total", 1, ["loop": name], help: "Loop turns that took longer than 10 ms.")
        journal.debug("a loop turn was slow", ["loop": .string(name), "ms": JournalValue(nanoseconds / 1_000_000)])
    }

    /// The monotonic clock, in nanoseconds: for time-outs and durations.
    package static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

// Descriptors.
extension EventLoop {
    /// Calls `ready` whenever `descriptor` is ready, as long as it is: on the loop only.
    ///
    /// Hang-ups and errors are told whatever the interest. The watch must be cancelled before its
    /// descriptor is closed; it does not own it.
    package func watch(_ descriptor: CInt, _ interest: Interest, _ ready: @escaping (Readiness) -> Void) -> Watch {
        requireCurrent()
        let watch = Watch(loop: self, descriptor: descriptor, interest: interest, ready: ready)
        watch.token = watches.add(watch)
        add(descriptor, interest.epoll, token: watch.token)
        return watch
    }

    func change(_ watch: Watch) {
        requireCurrent()
        let failed = desk_poll_change(poll, watch.descriptor, watch.interest.epoll, watch.token)
        precondition(failed == 0, "epoll refuses to watch descriptor \(watch.descriptor): error \(-failed)")
    }

    func remove(_ watch: Watch) {
        requireCurrent()
        watches.remove(watch.token)
        _ = desk_poll_remove(poll, watch.descriptor)
    }

    private func add(_ descriptor: CInt, _ events: UInt32, token: UInt64) {
        let failed = desk_poll_add(poll, descriptor, events, token)
        precondition(failed == 0, "epoll refuses descriptor \(descriptor): error \(-failed)")
    }
}
