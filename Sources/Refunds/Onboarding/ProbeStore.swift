import FoundationEssentials
import Postgres
import Tenants
import Time

/// The SQL of probes.
enum ProbeStore {
    /// Of each environment the newest try that told something, and the newest that told nothing.
    static func all(of app: App, in tx: Transaction) async throws -> [Probe] {
        try await tx.rows(select(of: app)).map { try Probe($0) }
    }

    static func select(of app: App) -> SQL {
        """
        select environment, signing_key_id, at, result, status, apple_code, detail, request_id, clock_offset_ms
        from tenants.probes
        where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
        order by environment, is_telling
        """
    }

    static func save(_ probe: Probe, of app: App, in tx: Transaction) async throws {
        try await tx.execute(
            """
            insert into tenants.probes as p
              (tenant_id, app_id, environment, is_telling, signing_key_id, at, result, status, apple_code, detail, request_id,
               clock_offset_ms)
            values (\(app.tenant.rawValue), \(app.id.rawValue), \(probe.environment), \(probe.isTelling),
              \(probe.key.rawValue), \(probe.at), \(probe.result.rawValue), \(probe.status.map { Int32(clamping: $0) }), \(probe.appleCode),
              \(probe.detail), \(probe.requestID), \(probe.clockOffset.map(\.wholeMilliseconds)))
            on conflict (tenant_id, app_id, environment, is_telling) do update
              set signing_key_id = excluded.signing_key_id, at = excluded.at, result = excluded.result,
                status = excluded.status, apple_code = excluded.apple_code, detail = excluded.detail,
                request_id = excluded.request_id, clock_offset_ms = excluded.clock_offset_ms
            """)
    }
}
