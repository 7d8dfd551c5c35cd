import Postgres
import Tenants
import Time

/// What the checks of a tenant need from the database beside its keys: two round trips, however many apps.
struct TenantCheckFacts {
    struct Relay {
        let givenUp: Int
        let waiting: Int
        /// How often in a row the receiver was away; 0: it answers.
        let failures: Int
        let lastSuccessAt: Moment?
        let lastError: String?
    }

    struct Callback {
        /// Tries in a row without an answer; 0: it answers, or was never asked.
        let failures: Int
        let lastSuccessAt: Moment?
        let lastError: String?
    }

    /// Notification URLs in use.
    var inboxes: [AppID: Int] = [:]
    var heard: [AppID: PerEnvironment<Moment>] = [:]
    /// Apps with at least one real customer's consent.
    var consented: Set<AppID> = []
    /// Bundle IDs of the real apps with each Apple ID.
    var appleIDs: [Int64: [String]] = [:]
    /// Apps that pass notifications on.
    var relays: [AppID: Relay] = [:]
    /// Apps whose own server was asked.
    var callbacks: [AppID: Callback] = [:]
    /// Apps that use Advanced Commerce.
    var commerce: [AppID: CommerceReadiness] = [:]
    /// Apple's notification history beside what is held here.
    var histories: [AppID: PerEnvironment<HistoryStanding>] = [:]
    /// Our clock minus Apple's, as the newest probe told.
    var probedOffset: (at: Moment, offset: Duration)?

    static func read(_ apps: [App], at now: Moment, in tx: Transaction) async throws -> TenantCheckFacts {
        let ids = apps.map(\.id)
        let parts = try await tx.pipeline([
            OverviewQueries.inboxes, OverviewQueries.lastHeard(ids), consented(ids), relays(since: now - .days(7)),
            probe, HistoryQueries.standings(ids, at: now), callbacks,
        ])
        var facts = TenantCheckFacts()
        for app in apps where !app.isRehearsal {
            if let id = app.appleID { facts.appleIDs[id, default: []].append(app.bundleID) }
        }
        for row in parts[0] {
            let n: Int64 = try row("n")
            facts.inboxes[AppID(rawValue: try row("app_id"))] = Int(n)
        }
        for row in parts[1] {
            let app = AppID(rawValue: try row("app_id"))
            let environment: String = try row("environment")
            let at: Moment = try row("received_at")
            if environment == "Sandbox" {
                facts.heard[app, default: PerEnvironment()].sandbox = at
            } else {
                facts.heard[app, default: PerEnvironment()].production = at
            }
        }
        for row in parts[2] { facts.consented.insert(AppID(rawValue: try row("app_id"))) }
        for row in parts[3] {
            let (givenUp, waiting): (Int64, Int64) = (try row("given_up"), try row("waiting"))
            let failures: Int32 = try row("failures")
            facts.relays[AppID(rawValue: try row("app_id"))] = Relay(
                givenUp: Int(givenUp), waiting: Int(waiting), failures: Int(failures),
                lastSuccessAt: try row("last_success_at"), lastError: try row("last_error"))
        }
        if let row = parts[4].first {
            let offset: Int64 = try row("clock_offset_ms")
            facts.probedOffset = (try row("at"), .milliseconds(offset))
        }
        facts.histories = try HistoryQueries.standings(parts[5])
        for row in parts[6] {
            let failures: Int32 = try row("failures")
            facts.callbacks[AppID(rawValue: try row("app_id"))] = Callback(
                failures: Int(failures), lastSuccessAt: try row("last_success_at"), lastError: try row("last_error"))
        }
        facts.commerce = try await CommerceReadinessStore.read(apps, in: tx)
        return facts
    }

    private static func consented(_ apps: [AppID]) -> SQL {
        """
        select a.app_id
        from unnest(\(apps.map(\.rawValue))::int8[]) a(app_id)
        where exists (
          select from refunds.consents c
          where c.app_id = a.app_id and c.consented
            and c.subject not in (\(NobodysPurchase.customer), \(NobodysPurchase.transactionID)))
        order by a.app_id
        limit 1000
        """
    }

    private static func relays(since: Moment) -> SQL {
        """
        select a.app_id, d.given_up, d.waiting, coalesce(s.failures, 0) as failures, s.last_success_at, s.last_error
        from tenants.apps a
        left join refunds.relay_standings s on s.tenant_id = a.tenant_id and s.app_id = a.app_id
        cross join lateral (
          select count(*) filter (where d.state = 'given-up') as given_up,
            count(*) filter (where d.state = 'waiting') as waiting
          from (
            select d.state
            from refunds.relay_deliveries d
            where d.app_id = a.app_id and d.created_at > \(since)
            order by d.created_at desc, d.notification_uuid desc
            limit 1000) d) d
        where a.relay_secret_id is not null and a.removed_at is null
        order by a.app_id
        limit 1000
        """
    }

    private static let callbacks: SQL = """
        select app_id, failures, last_success_at, last_error
        from refunds.callback_standings
        order by app_id
        limit 1000
        """

    private static let probe: SQL = """
        select at, clock_offset_ms
        from tenants.probes
        where clock_offset_ms is not null
        order by at desc
        limit 1
        """
}
