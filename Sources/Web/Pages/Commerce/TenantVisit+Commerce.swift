import HTTP
import Refunds
import Tenants

extension TenantVisit {
    /// Who asks, for whatever changes something about Advanced Commerce.
    var commerceActor: CommerceActor {
        .person(visit.session.person, membership.role, address: visit.context.client.address)
    }
}
