package import Postgres
package import Time

/// A tenant as those see it who run the installation: how much of it there is, and nothing of what it is about.
package struct TenantLine: Hashable, Sendable {
    package let tenant: Tenant
    package let createdAt: Moment
    /// Nil while it is in use.
    package let closedAt: Moment?
    package let apps: Int
    package let members: Int
    package let hasOwner: Bool

    package init(
        tenant: Tenant, createdAt: Moment, closedAt: Moment? = nil, apps: Int = 0, members: Int = 0,
        hasOwner: Bool = true
    ) {
        self.tenant = tenant
        self.createdAt = createdAt
        self.closedAt = closedAt
        self.apps = apps
        self.members = members
        self.hasOwner = hasOwner
    }
}

extension TenantStore {
    /// Every tenant in the order of their slugs, closed ones among them. House scope.
    package static func lines(after slug: String = "", limit: Int, in tx: Transaction) async throws
        -> [TenantLine]
    {
        try await tx.rows(
            """
            select t.tenant_id, t.slug, t.name, t.created_at, t.closed_at,
              (select count(*) from tenants.apps a where a.tenant_id = t.tenant_id and a.removed_at is null) as apps,
              (select count(*) from tenants.members m where m.tenant_id = t.tenant_id) as members,
              exists (
                select from tenants.members m where m.tenant_id = t.tenant_id and m.role = 'owner') as has_owner
            from tenants.tenants t
            where t.slug > \(slug) and t.tenant_id <> 0
            order by t.slug
            limit \(limit)
            """
        ).map { row in
            let (apps, members): (Int64, Int64) = (try row("apps"), try row("members"))
            return TenantLine(
                tenant: try Tenant(row), createdAt: try row("created_at"), closedAt: try row("closed_at"),
                apps: Int(apps), members: Int(members), hasOwner: try row("has_owner"))
        }
    }

    /// Gives an open tenant another name.
    ///
    /// Throws `TenantStoreError.noTenant`, `.badName`.
    package static func rename(
        _ slug: String, to name: String, at now: Moment, by actor: AuditEntry.Actor, address: String? = nil,
        in tx: Transaction
    ) async throws {
        let name = try Self.name(name).text
        guard
            let row = try await tx.row(
                """
                select tenant_id, slug, name from tenants.tenants
                where slug = \(slug) and closed_at is null
                for update
                """)
        else { throw TenantStoreError.noTenant(slug) }
        let old = try Tenant(row)
        if old.name == name { return }
        try await tx.execute("update tenants.tenants set name = \(name) where tenant_id = \(old.id.rawValue)")
        try await Audit.write(
            AuditEntry(
                tenant: old.id, at: now, actor: actor, address: address, action: "tenant.renamed", subject: "\(old.id)",
                detail: ["name.before": .text(old.name), "name.after": .text(name)]),
            in: tx)
    }

    /// Closes a tenant: from now on its pages, its API tokens and its notification URLs answer as if they had never
    /// been. What was taken before is still worked on; nothing is deleted.
    ///
    /// Throws `TenantStoreError.noTenant`.
    package static func close(
        _ slug: String, at now: Moment, by actor: AuditEntry.Actor, address: String? = nil, in tx: Transaction
    ) async throws {
        guard
            let row = try await tx.row(
                """
                update tenants.tenants set closed_at = \(now)
                where slug = \(slug) and closed_at is null
                returning tenant_id, slug, name
                """)
        else { throw TenantStoreError.noTenant(slug) }
        try await note("tenant.closed", try Tenant(row), at: now, by: actor, address: address, in: tx)
    }

    /// Opens a closed tenant again, as it was.
    ///
    /// Throws `TenantStoreError.noTenant`.
    package static func reopen(
        _ slug: String, at now: Moment, by actor: AuditEntry.Actor, address: String? = nil, in tx: Transaction
    ) async throws {
        guard
            let row = try await tx.row(
                """
                update tenants.tenants set closed_at = null
                where slug = \(slug) and closed_at is not null
                returning tenant_id, slug, name
                """)
        else { throw TenantStoreError.noTenant(slug) }
        try await note("tenant.reopened", try Tenant(row), at: now, by: actor, address: address, in: tx)
    }

    private static func note(
        _ action: String, _ tenant: Tenant, at now: Moment, by actor: AuditEntry.Actor, address: String?,
        in tx: Transaction
    ) async throws {
        try await Audit.write(
            AuditEntry(
                tenant: tenant.id, at: now, actor: actor, address: address, action: action, subject: "\(tenant.id)"),
            in: tx)
    }
}
