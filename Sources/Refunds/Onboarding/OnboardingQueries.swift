import Postgres
import Tenants
import Time

/// Reads what is known of an app that is being set up.
enum OnboardingQueries {
    static func facts(of app: App, vault: Vault, in tx: Transaction) async throws -> OnboardingFacts {
        var facts = OnboardingFacts(app: app)
        let parts = try await tx.pipeline([
            about(app), ProbeStore.select(of: app), TestNotificationStore.newest(of: app, isSandbox: false),
            TestNotificationStore.newest(of: app, isSandbox: true), heard(app), newestRefusal(of: app),
            newestVersionOne(of: app),
        ])
        if let row = parts[0].first {
            let environments: [String] = try row("environments")
            let inboxes: Int64 = try row("inboxes")
            facts.wantsProduction = environments.contains("Production")
            facts.wantsSandbox = environments.contains("Sandbox")
            facts.inboxes = Int(inboxes)
            facts.hasConsent = try row("has_consent")
            facts.hasUsage = try row("has_usage")
        }
        for row in parts[1] {
            let probe = try Probe(row)
            facts.probes[isSandbox: probe.isSandbox] = probe
        }
        facts.tests.production = try parts[2].first.map { try TestNotification($0) }
        facts.tests.sandbox = try parts[3].first.map { try TestNotification($0) }
        for row in parts[4] { try hear(row, &facts) }
        facts.refused = try parts[5].first.map {
            OnboardingState.Refused(at: try $0("received_at"), reason: try $0("reason"), detail: try $0("detail"))
        }
        facts.versionOneAt = try parts[6].first.map { try $0("received_at") }
        if app.isRelayed { facts.relay = try await RelayQueries.standing(of: app, in: tx) }
        try await addKeys(to: &facts, vault: vault, in: tx)
        return facts
    }

    /// Newest first in each environment.
    private static func hear(_ row: Row, _ facts: inout OnboardingFacts) throws {
        let environment: String = try row("environment")
        let isSandbox = environment == "Sandbox"
        let heard = OnboardingState.Heard(at: try row("received_at"), type: try row("type"))
        if facts.heard[isSandbox: isSandbox].map({ $0.at < heard.at }) ?? true {
            facts.heard[isSandbox: isSandbox] = heard
        }
        if !heard.isTest, facts.heardReal[isSandbox: isSandbox].map({ $0 < heard.at }) ?? true {
            facts.heardReal[isSandbox: isSandbox] = heard.at
        }
    }

    private static func addKeys(to facts: inout OnboardingFacts, vault: Vault, in tx: Transaction) async throws {
        let app = facts.app
        let standings = Dictionary(grouping: try await KeyStandings.all(of: app.tenant, in: tx), by: \.key)
        facts.keys = try await vault.signingKeys(of: app.tenant, in: tx)
            .filter { $0.0.serves(app) }
            .map { key, opens in
                let standing = standings[key.id] ?? []
                return KeyReport(
                    key: key, opens: opens,
                    standings: PerEnvironment(
                        production: standing.first { !$0.isSandbox }, sandbox: standing.first(where: \.isSandbox)))
            }
        guard let newest = facts.keys.first else { return }
        let parts = try await tx.pipeline([
            fileName(of: newest.key.id, app), others(under: newest.key.id, than: app),
            servesOthers(newest.key, than: app), calls(with: newest.key.id, of: app),
        ])
        facts.keyFileName = try parts[0].first.flatMap { try $0("file_name") }
        for row in parts[1] {
            let environment: String = try row("environment")
            facts.worksFor[isSandbox: environment == "Sandbox"] = try row("bundle_id")
        }
        for row in parts[3] {
            let environment: String = try row("environment")
            let (accepted, refused): (Moment?, Moment?) = (try row("accepted_at"), try row("refused_at"))
            guard let at = [accepted, refused].compactMap({ $0 }).max() else { continue }
            facts.calls[isSandbox: environment == "Sandbox"] = KeyCall(at: at, isAccepted: accepted == at)
        }
        // A key that serves one app alone was accepted for that app.
        guard parts[2].isEmpty else { return }
        facts.acceptedBefore = PerEnvironment(
            production: newest.standings.production?.acceptedAt, sandbox: newest.standings.sandbox?.acceptedAt)
    }

