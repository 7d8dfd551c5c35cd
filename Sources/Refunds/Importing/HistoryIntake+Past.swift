import AppStore
import Postgres
import Tenants
import Time

extension HistoryIntake {
    /// Keeps a page of the time before an app was added: the same notifications under the same names as deliveries, but
    /// with a source of their own, by which they are never answered. What the sweeps may still answer is left out.
    func keepPast(
        _ sorted: Sorted, _ past: PastImport, of app: App, at now: Moment, in tx: Transaction
    ) async throws -> Kept {
        var kept = Kept()
        if let appleID = sorted.learned,
            case .differs = try await TenantStore.learnAppleID(appleID, of: app.tenant, app: app.id, at: now, in: tx)
        {
            kept.refused = sorted.rows.count
            return kept
        }
        var rows: [NotificationStore.NewRow] = []
        var attempts: [String] = []
        for (row, tried) in zip(sorted.rows, sorted.attempts) {
            guard
                row.signedAt < past.liveFrom || KeptAttempt.read(tried).contains(where: { $0.result == "SUCCESS" })
            else { continue }
            var row = row
            // Behind all that somebody waits for: the deadline of a request of long ago would come first.
            row.deadline = now + NotificationStore.readWithin
            rows.append(row)
            attempts.append(tried)
        }
        for found in try await NotificationStore.fetch(rows, attempts: attempts, source: "import", in: tx)
        where found.isNew {
            kept.fetched += 1
        }
        kept.held = rows.count - kept.fetched
        for refusal in sorted.refusals {
            if try await HistoryStore.isRefused(refusal.sha256, of: app.id, tenant: app.tenant, in: tx) { continue }
            try await Quarantine.store(refusal, of: app, counts: [refusal.reason: 1], at: now, in: tx)
            kept.refused += 1
        }
        return kept
    }
}
