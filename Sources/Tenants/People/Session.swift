package import FoundationEssentials
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
    /// Names it in lists; says nothing of the cookie.
    package let id: UUID
    package let person: PersonID
    package let email: String
    /// What the person is called; nil where nobody said.
    package let name: String?
    /// Of open tenants, by slug.
    package let memberships: [Membership]
    /// Manages tenants and sees no case.
    package let isInstallation: Bool
    package let method: SignInMethod
    package let startedAt: Moment
    package let expiresAt: Moment

    /// What lets somebody in elsewhere may be changed only so soon after signing in: a browser left open is not enough.
    package static let freshFor = Duration.minutes(15)

    package init(
        id: UUID, person: PersonID, email: String, name: String? = nil, memberships: [Membership],
        isInstallation: Bool, method: SignInMethod = .password, startedAt: Moment, expiresAt: Moment
    ) {
        self.id = id
        self.person = person
        self.email = email
        self.name = name
        self.method = method
        self.startedAt = startedAt
        self.memberships = memberships
        self.isInstallation = isInstallation
        self.expiresAt = expiresAt
    }

    /// What a password of this person must not be made of.
    var passwordContext: [String] { [email] + (name.map { [$0] } ?? []) + memberships.flatMap { [$0.slug, $0.name] } }

    package func isFresh(at now: Moment) -> Bool { now - startedAt <= Self.freshFor }

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
