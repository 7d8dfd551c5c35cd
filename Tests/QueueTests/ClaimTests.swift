import Postgres
import Support
import Testing
import Time

@testable import Queue

@Suite struct `claiming` {
    private func claimant(_ n: Int64) -> Claims.Claimant { .init(worker: 1, claim: n) }

    @Test func `is fair between lanes, and takes the soonest deadlines of each`() async throws {
        try await withHouse { house in
            // One lane with an outage behind it, whose deadlines are all sooner than everybody else's.
            for n in 0..<200 {
                try await house.add(lane: 2, deadline: House.start + .minutes(10) + .seconds(Int64(200 - n)))
            }
            for lane in [4, 6, 8] as [Int64] { try await house.add(3, lane: lane) }
            let claimed = try await Claims.walk(after: 0, upTo: 16, now: House.start, by: claimant(1), on: house.db)
            let byLane = Dictionary(grouping: claimed.jobs, by: \.lane).mapValues(\.count)
            #expect(byLane == [2: 4, 4: 3, 6: 3, 8: 3])
            let crowded = claimed.jobs.filter { $0.lane == 2 }.map(\.deadline).sorted()
            #expect(crowded == (1...4).map { House.start + .minutes(10) + .seconds($0) })
            #expect(claimed.jobs.allSatisfy { $0.attempts == 1 && $0.claim == 1 && $0.worker == 1 })
            #expect(claimed.reachedEnd)
        }
    }

    @Test func `takes more of a lane that is alone, and never more than there is room for`() async throws {
        try await withHouse { house in
            try await house.add(40, lane: 2)
            let alone = try await Claims.walk(after: 0, upTo: 32, now: House.start, by: claimant(1), on: house.db)
            #expect(alone.jobs.count == 32)
            for lane in 10..<40 as Range<Int64> { try await house.add(8, lane: lane) }
            for room in 1...20 {
                let some = try await Claims.walk(after: 2, upTo: room, now: House.start, by: claimant(2), on: house.db)
                #expect(some.jobs.count <= room)
                #expect(!some.jobs.isEmpty)
            }
        }
    }

    @Test func `goes on after the lanes it looked at, so that paused ones do not stop the walk`() async throws {
        try await withHouse { house in
            for lane in 1...150 as ClosedRange<Int64> { try await house.add(lane: lane) }
            for lane in 1...149 as ClosedRange<Int64> {
                try await house.db.transaction(.tenant(lane)) { tx in
                    try await Lane.pause(lane, until: House.start + .minutes(1), why: "429", in: tx)
                }
            }
            var (position, jobs, steps) = (0 as Int64, [] as [Job], 0)
            repeat {
                let claimed = try await Claims.walk(
                    after: position, upTo: 4, now: House.start, by: claimant(1), on: house.db)
                jobs += claimed.jobs
                steps += 1
                if claimed.reachedEnd { break }
                position = try #require(claimed.visited)
            } while steps < 100
            #expect(jobs.map(\.lane) == [150])
            #expect(steps < 5)
            // When the pause is over they are claimed.
            let later = try await Claims.walk(
                after: 0, upTo: 4, now: House.start + .minutes(1), by: claimant(2), on: house.db)
            #expect(later.jobs.map(\.lane) == [1, 2])
        }
    }

    @Test func `of the urgent looks across lanes, and takes few of each`() async throws {
        try await withHouse { house in
            try await house.add(10, lane: 2, deadline: House.start + .seconds(30))
            try await house.add(2, lane: 4, deadline: House.start + .seconds(90))
            try await house.add(2, lane: 6)
            let urgent = try await Claims.urgent(upTo: 32, now: House.start, by: claimant(1), on: house.db)
            #expect(Dictionary(grouping: urgent, by: \.lane).mapValues(\.count) == [2: 4, 4: 2])
        }
    }

