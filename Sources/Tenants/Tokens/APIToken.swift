package import FoundationEssentials

/// What an API token allows.
package enum APIScope: String, Hashable, Sendable, CaseIterable {
    case consent, usage, cases, answers, entitlements, commerce, all
}

/// A token of the app's own backend, as a request presents it.
package struct APIToken: Hashable, Sendable {
    package let tenant: TenantID
    package let id: UUID
    /// Nil: every app of the tenant.
    package let app: AppID?
    package let scopes: Set<APIScope>

    package init(tenant: TenantID, id: UUID, app: AppID?, scopes: Set<APIScope>) {
        self.tenant = tenant
        self.id = id
        self.app = app
        self.scopes = scopes
    }

    package func allows(_ scope: APIScope) -> Bool { scopes.contains(.all) || scopes.contains(scope) }
    package func reaches(_ app: AppID) -> Bool { self.app == nil || self.app == app }
}
