import Crypto
import FoundationEssentials
import Postgres
import Tenants
import Time

/// The SQL behind the overview. What it costs does not grow with the tenant: the newest cases are
/// counted, up to a number, and not all there are.
enum OverviewQueries {
    static let days: Int64 = 30
    static let dueMax = 8

    static func overview(of tenant: TenantID, at now: Moment, in tx: Transaction) async throws -> Overview {
        let standings = try await apps(of: tenant, at: now, in: tx)
        let all = standings.map(\.app.id)
        let since = now - .days(days)
        let counted = standings.filter { !$0.app.isRehearsal }.map(\.app.id)
        var states: [CaseState: Int] = [:]
        var outcomes: [CaseOutcome: Int] = [:]
        var sum = 0
        let rows = try await tx.rows(counts(apps: counted, since: since))
        for row in rows {
            let n: Int64 = try row("n")
            states[try row.word("state"), default: 0] += Int(n)
            outcomes[try row.word("outcome"), default: 0] += Int(n)
            sum += Int(n)
        }
        var open = CaseFilter()
        open.states = [.open, .held]
        let due = try await CaseQueries.list(of: tenant, apps: all, filter: open, after: nil, limit: 100, in: tx)
        let soonest = due.cases.sorted {
            ($0.deadline ?? $0.listedAt, $0.id.text) < ($1.deadline ?? $1.listedAt, $1.id.text)
        }
        return Overview(
            states: states, outcomes: outcomes, counted: sum, since: since, due: Array(soonest.prefix(dueMax)),
            apps: standings,
            refusals: try await RefusalQueries.counts(of: tenant, apps: counted, since: now - .days(1), in: tx),
            consent: try ConsentCost(rows.filter { try $0("asked") }))
    }

    /// Sandbox is in no total.
    private static func counts(apps: [AppID], since: Moment) -> SQL {
        """
        select x.state, x.outcome, x.asked, x.lacked, x.outcome = 'refunded' as refunded,
          case when x.lacked then x.currency end as currency, count(*) as n,
          (sum(x.price) filter (where x.lacked))::int8 as price
        from (
          select c.state, c.outcome, c.environment, c.currency, c.price,
            c.deadline is not null and c.state <> 'imported' as asked,
            coalesce(c.state = 'withheld' and c.state_reason = 'no-consent', false) as lacked
          from unnest(\(apps.map(\.rawValue))::int8[]) a(app_id)
          cross join lateral (
            select c.state, c.state_reason, c.outcome, c.environment, c.deadline, c.currency, c.price, c.listed_at
            from refunds.cases c
            where c.app_id = a.app_id and c.listed_at >= \(since)
            order by c.listed_at desc, c.case_id desc
            limit \(Overview.sampleMax)) c
          order by c.listed_at desc
          limit \(Overview.sampleMax)) x
        where x.environment = 'Production'
        group by x.state, x.outcome, x.asked, x.lacked, 6
        order by x.state, x.outcome, x.asked, x.lacked, 6
        limit 1000
        """
    }