    @Test func `gives no job to two`() async throws {
        try await withHouse { house in
            for lane in 1...20 as ClosedRange<Int64> { try await house.add(10, lane: lane) }
            let ids = try await withThrowingTaskGroup(of: [Int64].self) { group in
                for n in 0..<8 as Range<Int64> {
                    group.addTask {
                        var ids: [Int64] = []
                        for round in 0..<5 as Range<Int64> {
                            ids += try await Claims.walk(
                                after: 0, upTo: 8, now: House.start, by: .init(worker: n, claim: round), on: house.db
                            ).jobs.map(\.id)
                        }
                        return ids
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(ids.count == Set(ids).count)
            #expect(ids.count > 100)
        }
    }

    @Test func `that was lost changes nothing and rolls back what was done`() async throws {
        try await withHouse { house in
            try await house.add(lane: 2)
            let job = try #require(
                try await Claims.walk(after: 0, upTo: 1, now: House.start, by: claimant(1), on: house.db).jobs.first)
            _ = try await house.test.asSuperuser("update queue.jobs set claim = 99")
            for end in [
                { (tx: Transaction) in try await job.done(in: tx) },
                { (tx: Transaction) in try await job.again(at: House.start, error: "x", in: tx) },
                { (tx: Transaction) in try await job.dead(error: "x", in: tx) },
            ] {
                await #expect(throws: ClaimLost.self) {
                    try await house.db.transaction(.tenant(2)) { tx in
                        try await Enqueue.add(
                            NewJob(tenant: 2, lane: 2, kind: "effect", subject: "{}", deadline: House.start), in: tx)
                        try await end(tx)
                    }
                }
            }
            let jobs = try await house.jobs()
            #expect(jobs.count == 1)
            #expect(jobs.first?.state == "running")
        }
    }

    @Test func `of waiting jobs waits for their time by the given clock`() async throws {
        try await withHouse { house in
            try await house.add(lane: 2, runAt: House.start + .minutes(1))
            let before = try await Claims.schedule(now: House.start, on: house.db)
            #expect(before.moved == 0)
            #expect(before.next == House.start + .minutes(1))
            let after = try await Claims.schedule(now: House.start + .minutes(1), on: house.db)
            #expect(after.moved == 1)
            #expect(after.next == nil)
            let jobs = try await house.jobs()
            #expect(jobs.map(\.state) == ["ready"])
        }
    }
}

/// Lanes whose calls are few and far between: those of Advanced Commerce.
@Suite struct `claiming in a lane of commerce` {
    private func claimant(_ n: Int64) -> Claims.Claimant { .init(worker: n, claim: n) }
    private let lane = Lane.commerce(app: 1, isSandbox: false)
    private let sandbox = Lane.commerce(app: 1, isSandbox: true)

    private func add(
        _ count: Int, to lane: Int64, of tenant: Int64 = 1, warm: Bool = true, house: House
    ) async throws {
        try await house.db.transaction(.tenant(tenant)) { tx in
            // In use until now: its connection stands.
            try await Lane.ensure(lane, in: tx)
            if warm, Lane.isCommerce(lane) {
                try await tx.execute("update queue.lanes set rests_until = \(House.start) where lane = \(lane)")
            }
            for n in 0..<count {
                try await Enqueue.add(
                    NewJob(
                        tenant: tenant, lane: lane, kind: "test", subject: "{\"n\":\(n)}",
                        deadline: House.start + .hours(12) + .milliseconds(Int64(n))), in: tx)
            }
        }
    }

    private func walk(_ house: House, at now: Moment, by n: Int64 = 1) async throws -> [Job] {
        try await Claims.walk(after: 0, upTo: 32, now: now, by: claimant(n), on: house.db).jobs
    }

    private func done(_ house: House) async throws {
        _ = try await house.test.asSuperuser("delete from queue.jobs where state = 'running'")
    }

    @Test func `takes a second's worth of jobs, in the order of asking, and rests until the next call is due`()
        async throws
    {
        try await withHouse { house in
            try await add(12, to: lane, house: house)
            var (now, subjects) = (House.start, [] as [String])
            for count in [5, 5, 2] {
                let claimed = try await walk(house, at: now).sorted { $0.deadline < $1.deadline }
                #expect(claimed.count == count)
                subjects += claimed.map(\.subject)
                try await done(house)
                now = now + Lane.spacing(of: lane) * count
                #expect(try await walk(house, at: now - .milliseconds(1)).isEmpty)
            }
            #expect(subjects == (0..<12).map { "{\"n\":\($0)}" })
        }
    }

