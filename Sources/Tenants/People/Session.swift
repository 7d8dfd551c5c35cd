package import Journal
package import Time

/// A person's place in one tenant.
package struct Membership: Hashable, Sendable {
    package let tenant: TenantID
    package let slug: String
    package let name: String
    package let role: Role

    package init(tenant: TenantID, slug: String, name: String, role: Role) {
        self.tenant = tenant
        self.slug = slug
        self.name = name
        self.role = role
    }
}

/// A signed-in person, as a request sees them: read anew for each request, so that a changed role counts at once.
package struct Session: Hashable, Sendable {
    package let person: PersonID
    package let email: String
    /// Of open tenants, by slug.
    package let memberships: [Membership]
    /// Manages tenants and sees no case.
    package let isInstallation: Bool
    package let expiresAt: Moment

    package init(
        person: PersonID, email: String, memberships: [Membership], isInstallation: Bool, expiresAt: Moment
    ) {
        self.person = person
        self.email = email
        self.memberships = memberships
        self.isInstallation = isInstallation
        self.expiresAt = expiresAt
    }

    /// The membership in the tenant with this slug; nil for strangers.
    package func membership(slug: String) -> Membership? { memberships.first { $0.slug == slug } }
}

/// A session just made, with the only copy of its token: only a digest is stored.
package struct NewSession: Sendable {
    /// The cookie's value.
    package let token: Redacted<String>
    package let session: Session

    package init(token: Redacted<String>, session: Session) {
        self.token = token
        self.session = session
    }
}
