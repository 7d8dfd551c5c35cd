package import Postgres
package import Tenants
package import Time

/// Everything a tenant's replies depend on, looked at without calling Apple: for `refund-desk doctor` and for the owner's page.
package enum TenantChecks {
    /// A month without a word from Apple is worth a question.
    private static let unheardAfter = Duration.days(30)

    /// - Parameter withAudit: also walks the whole audit log, which takes as long as the log is.
    package static func of(
        _ tenant: Tenant, vault: Vault, at now: Moment, withAudit: Bool = true, in tx: Transaction
    ) async throws -> [Check] {
        var checks: [Check] = []
        if withAudit { checks.append(try await audit(tenant, in: tx)) }
        let keys = try await vault.keys(of: tenant.id, in: tx)
        let unreadable = try await vault.unreadableSecrets(of: tenant.id, in: tx)
        let apps = try await TenantStore.apps(of: tenant.id, in: tx)
        let known = try await TenantCheckFacts.read(apps, at: now, in: tx)
        if apps.isEmpty { checks.append(.warn("tenant \(tenant.slug)", "has no app yet")) }
        for app in apps {
            let name = "app \(tenant.slug)/\(app.bundleID)"
            let serving = keys.filter { $0.info.state != .retired && ($0.info.app == nil || $0.info.app == app.id) }
            checks.append(key(serving, of: app, name, unreadable))
            checks += credentials(serving, of: app, name)
            checks.append(url(known.inboxes[app.id] ?? 0, name))
            checks.append(notifications(known.heard[app.id] ?? PerEnvironment(), name, at: now))
            checks.append(consent(of: app, hasAny: known.consented.contains(app.id), name))
            if let relay = known.relays[app.id] { checks.append(self.relay(relay, name)) }
        }
        checks += overlap(keys, tenant, at: now)
        checks += sealed(unreadable, tenant)
        checks += clock(keys, probed: known.probedOffset, tenant)
        return checks
    }

    private static func audit(_ tenant: Tenant, in tx: Transaction) async throws -> Check {
        let name = "audit \(tenant.slug)"
        switch try await Audit.check(of: tenant.id, in: tx) {
        case .whole(let head):
            return .ok(name, "\(head.sequence) entries, head \(head.hash.prefix(8).map(hex).joined())")
        case .changed(let at): return .fail(name, "entry \(at) is not what was written")
        case .cut(let after): return .fail(name, "entries after \(after) are missing")
        }
    }

    private static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    /// The key that signs: is there one, and does it open.
    static func key(_ serving: [KeyStory], of app: App, _ name: String, _ unreadable: [UnreadableSecret]) -> Check {
        guard let key = serving.first(where: { $0.info.state == .active }) ?? serving.first else {
            return .fail("\(name) key", "\(VaultError.noKey(app.tenant, app.id))")
        }
        if let bad = unreadable.first(where: { $0.id == key.info.id.rawValue }) {
            return .fail("\(name) key", bad.text)
        }
        let used = key.standings.contains { $0.acceptedAt != nil }
        return .ok(
            "\(name) key", "\(key.info.keyID), \(used ? "accepted by Apple" : "not used yet"), \(key.info.fingerprint)")
    }

    /// How Apple takes it in each environment in which it was tried.
    static func credentials(_ serving: [KeyStory], of app: App, _ name: String) -> [Check] {
        guard let key = serving.first(where: { $0.info.state == .active }) ?? serving.first else { return [] }
        return key.standings.filter { $0.isRefused || $0.acceptedAt != nil }.map { standing in
            let name = "\(name) \(standing.environment)"
            guard standing.isRefused else {
                let before = standing.refusedAt.map { ", refused last at \($0.iso8601)" } ?? ""
                return .ok(name, "Apple accepted \(key.info.keyID) at \(standing.acceptedAt?.iso8601 ?? "")\(before)")
            }
            let (state, text) = CredentialWords.refused(
                standing, key: key.info, other: key.standing(isSandbox: !standing.isSandbox), bundleID: app.bundleID)
            let older = serving.first { other in
                other.info.state == .retiring && other.info.app == key.info.app
                    && other.standing(isSandbox: standing.isSandbox).map { $0.acceptedAt != nil && !$0.isRefused }
                        ?? false
            }
            guard let older else { return Check(name: name, state: state, text: text) }
            return .warn(name, "\(text). Meanwhile the older key \(older.info.keyID) signs")
        }
    }

    private static func url(_ count: Int, _ name: String) -> Check {
        guard count > 0 else { return .fail("\(name) url", "no notification URL: run \"refund-desk inbox add\"") }
        return .ok("\(name) url", "\(count) notification URL\(count == 1 ? "" : "s") in use")
    }

    private static func notifications(_ heard: PerEnvironment<Moment>, _ name: String, at now: Moment) -> Check {
        let name = "\(name) notifications"
        guard let newest = heard.all.map(\.value).max() else {
            return .warn(
                name,
                "none has arrived yet: enter the URL in App Store Connect (App Information, Version 2) and send a test")
        }
        let text = heard.all.map { "\($0.environment) last at \($0.value.iso8601)" }.joined(separator: ", ")
        if newest < now - unheardAfter {
            return .warn(name, "\(text): nothing for a month. Is the URL still entered at Apple?")
        }
        return .ok(name, text)
    }

    private static func consent(of app: App, hasAny: Bool, _ name: String) -> Check {
        switch app.consent {
        case .allFrom(let moment, _):
            return .ok(
                "\(name) consent",
                "all who bought from \(moment.iso8601.prefix(10)) on, by the wording that was declared")
        case .perCustomer:
            if hasAny { return .ok("\(name) consent", "of each customer, as reported through the API") }
            return .warn(
                "\(name) consent",
                "no customer has agreed yet, so no request is answered: report consent through the API, or declare it for all purchasers"
            )
        }
    }

    private static func relay(_ standing: TenantCheckFacts.Relay, _ name: String) -> Check {
        if standing.givenUp > 0 {
            return .warn(
                "\(name) relay",
                "\(standing.givenUp) notification\(standing.givenUp == 1 ? " was" : "s were") not taken by your other receiver in the last week"
            )
        }
        return .ok("\(name) relay", standing.waiting == 0 ? "passed on" : "passed on; \(standing.waiting) waiting")
    }

    /// Older keys that are kept although their grace time is over.
    static func overlap(_ keys: [KeyStory], _ tenant: Tenant, at now: Moment) -> [Check] {
        keys.filter { $0.info.state == .retiring }.map { key in
            let name = "key \(tenant.slug)/\(key.info.keyID)"
            let end = key.info.retiresAt ?? now
            if end <= now {
                return .warn(name, "is kept beyond \(end.iso8601): \(key.why)")
            }
            return .ok(
                name,
                "retires at \(end.iso8601); \(key.isSafeToRevoke ? "may" : "must not") be revoked at Apple now: \(key.why)"
            )
        }
    }

    /// Rows that were moved or damaged, or need a master key that is not here. One harms nothing else.
    static func sealed(_ unreadable: [UnreadableSecret], _ tenant: Tenant) -> [Check] {
        guard !unreadable.isEmpty else { return [.ok("sealed \(tenant.slug)", "every sealed row opens")] }
        return unreadable.map { row in
            Check(name: "sealed \(tenant.slug)", state: row.isSigningKey ? .fail : .warn, text: row.text)
        }
    }

    /// Our clock, as Apple's newest answers told. Nothing where no answer told it.
    static func clock(_ keys: [KeyStory], probed: (at: Moment, offset: Duration)?, _ tenant: Tenant) -> [Check] {
        let told = keys.flatMap(\.standings).compactMap { standing in
            standing.clockOffset.map {
                (at: standing.refusedAt ?? standing.refusedSince ?? Moment(milliseconds: 0), offset: $0)
            }
        }
        guard let newest = (told + [probed].compactMap { $0 }).max(by: { $0.at < $1.at }) else { return [] }
        let name = "apple-clock \(tenant.slug)"
        guard let words = CredentialWords.clock(newest.offset) else {
            return [.ok(name, "our clock agreed with Apple's at \(newest.at.iso8601)")]
        }
        let text = "\(words.text), as of \(newest.at.iso8601): set it by NTP"
        return [words.isBad ? .fail(name, text) : .warn(name, text)]
    }
}
