package import FoundationEssentials
package import Journal
package import Time

/// An invitation that nobody has accepted yet.
package struct InvitationLine: Hashable, Sendable {
    package let id: UUID
    package let email: String
    package let role: Role
    /// The address of who invited; nil where that was the command line.
    package let invitedBy: String?
    package let createdAt: Moment
    package let expiresAt: Moment

    package init(
        id: UUID, email: String, role: Role, invitedBy: String? = nil, createdAt: Moment, expiresAt: Moment
    ) {
        self.id = id
        self.email = email
        self.role = role
        self.invitedBy = invitedBy
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// An invitation just made or renewed, with the only copy of its link's secret part: only a digest is stored.
package struct NewInvitation: Sendable {
    package let id: UUID
    package let email: String
    package let role: Role
    package let token: Redacted<String>
    package let expiresAt: Moment

    package init(id: UUID, email: String, role: Role, token: Redacted<String>, expiresAt: Moment) {
        self.id = id
        self.email = email
        self.role = role
        self.token = token
        self.expiresAt = expiresAt
    }
}

/// What an invitation's link would do, for the page that asks before it is used.
package struct InvitationStanding: Hashable, Sendable {
    package let tenant: TenantID
    package let tenantName: String
    package let email: String
    package let role: Role
    package let expiresAt: Moment
    /// Whether there is a person with the invitation's address, who signs in instead of choosing a password.
    package let hasAccount: Bool

    package init(
        tenant: TenantID, tenantName: String, email: String, role: Role, expiresAt: Moment, hasAccount: Bool
    ) {
        self.tenant = tenant
        self.tenantName = tenantName
        self.email = email
        self.role = role
        self.expiresAt = expiresAt
        self.hasAccount = hasAccount
    }
}
