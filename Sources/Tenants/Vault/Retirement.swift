import FoundationEssentials
import Journal
import Postgres
import Time

extension Vault {
    /// Wipes retiring keys whose grace time is over, where Apple takes a newer one. Returns how many.
    ///
    /// A key that is overdue and still the only one that Apple takes somewhere stays: doctor says so.
    package func retireOverdue() async throws -> Int {
        let now = clock.now
        let rows = try await database.rows(
            .house,
            """
            select distinct tenant_id
            from tenants.signing_keys
            where state = 'retiring' and retires_at <= \(now)
            order by tenant_id
            limit 1000
            """)
        var retired = 0
        for row in rows {
            let tenant = TenantID(rawValue: try row("tenant_id"))
            retired += try await database.transaction(tenant.scope) { tx in
                try await self.retireOverdue(of: tenant, at: now, in: tx)
            }
        }
        return retired
    }

    private func retireOverdue(of tenant: TenantID, at now: Moment, in tx: Transaction) async throws -> Int {
        let parties = try await keys(of: tenant, in: tx).map {
            KeyOverlap.Party(info: $0.info, proofs: $0.proofs)
        }
        var retired = 0
        for key in parties where KeyOverlap.mayRetire(key, among: parties, at: now) {
            guard try await VaultStore.retire(key.info.id, of: tenant, at: now, in: tx) else { continue }
            try await Audit.write(
                AuditEntry(
                    tenant: tenant, at: now, actor: .program, action: "key.retired", subject: "\(key.info.id)",
                    detail: ["keyId": .text(key.info.keyID)]),
                in: tx)
            retired += 1
        }
        return retired
    }
}
