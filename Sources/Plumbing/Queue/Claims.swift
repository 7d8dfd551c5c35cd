import Postgres
import Time

/// The statements by which a process takes jobs. Role: queue.
///
/// Two clocks: deadlines and due times are compared with the caller's, which tests can set; leases
/// with the database's, because machines disagree.
enum Claims {
    /// How long a claim lasts unless it is renewed: a frozen process is noticed by it.
    static let lease: Duration = .seconds(60)
    /// Lanes that one walk looks at.
    static let walk = 64
    /// A lane with a `claim_max` of which so many jobs run, in all processes, is left alone: its calls hang.
    static let runningMax = 8
    /// A claim that comes so late counts as one that came in time.
    static let recent: Duration = .seconds(1)

    /// Who claims, and for which claim.
    struct Claimant {
        let worker: Int64
        let claim: Int64
    }

    struct Claimed {
        let jobs: [Job]
        /// The last lane that was looked at; nil: there was none after the start.
        let visited: Int64?
        /// No lane with work lies beyond those that were looked at.
        let reachedEnd: Bool
        /// When the first of the lanes with work that rest now is to be looked at again.
        let rested: Moment?
    }

    /// Fair between lanes: from the lane after `start` on, some jobs of each, soonest deadline first.
    ///
    /// At least two of a lane, and more where fewer lanes have work: a fixed share fell to a tenth
    /// when one lane was left. The next walk begins after `visited` and not after the last lane
    /// that gave work: many paused lanes in a row would stop the walk for good.
    ///
    /// A lane with a `claim_max` gives so many jobs and rests for their calls' spacings, counted from the end of the rest
    /// before where that is recent: a claim that comes late does not make the next one later still. After a long time
    /// without any it rests for one spacing more, as `Lane.isColdAfter` says. Its jobs take up no hands: they wait for
    /// their turns most of their time.
    ///
    /// - Parameters:
    ///   - free: jobs of other lanes; from 1.
    ///   - spare: of lanes with a `claim_max` so many at most.
    static func walk(
        after start: Int64, upTo free: Int, spare: Int = .max, now: Moment, by claimant: Claimant, on database: Database
    ) async throws -> Claimed {
        let least = min(2, free)
        let lanes = max(1, min(16, free / least))
        let rows = try await database.rows(
            .queue,
            """
            with recursive l as (
              (select lane, 1 as n from queue.jobs where state = 'ready' and lane > \(start) order by lane limit 1)
              union all
              select (select j.lane from queue.jobs j where j.state = 'ready' and j.lane > l.lane order by j.lane limit 1), n + 1
              from l where l.lane is not null and n < \(walk)),
            b as materialized (
              select lane from queue.jobs where state = 'running' group by lane having count(*) >= \(runningMax)),
            s as materialized (
              select q.lane, q.claim_max from queue.lanes q
              where q.lane in (select lane from l where lane is not null) and q.claim_max is not null
                and (q.paused_until is null or q.paused_until <= \(now))
                and (q.rests_until is null or q.rests_until <= \(now)) and q.lane not in (select lane from b)
              order by q.lane limit \(max(0, min(lanes, spare))) for update skip locked),
            o as materialized (
              select l.lane, s.claim_max from l left join queue.lanes q using (lane) left join s using (lane)
              where l.lane is not null and (q.paused_until is null or q.paused_until <= \(now))
                and (q.claim_max is null or s.lane is not null)
              order by l.lane limit \(lanes)),
            k as materialized (
              select h.tenant_id, h.job_id, o.lane, o.claim_max from o cross join lateral (
                select j.tenant_id, j.job_id from queue.jobs j
                where j.state = 'ready' and j.lane = o.lane
                order by j.deadline, j.job_id
                limit coalesce(o.claim_max, (
                  select greatest(\(least), \(free) / greatest(count(*) filter (where e.claim_max is null), 1)) from o e))
                for update skip locked) h),
            r as (
              update queue.lanes q
              set rests_until =
                case when q.rests_until > \(now - recent) then q.rests_until + q.call_spacing * c.n
                     when q.rests_until > \(now - Lane.isColdAfter) then \(now) + q.call_spacing * c.n
                     else \(now) + q.call_spacing * (c.n + 1) end
              from (select lane, count(*) as n from k where claim_max is not null group by lane) c
              where q.lane = c.lane
              returning q.rests_until),
            u as (
              update queue.jobs j
              set state = 'running', attempts = j.attempts + 1, worker = \(claimant.worker), claim = \(claimant.claim),
                  lease_until = clock_timestamp() + \(lease)
              from k where j.tenant_id = k.tenant_id and j.job_id = k.job_id
              returning j.tenant_id, j.job_id, j.lane, j.kind, j.subject, j.attempts, j.deadline)
            select (select case when (select count(*) from o) >= \(lanes) then (select max(lane) from o)
                                else (select max(lane) from l) end) as visited,
                   (select count(*) from o) < \(lanes)
                     and (select coalesce(bool_or(lane is null), true) from l) as reached_end,
                   least((select min(rests_until) from r),
                         (select min(greatest(q.paused_until, q.rests_until)) from queue.lanes q
                          where q.lane in (select lane from l where lane is not null)
                            and greatest(q.paused_until, q.rests_until) > \(now)))
                     as rested,
                   u.tenant_id, u.job_id, u.lane, u.kind, u.subject, u.attempts, u.deadline
            from (select 1) one left join u on true
            """)
        return Claimed(
            jobs: try jobs(rows, claimant), visited: try rows[0]("visited"), reachedEnd: try rows[0]("reached_end"),
            rested: try rows[0]("rested"))
    }

