import Crypto
import Postgres
import Tenants

package import struct FoundationEssentials.UUID

/// An optional share of cases of which Apple is told the facts without the preference, so that it shows what the
/// preference does. Off unless somebody turns it on.
package enum HoldOut {
    /// In a hundred: more would be no policy any more.
    package static let shareMax = 50

    /// Whether a request's preference is kept back: the same whenever it is asked.
    ///
    /// - Parameter share: in a hundred, 0…50.
    package static func takes(_ round: UUID, share: Int) -> Bool {
        let digest = Digest.sha256(Array("refund-desk hold-out v1 \(round.text)".utf8))
        let number = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return number % 100 < UInt64(max(0, min(share, shareMax)))
    }

    /// At most one row.
    static func share(of app: AppID, tenant: TenantID) -> SQL {
        """
        select share, changed_at
        from refunds.hold_outs
        where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue)
        """
    }
}
