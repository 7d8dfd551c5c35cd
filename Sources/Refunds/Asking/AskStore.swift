import AppStore
import FoundationEssentials
import Postgres
import Queue
import Tenants
import Time

/// The SQL of questions to apps' servers.
enum AskStore {
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
            where tenant_id = \(locked.tenant.rawValue) and case_id = \(locked.id) and round_id = \(round)
            """
        ).map { row in
            let (state, tries): (String, Int32) = (try row("state"), try row("tries"))
            return Ask(state: .init(rawValue: state) ?? .ended, waitUntil: try row("wait_until"), tries: Int(tries))
        }
    }

    /// The questions of a case, newest first.
    static func asks(of caseID: UUID, in tx: Transaction) async throws -> [CaseStory.Ask] {
        try await tx.rows(
            """
            select round_id, state, asked_at, wait_until, ended_at, tries, status, error
            from refunds.asks
            where case_id = \(caseID)
            order by asked_at desc
            limit 200
            """
        ).map { row in
            let (tries, status): (Int32, Int32?) = (try row("tries"), try row("status"))
            return CaseStory.Ask(
                round: try row("round_id"), state: try row.word("state"), askedAt: try row("asked_at"),
                waitUntil: try row("wait_until"), endedAt: try row("ended_at"), tries: Int(tries),
                status: status.map(Int.init), error: try row("error"))
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

    /// Notes a try that brought no answer, or how the question ended.
    ///
    /// - Parameter answer: JSON of ours.
    static func note(
        _ state: Ask.State, of round: UUID, _ locked: LockedCase, tried: Bool, status: Int?, error: String?,
        answer: String? = nil, at now: Moment, in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            update refunds.asks
            set state = \(state.rawValue), ended_at = \(state == .waiting ? nil : now),
              tries = tries + \(Int32(tried ? 1 : 0)),
              tried_at = case when \(tried) then \(now) else tried_at end,
              status = case when \(tried) then \(status.map(Int32.init)) else status end,
              error = case when \(tried) then \(error.map { Text.kept($0, bytesMax: 500) }) else error end,
              answer = coalesce(\(answer), answer)
            where tenant_id = \(locked.tenant.rawValue) and case_id = \(locked.id) and round_id = \(round)
              and state = 'waiting'
            """)
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
