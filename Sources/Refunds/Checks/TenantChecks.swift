package import Postgres
package import Tenants
package import Time

/// Everything a tenant's replies depend on, looked at without calling Apple: for `refund-desk doctor` and for the owner's page.
package enum TenantChecks {
    /// - Parameter withAudit: also walks the whole audit log, which takes as long as the log is.
    package static func of(
        _ tenant: Tenant, vault: Vault, tokens: APITokens, at now: Moment, withAudit: Bool = true, in tx: Transaction
    ) async throws -> [Check] {
        var checks: [Check] = []
        if withAudit { checks.append(try await audit(tenant, in: tx)) }
        let keys = try await vault.keys(of: tenant.id, in: tx)
        let unreadable = try await vault.unreadableSecrets(of: tenant.id, in: tx)
        let apps = try await TenantStore.apps(of: tenant.id, in: tx)
        let known = try await TenantCheckFacts.read(apps, at: now, in: tx)
        if apps.isEmpty {
            checks.append(
                .warn(
                    "tenant \(tenant.slug)", "\(tenant.name) has no app yet.",
                    Remedy(
                        "Add the first one.", at: .newApp,
                        command: "refund-desk app add --tenant \(tenant.slug) --bundle-id ID")))
        }
        for app in apps {
            checks += AppChecks(tenant: tenant, app: app, keys: keys, known: known, now: now).all(unreadable)
        }
        checks += overlap(keys, tenant, at: now)
        checks += sealed(unreadable, tenant, apps)
        checks += TokenChecks.of(try await tokens.all(of: tenant.id, in: tx), tenant, at: now)
        checks += clock(keys, probed: known.probedOffset, tenant)
        checks += try await ChannelChecks.of(tenant, in: tx)
        return checks
    }

    /// What matters of a tenant that was closed: that its log is whole, and that it could be opened again.
    package static func ofClosed(
        _ tenant: Tenant, since: Moment, vault: Vault, in tx: Transaction
    ) async throws -> [Check] {
        let unreadable = try await vault.unreadableSecrets(of: tenant.id, in: tx)
        let closed = Check.ok("tenant \(tenant.slug)", "\(tenant.name) is closed since \(since.iso8601)")
        return [closed, try await audit(tenant, in: tx)] + sealed(unreadable, tenant, []).map(\.asWarning)
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
    static func sealed(_ unreadable: [UnreadableSecret], _ tenant: Tenant, _ apps: [App]) -> [Check] {
        let name = "sealed \(tenant.slug)"
        guard !unreadable.isEmpty else { return [.ok(name, "every sealed row opens")] }
        return unreadable.map { row in
            let app = apps.first { $0.id == row.app } ?? apps.first
            return Check(
                name: name, state: row.kind == .signingKey ? .fail : .warn, text: row.text,
                remedy: remedy(row, tenant, app))
        }
    }

    private static func remedy(_ row: UnreadableSecret, _ tenant: Tenant, _ app: App?) -> Remedy {
        let place = app.map { Remedy.Place.setUp(bundleID: $0.bundleID) }
        let id = app?.bundleID ?? "ID"
        let words = "--tenant \(tenant.slug) --bundle-id \(id)"
        let first =
            row.trouble == .masterKeyMissing
            ? "Whoever runs this installation adds that master key to the others; if it is lost: "
            : "To mend it: "
        return switch row.kind {
        case .signingKey:
            Remedy(
                first + "add the key's file again.", at: place,
                command: "refund-desk key add --tenant \(tenant.slug) --key-id ID --issuer-id UUID --file PATH")
        case .inbox:
            // It still works: notifications are found by its hash.
            Remedy(
                first + "make another notification URL, enter it at Apple, and retire this one.", at: place,
                command: "refund-desk inbox add \(words)")
        case .otherReceiver:
            Remedy(
                first + "enter the other receiver's URL again.", at: place,
                command: "refund-desk relay set \(words) --url-stdin")
        case .callback:
            Remedy(first + "make another secret for the callback, and give it to the app's server.", at: place)
        case .channel:
            Remedy(
                first + "enter the channel's key again.", at: .channels,
                command: "refund-desk channel add --tenant \(tenant.slug) --kind K --secret-stdin")
        }
    }

    /// Our clock, as Apple's newest answers told. Nothing where no answer told it.
    static func clock(_ keys: [KeyStory], probed: (at: Moment, offset: Duration)?, _ tenant: Tenant) -> [Check] {
        let told = keys.flatMap(\.standings).compactMap { standing in
            standing.clockOffset.map {
                (at: standing.refusedAt ?? standing.refusedSince ?? Moment(milliseconds: 0), offset: $0)
            }
        }
        // A refusal that was one app's own matter stands with that app alone.
        let own = keys.flatMap(\.proofs).compactMap { proof in
            proof.clockOffset.flatMap { offset in proof.refusedAt.map { (at: $0, offset: offset) } }
        }
        guard let newest = (told + own + [probed].compactMap { $0 }).max(by: { $0.at < $1.at }) else { return [] }
        let name = "apple-clock \(tenant.slug)"
        let drift = ClockDrift(newest.offset)
        guard drift.isWorthSaying else {
            return [.ok(name, "our clock agreed with Apple's at \(newest.at.iso8601)")]
        }
        let text = "our clock was \(drift.words) at \(newest.at.iso8601): set it by NTP"
        return [drift.isBearable ? .warn(name, text) : .fail(name, text)]
    }
}
