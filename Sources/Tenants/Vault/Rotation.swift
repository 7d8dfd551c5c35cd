import FoundationEssentials
import Journal
package import Postgres
import Time

/// How far a change of master key has come.
package struct RotationReport: Hashable, Sendable {
    /// Secrets wrapped anew.
    package var rewrapped = 0
    /// Secrets that did not open and were left as they were.
    package var unreadable = 0
    /// Secrets somebody else changed meanwhile: they are sealed with the newest key already, or next time.
    package var changed = 0

    package init(rewrapped: Int = 0, unreadable: Int = 0, changed: Int = 0) {
        self.rewrapped = rewrapped
        self.unreadable = unreadable
        self.changed = changed
    }

    /// All that was looked at.
    package var seen: Int { rewrapped + unreadable + changed }
}

/// A process that serves and does not know the newest master key yet: what is wrapped anew it could not open.
package struct ProcessLacksKey: Error, CustomStringConvertible {
    package let processes: [String]
    package var description: String {
        "these processes run without the newest master key; restart them first: \(processes.joined(separator: ", "))"
    }
}

/// Under which master keys the secrets are sealed that somebody still needs.
package struct Sealings: Hashable, Sendable {
    /// Under a configured key that is not the newest: rotation moves them.
    package let older: Int
    /// Under a key that is not configured: they cannot be opened.
    package let unknown: Int
}

extension Vault {
    static let rotationBatch = 100

    /// Wraps the data key of every secret with the newest master key, 100 a transaction: the tenants' and people's.
    ///
    /// Each is proven to open before its transaction commits, and written only if nobody changed it meanwhile. May be
    /// stopped and started again at any moment: what is done is not done again. Throws `VaultError.noMasterKey` and
    /// `ProcessLacksKey`.
    /// - Parameter progress: called before the first batch and after each, with how many were found at the start.
    package func rotate(
        progress: (_ report: RotationReport, _ total: Int) -> Void = { _, _ in }
    ) async throws -> RotationReport {
        guard let newest = keyring.newest else { throw VaultError.noMasterKey }
        try await ProcessList.requireKey(newest.id, at: clock.now, in: database)
        let total = try await database.transaction(.house) { tx in try await self.sealedWithOlderKeys(in: tx) }
        var report = RotationReport()
        progress(report, total)
        var (tenant, secret) = (Int64.min, SecretCursor.first)
        while true {
            let (from, after, before) = (tenant, secret, report)
            let step = try await database.transaction(.house) { tx in
                try await self.rotate(after: (from, after), to: newest, report: before, in: tx)
            }
            report = step.report
            guard let last = step.last else { break }
            progress(report, total)
            (tenant, secret) = last
        }
        var factor = SecretCursor.first
        while true {
            let (after, before) = (factor, report)
            let step = try await database.transaction(.house) { tx in
                try await self.rotateFactors(after: after, to: newest, report: before, in: tx)
            }
            report = step.report
            guard let last = step.last else { return report }
            progress(report, total)
            factor = last.1
        }
    }

    /// How many secrets still need a master key other than the newest. House scope.
    package func sealedWithOlderKeys(in tx: Transaction) async throws -> Int {
        let id = keyring.newestID ?? []
        let rows = try await tx.rows(
            """
            select (select count(*) from tenants.secrets where master_key_id <> \(id) and octet_length(sealed) > 0)
              + (select count(*) from tenants.factors where master_key_id <> \(id)) as n
            """)
        let n: Int64 = try rows.first.map { try $0("n") } ?? 0
        return Int(n)
    }

    /// Counts secrets by what their master key is here. House scope.
    package func sealings(in tx: Transaction) async throws -> Sealings {
        let rows = try await tx.rows(
            """
            select count(*) filter (where known) as older, count(*) filter (where not known) as unknown
            from (
              select master_key_id = any(\(keyring.ids)::bytea[]) as known
              from tenants.secrets
              where master_key_id <> \(keyring.newestID ?? []) and octet_length(sealed) > 0
              union all
              select master_key_id = any(\(keyring.ids)::bytea[])
              from tenants.factors
              where master_key_id <> \(keyring.newestID ?? [])) s
            """)
        let older: Int64 = try rows.first.map { try $0("older") } ?? 0
        let unknown: Int64 = try rows.first.map { try $0("unknown") } ?? 0
        return Sealings(older: Int(older), unknown: Int(unknown))
    }

