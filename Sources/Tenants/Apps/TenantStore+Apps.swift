import FoundationEssentials
package import Postgres
package import Time

/// What an app is made with.
package struct NewApp: Sendable {
    package var bundleID: String
    package var appleID: Int64?
    /// Nil: the bundle ID.
    package var name: String?
    package var environments = Set(AppEnvironment.allCases)
    /// Set: made for rehearsal, for good.
    package var rehearsal: RehearsalSide?
    package var unreportedDelivery = UnreportedDelivery.delivered
    package var sampleContent = false
    package var consent = ConsentSetting.perCustomer
    package var consentShownWhere: String?
    package var consentDeclaredBy: String?

    package init(bundleID: String) { self.bundleID = bundleID }
}

/// What came of an Apple ID that a verified Production notification named.
package enum LearnedAppleID: Hashable, Sendable {
    /// It was unknown and is now fixed.
    case learned
    /// It is the one we know.
    case same
    /// We know another one: the notification is not for this app.
    case differs(known: Int64)
}

extension TenantStore {
    /// Makes an app with its two lanes of work; an app that was removed comes back with the new settings.
    ///
    /// A removed app comes back as what it was made for: neither does an app become a rehearsal, nor a rehearsal
    /// believe another root than the one it was made with.
    ///
    /// Throws `TenantStoreError.badBundleID`, `.badAppleID`, `.badName`, `.appleIDTaken`, `.bundleIDTaken`,
    /// `.rehearsalIsFixed`, and
    /// `AppChangeError` for what is said of environments and consent.
    package static func addApp(
        _ new: NewApp, to tenant: TenantID, at now: Moment, by actor: AuditEntry.Actor, address: String? = nil,
        in tx: Transaction
    ) async throws -> App {
        guard App.isBundleID(new.bundleID) else { throw TenantStoreError.badBundleID(new.bundleID) }
        if let appleID = new.appleID, appleID <= 0 { throw TenantStoreError.badAppleID(appleID) }
        let name = try Self.name(new.name ?? new.bundleID).text
        guard !new.environments.isEmpty else { throw AppChangeError("environments", "must name at least one") }
        var from: Moment?
        var wording: String?
        if case .allFrom(let moment, let text) = new.consent {
            (from, wording) = (try ConsentSetting.checkedStart(moment, at: now), text)
        }
        if let shownWhere = new.consentShownWhere { try AppChanges.checkRemark(shownWhere, "consentShownWhere") }
        if let declaredBy = new.consentDeclaredBy { try AppChanges.checkRemark(declaredBy, "consentDeclaredBy") }
        let (shownWhere, declaredBy) = (new.consentShownWhere ?? "", new.consentDeclaredBy ?? "")
        try await requireSameKind(new, of: tenant, in: tx)
        if let appleID = new.appleID {
            try await requireUnusedAppleID(
                appleID, by: new.bundleID, isRehearsal: new.rehearsal != nil, of: tenant, in: tx)
        }
        guard
            let row = try await tx.row(
                """
                insert into tenants.apps as a
                  (tenant_id, bundle_id, apple_id, name, environments, rehearsal, rehearsal_root, rehearsal_api_url,
                   unreported_delivery, sample_content, consent_all_from, consent_wording, consent_shown_where,
                   consent_declared_by, consent_declared_at, created_at)
                values (\(tenant.rawValue), \(new.bundleID), \(new.appleID), \(name),
                  \(new.environments.map(\.rawValue).sorted()), \(new.rehearsal != nil), \(new.rehearsal?.root),
                  \(new.rehearsal?.apiURL), \(new.unreportedDelivery.rawValue), \(new.sampleContent), \(from),
                  \(wording), \(from.map { _ in shownWhere }), \(from.map { _ in declaredBy }),
                  \(from.map { _ in now }), \(now))
                on conflict (tenant_id, bundle_id) do update
                  set removed_at = null, apple_id = coalesce(excluded.apple_id, a.apple_id), name = excluded.name,
                    environments = excluded.environments, unreported_delivery = excluded.unreported_delivery,
                    sample_content = excluded.sample_content, consent_all_from = excluded.consent_all_from,
                    consent_wording = excluded.consent_wording, consent_shown_where = excluded.consent_shown_where,
                    consent_declared_by = excluded.consent_declared_by,
                    consent_declared_at = excluded.consent_declared_at
                  where a.removed_at is not null
                returning \(appColumns)
                """)
        else { throw TenantStoreError.bundleIDTaken(new.bundleID) }
        let app = try App(row)
        // Without its lanes an app's work is never claimed: they are made together with it. Apple allows
        // 50 calls a second, in Sandbox a tenth of that.
        try await tx.execute(
            """
            insert into queue.lanes (tenant_id, lane, app_id, environment, call_spacing)
            values (\(tenant.rawValue), \(App.lane(app.id, isSandbox: false)), \(app.id.rawValue), 'Production', '20 ms'),
              (\(tenant.rawValue), \(App.lane(app.id, isSandbox: true)), \(app.id.rawValue), 'Sandbox', '200 ms')
            on conflict do nothing
            """)
        if let from, let wording {
            try await WordingStore.keep(wording, from: from, of: app, by: actor, at: now, in: tx)
        }
        try await Audit.write(
            AuditEntry(
                tenant: tenant, at: now, actor: actor, address: address, action: "app.added", subject: "\(app.id)",
                detail: [
                    "bundleId": .text(app.bundleID), "appAppleId": app.appleID.map { .number($0) } ?? .none,
                    "rehearsal": .flag(app.isRehearsal),
                ]),
            in: tx)
        return app
    }

