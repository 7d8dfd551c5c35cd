package import FoundationEssentials
import Postgres
package import Tenants
import Time

/// What people write about a case. Only ever added to.
package enum CaseNote {
    /// Bytes of one note.
    package static let bytesMax = 4000
    /// What `refunds.case_notes` calls one.
    package static let kind = "note"

    private struct Detail: Codable {
        let text: String
    }

    /// The note's text; nil for a remark that is none.
    package static func text(of remark: CaseStory.Remark) -> String? {
        guard remark.kind == kind else { return nil }
        return (try? JSONDecoder().decode(Detail.self, from: Data(remark.detail.utf8)))?.text
    }

    static func detail(_ text: String) throws -> String {
        String(decoding: try JSONEncoder().encode(Detail(text: text)), as: UTF8.self)
    }
}

extension DecidingDesk {
    /// Notes of one case: whoever needs more keeps them elsewhere.
    static let notesMax = 200
    /// The same text by the same person within it is the same note: a form that was sent twice.
    static let noteAgain: Duration = .seconds(60)

    /// Adds a note to a case; audited, without its text. One that was just written by the same person is there already.
    ///
    /// - Returns: false where the tenant has no such case.
    /// - Throws: `Refused`: `field` "note" for a text that is empty, too long or one too many.
    package func note(
        _ text: String, on id: UUID, of tenant: TenantID, by person: PersonID, role: Tenants.Role, address: String?
    ) async throws -> Bool {
        guard role >= .support else { throw Refused.forbidden }
        let text = text.trimmingBlanks
        guard !Text.isBlank(text) else { throw Refused.field("note", "Write something first.") }
        guard Text.isKept(text, bytesMax: CaseNote.bytesMax) else {
            throw Refused.field("note", "A note has at most 4,000 bytes.")
        }
        guard Text.isPlain(text) else { throw Refused.field("note", "The note \(Text.notPlain).") }
        return try await database.transaction(tenant.scope) { tx in
            guard try await CaseStore.hold(id, tenant: tenant, in: tx) else { return false }
            let now = clock.now
            let detail = try CaseNote.detail(text)
            let same = try await tx.row(
                """
                select note_no
                from refunds.case_notes
                where tenant_id = \(tenant.rawValue) and case_id = \(id) and kind = \(CaseNote.kind)
                  and person_id = \(person.rawValue) and detail = \(detail) and at > \(now - Self.noteAgain)
                limit 1
                """)
            guard same == nil else { return true }
            let written: Int64 =
                try await tx.row(
                    """
                    select count(*) as n
                    from refunds.case_notes
                    where tenant_id = \(tenant.rawValue) and case_id = \(id) and kind = \(CaseNote.kind)
                    """)?("n") ?? 0
            guard written < Self.notesMax else {
                throw Refused.field("note", "A case has at most \(Self.notesMax) notes.")
            }
            try await tx.execute(
                CaseStore.noting(
                    CaseNote.kind, detail: detail, by: person.rawValue, of: id, tenant: tenant,
                    at: now))
            try await Audit.write(
                AuditEntry(
                    tenant: tenant, at: now, actor: .person(person), address: address, action: "case.noted",
                    subject: "case \(id.text)"), in: tx)
            return true
        }
    }
}

extension String {
    /// Without blanks at both ends.
    var trimmingBlanks: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
