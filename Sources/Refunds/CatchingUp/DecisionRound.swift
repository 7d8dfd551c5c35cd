package import Postgres
import Queue
package import Time

/// Sees to it that cases that wait for Apple's decision are looked at: once a day in Apple's refund history, and in the
/// end as cases of which no decision was heard.
package enum DecisionRound {
    /// Cases that are taken in one round.
    static let casesMax = 200
    /// Between two looks at a case.
    static let every: Duration = .days(1)

    /// Any number of times, by any process. House scope.
    ///
    /// - Returns: how many jobs were added: ring the bell after the commit.
    @discardableResult
    package static func keep(at now: Moment, in tx: Transaction) async throws -> Int {
        let (production, sandbox) = (Lane.records(app: 0, isSandbox: false), Lane.records(app: 0, isSandbox: true))
        return try await tx.execute(
            """
            with due as materialized (
              select tenant_id, case_id, app_id, environment, transaction_id, listed_at
              from refunds.cases
              where outcome = 'pending' and deadline is not null and look_at <= \(now)
              order by look_at
              limit \(casesMax)
              for update skip locked),
            looked as (
              update refunds.cases c
              set look_at = case
                when d.listed_at + \(RefundCase.hearsUntil) > \(now)
                then least(\(now + every), d.listed_at + \(RefundCase.hearsUntil)) else \(now + every) end
              from due d
              where c.tenant_id = d.tenant_id and c.case_id = d.case_id
              returning c.tenant_id),
            x as (
              select tenant_id, case_id, app_id, environment, transaction_id,
                app_id * 2 + case when environment = 'Sandbox' then \(sandbox) else \(production) end as lane
              from due),
            l as (
              insert into queue.lanes (tenant_id, lane, app_id, environment, call_spacing)
              select distinct tenant_id, lane, app_id, environment,
                case when environment = 'Sandbox' then \(Lane.spacing(of: sandbox)) else \(Lane.spacing(of: production)) end
              from x
              on conflict do nothing)
            insert into queue.jobs (tenant_id, lane, kind, subject, run_at, deadline, unique_key)
            select tenant_id, lane, \(RefundJobs.Kind.past.rawValue), s.subject, \(now), \(now + .days(2)), s.subject
            from x
            cross join lateral (
              select '{"app":' || app_id || ',"case":"' || upper(case_id::text) || '","environment":"' || environment
                || '","transaction":' || to_json(transaction_id::text)::text || '}' as subject) s
            on conflict (tenant_id, kind, unique_key) where unique_key is not null and state <> 'dead' do nothing
            """)
    }
}