    private struct Step: Sendable {
        var report: RotationReport
        var last: (Int64, SecretCursor)?
    }

    private func rotate(
        after: (tenant: Int64, secret: SecretCursor), to newest: MasterKey, report: RotationReport, in tx: Transaction
    ) async throws -> Step {
        var step = Step(report: report, last: nil)
        let rows = try await tx.rows(
            """
            select s.tenant_id, s.secret_id, s.kind, s.sealed, k.key_id, k.public_key
            from tenants.secrets s
            left join tenants.signing_keys k on k.tenant_id = s.tenant_id and k.signing_key_id = s.secret_id
            where s.master_key_id <> \(newest.id) and octet_length(s.sealed) > 0
              and (s.tenant_id, s.secret_id) > (\(after.tenant), \(after.secret.id))
            order by s.tenant_id, s.secret_id
            limit \(Self.rotationBatch)
            """)
        for row in rows {
            let sealed: [UInt8] = try row("sealed")
            let (tenant, secret): (Int64, UUID) = (try row("tenant_id"), try row("secret_id"))
            step.last = (tenant, SecretCursor(id: secret))
            guard let anew = try rewrapped(sealed, try? SecretBinding(row), secret, to: newest, &step.report) else {
                continue
            }
            let written = try await tx.execute(
                """
                update tenants.secrets set sealed = \(anew), master_key_id = \(newest.id), sealed_at = \(clock.now)
                where tenant_id = \(tenant) and secret_id = \(secret) and sealed = \(sealed)
                """)
            if written == 1 { step.report.rewrapped += 1 } else { step.report.changed += 1 }
        }
        return step
    }

    /// People belong to no tenant, and so their secrets are not in the tenants' table.
    private func rotateFactors(
        after: SecretCursor, to newest: MasterKey, report: RotationReport, in tx: Transaction
    ) async throws -> Step {
        var step = Step(report: report, last: nil)
        let rows = try await tx.rows(
            """
            select factor_id, person_id, sealed
            from tenants.factors
            where master_key_id <> \(newest.id) and sealed is not null and factor_id > \(after.id)
            order by factor_id
            limit \(Self.rotationBatch)
            """)
        for row in rows {
            let sealed: [UInt8] = try row("sealed")
            let (factor, person): (UUID, UUID) = (try row("factor_id"), try row("person_id"))
            step.last = (0, SecretCursor(id: factor))
            let binding = PersonalSecret.binding(PersonID(rawValue: person), factor)
            guard let anew = try rewrapped(sealed, binding, factor, to: newest, &step.report) else { continue }
            let written = try await tx.execute(
                """
                update tenants.factors set sealed = \(anew), master_key_id = \(newest.id)
                where factor_id = \(factor) and sealed = \(sealed)
                """)
            if written == 1 { step.report.rewrapped += 1 } else { step.report.changed += 1 }
        }
        return step
    }

    /// The same secret under the newest master key, proven to open; nil where it does not open as it is, which stops
    /// nothing else.
    private func rewrapped(
        _ sealed: [UInt8], _ binding: SecretBinding?, _ secret: UUID, to newest: MasterKey,
        _ report: inout RotationReport
    ) throws -> [UInt8]? {
        do {
            guard let binding else { throw EnvelopeError.unknownForm }
            // Before it is wrapped anew: a damaged secret under a fresh wrapping would look repaired.
            _ = try Envelope.open(sealed, bound: binding, with: keyring)
            return try Envelope.rewrap(sealed, bound: binding, with: keyring, to: newest)
        } catch let error as EnvelopeError {
            report.unreadable += 1
            journal.error(
                "a secret does not open and keeps its master key",
                ["secret": .init(secret.uuidString.lowercased()), "error": .init(error)])
            return nil
        }
    }
}
