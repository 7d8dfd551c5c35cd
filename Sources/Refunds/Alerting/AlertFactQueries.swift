import FoundationEssentials
import Postgres
import Tenants
import Time

/// The SQL behind the facts of the rules: one round trip for all that needs no decision in between.
enum AlertFactQueries {
    /// - Parameter withDrifts: the reasons of the last days are counted too.
    static func facts(
        of tenant: TenantID, vault: Vault, withDrifts: Bool = true, at now: Moment, in tx: Transaction
    ) async throws -> AlertFacts {
        var facts = AlertFacts(now: now)
        facts.apps = try await TenantStore.apps(of: tenant, in: tx)
        facts.keys = try await vault.keys(of: tenant, in: tx)
        facts.unreadable = try await vault.unreadableSecrets(of: tenant, in: tx)
        facts.channels = try await ChannelStore.all(of: tenant, in: tx)
        let real = facts.apps.filter { !$0.isRehearsal }.map(\.id.rawValue)
        let parts = try await tx.pipeline([
            unanswered(tenant, real), missed(tenant, real, at: now), stopped(tenant, real),
            failed(tenant, real, at: now),
            refusals(tenant, real, at: now), relays(tenant, real), withheld(tenant, real, at: now),
            silences(tenant, real), offsets(tenant, at: now),
            HistoryQueries.standings(real.map(AppID.init(rawValue:)), at: now), callbacks(tenant, real),
            rescinded(tenant, real),
        ])
        facts.unanswered = try parts[0].map(AlertFacts.Unanswered.init)
        facts.missed = try parts[1].map { row in
            AlertFacts.Missed(
                caseID: try row("case_id"), app: AppID(rawValue: try row("app_id")), deadline: try row("deadline"),
                price: try row("price"), currency: try row("currency"))
        }
        facts.stopped = try parts[2].map { row in
            let status: Int32? = try row("refused_status")
            let waiting: Int64 = try row("waiting")
            return AlertFacts.StoppedQueue(
                app: AppID(rawValue: try row("app_id")), since: try row("stopped_at"), waiting: Int(waiting),
                call: try row("refused_call"), status: status.map(Int.init), code: try row("refused_code"),
                message: try row("refused_message"))
        }
        facts.failed = try parts[3].map { row in
            let n: Int64 = try row("n")
            return AlertFacts.FailedRequests(
                app: AppID(rawValue: try row("app_id")), count: Int(n), newest: try row("newest"))
        }
        facts.refusals = try parts[4].map { row in
            let recent: Int64 = try row("recent")
            let before: Int64 = try row("before")
            return AlertFacts.Refusals(
                app: AppID(rawValue: try row("app_id")), reason: try row("reason"), recent: Int(recent),
                usual: Double(before) / 84)
        }
        facts.relays = try parts[5].map { row in
            let failures: Int32 = try row("failures")
            let waiting: Int64 = try row("waiting")
            return AlertFacts.Relay(
                app: AppID(rawValue: try row("app_id")), failures: Int(failures),
                lastSuccessAt: try row("last_success_at"), lastError: try row("last_error"), waiting: Int(waiting))
        }
        facts.withheld = try parts[6].map { row in
            let without: Int64 = try row("without")
            let n: Int64 = try row("n")
            return AlertFacts.Withheld(
                app: AppID(rawValue: try row("app_id")), withoutConsent: Int(without), requests: Int(n))
        }
        facts.silences = try parts[7].map(AlertFacts.Silence.init)
        let offset: Int64? = try parts[8].first?("clock_offset_ms")
        facts.clockOffset = offset.map { .milliseconds($0) }
        facts.histories = try HistoryQueries.standings(parts[9]).compactMap { app, standings in
            standings.production.map { AlertFacts.HistoryGap(app: app, standing: $0) }
        }.sorted { $0.app.rawValue < $1.app.rawValue }
        facts.callbacks = try parts[10].map { row in
            let (failures, unanswered): (Int32, Int32) = (try row("failures"), try row("unanswered"))
            return AlertFacts.Callback(
                app: AppID(rawValue: try row("app_id")), failures: Int(failures), unanswered: Int(unanswered),
                lastSuccessAt: try row("last_success_at"), lastError: try row("last_error"))
        }
        facts.rescinded = try parts[11].map { row in
            let n: Int64 = try row("n")
            return AlertFacts.Rescinded(app: AppID(rawValue: try row("app_id")), customers: Int(n))
        }
        if withDrifts {
            facts.drifts = try await DriftQueries.counts(of: tenant, facts.apps, at: now, in: tx)
        }
        return facts
    }

