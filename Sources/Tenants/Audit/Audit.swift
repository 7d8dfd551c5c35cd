import Crypto
package import Postgres
import Time

/// The end of a tenant's chain: how many entries it has, and the hash of the last.
package struct AuditHead: Hashable, Sendable {
    package let sequence: Int64
    /// 32 bytes; empty before the first entry.
    package let hash: [UInt8]
}

/// What a walk along a tenant's chain found.
package enum AuditStanding: Hashable, Sendable {
    case whole(AuditHead)
    /// The entry with this number is not what was written, or is not where it was written.
    case changed(at: Int64)
    /// Entries after this number are missing.
    case cut(after: Int64)
}

/// Who did what, in a chain of hashes per tenant that is only ever added to.
///
/// `hash = SHA-256(previous hash ‖ length-prefixed fields)`, the tenant and the number among them. A chain alone
/// does not show a tail that was cut off, so the head stands in a row of its own.
package enum Audit {
    /// Adds an entry under the lock of the chain's head, in the transaction of the deed itself.
    package static func write(_ entry: AuditEntry, in tx: Transaction) async throws {
        let tenant = entry.tenant.rawValue
        try await tx.execute(
            "insert into tenants.audit_heads (tenant_id) values (\(tenant)) on conflict do nothing")
        guard
            let head = try await tx.row(
                "select seq, hash from tenants.audit_heads where tenant_id = \(tenant) for update")
        else { throw AuditError.noHead(entry.tenant) }
        let sequence: Int64 = try head("seq") + 1
        let line = AuditLine(entry, sequence: sequence)
        let hash = line.hash(after: try head("hash"))
        try await tx.execute(
            """
            insert into tenants.audit (tenant_id, seq, at, person_id, token_id, address, action, subject, detail, hash)
            values (\(tenant), \(sequence), \(line.at), \(line.person), \(line.token), \(line.address),
              \(line.action), \(line.subject), \(line.detail), \(hash))
            """)
        try await tx.execute(
            "update tenants.audit_heads set seq = \(sequence), hash = \(hash) where tenant_id = \(tenant)")
    }

    /// The end of a tenant's chain, to be kept outside the database too.
    package static func head(of tenant: TenantID, in tx: Transaction) async throws -> AuditHead {
        guard
            let row = try await tx.row(
                "select seq, hash from tenants.audit_heads where tenant_id = \(tenant.rawValue)")
        else { return AuditHead(sequence: 0, hash: []) }
        return AuditHead(sequence: try row("seq"), hash: try row("hash"))
    }

    /// Walks the chain, 500 entries at a time.
    ///
    /// - Parameter newest: how many entries at its end; nil: all of them. A part is checked against the hash that stands
    ///   before it.
    package static func check(
        of tenant: TenantID, newest: Int64? = nil, in tx: Transaction
    ) async throws -> AuditStanding {
        let head = try await head(of: tenant, in: tx)
        // The making of a tenant is its first entry: a chain without any was emptied.
        if head.sequence == 0 { return .cut(after: 0) }
        var hash: [UInt8] = []
        var sequence = newest.map { max(0, head.sequence - $0) } ?? 0
        if sequence > 0 {
            guard
                let row = try await tx.row(
                    "select hash from tenants.audit where tenant_id = \(tenant.rawValue) and seq = \(sequence)")
            else { return .changed(at: sequence) }
            hash = try row("hash")
        }
        while true {
            let rows = try await tx.rows(
                """
                select seq, at, person_id, token_id, address, action, subject, detail, hash
                from tenants.audit
                where tenant_id = \(tenant.rawValue) and seq > \(sequence)
                order by seq
                limit 500
                """)
            if rows.isEmpty { break }
            for row in rows {
                let line = try AuditLine(row, tenant: tenant)
                hash = line.hash(after: hash)
                guard line.sequence == sequence + 1, try row("hash") == hash else {
                    return .changed(at: sequence + 1)
                }
                sequence += 1
            }
        }
        if sequence < head.sequence { return .cut(after: sequence) }
        guard sequence == head.sequence, hash == head.hash else { return .changed(at: sequence) }
        return .whole(head)
    }

    /// The newest entries, `limit` at a time, before the given number.
    package static func entries(
        of tenant: TenantID, filter: AuditFilter = AuditFilter(), before sequence: Int64 = .max, limit: Int = 50,
        in tx: Transaction
    ) async throws -> [AuditLine] {
        try await tx.rows(
            """
            select seq, at, person_id, token_id, address, action, subject, detail, hash
            from tenants.audit
            where tenant_id = \(tenant.rawValue) and seq < \(sequence) and \(filter.condition)
            order by seq desc
            limit \(limit)
            """
        ).map { try AuditLine($0, tenant: tenant) }
    }
}

enum AuditError: Error, CustomStringConvertible {
    case noHead(TenantID)

    var description: String {
        switch self {
        case .noHead(let tenant): "the audit chain of \(tenant) has no head that this transaction may lock"
        }
    }
}