    private static func requireSameKind(_ new: NewApp, of tenant: TenantID, in tx: Transaction) async throws {
        let row = try await tx.row(
            """
            select rehearsal_root, rehearsal_api_url
            from tenants.apps
            where tenant_id = \(tenant.rawValue) and bundle_id = \(new.bundleID) and removed_at is not null
            """)
        guard let row else { return }
        let root: [UInt8]? = try row("rehearsal_root")
        let url: String? = try row("rehearsal_api_url")
        guard root == new.rehearsal?.root, url == new.rehearsal?.apiURL else {
            throw TenantStoreError.rehearsalIsFixed(new.bundleID)
        }
    }

    /// Apple gives each app one Apple ID of its own: two with the same cannot both be right. A rehearsal's is made up.
    static func requireUnusedAppleID(
        _ appleID: Int64, by bundleID: String, isRehearsal: Bool, of tenant: TenantID, in tx: Transaction
    ) async throws {
        guard !isRehearsal else { return }
        // Two who save at once would each see an ID that nobody has.
        _ = try await tx.row(
            "select pg_advisory_xact_lock(hashtextextended(\("apple-id \(tenant.rawValue) \(appleID)"), 0))")
        let row = try await tx.row(
            """
            select bundle_id
            from tenants.apps
            where tenant_id = \(tenant.rawValue) and apple_id = \(appleID) and bundle_id <> \(bundleID)
              and not rehearsal and removed_at is null
            order by bundle_id
            limit 1
            """)
        if let row { throw TenantStoreError.appleIDTaken(appleID, by: try row("bundle_id")) }
    }

    /// The tenant's app with this bundle ID, to the letter; nil when it is unknown or removed.
    package static func app(of tenant: TenantID, bundleID: String, in tx: Transaction) async throws -> App? {
        try await tx.row(
            """
            select \(appColumns)
            from tenants.apps a
            where a.tenant_id = \(tenant.rawValue) and a.bundle_id = \(bundleID) and a.removed_at is null
            """
        ).map { try App($0) }
    }

    /// The tenant's app with this id; nil when it is unknown or removed.
    package static func app(of tenant: TenantID, id: AppID, in tx: Transaction) async throws -> App? {
        try await tx.row(
            """
            select \(appColumns)
            from tenants.apps a
            where a.tenant_id = \(tenant.rawValue) and a.app_id = \(id.rawValue) and a.removed_at is null
            """
        ).map { try App($0) }
    }

    /// The tenant's apps in the order of their bundle IDs, at most 1,000.
    ///
    /// - Parameter includingRemoved: true where their cases are read.
    package static func apps(
        of tenant: TenantID, includingRemoved: Bool = false, in tx: Transaction
    ) async throws -> [App] {
        try await tx.rows(
            """
            select \(appColumns)
            from tenants.apps a
            where a.tenant_id = \(tenant.rawValue) and (a.removed_at is null or \(includingRemoved))
            order by a.bundle_id
            limit 1000
            """
        ).map { try App($0) }
    }

