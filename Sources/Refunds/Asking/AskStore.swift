import AppStore
import FoundationEssentials
import Postgres
import Queue
import Tenants
import Time

/// The SQL of questions to apps' servers.
enum AskStore {
    /// Tries of a question of which each is kept; those beyond are only counted.
    private static let triesMax: Int32 = 200

    /// One question as it stands.
    struct Ask: Sendable {
        enum State: String, Sendable {
            case waiting
            case answered
            /// The server will not answer this one.
            case refused
            /// Its time ended without an answer.
            case silent
            /// Nothing was to be asked any more.
            case ended
        }

        let state: State
        let waitUntil: Moment
        let tries: Int
    }

    static func find(_ round: UUID, of locked: LockedCase, in tx: Transaction) async throws -> Ask? {
        try await tx.row(
            """
            select state, wait_until, tries
            from refunds.asks
            where \(mine(round, locked))
            """
        ).map { row in
            let (state, tries): (String, Int32) = (try row("state"), try row("tries"))
            return Ask(state: .init(rawValue: state) ?? .ended, waitUntil: try row("wait_until"), tries: Int(tries))
        }
    }

    /// The questions of a case, newest first, each with its tries.
    static func asks(of caseID: UUID, in tx: Transaction) async throws -> [CaseStory.Ask] {
        let parts = try await tx.pipeline([
            """
            select round_id, state, asked_at, wait_until, ended_at, tries, status, error
            from refunds.asks
            where case_id = \(caseID)
            order by asked_at desc
            limit 200
            """,
            """
            select round_id, try_no, begun_at, ended_at, result, status, why
            from refunds.ask_tries
            where case_id = \(caseID)
            order by round_id, try_no
            limit 2000
            """,
        ])
        var tries: [UUID: [CaseStory.Ask.Try]] = [:]
        for row in parts[1] { tries[try row("round_id"), default: []].append(try CaseStory.Ask.Try(row)) }
        return try parts[0].map { row in
            let (count, status): (Int32, Int32?) = (try row("tries"), try row("status"))
            let round: UUID = try row("round_id")
            return CaseStory.Ask(
                round: round, state: try row.word("state"), askedAt: try row("asked_at"),
                waitUntil: try row("wait_until"), endedAt: try row("ended_at"), tries: Int(count),
                status: status.map(Int.init), error: try row("error"), each: tries[round] ?? [])
        }
    }

    /// Begins to ask about a round, once: the row, and the job that asks.
    static func begin(_ round: Round, of locked: LockedCase, at now: Moment, in tx: Transaction) async throws {
        try await tx.execute(
            """
            insert into refunds.asks (tenant_id, case_id, round_id, asked_at, wait_until)
            values (\(locked.tenant.rawValue), \(locked.id), \(round.id), \(now), \(round.window.callbackUntil))
            """)
        try await Enqueue.add(
            NewJob(
                tenant: locked.tenant.rawValue, lane: locked.lane, kind: RefundJobs.Kind.ask.rawValue,
                subject: ReplySubject(case: locked.id, round: round.id).text, deadline: round.window.end,
                uniqueKey: round.id.uuidString), in: tx)
    }

    /// Begins a try: word of it stands before the question leaves.
    ///
    /// - Returns: its number, from 1; nil where nothing is to be asked any more.
    static func beginTry(
        of round: UUID, _ locked: LockedCase, at now: Moment, in tx: Transaction
    ) async throws -> Int? {
        let row = try await tx.row(
            """
            with a as (
              update refunds.asks
              set tries = tries + 1, tried_at = \(now)
              where \(mine(round, locked)) and state = 'waiting'
              returning tries),
            kept as (
              insert into refunds.ask_tries (tenant_id, case_id, round_id, try_no, begun_at)
              select \(locked.tenant.rawValue), \(locked.id), \(round), a.tries, \(now)
              from a
              where a.tries <= \(triesMax))
            select tries from a
            """)
        let number: Int32? = try row.map { try $0("tries") }
        return number.map(Int.init)
    }

