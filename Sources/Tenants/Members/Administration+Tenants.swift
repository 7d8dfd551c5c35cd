import Postgres
import Time

extension Administration {
    /// Every tenant, closed ones among them, for people who run the installation: at most 500 after the given slug.
    package func tenants(after slug: String = "") async throws -> [TenantLine] {
        try await database.transaction(.house, isolation: .readOnly) { tx in
            try await TenantStore.lines(after: slug, in: tx)
        }
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