    @Test func `a claim that comes late makes no later one late, and a lane that was idle has saved nothing up`()
        async throws
    {
        try await withHouse { house in
            try await add(2, to: lane, house: house)
            #expect(try await walk(house, at: House.start).count == 2)
            try await add(14, to: lane, warm: false, house: house)
            #expect(try await walk(house, at: House.start + .milliseconds(420 + 160)).count == 5)
            #expect(try await walk(house, at: House.start + .milliseconds(1539)).isEmpty)
            #expect(try await walk(house, at: House.start + .milliseconds(1540)).count == 5)
            try await done(house)
            for _ in 0..<2 {
                // Only the first of them finds it rested.
                _ = try await walk(house, at: House.start + .minutes(1))
            }
            let left = try await house.jobs()
            #expect(left.count == 4 && left.allSatisfy { $0.state == "running" })
        }
    }

    @Test func `a lane whose calls hang takes up little and no more`() async throws {
        try await withHouse { house in
            try await add(20, to: lane, house: house)
            var claimed = 0
            for n in 0..<20 as Range<Int64> {
                claimed += try await walk(house, at: House.start + .seconds(2 * n)).count
            }
            #expect(claimed == 10, "it is left alone from the eighth on")
            try await done(house)
            #expect(try await walk(house, at: House.start + .minutes(1)).count == 5)
        }
    }

    @Test func `after a long time without a call the second one comes one spacing later`() async throws {
        try await withHouse { house in
            try await add(1, to: lane, house: house)
            let now = House.start + .minutes(1)
            #expect(try await walk(house, at: now).count == 1)
            try await add(1, to: lane, warm: false, house: house)
            #expect(try await walk(house, at: now + .milliseconds(419)).isEmpty)
            #expect(try await walk(house, at: now + .milliseconds(440)).count == 1)
            try await add(1, to: lane, warm: false, house: house)
            #expect(try await walk(house, at: now + .milliseconds(660)).count == 1)
        }
    }

    @Test func `where no hand is to spare for such lanes, the others are served all the same`() async throws {
        try await withHouse { house in
            try await add(3, to: lane, house: house)
            try await add(3, to: 2, house: house)
            func lanes(_ spare: Int, _ n: Int64) async throws -> Set<Int64> {
                Set(
                    try await Claims.walk(
                        after: 0, upTo: 32, spare: spare, now: House.start, by: claimant(n), on: house.db
                    ).jobs.map(\.lane))
            }
            #expect(try await lanes(0, 1) == [2])
            #expect(try await lanes(1, 2) == [lane])
        }
    }

    @Test func `tells when it is to be looked at again`() async throws {
        try await withHouse { house in
            try await add(6, to: lane, house: house)
            try await add(2, to: sandbox, house: house)
            func rested(at now: Moment) async throws -> Moment? {
                try await Claims.walk(after: 0, upTo: 32, now: now, by: claimant(1), on: house.db).rested
            }
            #expect(try await rested(at: House.start) == House.start + .milliseconds(1100))
            #expect(try await rested(at: House.start + .milliseconds(100)) == House.start + .milliseconds(1100))
            try await done(house)
            // The lane whose last job was taken has no work: only the other one is waited for.
            #expect(try await rested(at: House.start + .milliseconds(1100)) == House.start + .milliseconds(1320))
            #expect(try await rested(at: House.start + .milliseconds(1101)) == House.start + .milliseconds(2200))
            #expect(try await rested(at: House.start + .milliseconds(2200)) == House.start + .milliseconds(4400))
            #expect(try await rested(at: House.start + .milliseconds(2201)) == nil)
        }
    }

    @Test func `two processes share the rest`() async throws {
        try await withHouse { house in
            try await add(40, to: lane, house: house)
            let claimed = try await withThrowingTaskGroup(of: Int.self) { group in
                for n in 1...8 as ClosedRange<Int64> {
                    group.addTask { try await walk(house, at: House.start, by: n).count }
                }
                return try await group.reduce(0, +)
            }
            #expect(claimed == 5)
        }
    }