    /// Takes an app out of use: its inboxes, its own keys and its own tokens end with it. Its cases stay.
    package static func removeApp(
        _ app: App, at now: Moment, by actor: AuditEntry.Actor, in tx: Transaction
    ) async throws {
        let (tenant, id) = (app.tenant.rawValue, app.id.rawValue)
        try await tx.execute(
            "update tenants.apps set removed_at = \(now) where tenant_id = \(tenant) and app_id = \(id) and removed_at is null"
        )
        try await tx.execute(
            "update tenants.inboxes set retired_at = \(now) where tenant_id = \(tenant) and app_id = \(id) and retired_at is null"
        )
        try await tx.execute(
            "update tenants.tokens set revoked_at = \(now) where tenant_id = \(tenant) and app_id = \(id) and revoked_at is null"
        )
        let keys = try await tx.rows(
            """
            select signing_key_id
            from tenants.signing_keys
            where tenant_id = \(tenant) and app_id = \(id) and state <> 'retired'
            order by signing_key_id
            limit 100
            """)
        for key in keys {
            try await VaultStore.retire(
                SigningKeyID(rawValue: try key("signing_key_id")), of: app.tenant, at: now, in: tx)
        }
        try await Audit.write(
            AuditEntry(tenant: app.tenant, at: now, actor: actor, action: "app.removed", subject: "\(app.id)"), in: tx)
    }

    /// Fixes an app's Apple ID at the first verified Production notification; audited.
    ///
    /// One conditional update: of two processes that learn different ones, the second is told so.
    package static func learnAppleID(
        _ appleID: Int64, of tenant: TenantID, app: AppID, at now: Moment, in tx: Transaction
    ) async throws -> LearnedAppleID {
        let learned = try await tx.execute(
            """
            update tenants.apps
            set apple_id = \(appleID)
            where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and apple_id is null
            """)
        if learned == 1 {
            try await Audit.write(
                AuditEntry(
                    tenant: tenant, at: now, actor: .program, action: "app.apple-id-learned", subject: "\(app)",
                    detail: ["appAppleId": .number(appleID)]),
                in: tx)
            return .learned
        }
        guard
            let row = try await tx.row(
                "select apple_id from tenants.apps where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue)")
        else { throw TenantStoreError.noApp(bundleID: "\(app)") }
        let known: Int64 = try row("apple_id")
        return known == appleID ? .same : .differs(known: known)
    }

    static let appColumns: SQL = """
        a.tenant_id, a.app_id, a.bundle_id, a.apple_id, a.name, a.environments, a.rehearsal_root, a.rehearsal_api_url,
        a.unreported_delivery, a.sample_content, a.consent_all_from, a.consent_wording, a.consent_shown_where,
        a.consent_declared_by, a.consent_declared_at, a.evidence, a.callback_url, a.callback_secret_id,
        a.callback_secret_at, a.has_other_receiver, a.relay_secret_id, a.refusal_allowance, a.removed_at
        """
}

extension App {
    init(_ row: Row) throws(PostgresError) {
        let from: Moment? = try row("consent_all_from")
        let wording: String? = try row("consent_wording")
        let declaredAt: Moment? = try row("consent_declared_at")
        let shownWhere: String? = try row("consent_shown_where")
        let declaredBy: String? = try row("consent_declared_by")
        let allowance: Int32 = try row("refusal_allowance")
        let removed: Moment? = try row("removed_at")
        let environments: [String] = try row("environments")
        let evidence: String = try row("evidence")
        let root: [UInt8]? = try row("rehearsal_root")
        let apiURL: String? = try row("rehearsal_api_url")
        var rehearsal: RehearsalSide?
        if let root, let apiURL { rehearsal = RehearsalSide(root: root, apiURL: apiURL) }
        self.init(
            tenant: TenantID(rawValue: try row("tenant_id")), id: AppID(rawValue: try row("app_id")),
            bundleID: try row("bundle_id"), appleID: try row("apple_id"), name: try row("name"),
            environments: Set(environments.compactMap(AppEnvironment.init(rawValue:))), rehearsal: rehearsal,
            unreportedDelivery: UnreportedDelivery(rawValue: try row("unreported_delivery")) ?? .withhold,
            sampleContent: try row("sample_content"),
            consent: from.map { .allFrom($0, wording: wording ?? "") } ?? .perCustomer,
            consentDeclaration: declaredAt.map {
                ConsentDeclaration(shownWhere: shownWhere ?? "", declaredBy: declaredBy ?? "", declaredAt: $0)
            },
            evidence: EvidenceMode(rawValue: evidence) ?? .none, callbackURL: try row("callback_url"),
            callbackSecret: try row("callback_secret_id"), callbackSecretAt: try row("callback_secret_at"),
            hasOtherReceiver: try row("has_other_receiver"), relaySecret: try row("relay_secret_id"),
            refusalAllowance: Int(allowance), isRemoved: removed != nil)
    }
}
