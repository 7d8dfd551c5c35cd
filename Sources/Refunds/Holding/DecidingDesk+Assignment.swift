package import FoundationEssentials
import Postgres
package import Tenants
import Time

/// That a case was given to somebody, as its story keeps it.
package struct CaseAssignment: Sendable, Hashable, Codable {
    /// What `refunds.case_notes` calls one.
    package static let kind = "assigned"

    /// Nil: to nobody.
    package let to: UUID?
    /// Whoever looked after it is a member no more; the end of the membership writes this.
    package let left: Bool?

    /// Nil for a remark that is none.
    package init?(_ remark: CaseStory.Remark) {
        guard remark.kind == Self.kind,
            let read = try? JSONDecoder().decode(Self.self, from: Data(remark.detail.utf8))
        else { return nil }
        self = read
    }

    init(to: UUID?) {
        self.to = to
        left = nil
    }

    var json: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }
}

extension DecidingDesk {
    /// Gives a case to a member of the tenant, or to nobody; audited. The same again changes nothing.
    ///
    /// - Returns: false where the tenant has no such case.
    /// - Throws: `Refused`: `field` "assignee" for somebody who is no member.
    package func assign(
        _ id: UUID, of tenant: TenantID, to assignee: PersonID?, by person: PersonID, role: Tenants.Role,
        address: String?
    ) async throws -> Bool {
        guard role >= .support else { throw Refused.forbidden }
        return try await database.transaction(tenant.scope) { tx in
            if let assignee {
                // Held until the end, so that a membership that ends now takes this assignment with it.
                let member = try await tx.row(
                    """
                    select 1 as one
                    from tenants.members
                    where tenant_id = \(tenant.rawValue) and person_id = \(assignee.rawValue)
                    for key share
                    """)
                guard member != nil else {
                    throw Refused.field("assignee", "Only a member of this tenant can look after a case.")
                }
            }
            guard try await CaseStore.hold(id, tenant: tenant, in: tx) else { return false }
            let now = clock.now
            let changed = try await tx.execute(
                """
                update refunds.cases
                set assignee = \(assignee?.rawValue), changed_at = \(now), version = version + 1
                where tenant_id = \(tenant.rawValue) and case_id = \(id)
                  and assignee is distinct from \(assignee?.rawValue)
                """)
            guard changed > 0 else { return true }
            try await tx.execute(
                CaseStore.noting(
                    CaseAssignment.kind, detail: try CaseAssignment(to: assignee?.rawValue).json,
                    by: person.rawValue, of: id, tenant: tenant, at: now))
            try await Audit.write(
                AuditEntry(
                    tenant: tenant, at: now, actor: .person(person), address: address, action: "case.assigned",
                    subject: "case \(id.text)", detail: ["to": .text(assignee.map { $0.rawValue.text } ?? "nobody")]),
                in: tx)
            return true
        }
    }
}