    private static func unanswered(_ tenant: TenantID, _ apps: [Int64]) -> SQL {
        """
        select c.case_id, c.app_id, r.requested_at, r.deadline, r.hold_until, c.price, c.currency,
          coalesce(a.attempt_no, 0) as attempts, a.result, a.status, a.apple_code, coalesce(a.apple_message, a.error) as message
        from (
          select case_id, app_id, price, currency
          from refunds.cases
          where tenant_id = \(tenant.rawValue) and state in ('open', 'held') and environment = 'Production'
            and app_id = any(\(apps)::int8[])
          order by deadline
          limit \(AlertFacts.unansweredMax)) c
        join lateral (
          select round_id, requested_at, deadline, hold_until
          from refunds.rounds
          where tenant_id = \(tenant.rawValue) and case_id = c.case_id and state in ('open', 'held')
          order by requested_at desc
          limit 1) r on true
        left join lateral (
          select attempt_no, result, status, apple_code, apple_message, error
          from refunds.attempts
          where tenant_id = \(tenant.rawValue) and case_id = c.case_id and round_id = r.round_id and ended_at is not null
          order by attempt_no desc
          limit 1) a on true
        order by r.deadline, c.case_id
        """
    }

    private static func missed(_ tenant: TenantID, _ apps: [Int64], at now: Moment) -> SQL {
        """
        select c.case_id, c.app_id, r.deadline, c.price, c.currency
        from refunds.rounds r
        join refunds.cases c on c.tenant_id = r.tenant_id and c.case_id = r.case_id
        where r.tenant_id = \(tenant.rawValue) and r.state = 'missed' and r.deadline > \(now - .days(1))
          and c.environment = 'Production' and c.app_id = any(\(apps)::int8[])
        order by r.deadline desc
        limit 500
        """
    }

    private static func stopped(_ tenant: TenantID, _ apps: [Int64]) -> SQL {
        """
        select a.app_id, a.stopped_at, a.refused_call, a.refused_status, a.refused_code, a.refused_message,
          (select count(*) from (
            select from refunds.commerce_requests q
            where q.tenant_id = a.tenant_id and q.app_id = a.app_id and q.environment = a.environment
              and q.state in ('queued', 'sending')
            limit 10000) x) as waiting
        from refunds.commerce_access a
        where a.tenant_id = \(tenant.rawValue) and a.environment = 'Production' and a.stopped_at is not null
          and a.app_id = any(\(apps)::int8[])
        order by a.app_id
        limit 1000
        """
    }

    private static func failed(_ tenant: TenantID, _ apps: [Int64], at now: Moment) -> SQL {
        """
        select f.app_id, count(*) as n,
          coalesce((array_agg(coalesce(f.answer_message, f.state_reason) order by f.changed_at desc))[1], '') as newest
        from unnest(\(apps)::int8[]) a(app_id)
        cross join lateral (
          select q.app_id, q.answer_message, q.state_reason, q.changed_at
          from refunds.commerce_requests q
          where q.tenant_id = \(tenant.rawValue) and q.app_id = a.app_id and q.environment = 'Production'
            and q.state = 'failed' and q.listed_at > \(now - .days(2)) and q.changed_at > \(now - .days(1))
          order by q.listed_at desc
          limit 200) f
        group by f.app_id
        order by f.app_id
        """
    }

    private static func refusals(_ tenant: TenantID, _ apps: [Int64], at now: Moment) -> SQL {
        let hour = Moment(milliseconds: now.milliseconds / 3_600_000 * 3_600_000)
        return """
            select app_id, reason, coalesce(sum(n) filter (where hour >= \(hour - .hours(1))), 0)::int8 as recent,
              coalesce(sum(n) filter (where hour < \(hour - .hours(1))), 0)::int8 as before
            from refunds.refusal_counts
            where tenant_id = \(tenant.rawValue) and app_id = any(\(apps)::int8[]) and hour >= \(hour - .days(7) - .hours(1))
            group by app_id, reason
            having sum(n) filter (where hour >= \(hour - .hours(1))) > 0
            order by app_id, reason
            limit 500
            """
    }

    private static func relays(_ tenant: TenantID, _ apps: [Int64]) -> SQL {
        """
        select s.app_id, s.failures, s.last_success_at, coalesce(s.last_error, '') as last_error,
          (select count(*) from (
            select from refunds.relay_deliveries d
            where d.tenant_id = s.tenant_id and d.app_id = s.app_id and d.state = 'waiting'
            limit 10000) x) as waiting
        from refunds.relay_standings s
        join tenants.apps a on a.tenant_id = s.tenant_id and a.app_id = s.app_id
        where s.tenant_id = \(tenant.rawValue) and s.failures > 0 and a.relay_secret_id is not null
          and s.app_id = any(\(apps)::int8[])
        order by s.app_id
        limit 1000
        """
    }