    @Test func `a sandbox gives one job and rests ten times as long, and neither waits for the other`() async throws {
        try await withHouse { house in
            try await add(6, to: lane, house: house)
            try await add(2, to: sandbox, house: house)
            func lanes(at now: Moment) async throws -> [Int64: Int] {
                Dictionary(grouping: try await walk(house, at: now), by: \.lane).mapValues(\.count)
            }
            #expect(try await lanes(at: House.start) == [lane: 5, sandbox: 1])
            #expect(try await lanes(at: House.start + .milliseconds(1100)) == [lane: 1])
            #expect(try await lanes(at: House.start + .milliseconds(2199)).isEmpty)
            #expect(try await lanes(at: House.start + .milliseconds(2200)) == [sandbox: 1])
        }
    }

    @Test func `one tenant's thousand requests take nobody's place`() async throws {
        try await withHouse { house in
            let noisy = Lane.commerce(app: 1, isSandbox: false)
            let quiet = Lane.commerce(app: 2, isSandbox: false)
            try await add(1000, to: noisy, of: 1, house: house)
            try await add(1, to: quiet, of: 2, house: house)
            // The noisy tenant's own replies, and a quiet one's.
            try await house.add(3, lane: 2)
            try await house.add(3, lane: 4)
            let claimed = try await walk(house, at: House.start)
            let byLane = Dictionary(grouping: claimed, by: \.lane).mapValues(\.count)
            #expect(byLane == [2: 3, 4: 3, noisy: 5, quiet: 1])
        }
    }

    @Test func `permits are five a second less a margin, in the sandbox half a one, for all who ask`() async throws {
        for (lane, spacing) in [(lane, 220), (sandbox, 2200)] as [(Int64, Int64)] {
            try await withHouse { house in
                let begin = ContinuousClock.now
                let given = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            var given = 0
                            for _ in 0..<5 {
                                let wait = try await house.db.transaction(.tenant(1)) { tx in
                                    try await Lane.takePermit(lane, in: tx)
                                }
                                if wait != nil { given += 1 }
                            }
                            return given
                        }
                    }
                    return try await group.reduce(0, +)
                }
                let took = (ContinuousClock.now - begin).wholeMilliseconds
                // Those of the time that passed and of the second ahead, and the one under way.
                #expect(given >= 1 && Int64(given) <= (took + 1000) / spacing + 2, "\(given) in \(took) ms")
            }
        }
    }

    @Test func `a lane that was stopped gives nothing, and all of it when it goes on`() async throws {
        try await withHouse { house in
            try await add(2, to: lane, house: house)
            try await house.db.transaction(.tenant(1)) { tx in
                try await Lane.pause(lane, until: House.start + .days(400), why: "stopped", in: tx)
            }
            #expect(try await walk(house, at: House.start + .days(1)).isEmpty)
            // A rest that is asked for meanwhile does not end the pause.
            try await house.db.transaction(.tenant(1)) { tx in
                try await Lane.rest(lane, until: House.start + .seconds(1), why: "a permit", in: tx)
            }
            #expect(try await walk(house, at: House.start + .days(1)).isEmpty)
            try await house.db.transaction(.tenant(1)) { tx in try await Lane.resume(lane, in: tx) }
            #expect(try await walk(house, at: House.start + .days(1)).count == 2)
        }
    }
}

@Suite struct `adding jobs` {
    @Test func `with a key adds one, until that one has ended`() async throws {
        try await withHouse { house in
            for _ in 0..<3 { try await house.add(lane: 2, uniqueKey: "round-1") }
            try await house.add(lane: 4, uniqueKey: "round-1")
            var jobs = try await house.jobs()
            #expect(jobs.map(\.lane) == [2, 4])
            _ = try await house.test.asSuperuser("update queue.jobs set state = 'dead' where lane = 2")
            try await house.add(lane: 2, uniqueKey: "round-1")
            jobs = try await house.jobs()
            #expect(jobs.count == 3)
        }
    }

    @Test func `hurries one that waits`() async throws {
        try await withHouse { house in
            try await house.add(lane: 2, kind: "test", runAt: House.start + .hours(1), uniqueKey: "k")
            let hurried = try await house.db.transaction(.tenant(2)) { tx in
                try await Enqueue.hurry(tenant: 2, kind: "test", uniqueKey: "k", in: tx)
            }
            #expect(hurried)
            let jobs = try await house.jobs()
            #expect(jobs.map(\.state) == ["ready"])
        }
    }
}

