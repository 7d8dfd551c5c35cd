import AppStore
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
            newestVersionOne(of: app), sameAppleID(as: app),
        ])
        if let row = parts[0].first {
            let environments: [String] = try row("environments")
            let inboxes: Int64 = try row("inboxes")
            facts.wantsProduction = environments.contains("Production")
            facts.wantsSandbox = environments.contains("Sandbox")
            facts.inboxes = Int(inboxes)
            facts.hasConsent = try row("has_consent")
            facts.hasUsage = try row("has_usage")
            facts.hasReports = try row("has_reports")
            facts.isAppleIDProven = try row("is_apple_id_proven")
        }
        facts.tests.production = try parts[2].first.map { try TestNotification($0) }
        facts.tests.sandbox = try parts[3].first.map { try TestNotification($0) }
        for row in parts[4] { try hear(row, &facts) }
        facts.refused = try parts[5].first.map { try refused($0, facts) } ?? nil
        facts.versionOneAt = try parts[6].first.map { try $0("received_at") }
        facts.sameAppleID = try parts[7].first.map { try $0("bundle_id") }
        if app.isRelayed { facts.relay = try await RelayQueries.standing(of: app, in: tx) }
        try await addKeys(to: &facts, vault: vault, in: tx)
        facts.take(try parts[1].map { try Probe($0) })
        return facts
    }

    /// Nil where something was taken since, or where its Apple ID is the app's by now.
    private static func refused(_ row: Row, _ facts: OnboardingFacts) throws -> OnboardingState.Refused? {
        let (at, reason): (Moment, String) = (try row("received_at"), try row("reason"))
        let heard = [facts.heard.production?.at, facts.heard.sandbox?.at].compactMap { $0 }
        var appleID: Int64?
        if reason == JWSError.Reason.appleIDMismatch.rawValue {
            // Its signature was verified before its Apple ID was compared.
            let body: [UInt8]? = try row("body")
            appleID = body.flatMap { try? JWS($0) }.flatMap { try? NotificationPayload(json: $0.payload) }?.appAppleId
            if appleID == facts.app.appleID { return nil }
            // Sandbox names no Apple ID: only what Production took says that it is right.
            if let production = facts.heard.production?.at, production > at { return nil }
        } else if heard.contains(where: { $0 > at }) {
            return nil
        }
        return OnboardingState.Refused(at: at, reason: reason, detail: try row("detail"), appleID: appleID)
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
        let serving = try await vault.keys(of: app.tenant, in: tx)
            .filter { $0.info.state != .retired && $0.info.serves(app) }
            .ownFirst
        facts.keys = serving.filter { $0.info.state == .active }.map { KeyReport($0, for: app) }
        guard let first = facts.keys.first, let story = serving.first(where: { $0.info.id == first.key.id }) else {
            return
        }
        facts.keyFileName = first.key.fileName
        for isSandbox in [false, true] {
            let signer = KeyChoice.signing(serving.map { $0.candidate(for: app.id, isSandbox: isSandbox) })
            facts.standIns[isSandbox: isSandbox] = signer.flatMap { index in
                serving[index].info.id == first.key.id ? nil : serving[index].info.keyID
            }
            facts.worksFor[isSandbox: isSandbox] = story.other(than: app.id, isSandbox: isSandbox)?.bundleID
            let standing = first.standings[isSandbox: isSandbox]
            facts.acceptedBefore[isSandbox: isSandbox] = standing?.acceptedAt
            facts.isAccepted[isSandbox: isSandbox] = standing?.isAccepted
        }
        for row in try await tx.rows(calls(with: first.key.id, of: app)) {
            let environment: String = try row("environment")
            let (accepted, refused): (Moment?, Moment?) = (try row("accepted_at"), try row("refused_at"))
            guard let at = [accepted, refused].compactMap({ $0 }).max() else { continue }
            facts.calls[isSandbox: environment == "Sandbox"] = KeyCall(at: at, isAccepted: accepted == at)
        }
    }

    // MARK: SQL

    private static func about(_ app: App) -> SQL {
        """
        select a.environments,
          (select count(*) from tenants.inboxes i
           where i.tenant_id = a.tenant_id and i.app_id = a.app_id and i.retired_at is null) as inboxes,
          exists (select from refunds.consent_changes c
                  where c.tenant_id = a.tenant_id and c.app_id = a.app_id and c.consented
                    and c.subject not in (\(NobodysPurchase.customer), \(NobodysPurchase.transactionID))) as has_consent,
          exists (select from refunds.usage u
                  where u.tenant_id = a.tenant_id and u.app_id = a.app_id
                    and u.transaction_id <> \(NobodysPurchase.transactionID)) as has_usage,
          exists (select from refunds.consent_changes c
                  where c.tenant_id = a.tenant_id and c.app_id = a.app_id and c.consented)
            or exists (select from refunds.usage u
                       where u.tenant_id = a.tenant_id and u.app_id = a.app_id) as has_reports,
          a.apple_id is not null and \(takenFromProduction(app)) as is_apple_id_proven
        from tenants.apps a
        where a.tenant_id = \(app.tenant.rawValue) and a.app_id = \(app.id.rawValue)
        """
    }

    /// Whether a Production notification was taken lately: each of them names the app's Apple ID.
    static func takenFromProduction(_ app: App) -> SQL {
        """
        exists (
          select from (
            select environment
            from refunds.notifications
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
            order by received_at desc, notification_uuid desc
            limit 500) n
          where n.environment = 'Production')
        """
    }

    /// Another app of the tenant with this app's Apple ID. Rehearsals have made-up ones.
    private static func sameAppleID(as app: App) -> SQL {
        """
        select bundle_id
        from tenants.apps
        where tenant_id = \(app.tenant.rawValue) and app_id <> \(app.id.rawValue) and apple_id = \(app.appleID)
          and not rehearsal and not \(app.isRehearsal) and removed_at is null
        order by bundle_id
        limit 1
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
        select received_at, reason, detail, body
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
}