    // MARK: SQL

    private static func about(_ app: App) -> SQL {
        """
        select a.environments,
          (select count(*) from tenants.inboxes i
           where i.tenant_id = a.tenant_id and i.app_id = a.app_id and i.retired_at is null) as inboxes,
          exists (select from refunds.consent_changes c
                  where c.tenant_id = a.tenant_id and c.app_id = a.app_id and c.consented) as has_consent,
          exists (select from refunds.usage u
                  where u.tenant_id = a.tenant_id and u.app_id = a.app_id) as has_usage
        from tenants.apps a
        where a.tenant_id = \(app.tenant.rawValue) and a.app_id = \(app.id.rawValue)
        """
    }

    /// Of the newest notifications only: an app that gets many is set up long since.
    private static func heard(_ app: App) -> SQL {
        """
        select n.environment, n.type, max(n.received_at) as received_at
        from (
          select environment, type, received_at
          from refunds.notifications
          where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue) and source = 'posted'
          order by received_at desc, notification_uuid desc
          limit 500) n
        group by n.environment, n.type
        order by received_at desc
        limit 200
        """
    }

    private static func newestRefusal(of app: App) -> SQL {
        """
        select received_at, reason, detail
        from refunds.refusals
        where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
        order by received_at desc, refusal_no desc
        limit 1
        """
    }

    private static func newestVersionOne(of app: App) -> SQL {
        """
        select received_at
        from refunds.refusals
        where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue) and reason = 'version-1-notification'
        order by received_at desc, refusal_no desc
        limit 1
        """
    }

    private static func fileName(of key: SigningKeyID, _ app: App) -> SQL {
        """
        select file_name
        from tenants.signing_keys
        where tenant_id = \(app.tenant.rawValue) and signing_key_id = \(key.rawValue)
        """
    }

    /// When Apple believed the key and when not, in the replies of the newest cases: an app that has many was heard
    /// of long since.
    private static func calls(with key: SigningKeyID, of app: App) -> SQL {
        """
        select c.environment,
          max(a.ended_at) filter (where a.result in ('accepted', 'refused')) as accepted_at,
          max(a.ended_at) filter (where a.result = 'credentials') as refused_at
        from (
          select case_id, environment
          from refunds.cases
          where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
          order by listed_at desc, case_id desc
          limit 200) c
        join refunds.attempts a on a.tenant_id = \(app.tenant.rawValue) and a.case_id = c.case_id
        where a.signing_key_id = \(key.rawValue) and a.ended_at is not null
        group by c.environment
        order by c.environment
        limit 2
        """
    }

    /// Other apps that Apple accepts under the key, one for each environment. The key must not be refused since.
    private static func others(under key: SigningKeyID, than app: App) -> SQL {
        """
        select distinct on (p.environment) p.environment, a.bundle_id
        from tenants.probes p
        join tenants.apps a on a.tenant_id = p.tenant_id and a.app_id = p.app_id
        left join tenants.key_standings s
          on s.tenant_id = p.tenant_id and s.signing_key_id = p.signing_key_id and s.environment = p.environment
        where p.tenant_id = \(app.tenant.rawValue) and p.signing_key_id = \(key.rawValue)
          and p.app_id <> \(app.id.rawValue) and p.result = 'accepted' and a.removed_at is null
          and s.refused_since is null
        order by p.environment, p.at desc
        limit 2
        """
    }

    /// Whether other apps of the tenant sign with the key too: a row, or none.
    private static func servesOthers(_ key: SigningKeyInfo, than app: App) -> SQL {
        """
        select 1 as one
        from tenants.apps
        where tenant_id = \(app.tenant.rawValue) and app_id <> \(app.id.rawValue)
          and \(key.app == nil)
        limit 1
        """
    }
}
