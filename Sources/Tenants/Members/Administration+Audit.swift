package import FoundationEssentials
import Postgres
import Time

/// A page of a tenant's audit log, with names for the ids on it.
package struct AuditPage: Sendable {
    package let lines: [AuditLine]
    /// The number before which the next page begins; nil on the last one.
    package let next: Int64?
    package let names: AuditNames

    package init(lines: [AuditLine], next: Int64?, names: AuditNames) {
        self.lines = lines
        self.next = next
        self.names = names
    }
}

/// Whom and what the ids of a tenant's log mean today. The log itself keeps ids only.
package struct AuditNames: Sendable {
    /// E-mail addresses of people who are or were members, or who acted here.
    package var people: [UUID: String] = [:]
    /// Names of tokens, or where they have none their first characters.
    package var tokens: [UUID: String] = [:]
    /// Names of apps, removed ones among them.
    package var apps: [Int64: String] = [:]

    package init() {}
}

extension Administration {
    /// How many entries a page checks; `refund-desk doctor` checks them all.
    package static let auditPageCheck: Int64 = 20_000

    /// Entries of a tenant's log, newest first.
    package func audit(
        of tenant: TenantID, filter: AuditFilter, before: Int64? = nil, limit: Int = 50
    ) async throws -> AuditPage {
        let (found, tokens, apps) = try await database.transaction(tenant.scope, isolation: .readOnly) { tx in
            let found = try await Audit.entries(
                of: tenant, filter: filter, before: before ?? .max, limit: limit + 1, in: tx)
            let tokens = try await tx.rows(
                """
                select token_id, case when name = '' then prefix || '…' else name end as name
                from tenants.tokens
                where tenant_id = \(tenant.rawValue)
                order by created_at desc
                limit 2000
                """)
            let apps = try await tx.rows(
                "select app_id, name from tenants.apps where tenant_id = \(tenant.rawValue) order by app_id limit 2000")
            return (found, tokens, apps)
        }
        let lines = Array(found.prefix(limit))
        var names = AuditNames()
        for row in tokens { names.tokens[try row("token_id")] = try row("name") as String }
        for row in apps { names.apps[try row("app_id")] = try row("name") as String }
        names.people = try await people(in: lines, of: tenant)
        return AuditPage(lines: lines, next: found.count > limit ? lines.last?.sequence : nil, names: names)
    }

    /// Members and whoever acted or was acted upon in these entries: nobody else's address is looked up.
    private func people(in lines: [AuditLine], of tenant: TenantID) async throws -> [UUID: String] {
        var ids = Set(lines.compactMap(\.person))
        for line in lines where line.subject.hasPrefix("person ") {
            if let id = UUID(uuidString: String(line.subject.dropFirst("person ".count))) { ids.insert(id) }
        }
        let rows = try await database.rows(
            .house,
            """
            select p.person_id, p.email
            from tenants.people p
            where p.person_id = any(\(Array(ids)))
              or exists (
                select from tenants.members m where m.tenant_id = \(tenant.rawValue) and m.person_id = p.person_id)
            limit 5000
            """)
        var people: [UUID: String] = [:]
        for row in rows { people[try row("person_id")] = try row("email") as String }
        return people
    }

    /// Whether the end of a tenant's chain is what was written.
    package func auditStanding(of tenant: TenantID) async throws -> AuditStanding {
        try await database.transaction(tenant.scope, isolation: .readOnly) { tx in
            try await Audit.check(of: tenant, newest: Self.auditPageCheck, in: tx)
        }
    }

    // MARK: Tokens

    /// A tenant's tokens, the apps they may be tied to, and the addresses of who made them.
    package func tokens(of tenant: TenantID) async throws -> (tokens: [APITokenSummary], makers: [PersonID: String]) {
        let all = try await database.transaction(tenant.scope, isolation: .readOnly) { tx in
            try await self.tokens.all(of: tenant, in: tx)
        }
        let ids = Set(all.compactMap(\.createdBy)).map(\.rawValue)
        let rows = try await database.rows(
            .house, "select person_id, email from tenants.people where person_id = any(\(ids)) limit 500")
        var makers: [PersonID: String] = [:]
        for row in rows { makers[PersonID(rawValue: try row("person_id"))] = try row("email") as String }
        return (all, makers)
    }

    /// Makes a token. An app that is not the tenant's own is as absent as none.
    ///
    /// - Parameter id: of the form that asks: sent again it makes no second one.
    ///
    /// Throws `TokenError`, `TenantStoreError.noApp`.
    package func addToken(
        to tenant: TenantID, id: UUID? = nil, bundleID: String?, scopes: Set<APIScope>, name: String, life: Duration?,
        by who: Administrator
    ) async throws -> NewAPIToken {
        try await database.transaction(tenant.scope) { tx in
            var app: App?
            if let bundleID {
                app = try await TenantStore.app(of: tenant, bundleID: bundleID, in: tx)
                if app == nil { throw TenantStoreError.noApp(bundleID: bundleID) }
            }
            return try await self.tokens.add(
                to: tenant, id: id, app: app?.id, scopes: scopes, name: name, end: life.map(TokenEnd.after) ?? .never,
                by: who.actor,
                address: who.address, in: tx)
        }
    }

    /// Ends a token. False where the tenant has no such token in use.
    package func removeToken(_ id: UUID, of tenant: TenantID, by who: Administrator) async throws -> Bool {
        try await database.transaction(tenant.scope) { tx in
            try await self.tokens.remove(id, of: tenant, by: who.actor, address: who.address, in: tx)
        }
    }
}