@Suite struct `permits of a lane` {
    @Test func `are exact, shared by all, and at most a second ahead`() async throws {
        try await withHouse { house in
            // As many callers as there are connections, each as fast as it can: 20 ms a permit.
            let begin = ContinuousClock.now
            let waits = try await withThrowingTaskGroup(of: [Duration?].self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var waits: [Duration?] = []
                        for _ in 0..<20 {
                            waits.append(
                                try await house.db.transaction(.tenant(1)) { tx in try await Lane.takePermit(2, in: tx)
                                })
                        }
                        return waits
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let took = ContinuousClock.now - begin
            let given = waits.compactMap { $0 }
            #expect(given.allSatisfy { $0 >= .zero && $0 <= .milliseconds(1020) })
            let row = try await house.test.asSuperuser(
                "select free_at, clock_timestamp() as now from queue.lanes where lane = 2")[0]
            let (freeAt, now): (Moment, Moment) = (try row("free_at"), try row("now"))
            // Never more than the time that passed and the second ahead allow.
            let most = Int((took + .milliseconds(1040)).wholeMilliseconds / 20) + 1
            #expect(given.count <= most)
            #expect(given.count >= 50, "a second ahead is given at once")
            #expect(freeAt - now <= .milliseconds(1020))
        }
    }

    @Test func `of commerce are further apart at the beginning, when there is no connection yet`() async throws {
        try await withHouse { house in
            let lane = Lane.commerce(app: 1, isSandbox: false)
            /// What a permit leaves free, counted from a moment before it and from the end of the one before.
            func free(after change: SQL, isCold: Bool) async throws -> (sinceBegin: Duration, sinceLast: Duration?) {
                let rows = try await house.db.transaction(.tenant(1)) { tx in
                    try await Lane.ensure(lane, in: tx)
                    try await tx.execute("update queue.lanes set free_at = \(change) where lane = \(lane)")
                    let before = try await tx.rows(
                        "select clock_timestamp() as now, free_at from queue.lanes where lane = \(lane)")[0]
                    #expect(try await Lane.takePermit(lane, in: tx) != nil)
                    return [before, try await tx.rows("select free_at from queue.lanes where lane = \(lane)")[0]]
                }
                let (begin, end): (Moment, Moment) = (try rows[0]("now"), try rows[1]("free_at"))
                let last: Moment? = isCold ? nil : try rows[0]("free_at")
                return (end - begin, last.map { end - $0 })
            }
            let cold = try await free(after: "'-infinity'", isCold: true)
            #expect(cold.sinceBegin >= .milliseconds(439), "twice the spacing, from when it was given")
            let warm = try await free(after: "clock_timestamp() + interval '500 ms'", isCold: false)
            #expect(warm.sinceLast.map { $0 <= .milliseconds(221) } == true)
        }
    }

    @Test func `of several calls are expected one spacing apart, and taken one by one`() async throws {
        try await withHouse { house in
            let lane = Lane.commerce(app: 1, isSandbox: false)
            func set(_ change: SQL) async throws {
                _ = try await house.db.transaction(.tenant(1)) { tx in
                    try await tx.execute("update queue.lanes set \(change) where lane = \(lane)")
                }
            }
            func outlook() async throws -> [Duration]? {
                try await house.db.transaction(.tenant(1)) { tx in try await Lane.outlook(5, of: lane, in: tx) }
            }
            let now = House.start
            func ask() async throws -> Lane.Asked? {
                try await Lane.askForPermit(
                    lane, of: .tenant(1), at: now, ahead: .milliseconds(30), on: house.db)
            }
            #expect(try await outlook() == (0..<5).map { .milliseconds(220) * $0 }, "of a lane without a row")
            try await set("free_at = clock_timestamp() + interval '1 hour'")
            #expect(try await outlook() == nil)
            #expect(try await ask() == nil)
            #expect(await Lane.whyNone(lane, of: .tenant(1), at: now, on: house.db).contains("permits are taken"))
            try await set("free_at = clock_timestamp() + interval '2 seconds'")
            for _ in 0..<2 {
                guard case .notYet(let wait) = try await ask() else { Issue.record("given ahead"); return }
                #expect(wait > .zero && wait <= .seconds(2), "none is taken by asking")
            }
            try await set("free_at = '-infinity', paused_until = \(now + .seconds(1)), why = 'Apple said 429'")
            #expect(try await ask() == nil)
            #expect(await Lane.whyNone(lane, of: .tenant(1), at: now, on: house.db) == "Apple said 429")
            try await set("paused_until = \(now)")
            guard case .given(let permit) = try await ask() else { Issue.record("a free lane gives none"); return }
            #expect(permit.wait == .zero)
            guard case .notYet(let rest) = try await ask() else { Issue.record("given twice"); return }
            #expect(rest > .zero && rest <= .milliseconds(440), "twice the spacing after a long rest")
        }
    }

    @Test(arguments: [(1, 4), (2, 3), (4, 1), (5, 0)])
    func `after one that arrived late come later, by no more than they must`(given: Int, inSpan: Int) async throws {
        try await withHouse { house in
            let lane = Lane.commerce(app: 1, isSandbox: false)
            let rows = try await house.db.transaction(.tenant(1)) { tx in
                try await Lane.ensure(lane, in: tx)
                return try await tx.rows(
                    """
                    update queue.lanes
                    set free_at = clock_timestamp() - interval '400 ms' + call_spacing * \(Int64(given))
                    where lane = \(lane)
                    returning free_at, free_at - call_spacing * \(Int64(given)) as moment
                    """)
            }
            let permit = Lane.Permit(wait: .zero, moment: try rows[0]("moment"))
            let before: Moment = try rows[0]("free_at")
            try await Lane.keepBehind(permit, of: lane, arrived: .zero, scope: .tenant(1), on: house.db)
            let row = try #require(
                await house.db.rows(
                    .tenant(1), "select free_at, clock_timestamp() as now from queue.lanes where lane = \(lane)"
                ).first)
            let (free, now): (Moment, Moment) = (try row("free_at"), try row("now"))
            // The late one arrived 400 ms after its moment, or later where this machine is slow.
            let sixth = free + .milliseconds(220) * inSpan
            #expect(sixth - permit.moment >= .milliseconds(1399))
            #expect(free == before || sixth <= now + .seconds(1))
        }
    }

