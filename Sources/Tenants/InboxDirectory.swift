package import Postgres
import Crypto
import Synchronization
package import Time

/// Too many addresses that nobody knows are being asked for at once; known ones are still answered.
package struct DirectoryBusy: Error {}

/// From an inbox's token to its app: in memory first, then in the database.
///
/// What it remembers is dropped when an app or an inbox changes (NOTIFY `desk_directory`), and forgotten after a
/// minute in case that message was lost. Strangers may ask for as many addresses as they like: what they get is
/// remembered in a bounded set, and at most `asksMax` questions to the database are open at once.
package final class InboxDirectory: Sendable {
    /// The channel on which the database tells of changes.
    package static let channel: StaticString = "desk_directory"

    static let inboxesMax = 50_000
    static let strangersMax = 10_000
    static let asksMax = 32
    static let freshFor = Duration.seconds(60)
    static let strangersFreshFor = Duration.seconds(10)

    private struct AppKey: Hashable {
        let tenant: TenantID
        let app: AppID
    }

    private struct Remembered<Value> {
        let value: Value
        let until: Moment
    }

    private struct Memory {
        /// Raised by each drop: what was asked before it is not remembered after it.
        var generation: UInt64 = 0
        var asks = 0
        var inboxes: [String: Remembered<Inbox>] = [:]
        var strangers: [String: Moment] = [:]
        var apps: [AppKey: Remembered<App>] = [:]
    }

    private let database: Database
    private let clock: WallClock
    private let memory = Mutex(Memory())

    package init(database: Database, clock: WallClock) {
        self.database = database
        self.clock = clock
    }

    /// Forgets everything; the next question goes to the database.
    package func drop() {
        memory.withLock { memory in
            memory.generation += 1
            memory.inboxes.removeAll(keepingCapacity: true)
            memory.strangers.removeAll(keepingCapacity: true)
            memory.apps.removeAll(keepingCapacity: true)
        }
    }

    /// The inbox in use with this token; nil when there is none.
    ///
    /// Throws what the database throws, and `DirectoryBusy`: our own trouble, to be answered with 503.
    package func inbox(token: String) async throws -> Inbox? {
        guard InboxToken.isWellFormed(token) else { return nil }
        let now = clock.now
        let (known, generation) = try memory.withLock { memory throws -> (Inbox??, UInt64) in
            if let found = memory.inboxes[token], found.until > now { return (found.value, memory.generation) }
            if let until = memory.strangers[token], until > now { return (.some(nil), memory.generation) }
            guard memory.asks < Self.asksMax else { throw DirectoryBusy() }
            memory.asks += 1
            return (nil, memory.generation)
        }
        if let known { return known }
        defer { memory.withLock { $0.asks -= 1 } }

        let found = try await ask(token)
        memory.withLock { memory in
            guard memory.generation == generation else { return }
            if let found {
                if memory.inboxes.count >= Self.inboxesMax { memory.inboxes.removeAll(keepingCapacity: true) }
                memory.inboxes[token] = Remembered(value: found, until: now + Self.freshFor)
            } else {
                if memory.strangers.count >= Self.strangersMax { memory.strangers.removeAll(keepingCapacity: true) }
                memory.strangers[token] = now + Self.strangersFreshFor
            }
        }
        return found
    }

    /// The tenant's app with this id; nil when it is unknown or removed.
    package func app(tenant: TenantID, id: AppID) async throws -> App? {
        let now = clock.now
        let key = AppKey(tenant: tenant, app: id)
        let (known, generation) = memory.withLock { memory in (memory.apps[key], memory.generation) }
        if let known, known.until > now { return known.value }
        let rows = try await database.rows(
            tenant.scope,
            """
            select \(TenantStore.appColumns)
            from tenants.apps a
            where a.tenant_id = \(tenant.rawValue) and a.app_id = \(id.rawValue) and a.removed_at is null
            """)
        guard let found = try rows.first.map({ try App($0) }) else { return nil }
        memory.withLock { memory in
            guard memory.generation == generation else { return }
            if memory.apps.count >= Self.inboxesMax { memory.apps.removeAll(keepingCapacity: true) }
            memory.apps[key] = Remembered(value: found, until: now + Self.freshFor)
        }
        return found
    }

    private func ask(_ token: String) async throws -> Inbox? {
        let rows = try await database.rows(
            .intake,
            """
            select i.inbox_id, \(TenantStore.appColumns)
            from tenants.inboxes i
            join tenants.apps a on a.tenant_id = i.tenant_id and a.app_id = i.app_id
            join tenants.tenants t on t.tenant_id = i.tenant_id
            where i.token_sha256 = \(Digest.sha256(Array(token.utf8)))
              and i.retired_at is null
              and a.removed_at is null
              and t.closed_at is null
            limit 1
            """)
        return try rows.first.map { Inbox(app: try App($0), inboxID: try $0("inbox_id")) }
    }
}
