import Glibc
import Journal
import Loop
import Postgres
import Time

/// Who gets what to do: one loop claims while there is room, jobs run on all loops.
actor Foreman {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private struct Running {
        let job: Job
        let task: Task<Void, Never>
    }

    private let database: Database
    private let clock: WallClock
    private let listener: Listener
    private let handlers: Workers.Handlers
    private let concurrency: Int
    private let loops: EventLoops
    private let retryCeiling: Duration
    private let journal: Journal
    private let counters: Counters

    private var worker: Int64 = 0
    private var running: [Int64: Running] = [:]
    /// Jobs that take up a hand, and lots of lanes with a `claim_max`, which do not.
    private var hands = 0
    private var lots = 0
    private var lastClaim: Int64 = 0
    /// The walk over the lanes goes on after this one.
    private var position: Int64 = 0
    private var lastUrgentLook = ContinuousClock.now - .seconds(1)
    private var lastScheduling = ContinuousClock.now - .seconds(1)
    private var rescue = Rescue()

    private var isStopping = false
    /// Somebody rang since the last look.
    private var isRung = false
    private var sleeper: CheckedContinuation<Void, Never>?
    private var nap: Timer?
    private var wakesSoon = false
    private var whenEmpty: [CheckedContinuation<Void, Never>] = []
    private var whenOver: [CheckedContinuation<Void, Never>] = []
    private var isRunning = false
    private var isInTrouble = false

    /// The net below bell and NOTIFY.
    static let pollEvery: Duration = .seconds(1)
    static let scheduleEvery: Duration = .milliseconds(20)
    static let renewEvery: Duration = .seconds(20)
    /// Lanes that have rested are looked at together: each look costs a walk, and calls wait for their permits anyway.
    static let restEvery: Duration = .milliseconds(100)
    /// Lots for each hand: they wait for their turns most of their time, and so many apps may be at it at once.
    static let lotsPerHand = 8

    init(
        database: Database, clock: WallClock, listener: Listener, handlers: Workers.Handlers,
        concurrency: Int, loops: EventLoops, retryCeiling: Duration, journal: Journal, counters: Counters
    ) {
        self.database = database
        self.clock = clock
        self.listener = listener
        self.handlers = handlers
        self.concurrency = concurrency
        self.loops = loops
        self.retryCeiling = retryCeiling
        self.journal = journal
        self.counters = counters
        loop = loops.all[0]
    }

    // MARK: Life

    func run() async {
        guard !isRunning, !isStopping else { return }
        isRunning = true
        await register()
        async let renewing: Void = every(Self.renewEvery) { await self.renew() }
        async let rescuing: Void = every(Rescue.every) { await self.lookForTheDead() }
        await claimUntilStopped()
        _ = await (renewing, rescuing)
        isRunning = false
        let over = whenOver
        whenOver = []
        for waiting in over { waiting.resume() }
    }

    func stop(within: Duration) async {
        isStopping = true
        resumeSleeper()
        if !running.isEmpty {
            let limit = loop.after(within) { self.assumeIsolated { $0.emptied() } }
            await withCheckedContinuation { continuation in
                // What is asked before an await may have changed when its closure runs.
                if running.isEmpty { continuation.resume() } else { whenEmpty.append(continuation) }
            }
            limit.cancel()
        }
        if worker != 0 {
            for left in running.values { left.task.cancel() }
            do {
                let left = running.isEmpty ? 0 : try await Claims.giveBack(of: worker, on: database)
                if left > 0 { journal.warning("jobs were given back unfinished", ["jobs": JournalValue(left)]) }
                try await database.execute(.queue, "delete from queue.workers where worker = \(worker)")
            } catch {
                // Their leases run out.
                journal.warning("unfinished jobs could not be given back", ["error": JournalValue(error)])
            }
        }
        await withCheckedContinuation { continuation in
            if isRunning { whenOver.append(continuation) } else { continuation.resume() }
        }
    }

    /// A number for this process, and the sign that it lives.
    private func register() async {
        while !isStopping {
            do {
                let row = try await database.rows(
                    .queue,
                    """
                    with w as (insert into queue.workers (host) values (\(Self.host)) returning worker)
                    select worker, (select coalesce(max(lane), 0) from queue.lanes) as top from w
                    """)[0]
                worker = try row("worker")
                // Processes that start together do not walk together.
                position = Int64.random(in: 0...max(0, try row("top")))
                listener.start()
                try await listener.hold(Rescue.lock(of: worker))
                return
            } catch {
                note(error)
                isRung = false
                await sleep(Self.pollEvery)
            }
        }
    }

    private static let host: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    /// Not by a sleep that ends with its task: when the task of `run` is cancelled, `stop` is what
    /// ends the work.
    private func every(_ period: Duration, _ body: () async -> Void) async {
        while !isStopping {
            await body()
            let until = ContinuousClock.now + period
            while !isStopping, ContinuousClock.now < until {
                await withCheckedContinuation { continuation in
                    loop.after(min(period, .milliseconds(500))) { continuation.resume() }
                }
            }
        }
    }

    private func renew() async {
        guard !running.isEmpty else { return }
        do { try await Claims.renew(Array(running.keys), of: worker, on: database) } catch { note(error) }
    }

    private func lookForTheDead() async {
        do {
            var rescue = rescue
            let rescued = try await rescue.look(as: worker, on: database)
            self.rescue = rescue
            guard rescued > 0 else { return }
            counters.add("jobs_rescued_total", Double(rescued), help: "Jobs taken from workers that died or froze.")
            journal.warning("jobs of a dead or frozen worker are ready again", ["jobs": JournalValue(rescued)])
            ring()
        } catch {
            note(error)
        }
    }

    // MARK: Claiming

    private func claimUntilStopped() async {
        while !isStopping {
            var wait = Self.pollEvery
            isRung = false
            do {
                wait = try await scheduleWhatIsDue()
                if let rested = try await claimWhatThereIs() {
                    wait = min(wait, max(Self.restEvery, rested - clock.now))
                }
                if isInTrouble { journal.info("the queue is served again") }
                isInTrouble = false
            } catch {
                note(error)
            }
            await sleep(wait)
        }
    }

    /// Not at every ring: under load there are thousands a second.
    ///
    /// - Returns: how long there is nothing more to schedule.
    private func scheduleWhatIsDue() async throws -> Duration {
        let since = ContinuousClock.now - lastScheduling
        guard since >= Self.scheduleEvery else { return Self.scheduleEvery - since }
        lastScheduling = .now
        let now = clock.now
        let (moved, next) = try await Claims.schedule(now: now, on: database)
        if moved > 0 { isRung = true }
        return next.map { min(Self.pollEvery, max(Self.scheduleEvery, $0 - now)) } ?? Self.pollEvery
    }

    /// Claims until the queue is empty or every hand is full.
    ///
    /// - Returns: when the first lane that rests is to be looked at again.
    private func claimWhatThereIs() async throws -> Moment? {
        var rested: Moment?
        var wrapped = position == 0
        var tookSomething = false
        while !isStopping, free > 0 {
            if tookSomething, ContinuousClock.now - lastUrgentLook > .seconds(1) {
                lastUrgentLook = .now
                start(try await Claims.urgent(upTo: free, now: clock.now, by: nextClaim(), on: database))
                continue
            }
            let (from, wanted) = (position, min(32, free))
            let claimed = try await Claims.walk(
                after: from, upTo: wanted, spare: spare, now: clock.now, by: nextClaim(), on: database)
            start(claimed.jobs)
            rested = [rested, claimed.rested].compactMap { $0 }.min()
            // A lane with a `claim_max` has no more to give before its rest is over.
            let count = claimed.jobs.count { !Lane.isCommerce($0.lane) }
            if count > 0 {
                tookSomething = true
                wrapped = false
            }
            // Fewer than every lane's share: nothing was left behind in the lanes looked at.
            let tookAll = count < min(2, wanted)
            if claimed.reachedEnd {
                position = 0
                if tookAll, wrapped || from == 0 { return rested }
                if count == 0 { wrapped = true }
            } else {
                position = claimed.visited ?? 0
            }
        }
        return rested
    }

    private var free: Int { concurrency - hands }

    /// Lots of commerce that may still be begun.
    private var spare: Int { concurrency * Self.lotsPerHand - lots }

    private func nextClaim() -> Claims.Claimant {
        lastClaim += 1
        return Claims.Claimant(worker: worker, claim: lastClaim)
    }

    // MARK: Working

    private func start(_ jobs: [Job]) {
        var together: [Together: [Job]] = [:]
        for job in jobs {
            counters.add("jobs_claimed_total", 1, ["kind": label(job.kind)], help: "Jobs that were begun.")
            if handlers.lots[job.kind] == nil {
                begin([job])
            } else {
                together[Together(kind: job.kind, lane: job.lane), default: []].append(job)
            }
        }
        for lot in together.values { begin(lot.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }) }
    }

    /// What the jobs of a lot have in common.
    private struct Together: Hashable {
        let kind: String
        let lane: Int64
    }

    private func begin(_ lot: [Job]) {
        guard let first = lot.first else { return }
        if Lane.isCommerce(first.lane) { lots += 1 } else { hands += lot.count }
        let task = Task(executorPreference: loops.next()) { await self.work(on: lot, kind: first.kind) }
        for job in lot { running[job.id] = Running(job: job, task: task) }
    }

    /// Runs where the lot's task lives, not on the foreman's loop.
    private nonisolated func work(on lot: [Job], kind: String) async {
        let begin = ContinuousClock.now
        do {
            if let handler = handlers.lots[kind] {
                try await handler(lot)
            } else {
                guard let handler = handlers[kind] else { throw NoHandler(kind: kind) }
                for job in lot { try await handler(job) }
            }
        } catch let lost as ClaimLost {
            journal.info(
                "a job was taken over by another worker", ["job": JournalValue(lost.job), "kind": .string(kind)])
        } catch {
            for job in lot { await postpone(job, after: error) }
        }
        await finished(lot, took: ContinuousClock.now - begin)
    }

    private func finished(_ lot: [Job], took: Duration) {
        for job in lot {
            counters.observe(
                "job_seconds", took, ["kind": label(job.kind)], help: "From claim to end of a job's attempt.")
            // One that was postponed may run anew before the others of its lot have ended.
            if running[job.id]?.job.claim == job.claim { running[job.id] = nil }
        }
        if running.isEmpty { emptied() }
        if let first = lot.first, Lane.isCommerce(first.lane) {
            lots -= 1
            // Its lane rests; only others may have waited for its place.
            if spare == 1 { ring() }
            return
        }
        hands -= lot.count
        // A claim for each job that ends would cost more than the jobs: a few hands are let free first.
        if free * 4 >= concurrency {
            ring()
        } else if !wakesSoon {
            wakesSoon = true
            loop.after(.milliseconds(10)) {
                self.assumeIsolated { foreman in
                    foreman.wakesSoon = false
                    foreman.ring()
                }
            }
        }
    }

    private nonisolated func postpone(_ job: Job, after error: any Error) async {
        let now = clock.now
        let isLast = now >= job.deadline
        counters.add("jobs_failed_total", 1, ["kind": label(job.kind)], help: "Attempts of jobs that failed.")
        let fields: KeyValuePairs<String, JournalValue> = [
            "kind": .string(job.kind), "tenant": JournalValue(job.tenant), "job": JournalValue(job.id),
            "attempts": JournalValue(job.attempts), "error": JournalValue(error),
        ]
        if isLast {
            journal.error("a job failed for good", fields)
        } else {
            journal.warning("a job failed and will be tried again", fields)
        }
        // A few tries: what failed may have been the database, and it may come back. Else the lease
        // runs out.
        for attempt in 1...4 {
            do {
                return try await database.transaction(.tenant(job.tenant)) { tx in
                    if isLast { return try await job.dead(error: "\(error)", in: tx) }
                    // The last one at the deadline: then the handler can still record that it passed.
                    let next = now + RetryPolicy.delay(attempt: job.attempts, ceiling: retryCeiling)
                    try await job.again(at: min(next, job.deadline), error: "\(error)", in: tx)
                }
            } catch is ClaimLost {
                return
            } catch {
                if attempt == 4 || Task.isCancelled { return }
                try? await loop.sleep(for: .seconds(1))
            }
        }
    }

    private nonisolated func label(_ kind: String) -> String { handlers.knows(kind) ? kind : "unknown" }

    // MARK: Sleeping and waking

    /// From any thread.
    nonisolated func wake() {
        loop.post { self.assumeIsolated { $0.ring() } }
    }

    private func ring() {
        isRung = true
        resumeSleeper()
    }

    private func sleep(_ duration: Duration) async {
        await withCheckedContinuation { continuation in
            // Somebody may have rung just now.
            if isRung || isStopping { return continuation.resume() }
            sleeper = continuation
            nap = loop.after(duration) { self.assumeIsolated { $0.resumeSleeper() } }
        }
    }

    private func resumeSleeper() {
        nap?.cancel()
        nap = nil
        let waiting = sleeper
        sleeper = nil
        waiting?.resume()
    }

    private func emptied() {
        let waiting = whenEmpty
        whenEmpty = []
        for continuation in waiting { continuation.resume() }
    }

    /// Said once, until all is well again.
    private func note(_ error: any Error) {
        if !isInTrouble { journal.error("the queue cannot be served", ["error": JournalValue(error)]) }
        isInTrouble = true
    }
}

private struct NoHandler: Error, CustomStringConvertible {
    let kind: String
    var description: String { "this release has no handler for jobs of kind \(kind)" }
}
