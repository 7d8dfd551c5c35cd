import Foundation
import Journal
import Loop
import Postgres
import Queue
import Support
import Synchronization
import Testing
import Time

private struct Broken: Error, CustomStringConvertible { let description = "broken on purpose" }

@Suite struct `workers` {
    @Test func `do what is ready, and are woken by the bell`() async throws {
        try await withHouse { house in
            let log = Log()
            let process = try house.process(handlers: ["test": finishing(house.db, log)])
            try await house.add(5, lane: 2)
            process.bell.ring()
            try await until { log.count == 5 }
            let jobs = try await house.jobs()
            #expect(jobs.isEmpty)
            await process.stop()
        }
    }

    @Test func `of another process hear of a job without being asked`() async throws {
        try await withHouse { house in
            let log = Log()
            let process = try house.process(handlers: ["test": finishing(house.db, log)])
            // Until it is idle: it has done its first job.
            try await house.add(lane: 2)
            process.bell.ring()
            try await until { log.count == 1 }
            let elsewhere = Bell(database: house.db, journal: .silent)
            var times: [Duration] = []
            for n in 2...6 {
                let begin = ContinuousClock.now
                try await house.add(lane: 2)
                elsewhere.ring()
                try await until { log.count == n }
                times.append(ContinuousClock.now - begin)
            }
            // Well below the poll of a second, that is: they were woken.
            #expect(times.sorted()[2] < .milliseconds(700))
            await process.stop()
        }
    }

    @Test func `do the jobs of a lane of commerce by the lot, in order, and take up no hands with them`() async throws {
        try await withHouse { house in
            let lane = Lane.commerce(app: 1, isSandbox: false)
            try await house.db.transaction(.tenant(1)) { tx in
                try await Lane.ensure(lane, in: tx)
                for n in 0..<5 as Range<Int64> {
                    try await Enqueue.add(
                        NewJob(
                            tenant: 1, lane: lane, kind: "lot", subject: "{\"n\":\(n)}",
                            deadline: House.start + .hours(1) - .seconds(n)), in: tx)
                }
            }
            let (lot, log, gate) = (Log(), Log(), Gate())
            var handlers: Workers.Handlers = ["test": finishing(house.db, log)]
            handlers.take(lotsOf: "lot") { jobs in
                #expect(jobs.count == 5)
                for job in jobs { lot.add(job) }
                await gate.pass()
                try await house.db.transaction(.tenant(1)) { tx in for job in jobs { try await job.done(in: tx) } }
            }
            let process = try house.process(concurrency: 1, handlers: handlers)
            try await until { lot.count == 5 }
            #expect(lot.all.map(\.subject) == (0..<5).reversed().map { "{\"n\":\($0)}" })
            // The lot is still waiting, and the only hand is free.
            try await house.add(lane: 2)
            process.bell.ring()
            try await until { log.count == 1 }
            await gate.open()
            try await until { try await house.jobs().isEmpty }
            await process.stop()
        }
    }

    @Test func `postpone the jobs of a lot that fails, except those that had ended`() async throws {
        try await withHouse { house in
            let lane = Lane.commerce(app: 1, isSandbox: false)
            try await house.db.transaction(.tenant(1)) { tx in
                try await Lane.ensure(lane, in: tx)
                for _ in 0..<2 {
                    try await Enqueue.add(
                        NewJob(
                            tenant: 1, lane: lane, kind: "lot", subject: "{}", deadline: House.start + .hours(1)),
                        in: tx)
                }
            }
            var handlers: Workers.Handlers = [:]
            handlers.take(lotsOf: "lot") { jobs in
                try await house.db.transaction(.tenant(1)) { tx in try await jobs[0].done(in: tx) }
                throw Broken()
            }
            let process = try house.process(handlers: handlers)
            try await until { try await house.jobs().map(\.state) == ["waiting"] }
            #expect(try await house.jobs().first?.error == "broken on purpose")
            await process.stop()
        }
    }

    @Test func `side by side do each job once`() async throws {
        try await withHouse { house in
            let log = Log()
            for lane in 1...10 as ClosedRange<Int64> { try await house.add(20, lane: lane) }
            let processes = try (0..<2).map { _ in
                try house.process(handlers: ["test": finishing(house.db, log)])
            }
            try await until { log.count >= 200 }
            #expect(Set(log.all.map(\.id)).count == 200)
            #expect(log.count == 200)
            #expect(Set(log.all.map(\.worker)).count == 2, "both took part")
            for process in processes { await process.stop() }
            let jobs = try await house.jobs()
            #expect(jobs.isEmpty)
        }
    }

    @Test func `postpone what fails by the retry policy, to the deadline at last, and then it is dead`() async throws {
        try await withHouse { house in
            let log = Log()
            let process = try house.process(handlers: [
                "test": { job in
                    log.add(job)
                    throw Broken()
                }
            ])
            try await house.add(lane: 2, deadline: House.start + .seconds(5))
            process.bell.ring()
            try await until { try await house.jobs().first?.state == "waiting" }
            let first = try await house.test.asSuperuser("select run_at, last_error, lease_until from queue.jobs")[0]
            let runAt: Moment = try first("run_at")
            #expect(runAt >= House.start + .seconds(1) && runAt <= House.start + .seconds(2))
            #expect(try first("last_error") == "broken on purpose")
            #expect(try first("lease_until") == nil as Moment?)
            // At once again only when its time has come.
            #expect(log.count == 1)
            house.clock.set(House.start + .seconds(4))
            process.bell.ring()
            try await until { try await house.jobs().first.map { $0.state == "waiting" && $0.attempts == 2 } == true }
            let second: Moment = try await house.test.asSuperuser("select run_at from queue.jobs")[0]("run_at")
            #expect(second == House.start + .seconds(5))
            house.clock.set(House.start + .seconds(5))
            process.bell.ring()
            try await until { try await house.jobs().first?.state == "dead" }
            #expect(log.count == 3)
            #expect(house.test.counters.value("jobs_failed_total", ["kind": "test"]) == 3)
            await process.stop()
        }
    }

