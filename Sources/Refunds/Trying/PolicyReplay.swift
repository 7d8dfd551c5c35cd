package import FoundationEssentials
import Postgres
package import Tenants
package import Time

/// A text of rules laid over every case that rules decided before: how far it has come, and what came of it.
package struct PolicyReplay: Sendable, Identifiable {
    package enum State: String, Sendable {
        case running, done, cancelled, failed
    }

    package let id: UUID
    package let app: AppID
    package let text: String
    package let begunBy: PersonID?
    package let begunAt: Moment
    package let state: State
    /// Cases that there are; nil: not counted yet.
    package let total: Int?
    package let looked: Int
    /// What came of those that were looked at; nil before the first page.
    package let trial: PolicyTrial?
    package let trouble: String?
    package let endedAt: Moment?
    /// Behind which case it goes on.
    let after: ListCursor?
    let turn: Int64
}

extension PolicyReplay {
    init(_ row: Row) throws {
        let begunBy: UUID? = try row("begun_by")
        let result: String? = try row("result")
        let afterAt: Moment? = try row("after_at")
        let afterCase: UUID? = try row("after_case")
        let cursor: ListCursor? = if let afterAt, let afterCase { ListCursor(at: afterAt, id: afterCase) } else { nil }
        self.init(
            id: try row("replay_id"), app: AppID(rawValue: try row("app_id")), text: try row("rules"),
            begunBy: begunBy.map(PersonID.init), begunAt: try row("begun_at"), state: try row.word("state"),
            total: try row("total"), looked: try row("looked"),
            trial: result.flatMap { try? JSONDecoder().decode(PolicyTrial.self, from: Data($0.utf8)) },
            trouble: try row("trouble"), endedAt: try row("ended_at"), after: cursor, turn: try row("turn"))
    }
}

/// The SQL of replays.
enum ReplayStore {
    /// Replays of an app that are kept, the newest ones.
    static let keptMax = 20

    private static let columns: SQL = """
        replay_id, app_id, rules, begun_by, begun_at, state, total, looked, after_at, after_case, turn, result, trouble,
        ended_at
        """

    static func find(_ id: UUID, of tenant: TenantID) -> SQL {
        "select \(columns) from refunds.replays where tenant_id = \(tenant.rawValue) and replay_id = \(id)"
    }

    /// Newest first.
    static func list(of app: App, limit: Int) -> SQL {
        """
        select \(columns)
        from refunds.replays
        where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
        order by begun_at desc, replay_id
        limit \(limit)
        """
    }

    /// Fails as `.unique` where one runs.
    static func begin(_ id: UUID, _ text: String, of app: App, by person: PersonID?, at now: Moment) -> SQL {
        """
        insert into refunds.replays (tenant_id, replay_id, app_id, rules, begun_by, begun_at)
        values (\(app.tenant.rawValue), \(id), \(app.id.rawValue), \(text), \(person?.rawValue), \(now))
        """
    }

    static func forget(of app: App) -> SQL {
        """
        delete from refunds.replays
        where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue) and state <> 'running'
          and replay_id not in (
            select replay_id
            from refunds.replays
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
            order by begun_at desc, replay_id
            limit \(keptMax))
        """
    }

    /// Touches no row where it was cancelled, or where somebody else went on meanwhile.
    static func goOn(
        _ replay: PolicyReplay, of tenant: TenantID, total: Int, looked: Int, after: ListCursor?, trial: PolicyTrial,
        isOver: Bool, at now: Moment
    ) throws -> SQL {
        """
        update refunds.replays
        set total = \(total), looked = \(looked), after_at = \(after?.at), after_case = \(after?.id),
          result = \(String(decoding: try JSONEncoder().encode(trial), as: UTF8.self)), turn = turn + 1,
          state = \(isOver ? "done" : "running"), ended_at = \(isOver ? now : nil)
        where tenant_id = \(tenant.rawValue) and replay_id = \(replay.id) and state = 'running'
          and turn = \(replay.turn)
        """
    }

    static func end(_ id: UUID, of tenant: TenantID, as state: PolicyReplay.State, trouble: String?, at now: Moment)
        -> SQL
    {
        """
        update refunds.replays
        set state = \(state.rawValue), trouble = \(trouble), ended_at = \(now), turn = turn + 1
        where tenant_id = \(tenant.rawValue) and replay_id = \(id) and state = 'running'
        """
    }
}