    /// Whatever lane they are in: jobs whose deadline is near, few of each lane.
    static func urgent(
        upTo free: Int, now: Moment, by claimant: Claimant, on database: Database
    ) async throws -> [Job] {
        let rows = try await database.rows(
            .queue,
            """
            with soon as materialized (
              select j.tenant_id, j.job_id, j.lane, j.deadline
              from queue.jobs j left join queue.lanes q using (lane)
              where j.state = 'ready' and j.deadline < \(now + .minutes(2))
                and (q.paused_until is null or q.paused_until <= \(now))
                and (q.rests_until is null or q.rests_until <= \(now))
              order by j.deadline, j.job_id limit 200),
            few as materialized (
              select tenant_id, job_id from (
                select tenant_id, job_id, deadline, row_number() over (partition by lane order by deadline, job_id) as n
                from soon) ranked
              where n <= 4 order by deadline, job_id limit \(free)),
            k as materialized (
              select j.tenant_id, j.job_id from queue.jobs j join few using (tenant_id, job_id)
              where j.state = 'ready' for update of j skip locked)
            update queue.jobs j
            set state = 'running', attempts = j.attempts + 1, worker = \(claimant.worker), claim = \(claimant.claim),
                lease_until = clock_timestamp() + \(lease)
            from k where j.tenant_id = k.tenant_id and j.job_id = k.job_id
            returning j.tenant_id, j.job_id, j.lane, j.kind, j.subject, j.attempts, j.deadline
            """)
        return try jobs(rows, claimant)
    }

    /// Makes waiting jobs ready whose time has come.
    ///
    /// - Returns: how many, and when the next one is due.
    static func schedule(now: Moment, on database: Database) async throws -> (moved: Int, next: Moment?) {
        let row = try await database.rows(
            .queue,
            """
            with due as materialized (
              select tenant_id, job_id from queue.jobs
              where state = 'waiting' and run_at <= \(now)
              order by run_at limit 500 for update skip locked),
            moved as (
              update queue.jobs j set state = 'ready'
              from due where j.tenant_id = due.tenant_id and j.job_id = due.job_id returning 1)
            select (select count(*) from moved) as moved,
                   (select min(run_at) from queue.jobs where state = 'waiting' and run_at > \(now)) as next
            """)[0]
        return (try row("moved"), try row("next"))
    }

    /// Gives the jobs of this claimant that still run another lease.
    static func renew(_ jobs: [Int64], of worker: Int64, on database: Database) async throws {
        try await database.execute(
            .queue,
            """
            update queue.jobs set lease_until = clock_timestamp() + \(lease)
            where job_id = any(\(jobs)) and worker = \(worker) and state = 'running'
            """)
    }

    /// Gives back what this process has claimed.
    static func giveBack(of worker: Int64, on database: Database) async throws -> Int {
        try await database.execute(
            .queue,
            """
            update queue.jobs set state = 'ready', worker = null, claim = null, lease_until = null
            where worker = \(worker) and state = 'running'
            """)
    }

    /// Only rows that the partial index knows as running have a claim; the left join gives one row
    /// of nulls where nothing was claimed.
    private static func jobs(_ rows: [Row], _ claimant: Claimant) throws -> [Job] {
        var jobs: [Job] = []
        for row in rows {
            guard let id: Int64 = try row("job_id") else { continue }
            jobs.append(
                Job(
                    tenant: try row("tenant_id"), id: id, lane: try row("lane"), kind: try row("kind"),
                    subject: try row("subject"), attempts: try row("attempts"), deadline: try row("deadline"),
                    claim: claimant.claim, worker: claimant.worker))
        }
        return jobs
    }
}