    static func apps(of tenant: TenantID, at now: Moment, in tx: Transaction) async throws -> [AppStanding] {
        let apps = try await TenantStore.apps(of: tenant, in: tx)
        let parts = try await tx.pipeline([
            inboxes, lastHeard(apps.map(\.id)), keys, HistoryQueries.standings(apps.map(\.id), at: now),
            Rescissions.unseen(apps.map(\.id)), ImportStore.standings(apps.map(\.id)),
        ])
        var rescissions: [Int64: Int] = [:]
        for row in parts[4] {
            let n: Int64 = try row("n")
            rescissions[try row("app_id")] = Int(n)
        }
        let imports = try ImportStanding.byApp(parts[5])
        let histories = try HistoryQueries.standings(parts[3])
        var inboxes: [Int64: Int] = [:]
        for row in parts[0] {
            let n: Int64 = try row("n")
            inboxes[try row("app_id")] = Int(n)
        }
        var heard: [Int64: PerEnvironment<Moment>] = [:]
        for row in parts[1] {
            let app: Int64 = try row("app_id")
            let environment: String = try row("environment")
            let at: Moment = try row("received_at")
            if environment == "Sandbox" {
                heard[app, default: PerEnvironment()].sandbox = at
            } else {
                heard[app, default: PerEnvironment()].production = at
            }
        }
        let standings = Dictionary(grouping: try await KeyStandings.all(of: tenant, in: tx), by: \.key)
        let proofs = Dictionary(grouping: try await KeyStandings.proofs(of: tenant, in: tx), by: \.app)
        let keys = try parts[2].map { row in
            let badly: Moment? = try row("opened_badly_at")
            return (info: try SigningKeyInfo(tenant: tenant, row), opens: badly == nil)
        }
        func report(_ key: (info: SigningKeyInfo, opens: Bool), for app: App) -> KeyReport {
            func standing(_ isSandbox: Bool) -> KeyStanding? {
                KeyStanding.seen(
                    standings[key.info.id]?.first { $0.isSandbox == isSandbox },
                    for: proofs[app.id]?.first { $0.key == key.info.id && $0.isSandbox == isSandbox })
            }
            return KeyReport(
                key: key.info, opens: key.opens,
                standings: PerEnvironment(production: standing(false), sandbox: standing(true)))
        }
        let commerce = try await CommerceReadinessStore.read(apps, in: tx)
        return apps.map { app in
            AppStanding(
                app: app, inboxes: inboxes[app.id.rawValue] ?? 0,
                lastNotification: heard[app.id.rawValue] ?? PerEnvironment(),
                keys: keys.filter { $0.info.serves(app) }.map { report($0, for: app) },
                commerce: commerce[app.id]?.lines ?? [], history: histories[app.id] ?? PerEnvironment(),
                rescissions: rescissions[app.id.rawValue] ?? 0, imports: imports[app.id] ?? PerEnvironment())
        }
    }

    static let inboxes: SQL = """
        select app_id, count(*) as n
        from tenants.inboxes
        where retired_at is null
        group by app_id
        order by app_id
        limit 1000
        """

    static func lastHeard(_ apps: [AppID]) -> SQL {
        """
        select a.app_id, n.environment, max(n.received_at) as received_at
        from unnest(\(apps.map(\.rawValue))::int8[]) a(app_id)
        cross join lateral (
          select n.environment, n.received_at
          from refunds.notifications n
          where n.app_id = a.app_id and n.source = 'posted'
          order by n.received_at desc, n.notification_uuid desc
          limit 200) n
        group by a.app_id, n.environment
        order by a.app_id, n.environment
        limit 2000
        """
    }

    private static let keys: SQL = """
        select k.signing_key_id, k.key_id, k.issuer_id, k.app_id, k.public_key, k.created_at, k.state, k.retires_at,
          s.opened_badly_at
        from tenants.signing_keys k
        join tenants.secrets s on s.tenant_id = k.tenant_id and s.secret_id = k.signing_key_id
        where k.state <> 'retired'
        order by k.state, k.app_id is null, k.created_at desc, k.signing_key_id desc
        limit 200
        """
}

extension SigningKeyInfo {
    fileprivate init(tenant: TenantID, _ row: Row) throws {
        let point: [UInt8] = try row("public_key")
        let issuer: UUID = try row("issuer_id")
        let app: Int64? = try row("app_id")
        let state: String = try row("state")
        self.init(
            tenant: tenant, id: SigningKeyID(rawValue: try row("signing_key_id")), keyID: try row("key_id"),
            issuerID: issuer.text, app: app.map(AppID.init), fingerprint: Hex.colons(Digest.sha256(point).prefix(16)),
            createdAt: try row("created_at"), state: SigningKeyState(rawValue: state) ?? .retired,
            retiresAt: try row("retires_at"))
    }
}
