import AppStore
import FoundationEssentials
import Postgres
import Queue
import Tenants
import Time

/// The SQL of what Apple's own records say of customers.
enum PastStore {
    /// Whose records they are: one subject for all that one customer bought.
    static func subject(of transaction: StoredTransaction) -> String {
        transaction.appTransaction ?? transaction.original
    }

    /// Locks how far both lists of a customer are read; makes the rows where they are missing.
    static func lock(
        _ subject: String, _ environment: Environment, of app: AppID, tenant: TenantID, in tx: Transaction
    ) async throws -> [Past] {
        try await tx.execute(
            """
            insert into refunds.pasts (tenant_id, app_id, environment, subject, list)
            select \(tenant.rawValue), \(app.rawValue), \(environment.rawValue), \(subject), l.list
            from unnest(\(Past.List.allCases.map(\.rawValue))) l(list)
            on conflict do nothing
            """)
        let rows = try await tx.rows(
            """
            select list, revision, pages, seen, restarted, read_at, broken_at, trouble
            from refunds.pasts
            where \(mine(subject, environment, app, tenant))
            order by list
            for update
            """)
        let pasts = try rows.map { try Past($0) }
        // Purchases first: refunds are told of them.
        return Past.List.allCases.compactMap { list in pasts.first { $0.list == list } }
    }

    static func save(
        _ past: Past, of subject: String, _ environment: Environment, app: AppID, tenant: TenantID, in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            update refunds.pasts
            set revision = \(past.revision), pages = \(Int32(clamping: past.pages)), seen = \(Marks.bytes(past.seen)),
              restarted = \(past.isRestarted), read_at = \(past.readAt), broken_at = \(past.brokenAt),
              trouble = \(past.trouble)
            where \(mine(subject, environment, app, tenant)) and list = \(past.list.rawValue)
            """)
    }

    /// When both lists of a customer were last read to their ends, and whether the app's rules look at what they tell.
    static func standing(
        _ subject: String, _ environment: Environment, of app: AppID, tenant: TenantID
    ) -> SQL {
        """
        select
          (select case when count(read_at) = \(Int32(Past.List.allCases.count)) then min(read_at) end
           from refunds.pasts
           where \(mine(subject, environment, app, tenant))) as read_at,
          coalesce((
            select rules ~ '\\m(refunds|requests|spent)\\M'
            from refunds.policies
            where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue)
            order by version desc
            limit 1), false) as is_looked_at
        """
    }

    private static func mine(
        _ subject: String, _ environment: Environment, _ app: AppID, _ tenant: TenantID
    ) -> SQL {
        """
        tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and environment = \(environment.rawValue)
          and subject = \(subject)
        """
    }
}

extension Past {
    init(_ row: Row) throws {
        self.init(try row.word("list"))
        revision = try row("revision")
        let pages: Int32 = try row("pages")
        self.pages = Int(pages)
        seen = Marks.numbers(try row("seen"))
        isRestarted = try row("restarted")
        readAt = try row("read_at")
        brokenAt = try row("broken_at")
        trouble = try row("trouble")
    }
}