    /// Notes what came of a try, whatever became of its question meanwhile.
    static func endTry(
        _ number: Int, of round: UUID, _ locked: LockedCase, _ result: CaseStory.Ask.Try.Result, status: Int?,
        why: String?, at now: Moment, in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            update refunds.ask_tries
            set ended_at = \(now), result = \(result.rawValue), status = \(status.map(Int32.init)),
              why = \(why.map { Text.kept($0, bytesMax: 500) })
            where \(mine(round, locked)) and try_no = \(Int32(number)) and ended_at is null
            """)
    }

    /// It never left this machine, for reasons of our own: as if it had not been begun.
    static func takeBackTry(_ number: Int, of round: UUID, _ locked: LockedCase, in tx: Transaction) async throws {
        try await tx.execute(
            "delete from refunds.ask_tries where \(mine(round, locked)) and try_no = \(Int32(number))")
        try await tx.execute(
            """
            update refunds.asks set tries = tries - 1
            where \(mine(round, locked)) and tries = \(Int32(number)) and state = 'waiting'
            """)
    }

    /// Notes what the newest try brought, or how the question ended.
    ///
    /// - Parameters:
    ///   - tried: false: status and error stay those of the try before.
    ///   - answer: JSON of ours.
    static func note(
        _ state: Ask.State, of round: UUID, _ locked: LockedCase, tried: Bool, status: Int?, error: String?,
        answer: String? = nil, at now: Moment, in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            update refunds.asks
            set state = \(state.rawValue), ended_at = \(state == .waiting ? nil : now),
              status = case when \(tried) then \(status.map(Int32.init)) else status end,
              error = case when \(tried) then \(error.map { Text.kept($0, bytesMax: 500) }) else error end,
              answer = coalesce(\(answer), answer)
            where \(mine(round, locked)) and state = 'waiting'
            """)
    }

    /// What the answer to a round's question speaks against consent, and since when.
    static func objection(_ round: UUID, _ locked: LockedCase) -> SQL {
        """
        select answer::jsonb ->> \(AskRecord.objection) as objection, ended_at
        from refunds.asks
        where \(mine(round, locked)) and answer::jsonb ->> \(AskRecord.objection) is not null
        """
    }

    private static func mine(_ round: UUID, _ locked: LockedCase) -> SQL {
        "tenant_id = \(locked.tenant.rawValue) and case_id = \(locked.id) and round_id = \(round)"
    }

    // MARK: how a server does

    static func standing(of app: App, in tx: Transaction) async throws -> (failures: Int, pausedUntil: Moment?) {
        let row = try await tx.row(
            """
            select failures, paused_until
            from refunds.callback_standings
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
            """)
        let failures: Int32 = try row?("failures") ?? 0
        return (Int(failures), try row.flatMap { try $0("paused_until") })
    }

    /// The server that stood here is not the one that is asked from now on.
    static func forget(_ app: App, in tx: Transaction) async throws {
        try await tx.execute(
            """
            delete from refunds.callback_standings
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
            """)
    }

    static func succeeded(_ app: App, at now: Moment, in tx: Transaction) async throws {
        try await tx.execute(
            """
            insert into refunds.callback_standings as s (tenant_id, app_id, last_success_at)
            values (\(app.tenant.rawValue), \(app.id.rawValue), \(now))
            on conflict (tenant_id, app_id) do update
              set failures = 0, unanswered = 0, paused_until = null, last_success_at = excluded.last_success_at
            """)
    }

    /// A request's time was over before its next try.
    static func wentUnanswered(_ app: App, in tx: Transaction) async throws {
        try await tx.execute(
            """
            update refunds.callback_standings set unanswered = least(unanswered, 1000) + 1
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
            """)
    }

    /// - Parameter isLast: the request goes unanswered.
    static func failed(
        _ app: App, because error: String, isLast: Bool, pausedUntil: Moment?, at now: Moment, in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            insert into refunds.callback_standings as s
              (tenant_id, app_id, failures, unanswered, last_error, last_error_at, paused_until)
            values (\(app.tenant.rawValue), \(app.id.rawValue), 1, \(Int32(isLast ? 1 : 0)),
              \(Text.kept(error, bytesMax: 500)), \(now), \(pausedUntil))
            on conflict (tenant_id, app_id) do update
              set failures = least(s.failures, 1000) + 1, unanswered = least(s.unanswered, 1000) + excluded.unanswered,
                last_error = excluded.last_error, last_error_at = excluded.last_error_at,
                paused_until = greatest(s.paused_until, excluded.paused_until)
            """)
    }
}

extension CaseStory.Ask.Try {
    init(_ row: Row) throws {
        let (number, status): (Int32, Int32?) = (try row("try_no"), try row("status"))
        self.init(
            number: Int(number), begunAt: try row("begun_at"), endedAt: try row("ended_at"),
            result: try row.wordIfAny("result"), status: status.map(Int.init), why: try row("why"))
    }
}
