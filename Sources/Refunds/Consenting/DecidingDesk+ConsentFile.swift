import FoundationEssentials
import Postgres
import Queue
package import Tenants
import Time

/// One line of an app's ledger of consent.
package struct ConsentLine: Sendable {
    package let subject: ConsentLedger.Subject
    package let change: ConsentChange

    /// The place in the ledger behind which the next page begins.
    package struct Place: Sendable, Hashable {
        let of: String
        let subject: String
        let changeNo: Int64
    }
}

/// The ledger of consent as a file.
extension DecidingDesk {
    /// Reports that share a transaction: more would hold their locks for too long.
    private static let rowsAtOnce = 50
    /// Lines that are read at once.
    package static let ledgerPage = 500

    /// A page of everything that was reported about an app's customers, subject by subject, each oldest first as learned.
    package func ledger(
        of app: App, after place: ConsentLine.Place?
    ) async throws -> (lines: [ConsentLine], next: ConsentLine.Place?) {
        let behind: SQL =
            place.map { "and (c.of, c.subject, c.change_no) > (\($0.of), \($0.subject), \($0.changeNo))" } ?? ""
        let rows = try await database.transaction(app.tenant.scope, isolation: .readOnly) { tx in
            try await tx.rows(
                """
                select c.of, c.subject, c.change_no, c.consented, c.given_at, c.learned_at, c.wording, c.source,
                  exists (
                    select from tenants.wordings w
                    where w.tenant_id = c.tenant_id and w.app_id = c.app_id and w.version = c.wording) as wording_kept
                from refunds.consent_changes c
                where c.tenant_id = \(app.tenant.rawValue) and c.app_id = \(app.id.rawValue) \(behind)
                order by c.of, c.subject, c.change_no
                limit \(Self.ledgerPage)
                """)
        }
        let lines = try rows.map { row in
            var change = try ConsentChange(row)
            if change.wording != nil { change.isWordingKept = try row("wording_kept") }
            let (of, subject): (String, String) = (try row("of"), try row("subject"))
            return ConsentLine(
                subject: of == "customer" ? .customer(appAccountToken: subject) : .purchase(transactionID: subject),
                change: change)
        }
        guard rows.count == Self.ledgerPage, let last = rows.last else { return (lines, nil) }
        return (
            lines,
            ConsentLine.Place(of: try last("of"), subject: try last("subject"), changeNo: try last("change_no"))
        )
    }

    /// Takes a file of reports in, each row by itself: what is wrong with one harms no other. The same file again
    /// changes nothing. Audited.
    ///
    /// - Throws: `Refused.forbidden`, and `UnreadableFile`, and then nothing was stored.
    package func uploadConsents(
        _ bytes: ArraySlice<UInt8>, of app: App, by person: PersonID, role: Tenants.Role, address: String?
    ) async throws -> FileUpload {
        guard role >= .admin else { throw Refused.forbidden }
        let file = try ConsentFile(bytes)
        var errors = [String?](repeating: nil, count: file.rows.count)
        var (customers, purchases): ([Placed], [Placed]) = ([], [])
        for (index, row) in file.rows.enumerated() {
            switch row.reading {
            case .success(let report):
                if case .customer = report.subject {
                    customers.append(Placed(place: index, report: report))
                } else {
                    purchases.append(Placed(place: index, report: report))
                }
            case .failure(let wrong): errors[index] = wrong.text
            }
        }
        // Never both in one transaction: who decides about a case locks its purchase before its customer.
        for batch in [customers, purchases] {
            let sorted = batch.sorted { ($0.report.subject.name, $0.place) < ($1.report.subject.name, $1.place) }
            for start in stride(from: 0, to: sorted.count, by: Self.rowsAtOnce) {
                let rows = Array(sorted[start..<min(start + Self.rowsAtOnce, sorted.count)])
                for (row, error) in zip(rows, try await record(rows, of: app)) { errors[row.place] = error }
            }
        }
        bell.ring()
        let upload = FileUpload(
            lines: zip(file.rows, errors).map { row, error in
                FileUpload.Line(number: row.line, subject: row.subject, error: error)
            })
        try await database.transaction(app.tenant.scope) { tx in
            try await note(
                "consent.uploaded", app,
                ["stored": .number(Int64(upload.stored)), "refused": .number(Int64(upload.refused.count))], person,
                address, at: clock.now, in: tx)
        }
        return upload
    }

    private struct Placed: Sendable {
        /// In the file, from 0.
        let place: Int
        let report: ConsentFile.Report
    }

    /// - Returns: for each row why it was not stored; nil: it was.
    private func record(_ rows: [Placed], of app: App) async throws -> [String?] {
        let now = clock.now
        return try await database.transaction(app.tenant.scope) { tx in
            var keys: Set<ConsentLedger.Key> = []
            for row in rows {
                keys.insert(try await ConsentLedger.Key(row.report.subject, tenant: app.tenant, app: app.id, in: tx))
            }
            // In the order of their names, so that two files about the same customers wait for each other.
            _ = try await tx.pipeline(keys.sorted().map { $0.lock(exclusively: true) })
            var found: [String?] = []
            for row in rows {
                do {
                    // A refusal comes before the first statement, so the transaction goes on.
                    try await ConsentLedger.record(
                        row.report.report, of: row.report.subject, tenant: app.tenant, app: app.id, at: now, in: tx)
                    found.append(nil)
                } catch let refusal as ConsentLedger.Refusal {
                    found.append("\(refusal)")
                }
            }
            return found
        }
    }
}

extension ConsentLedger.Subject {
    fileprivate var name: String {
        switch self {
        case .customer(let token): ConsentLedger.Key.spelled(token)
        case .purchase(let id): id
        }
    }
}