    private static func callbacks(_ tenant: TenantID, _ apps: [Int64]) -> SQL {
        """
        select s.app_id, s.failures, s.unanswered, s.last_success_at, coalesce(s.last_error, '') as last_error
        from refunds.callback_standings s
        join tenants.apps a on a.tenant_id = s.tenant_id and a.app_id = s.app_id
        where s.tenant_id = \(tenant.rawValue) and s.failures > 0 and a.evidence = 'callback'
          and a.callback_url is not null and a.callback_secret_id is not null and s.app_id = any(\(apps)::int8[])
        order by s.app_id
        limit 1000
        """
    }

    /// What stops replies and waits for a person.
    private static func rescinded(_ tenant: TenantID, _ apps: [Int64]) -> SQL {
        """
        select x.app_id, count(distinct x.app_transaction_id) as n
        from (
          select r.app_id, r.app_transaction_id
          from refunds.rescissions r
          where r.tenant_id = \(tenant.rawValue) and r.app_id = any(\(apps)::int8[]) and r.environment = 'Production'
            and r.decision is null
          order by r.app_id
          limit 10000) x
        group by x.app_id
        order by x.app_id
        """
    }

    /// The newest requests of a week, of each app; sampled, so that a busy app costs no more than a quiet one.
    private static func withheld(_ tenant: TenantID, _ apps: [Int64], at now: Moment) -> SQL {
        """
        select x.app_id, count(*) as n, count(*) filter (where x.state = 'withheld' and x.state_reason = 'no-consent') as without
        from unnest(\(apps)::int8[]) a(app_id)
        cross join lateral (
          select c.app_id, c.state, c.state_reason
          from refunds.cases c
          where c.tenant_id = \(tenant.rawValue) and c.app_id = a.app_id and c.listed_at > \(now - .days(7))
            and c.environment = 'Production' and c.state not in ('unasked', 'imported')
          order by c.listed_at desc, c.case_id desc
          limit 200) x
        group by x.app_id
        order by x.app_id
        """
    }

    private static func silences(_ tenant: TenantID, _ apps: [Int64]) -> SQL {
        """
        select s.app_id, s.last_at, s.usual_gap_s, s.asked_at, s.impossible
        from refunds.silences s
        where s.tenant_id = \(tenant.rawValue) and s.heard_at is null and s.app_id = any(\(apps)::int8[])
        order by s.app_id
        limit 1000
        """
    }

    /// Apple's own clock, as the newest refusal or probe told.
    ///
    /// A call that any key's signature opened since then says that ours is right again; so does a refusal of a later
    /// moment than now: it is dated by a clock that was ahead.
    private static func offsets(_ tenant: TenantID, at now: Moment) -> SQL {
        """
        select x.clock_offset_ms
        from (
          select coalesce(refused_at, refused_since) as at, clock_offset_ms
          from tenants.key_standings
          where tenant_id = \(tenant.rawValue) and clock_offset_ms is not null
            and (accepted_at is null or refused_since is not null)
          union all
          select refused_at, clock_offset_ms
          from tenants.key_proofs
          where tenant_id = \(tenant.rawValue) and clock_offset_ms is not null and refused_since is not null
          union all
          select at, clock_offset_ms
          from tenants.probes
          where tenant_id = \(tenant.rawValue) and clock_offset_ms is not null) x
        where (x.at is null or x.at <= \(now + .minutes(1)))
          and not exists (
            select
            from tenants.key_proofs p
            where p.tenant_id = \(tenant.rawValue) and p.accepted_at > x.at)
        order by x.at desc nulls last
        limit 1
        """
    }
}

extension AlertFacts.Unanswered {
    init(_ row: Row) throws {
        let attempts: Int32 = try row("attempts")
        let status: Int32? = try row("status")
        self.init(
            caseID: try row("case_id"), app: AppID(rawValue: try row("app_id")), requestedAt: try row("requested_at"),
            deadline: try row("deadline"), heldUntil: try row("hold_until"), attempts: Int(attempts),
            result: try row("result"), status: status.map(Int.init), code: try row("apple_code"),
            message: try row("message"), price: try row("price"), currency: try row("currency"))
    }
}

extension AlertFacts.Silence {
    init(_ row: Row) throws {
        let gap: Int64 = try row("usual_gap_s")
        let lastAt: Moment = try row("last_at")
        let asked: Moment? = try row("asked_at")
        let impossible: String? = try row("impossible")
        self.init(
            app: AppID(rawValue: try row("app_id")), lastAt: lastAt, usualGap: .seconds(gap),
            test: impossible.map { .impossible($0) } ?? .awaited(since: asked ?? lastAt))
    }
}