    @Test func `after one that arrived late stay where they are when they are far enough behind`() async throws {
        try await withHouse { house in
            let lane = Lane.commerce(app: 1, isSandbox: false)
            func free() async throws -> Moment? {
                try await house.db.rows(.tenant(1), "select free_at from queue.lanes where lane = \(lane)").first?(
                    "free_at")
            }
            let permit = try await house.db.transaction(.tenant(1)) { tx in
                try await Lane.ensure(lane, in: tx)
                let row = try await tx.rows(
                    """
                    update queue.lanes
                    set free_at = clock_timestamp() + call_spacing
                    where lane = \(lane)
                    returning free_at - call_spacing as moment
                    """)[0]
                return Lane.Permit(wait: .zero, moment: try row("moment"))
            }
            let before = try await free()
            try await Lane.keepBehind(permit, of: lane, arrived: .minutes(1), scope: .tenant(1), on: house.db)
            #expect(try await free() == before)
        }
    }

    @Test func `are a tenth in the Sandbox`() async throws {
        try await withHouse { house in
            let begin = ContinuousClock.now
            let waits = try await house.db.transaction(.tenant(1)) { tx in
                var waits: [Duration?] = []
                for _ in 0..<60 { waits.append(try await Lane.takePermit(3, in: tx)) }
                return waits
            }
            let took = ContinuousClock.now - begin
            let given = waits.compactMap { $0 }
            // One for each 200 ms that passed and of the second ahead, however slow this machine is.
            let most = Int((took + .milliseconds(1400)).wholeMilliseconds / 200)
            #expect(given.count >= 5 && given.count <= most)
            #expect(given.first == .zero)
        }
    }

    @Test func `are told to the lane's own tenant only`() async throws {
        try await withHouse { house in
            _ = try await house.db.transaction(.tenant(1)) { tx in try await Lane.takePermit(2, in: tx) }
            let foreign = try await house.db.transaction(.tenant(7)) { tx in try await Lane.takePermit(2, in: tx) }
            #expect(foreign == nil)
        }
    }
}
