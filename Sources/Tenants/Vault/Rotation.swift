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

    /// Wraps the data key of every secret with the newest master key, 100 a transaction.
    ///
    /// Each is proven to open before its transaction commits, and written only if nobody changed it meanwhile. May be
    /// stopped and started again at any moment. Throws `VaultError.noMasterKey` and `ProcessLacksKey`.
    package func rotate() async throws -> RotationReport {
        guard let newest = keyring.newest else { throw VaultError.noMasterKey }
        try await ProcessList.requireKey(newest.id, at: clock.now, in: database)
        var report = RotationReport()
        var (tenant, secret) = (Int64.min, SecretCursor.first)
        while true {
            let (from, after, before) = (tenant, secret, report)
            let step = try await database.transaction(.house) { tx in
                try await self.rotate(after: (from, after), to: newest, report: before, in: tx)
            }
            report = step.report
            guard let last = step.last else { return report }
            (tenant, secret) = last
        }
    }

    /// How many secrets still need a master key other than the newest. House scope.
    package func sealedWithOlderKeys(in tx: Transaction) async throws -> Int {
        let rows = try await tx.rows(
            """
            select count(*) as n
            from tenants.secrets
            where master_key_id <> \(keyring.newestID ?? []) and octet_length(sealed) > 0
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
              where master_key_id <> \(keyring.newestID ?? []) and octet_length(sealed) > 0) s
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
            let binding = try SecretBinding(row)
            step.last = (binding.tenant.rawValue, SecretCursor(id: binding.secret))
            let anew: [UInt8]
            do {
                anew = try Envelope.rewrap(sealed, bound: binding, with: keyring, to: newest)
                _ = try Envelope.open(anew, bound: binding, with: keyring)
            } catch let error as EnvelopeError {
                step.report.unreadable += 1
                journal.error(
                    "a secret does not open and keeps its master key",
                    [
                        "tenant": .init(binding.tenant.rawValue), "secret": .init(binding.secret.uuidString),
                        "error": .init(error),
                    ])
                continue
            }
            let written = try await tx.execute(
                """
                update tenants.secrets set sealed = \(anew), master_key_id = \(newest.id), sealed_at = \(clock.now)
                where tenant_id = \(binding.tenant.rawValue) and secret_id = \(binding.secret) and sealed = \(sealed)
                """)
            if written == 1 { step.report.rewrapped += 1 } else { step.report.changed += 1 }
        }
        return step
    }
}