    @Test func `keep a job of a kind they do not know for a release that does`() async throws {
        try await withHouse { house in
            let process = try house.process(handlers: [:])
            try await house.add(lane: 2, kind: "of-tomorrow")
            process.bell.ring()
            try await until { try await house.jobs().first?.state == "waiting" }
            let jobs = try await house.jobs()
            #expect(jobs.first?.error?.contains("of-tomorrow") == true)
            await process.stop()
        }
    }

    @Test func `do not poll busily while there is nothing to do`() async throws {
        try await withHouse { house in
            let log = Log()
            let process = try house.process(handlers: ["test": finishing(house.db, log)])
            try await house.add(lane: 2)
            process.bell.ring()
            try await until { log.count == 1 }
            // Statements of this database, as the server counts transactions.
            func transactions() async throws -> Int64 {
                try await house.test.asSuperuser(
                    "select xact_commit + xact_rollback as n from pg_stat_database where datname = current_database()")[
                        0]("n")
            }
            let before = try await transactions()
            try await EventLoops.forTests.all[0].sleep(for: .seconds(3))
            let spent = try await transactions() - before
            // Two a second to look, the rescuer, this test's own; statistics may lag by a second.
            #expect(spent < 40)
            await process.stop()
        }
    }

    @Test func `stop: what runs may end, what does not end in time is given back`() async throws {
        try await withHouse { house in
            let log = Log()
            let gate = Gate()
            let begun = Log()
            let process = try house.process(
                concurrency: 2,
                handlers: [
                    "quick": { job in
                        begun.add(job)
                        await gate.pass()
                        try await house.db.transaction(.tenant(job.tenant)) { tx in try await job.done(in: tx) }
                        log.add(job)
                    },
                    "endless": { job in
                        begun.add(job)
                        try await EventLoops.forTests.all[0].sleep(for: .seconds(60))
                    },
                ])
            try await house.add(lane: 2, kind: "quick")
            try await house.add(lane: 4, kind: "endless")
            try await house.add(lane: 6, kind: "quick")
            process.bell.ring()
            try await until { begun.count == 2 }
            let stopping = Task { await process.stop(within: .milliseconds(500)) }
            await gate.open()
            await stopping.value
            let jobs = try await house.jobs()
            let states = Dictionary(uniqueKeysWithValues: jobs.map { ($0.lane, $0.state) })
            #expect(states[4] == "ready" || states[4] == "waiting")
            #expect(log.count + jobs.count == 3, "a job is done or still there")
            #expect(!jobs.contains { $0.state == "running" })
            let workers = try await house.test.asSuperuser("select worker from queue.workers")
            #expect(workers.isEmpty)
        }
    }

    @Test func `rescue the jobs of a process that died, at once by its lock, and of one that froze, by its lease`()
        async throws
    {
        try await withHouse { house in
            try await house.add(2, lane: 2)
            // A worker without a lock is a process that was killed; one with a lock is frozen.
            let listener = Listener(database: house.db, journal: .silent)
            listener.start()
            try await listener.hold(SessionLock(space: 0x6465_776B, number: 1002))
            try await until {
                try await !house.test.asSuperuser(
                    "select 1 as one from pg_locks where locktype = 'advisory' and objid = 1002"
                ).isEmpty
            }
            _ = try await house.test.asSuperuser(
                """
                update queue.jobs set state = 'running', claim = 1, attempts = 1, worker = 1000 + job_id,
                  lease_until = clock_timestamp() + interval '1 hour'
                """)
            let log = Log()
            let process = try house.process(handlers: ["test": finishing(house.db, log)])
            try await until { log.count == 1 }
            #expect(log.all.first?.attempts == 2)
            var jobs = try await house.jobs()
            #expect(jobs.map(\.state) == ["running"], "the frozen one has its lease")
            _ = try await house.test.asSuperuser(
                "update queue.jobs set lease_until = clock_timestamp() - interval '1 second'")
            try await until { log.count == 2 }
            jobs = try await house.jobs()
            #expect(jobs.isEmpty)
            #expect(house.test.counters.value("jobs_rescued_total") == 2)
            await process.stop()
            await listener.stop()
        }
    }

    @Test func `claim what is added by the intake's role, and start a paused lane when its pause ends`() async throws {
        try await withHouse { house in
            try await house.db.transaction(.tenant(1)) { tx in
                try await Lane.pause(2, until: House.start + .minutes(1), why: "Apple said 429", in: tx)
            }
            try await house.db.execute(
                .intake,
                """
                insert into queue.jobs (tenant_id, lane, kind, subject, deadline)
                values (1, 2, 'test', '{}', \(House.start + .hours(12)))
                """)
            let log = Log()
            let process = try house.process(handlers: ["test": finishing(house.db, log)])
            try await house.add(lane: 4)
            process.bell.ring()
            try await until { log.count == 1 }
            #expect(log.all.map(\.lane) == [4])
            house.clock.set(House.start + .minutes(1))
            process.bell.ring()
            try await until { log.count == 2 }
            await process.stop()
        }
    }
}
