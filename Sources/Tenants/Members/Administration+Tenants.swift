import Postgres
import Time

extension Administration {
    /// Tenants that one page shows.
    package static let tenantsShown = 50

    /// Tenants in the order of their slugs, closed ones among them, for people who run the installation.
    ///
    /// - Parameter slug: the last one of the page before.
    /// - Returns: at most `tenantsShown`, and the slug after which the next page begins; nil on the last one.
    package func tenants(after slug: String = "") async throws -> (lines: [TenantLine], next: String?) {
        let lines = try await database.transaction(.house, isolation: .readOnly) { tx in
            try await TenantStore.lines(after: slug, limit: Self.tenantsShown + 1, in: tx)
        }
        let shown = Array(lines.prefix(Self.tenantsShown))
        return (shown, lines.count > shown.count ? shown.last?.tenant.slug : nil)
    }

    /// Throws `TenantStoreError.badSlug`, `.badName`, `.slugTaken`.
    package func addTenant(slug: String, name: String, by who: Administrator) async throws {
        _ = try await database.transaction(.house) { tx in
            try await TenantStore.add(
                slug: slug, name: name, at: self.clock.now, by: who.actor, address: who.address, in: tx)
        }
    }

    /// Throws `TenantStoreError.noTenant`, `.badName`.
    package func renameTenant(_ slug: String, to name: String, by who: Administrator) async throws {
        try await database.transaction(.house) { tx in
            try await TenantStore.rename(
                slug, to: name, at: self.clock.now, by: who.actor, address: who.address, in: tx)
        }
    }

    /// Throws `TenantStoreError.noTenant`.
    package func closeTenant(_ slug: String, by who: Administrator) async throws {
        try await database.transaction(.house) { tx in
            try await TenantStore.close(slug, at: self.clock.now, by: who.actor, address: who.address, in: tx)
        }
    }

    /// Throws `TenantStoreError.noTenant`.
    package func reopenTenant(_ slug: String, by who: Administrator) async throws {
        try await database.transaction(.house) { tx in
            try await TenantStore.reopen(slug, at: self.clock.now, by: who.actor, address: who.address, in: tx)
        }
    }

    /// Throws `TenantStoreError.noTenant`, `MemberError`.
    package func inviteFirstOwner(
        _ email: String, to slug: String, by who: Administrator
    ) async throws -> (NewInvitation, Tenant) {
        try await database.transaction(.house) { tx in
            guard let tenant = try await TenantStore.tenant(slug: slug, in: tx) else {
                throw TenantStoreError.noTenant(slug)
            }
            let made = try await InvitationStore.addFirstOwner(
                email: email, to: tenant.id, by: who, at: self.clock.now, in: tx)
            return (made, tenant)
        }
    }
}
