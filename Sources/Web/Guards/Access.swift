import HTTP
import Tenants

/// Which role an address of a tenant needs: the one table. The doorkeeper asks it before every handler.
///
/// What stands in no line needs an owner, so a page that was forgotten here is shut and not open.
enum Access {
    private static let table: [String: Role] = [
        "GET /t/{slug}": .viewer,
        "GET /t/{slug}/cases": .viewer,
        "GET /t/{slug}/cases.csv": .viewer,
        "GET /t/{slug}/cases/{id}": .viewer,
        "POST /t/{slug}/cases/{id}/notes": .support,
        "POST /t/{slug}/cases/{id}/assignment": .support,
        "POST /t/{slug}/cases/{id}/customer": .support,
        "POST /t/{slug}/cases/{id}/bundle": .support,
        "GET /t/{slug}/held": .viewer,
        "POST /t/{slug}/cases/{id}/answer": .support,
        "GET /t/{slug}/notifications": .viewer,
        "GET /t/{slug}/notifications/{id}": .viewer,
        "GET /t/{slug}/quarantine": .viewer,
        "GET /t/{slug}/apps": .viewer,
        "GET /t/{slug}/apps/new": .admin,
        "POST /t/{slug}/apps/new": .admin,
        "GET /t/{slug}/apps/{bundleId}/setup": .viewer,
        "GET /t/{slug}/apps/{bundleId}/setup/state": .viewer,
        "POST /t/{slug}/apps/{bundleId}/setup/{part}": .admin,
        "GET /t/{slug}/apps/{bundleId}/policy": .viewer,
        "POST /t/{slug}/apps/{bundleId}/policy": .admin,
        "GET /t/{slug}/apps/{bundleId}/evidence": .viewer,
        "POST /t/{slug}/apps/{bundleId}/evidence": .admin,
        "GET /t/{slug}/apps/{bundleId}/consent": .viewer,
        "POST /t/{slug}/apps/{bundleId}/consent": .support,
        "GET /t/{slug}/apps/{bundleId}/consent.csv": .viewer,
        "GET /t/{slug}/apps/{bundleId}/import": .viewer,
        "POST /t/{slug}/apps/{bundleId}/import": .admin,
        "GET /t/{slug}/orders": .support,
        "POST /t/{slug}/orders": .support,
        "GET /t/{slug}/apps/{bundleId}/policy/state": .viewer,
        "GET /t/{slug}/apps/{bundleId}/customers": .viewer,
        "POST /t/{slug}/apps/{bundleId}/customers": .support,
        "GET /t/{slug}/apps/{bundleId}/costs": .viewer,
        "POST /t/{slug}/apps/{bundleId}/costs": .admin,
        "GET /t/{slug}/outcomes": .viewer,
        "GET /t/{slug}/outcomes.csv": .viewer,
        "GET /t/{slug}/apps/{bundleId}/advanced-commerce": .viewer,
        "POST /t/{slug}/apps/{bundleId}/advanced-commerce/{part}": .admin,
        "GET /t/{slug}/register": .viewer,
        "GET /t/{slug}/register.csv": .viewer,
        "GET /t/{slug}/people": .admin,
        "POST /t/{slug}/people/{id}/role": .admin,
        "POST /t/{slug}/people/{id}/removal": .admin,
        "POST /t/{slug}/invitations": .admin,
        "POST /t/{slug}/invitations/{id}/renewal": .admin,
        "POST /t/{slug}/invitations/{id}/withdrawal": .admin,
        "GET /t/{slug}/tokens": .admin,
        "POST /t/{slug}/tokens": .admin,
        "POST /t/{slug}/tokens/{id}/removal": .admin,
        "GET /t/{slug}/audit": .admin,
        "GET /t/{slug}/audit.csv": .admin,
        "GET /t/{slug}/checks": .admin,
        "GET /t/{slug}/alerts": .viewer,
        "GET /t/{slug}/alerts/history": .viewer,
        "GET /t/{slug}/alerts/{id}": .viewer,
        "POST /t/{slug}/alerts/{id}/{act}": .support,
        "GET /t/{slug}/channels": .admin,
        "POST /t/{slug}/channels": .admin,
        "GET /t/{slug}/channels/{id}": .admin,
        "POST /t/{slug}/channels/{id}": .admin,
        "GET /t/{slug}/channels/{id}/state": .admin,
        "POST /t/{slug}/channels/{id}/test": .admin,
        "POST /t/{slug}/channels/{id}/removal": .admin,
        "GET /t/{slug}/commerce-requests": .viewer,
        "POST /t/{slug}/commerce-requests": .support,
        "GET /t/{slug}/commerce-requests/new": .support,
        "POST /t/{slug}/commerce-requests/look-up": .support,
        "POST /t/{slug}/commerce-requests/preview": .support,
        "GET /t/{slug}/commerce-requests/{id}": .viewer,
        "GET /t/{slug}/commerce-requests/{id}/state": .viewer,
        "POST /t/{slug}/commerce-requests/{id}/submission": .support,
        "POST /t/{slug}/commerce-requests/{id}/approval": .support,
        "POST /t/{slug}/commerce-requests/{id}/withdrawal": .support,
    ]

    /// The least role that may; nil where the table does not say.
    static func least(_ method: Method, _ pattern: String) -> Role? {
        table["\(method == .head ? Method.get.name : method.name) \(pattern)"]
    }

    static func allows(_ role: Role, _ method: Method, _ pattern: String) -> Bool {
        role >= (least(method, pattern) ?? .owner)
    }

    /// Whether somebody may look at a page: what they may not is not named in their navigation.
    static func allows(_ role: Role, _ site: Site) -> Bool { allows(role, .get, site.pattern.rawValue) }
}
