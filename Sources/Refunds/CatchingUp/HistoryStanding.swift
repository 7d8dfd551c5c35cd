import Postgres
package import Tenants
package import Time

/// How Apple's notification history and what is held here compare, for one app in one environment.
package struct HistoryStanding: Sendable, Hashable {
    /// The days that are counted.
    package static let days: Int64 = 30
    /// A sweep is due every few minutes: one that is so old is told.
    package static let oldAfter: Duration = .hours(1)

    package let beganAt: Moment
    /// When Apple first delivered something here. Nil: only what failed is looked for.
    package let heardAt: Moment?
    /// When the history was last read to its end.
    package let sweptAt: Moment?
    /// What the history named that had arrived.
    package let arrived: Int
    /// What it named that had not, and was fetched from it.
    package let fetched: Int
    /// What it named and is not to be believed: it stands in the quarantine.
    package let refused: Int
    /// Why it could not be read, or not to its end, and since when.
    package let trouble: String?
    package let troubleSince: Moment?
    /// When something was last fetched, and how many until then without an hour between.
    package let fetchedAt: Moment?
    package let fetchedLately: Int
    /// A time of which Apple's history was gone before it was read.
    package let lost: Range<Moment>?

    package init(
        beganAt: Moment, heardAt: Moment? = nil, sweptAt: Moment? = nil, arrived: Int = 0, fetched: Int = 0,
        refused: Int = 0, trouble: String? = nil, troubleSince: Moment? = nil, fetchedAt: Moment? = nil,
        fetchedLately: Int = 0, lost: Range<Moment>? = nil
    ) {
        self.beganAt = beganAt
        self.heardAt = heardAt
        self.sweptAt = sweptAt
        self.arrived = arrived
        self.fetched = fetched
        self.refused = refused
        self.trouble = trouble
        self.troubleSince = troubleSince
        self.fetchedAt = fetchedAt
        self.fetchedLately = fetchedLately
        self.lost = lost
    }

    /// What Apple says that it sent.
    package var sent: Int { arrived + fetched + refused }
    /// What of it is here.
    package var held: Int { arrived + fetched }

    /// Not read to its end for longer than it should.
    package func isOld(at now: Moment) -> Bool { now - (sweptAt ?? beganAt) > Self.oldAfter }

    /// `Apple sent 412, we hold 412 (3 fetched)`
    package var words: String {
        var words = "Apple sent \(sent), we hold \(held)"
        if fetched > 0 { words += " (\(fetched) fetched)" }
        if refused > 0 { words += "; \(refused) not to be believed" }
        return words
    }
}

/// The SQL of comparing.
enum HistoryQueries {
    static func standings(_ apps: [AppID], at now: Moment) -> SQL {
        """
        select h.app_id, h.environment, h.began_at, h.heard_at, h.swept_at, h.trouble, h.trouble_since, h.fetched_at,
          h.fetched_count, h.lost_from, h.lost_to, d.held, d.fetched, d.refused
        from refunds.histories h
        cross join lateral (
          select coalesce(sum(d.held), 0)::int8 as held, coalesce(sum(d.fetched), 0)::int8 as fetched,
            coalesce(sum(d.refused), 0)::int8 as refused
          from refunds.history_days d
          where d.tenant_id = h.tenant_id and d.app_id = h.app_id and d.environment = h.environment
            and d.day > \(now - .days(HistoryStanding.days))) d
        where h.app_id = any(\(apps.map(\.rawValue))::int8[])
        order by h.app_id, h.environment
        limit 2000
        """
    }

    static func standings(_ rows: [Row]) throws -> [AppID: PerEnvironment<HistoryStanding>] {
        var found: [AppID: PerEnvironment<HistoryStanding>] = [:]
        for row in rows {
            let environment: String = try row("environment")
            found[AppID(rawValue: try row("app_id")), default: PerEnvironment()][isSandbox: environment == "Sandbox"] =
                try HistoryStanding(row)
        }
        return found
    }
}

extension HistoryStanding {
    init(_ row: Row) throws {
        let (held, fetched, refused): (Int64, Int64, Int64) = (try row("held"), try row("fetched"), try row("refused"))
        let lately: Int64 = try row("fetched_count")
        let (lostFrom, lostTo): (Moment?, Moment?) = (try row("lost_from"), try row("lost_to"))
        var lost: Range<Moment>?
        if let lostFrom, let lostTo, lostFrom < lostTo { lost = lostFrom..<lostTo }
        self.init(
            beganAt: try row("began_at"), heardAt: try row("heard_at"), sweptAt: try row("swept_at"),
            arrived: Int(held), fetched: Int(fetched), refused: Int(refused), trouble: try row("trouble"),
            troubleSince: try row("trouble_since"), fetchedAt: try row("fetched_at"), fetchedLately: Int(lately),
            lost: lost)
    }
}

extension Records {
    /// How Apple's history and what is held here compare, by app and environment; nothing where it is not read.
    package func histories(
        of tenant: TenantID, at now: Moment
    ) async throws -> [AppID: PerEnvironment<HistoryStanding>] {
        try await read(tenant) { tx in
            let apps = try await TenantStore.apps(of: tenant, in: tx).map(\.id)
            return try HistoryQueries.standings(try await tx.rows(HistoryQueries.standings(apps, at: now)))
        }
    }
}
