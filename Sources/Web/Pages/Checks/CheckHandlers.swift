import HTTP
import Refunds
import Tenants

/// Looks at what a tenant's replies depend on.
struct CheckHandlers: Sendable {
    let console: Console

    func show(_ visit: TenantVisit) async throws -> Response {
        let tenant = Tenant(id: visit.tenant, slug: visit.slug, name: visit.membership.name)
        return console.page(
            ChecksPage(
                frame: console.frame(visit), slug: visit.slug, checks: try await console.checks.checks(of: tenant)
            ).html)
    }
}
