package import FoundationEssentials
import Postgres
package import Tenants
import Time

/// The SQL that reads what a bundle has beside the case's story.
enum BundleQueries {
    private static let originalsMax = 200

    static func parts(of story: CaseStory, tenant: TenantID, in tx: Transaction) async throws -> CaseBundle.Parts {
        var parts = CaseBundle.Parts()
        let rows = try await tx.rows(originals(of: story.line))
        var stored: [(type: String, id: UUID, kept: StoredNotification?)] = []
        for row in rows { stored.append((try row("type"), try row("notification_uuid"), try StoredNotification(row))) }
        let headers = try await headers(Set(stored.flatMap { $0.kept?.headers ?? [] }), in: tx)
        parts.originals = stored.map { one in
            CaseBundle.Parts.Original(type: one.type, id: one.id, text: one.kept?.text { headers[$0] })
        }
        let decisions = story.rounds.compactMap(\.decision)
        let versions = Set(decisions.compactMap(\.policyVersion))
        if decisions.contains(where: { $0.policyVersion == nil }) {
            parts.policies.append((0, PolicyTemplate.fair.text))
        }
        for row in try await tx.rows(policies(versions, of: story.line.app, tenant: tenant)) {
            let version: Int32 = try row("version")
            parts.policies.append((Int(version), try row("rules")))
        }
        return parts
    }

    private static func originals(of line: CaseLine) -> SQL {
        """
        select n.notification_uuid, n.type, b.form, b.headers, b.signature, b.body
        from refunds.notifications n
        left join refunds.notification_bodies b
          on b.tenant_id = n.tenant_id and b.app_id = n.app_id
          and b.notification_uuid = n.notification_uuid and b.received_at = n.received_at
        where n.app_id = \(line.app.rawValue) and n.transaction_id = \(line.transactionID)
          and n.environment = \(line.environment)
        order by n.signed_at, n.notification_uuid
        limit \(originalsMax)
        """
    }

    private static func headers(_ numbers: Set<Int32>, in tx: Transaction) async throws -> [Int32: [UInt8]] {
        if numbers.isEmpty { return [:] }
        var headers: [Int32: [UInt8]] = [:]
        let rows = try await tx.rows(
            """
            select header_no, header
            from refunds.signature_headers
            where header_no = any(\(Array(numbers))::int4[])
            order by header_no
            limit 1000
            """)
        for row in rows { headers[try row("header_no")] = try row("header") as [UInt8] }
        return headers
    }

    private static func policies(_ versions: Set<Int>, of app: AppID, tenant: TenantID) -> SQL {
        """
        select version, rules
        from refunds.policies
        where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue)
          and version = any(\(versions.sorted().map(Int32.init))::int4[])
        order by version
        limit 200
        """
    }
}

extension StoredNotification {
    /// From the columns of `refunds.notification_bodies`; nil once the body was forgotten.
    init?(_ row: Row) throws {
        guard let number: Int16 = try row("form"), let form = Form(rawValue: number) else { return nil }
        self.init(
            form: form, headers: try row("headers"), signature: try row("signature"), body: try row("body"))
    }
}

extension DecidingDesk {
    /// The evidence of a case in one file; audited. Nil where the tenant has none of this id.
    package func bundle(
        of id: UUID, tenant: TenantID, by person: PersonID, role: Tenants.Role, address: String?
    ) async throws -> CaseBundle? {
        guard role >= .support else { throw Refused.forbidden }
        return try await database.transaction(tenant.scope) { tx in
            guard let story = try await CaseQueries.story(of: tenant, case: id, in: tx) else { return nil }
            let now = clock.now
            let bundle = CaseBundle(
                story, try await BundleQueries.parts(of: story, tenant: tenant, in: tx), at: now)
            try await Audit.write(
                AuditEntry(
                    tenant: tenant, at: now, actor: .person(person), address: address, action: "case.bundled",
                    subject: "case \(id.text)", detail: ["fingerprint": .text(bundle.fingerprint)]), in: tx)
            return bundle
        }
    }
}
