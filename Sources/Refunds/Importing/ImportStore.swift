import AppStore
import FoundationEssentials
import Postgres
import Queue
import Tenants
import Time

/// The SQL of reading the time before an app was added.
enum ImportStore {
    private static let columns: SQL = """
        app_id, environment, state, begins_at, ends_at, live_from, started_at, pass, token, pages, seen, restarted,
          imported, held, refused, failures, trouble, ended_at, turn
        """

    static func lock(
        _ app: AppID, _ environment: Environment, tenant: TenantID, in tx: Transaction
    ) async throws -> PastImport? {
        try await tx.row(
            """
            select \(columns)
            from refunds.imports
            where \(mine(app, environment, tenant))
            for update
            """
        ).map { try PastImport($0) }
    }

    static func save(_ past: PastImport, of app: AppID, tenant: TenantID, in tx: Transaction) async throws {
        try await tx.execute(
            """
            update refunds.imports
            set state = \(past.state.rawValue), pass = \(Int32(clamping: past.pass)), token = \(past.token),
              pages = \(Int32(clamping: past.pages)), seen = \(Marks.bytes(past.seen)), restarted = \(past.isRestarted),
              imported = \(past.imported), held = \(past.held), refused = \(past.refused),
              failures = \(Int32(clamping: past.failures)), trouble = \(past.trouble), ended_at = \(past.endedAt),
              turn = \(past.turn)
            where \(mine(app, past.environment, tenant))
            """)
    }

    /// Begins it, or begins it anew; what was imported before stays and is counted as held.
    static func start(
        _ past: PastImport, of app: AppID, tenant: TenantID, by person: PersonID?, in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            insert into refunds.imports as i
              (tenant_id, app_id, environment, state, begins_at, ends_at, live_from, started_at, started_by)
            values (\(tenant.rawValue), \(app.rawValue), \(past.environment.rawValue), 'running', \(past.beginsAt),
              \(past.endsAt), \(past.liveFrom), \(past.startedAt), \(person?.rawValue))
            on conflict (tenant_id, app_id, environment) do update
              set state = 'running', begins_at = excluded.begins_at, ends_at = excluded.ends_at,
                live_from = excluded.live_from, started_at = excluded.started_at, started_by = excluded.started_by,
                pass = 0, token = null, pages = 0, seen = '', restarted = false, imported = 0, held = 0, refused = 0,
                failures = 0, trouble = null, ended_at = null, turn = i.turn + 1
              where i.state <> 'running'
            """)
    }

    static func standings(_ apps: [AppID]) -> SQL {
        """
        select \(columns)
        from refunds.imports
        where app_id = any(\(apps.map(\.rawValue))::int8[])
        order by app_id, environment
        limit 2000
        """
    }

    /// How far an app's history is read by the sweeps; nil where it is not.
    static func sweeps(
        of app: AppID, _ environment: Environment, tenant: TenantID, in tx: Transaction
    ) async throws -> (beganAt: Moment, heardAt: Moment?)? {
        try await tx.row(
            """
            select began_at, heard_at
            from refunds.histories
            where \(mine(app, environment, tenant))
            """
        ).map { (try $0("began_at"), try $0("heard_at")) }
    }

    static func enqueue(
        _ app: AppID, _ environment: Environment, tenant: TenantID, at moment: Moment?, now: Moment, in tx: Transaction
    ) async throws {
        let lane = Lane.records(app: app.rawValue, isSandbox: environment == .sandbox)
        try await Lane.ensure(lane, in: tx)
        let subject = HistoryJob.Subject(app: app.rawValue, environment: environment.rawValue)
        try await Enqueue.add(
            NewJob(
                tenant: tenant.rawValue, lane: lane, kind: RefundJobs.Kind.importPast.rawValue,
                subject: String(decoding: try JSONEncoder().encode(subject), as: UTF8.self), runAt: moment,
                // Behind all that somebody waits for.
                deadline: (moment ?? now) + .days(1), uniqueKey: "\(app.rawValue) \(environment.rawValue)"), in: tx)
    }

    private static func mine(_ app: AppID, _ environment: Environment, _ tenant: TenantID) -> SQL {
        """
        tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and environment = \(environment.rawValue)
        """
    }
}

extension PastImport {
    init(_ row: Row) throws {
        self.init(
            environment: try Environment(stored: row("environment")), state: try row.word("state"),
            beginsAt: try row("begins_at"), endsAt: try row("ends_at"), liveFrom: try row("live_from"),
            startedAt: try row("started_at"))
        let (pass, pages, failures): (Int32, Int32, Int32) = (try row("pass"), try row("pages"), try row("failures"))
        self.pass = Int(pass)
        self.pages = Int(pages)
        self.failures = Int(failures)
        token = try row("token")
        seen = Marks.numbers(try row("seen"))
        isRestarted = try row("restarted")
        imported = try row("imported")
        held = try row("held")
        refused = try row("refused")
        trouble = try row("trouble")
        endedAt = try row("ended_at")
        turn = try row("turn")
    }
}
