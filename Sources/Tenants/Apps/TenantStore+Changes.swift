import Crypto
import FoundationEssentials
package import Postgres
package import Time

extension TenantStore {
    /// Changes an app's settings; what stays the same is not written and not audited.
    ///
    /// - Parameters:
    ///   - vault: seals the other receiver's address.
    ///   - outbound: which addresses may be called.
    /// - Returns: the app as it is then.
    /// - Throws: `AppChangeError` naming the member, `TenantStoreError.noApp`, `.appleIDTaken`, `VaultError.noMasterKey`.
    @discardableResult
    package static func change(
        _ app: App, _ changes: AppChanges, with vault: Vault, outbound: OutboundRules, by actor: AuditEntry.Actor,
        address: String? = nil, at now: Moment, in tx: Transaction
    ) async throws -> App {
        // As it is now and stays until the end: two forms sent at once must not undo each other unseen.
        guard
            let row = try await tx.row(
                """
                select \(appColumns)
                from tenants.apps a
                where a.tenant_id = \(app.tenant.rawValue) and a.app_id = \(app.id.rawValue) and a.removed_at is null
                for update
                """)
        else { throw TenantStoreError.noApp(bundleID: app.bundleID) }
        let old = try App(row)
        try changes.check(against: old, at: now, outbound: outbound)
        var sets: [SQL] = []
        var detail: [String: AuditEntry.Value] = [:]
        func note(_ member: String, _ before: AuditEntry.Value, _ after: AuditEntry.Value) {
            detail["\(member).before"] = before
            detail["\(member).after"] = after
        }
        if let name = changes.name?.withoutOuterBlanks, name != old.name {
            sets.append("name = \(name)")
            note("name", .text(old.name), .text(name))
        }
        if let appleID = changes.appleID, appleID != old.appleID {
            try await requireUnusedAppleID(
                appleID, by: old.bundleID, isRehearsal: old.isRehearsal, of: old.tenant, in: tx)
            sets.append("apple_id = \(appleID)")
            note("appAppleId", old.appleID.map { .number($0) } ?? .none, .number(appleID))
        }
        if let environments = changes.environments, environments != old.environments {
            let (before, after) = (old.environments.map(\.rawValue).sorted(), environments.map(\.rawValue).sorted())
            sets.append("environments = \(after)")
            note("environments", .text(before.joined(separator: " ")), .text(after.joined(separator: " ")))
        }
        if let setting = changes.unreportedDelivery, setting != old.unreportedDelivery {
            sets.append("unreported_delivery = \(setting.rawValue)")
            note("unreportedDelivery", .text(old.unreportedDelivery.rawValue), .text(setting.rawValue))
        }
        if let sample = changes.sampleContent, sample != old.sampleContent {
            sets.append("sample_content = \(sample)")
            note("sampleContent", .flag(old.sampleContent), .flag(sample))
        }
        if let consent = changes.consent { set(consent, over: old, at: now, &sets, note) }
        if let evidence = changes.evidence, evidence != old.evidence {
            sets.append("evidence = \(evidence.rawValue)")
            note("evidence", .text(old.evidence.rawValue), .text(evidence.rawValue))
        }
        if let url = changes.callbackURL, url != (old.callbackURL ?? "") {
            sets.append("callback_url = \(url.isEmpty ? nil : url)")
            note("callbackURL", standing(old.callbackURL != nil), standing(!url.isEmpty))
        }
        if let other = changes.hasOtherReceiver ?? (changes.relayURL.map { !$0.isEmpty } == true ? true : nil),
            other != old.hasOtherReceiver
        {
            sets.append("has_other_receiver = \(other)")
            note("hasOtherReceiver", old.hasOtherReceiver.map { .flag($0) } ?? .none, .flag(other))
        }
        // Who says that there is no other receiver wants nothing passed on either.
        if let url = changes.relayURL ?? (changes.hasOtherReceiver == false ? "" : nil), !url.isEmpty || old.isRelayed {
            let secret = url.isEmpty ? nil : try await vault.sealRelayURL(url, of: old.tenant, in: tx)
            sets.append("relay_secret_id = \(secret)")
            note("relayURL", standing(old.isRelayed), url.isEmpty ? "not set" : "set anew")
        }
        guard !sets.isEmpty else { return old }
        // The same form sent twice changes nothing the second time, and has not come this far.
        if let seen = changes.seen, seen.mark != old.mark(of: seen.form) { throw AppChangeError.overtaken }
        let assignments = sets.dropFirst().reduce(sets[0]) { "\($0), \($1)" as SQL }
        guard
            let changed = try await tx.row(
                """
                update tenants.apps a set \(assignments)
                where a.tenant_id = \(old.tenant.rawValue) and a.app_id = \(old.id.rawValue)
                returning \(appColumns)
                """)
        else { throw TenantStoreError.noApp(bundleID: app.bundleID) }
        if let gone = old.relaySecret, detail["relayURL.before"] != nil {
            try await tx.execute(
                """
                update tenants.secrets set sealed = '\\x'
                where tenant_id = \(old.tenant.rawValue) and secret_id = \(gone) and kind = 'relay-url'
                """)
        }
        if case .allFrom(let from, let wording, _, _) = changes.consent {
            try await WordingStore.keep(wording, from: from, of: old, by: actor, at: now, in: tx)
        }
        try await Audit.write(
            AuditEntry(
                tenant: old.tenant, at: now, actor: actor, address: address, action: "app.changed",
                subject: "\(old.id)", detail: detail),
            in: tx)
        return try App(changed)
    }

    /// A declaration that says the same again is made again: by whom and when is what it is about.
    private static func set(
        _ consent: AppChanges.Consent, over old: App, at now: Moment, _ sets: inout [SQL],
        _ note: (String, AuditEntry.Value, AuditEntry.Value) -> Void
    ) {
        switch consent {
        case .perCustomer:
            guard old.consent != .perCustomer else { return }
            sets.append(
                """
                consent_all_from = null, consent_wording = null, consent_shown_where = null,
                consent_declared_by = null, consent_declared_at = null
                """)
            note("consent", named(old.consent), "per customer")
        case .allFrom(let from, let wording, let shownWhere, let declaredBy):
            let after = ConsentSetting.allFrom(from, wording: wording)
            if after == old.consent, old.consentDeclaration?.shownWhere == shownWhere,
                old.consentDeclaration?.declaredBy == declaredBy
            {
                return
            }
            sets.append(
                """
                consent_all_from = \(from), consent_wording = \(wording), consent_shown_where = \(shownWhere),
                consent_declared_by = \(declaredBy), consent_declared_at = \(now)
                """)
            note("consent", named(old.consent), named(after))
        }
    }

    /// The wording by its digest: the log keeps no texts.
    private static func named(_ consent: ConsentSetting) -> AuditEntry.Value {
        switch consent {
        case .perCustomer: "per customer"
        case .allFrom(let from, let wording):
            .text("all from \(from.iso8601), wording \(Hex.encode(Digest.sha256(Array(wording.utf8)).prefix(8)))")
        }
    }

    /// Addresses often hold a token: the log says only whether there is one.
    private static func standing(_ isSet: Bool) -> AuditEntry.Value { isSet ? "set" : "not set" }
}
