package import Postgres
package import Time

extension TenantID {
    /// The scope of a transaction that sees this tenant's rows and nobody else's.
    package var scope: Scope { .tenant(rawValue) }
}

/// Why a tenant, an app or an inbox could not be made or found. Each says what to do.
package enum TenantStoreError: Error, Hashable, CustomStringConvertible {
    case badSlug(String)
    case badName(Name.Trouble)
    case slugTaken(String)
    case noTenant(String)
    case badBundleID(String)
    case bundleIDTaken(String)
    case noApp(bundleID: String)
    case badAppleID(Int64)
    /// Another app of the tenant has it, and each app has one of its own.
    case appleIDTaken(Int64, by: String)
    case noInbox
    /// A removed app that was made for rehearsal and comes back as another, or the other way round.
    case rehearsalIsFixed(String)

    /// Whether it is the name that is wrong.
    package var isAboutName: Bool { if case .badName = self { true } else { false } }

    package var description: String {
        switch self {
        case .badSlug(""):
            "the slug is missing: use 1 to 63 lower-case letters, digits and hyphens, not starting with a hyphen"
        case .badSlug(let slug):
            "\"\(slug)\" cannot be a slug: use 1 to 63 lower-case letters, digits and hyphens, not starting with a hyphen"
        case .badName(let trouble): "\(trouble)"
        case .slugTaken(let slug): "there is already a tenant \"\(slug)\""
        case .noTenant(let slug): "there is no tenant \"\(slug)\""
        case .badBundleID(""): "the bundle ID is missing: App Store Connect shows it under App Information"
        case .badBundleID(let id) where id.utf8.count > App.bundleIDBytesMax:
            "\"\(id.prefix(40))…\" cannot be a bundle ID: it has \(id.count) characters, and App Store Connect takes \(App.bundleIDBytesMax) at most; copy it from App Information"
        case .badBundleID(let id):
            "\"\(id)\" cannot be a bundle ID: use letters, digits, hyphens and dots, as in com.example.app"
        case .bundleIDTaken(let id): "the tenant already has an app \(id)"
        case .noApp(let id): "the tenant has no app \(id)"
        case .badAppleID(let id):
            "\(id) cannot be an Apple ID of an app: it is a positive number of at most \(AppleIDText.digitsMax) digits; \(AppleIDText.place)"
        case .appleIDTaken(let id, let other):
            "\(other) has the Apple ID \(id) already, and each app has one of its own: compare both with App Store Connect"
        case .noInbox: "the app has no such inbox in use"
        case .rehearsalIsFixed(let id):
            "\(id) was made before, for the App Store or for rehearsal with its own root, and stays so; use another bundle ID"
        }
    }
}

/// Tenants and their apps in the database.
///
/// Tenants are made and listed in a `.house` transaction; everything of one tenant works in its own scope too.
package enum TenantStore {
    /// Makes a tenant. House scope.
    ///
    /// Throws `TenantStoreError.badSlug`, `.badName`, `.slugTaken`.
    package static func add(
        slug: String, name: String, at now: Moment, by actor: AuditEntry.Actor, address: String? = nil,
        in tx: Transaction
    ) async throws -> Tenant {
        guard Tenant.isSlug(slug) else { throw TenantStoreError.badSlug(slug) }
        let name = try Self.name(name).text
        guard
            let row = try await tx.row(
                """
                insert into tenants.tenants (slug, name, created_at)
                values (\(slug), \(name), \(now))
                on conflict (slug) do nothing
                returning tenant_id, slug, name
                """)
        else { throw TenantStoreError.slugTaken(slug) }
        let tenant = try Tenant(row)
        try await Audit.write(
            AuditEntry(
                tenant: tenant.id, at: now, actor: actor, address: address, action: "tenant.added",
                subject: "\(tenant.id)",
                detail: ["slug": .text(slug)]),
            in: tx)
        return tenant
    }

    /// The open tenant with this slug. House scope.
    package static func tenant(slug: String, in tx: Transaction) async throws -> Tenant? {
        try await tx.row(
            """
            select tenant_id, slug, name
            from tenants.tenants
            where slug = \(slug) and closed_at is null and tenant_id <> 0
            """
        ).map { try Tenant($0) }
    }

    /// A tenant by its number, closed or not; the installation too.
    package static func tenant(_ id: TenantID, in tx: Transaction) async throws -> Tenant? {
        try await tx.row("select tenant_id, slug, name from tenants.tenants where tenant_id = \(id.rawValue)")
            .map { try Tenant($0) }
    }

    /// Open tenants in the order of their slugs, `limit` at a time, after `slug`. House scope.
    ///
    /// - Parameter withClosed: closed ones among them.
    package static func tenants(
        after slug: String = "", limit: Int = 100, withClosed: Bool = false, in tx: Transaction
    ) async throws -> [Tenant] {
        try await tx.rows(
            """
            select tenant_id, slug, name
            from tenants.tenants
            where slug > \(slug) and (closed_at is null or \(withClosed)) and tenant_id <> 0
            order by slug
            limit \(limit)
            """
        ).map { try Tenant($0) }
    }

    /// Open tenants that have an app of this bundle ID in use, at most ten. House scope.
    package static func tenants(withApp bundleID: String, in tx: Transaction) async throws -> [Tenant] {
        try await tx.rows(
            """
            select t.tenant_id, t.slug, t.name
            from tenants.tenants t
            where t.closed_at is null and t.tenant_id <> 0
              and exists (
                select from tenants.apps a
                where a.tenant_id = t.tenant_id and a.bundle_id = \(bundleID) and a.removed_at is null)
            order by t.slug
            limit 10
            """
        ).map { try Tenant($0) }
    }

    /// Throws `TenantStoreError.badName`.
    static func name(_ text: String) throws(TenantStoreError) -> Name {
        do throws(Name.Trouble) { return try Name(text, charactersMax: Name.longMax) } catch { throw .badName(error) }
    }
}

extension Tenant {
    init(_ row: Row) throws(PostgresError) {
        self.init(id: TenantID(rawValue: try row("tenant_id")), slug: try row("slug"), name: try row("name"))
    }
}
