package import Postgres
package import Time

/// What an app is made with.
package struct NewApp: Sendable {
    package var bundleID: String
    package var appleID: Int64?
    /// Nil: the bundle ID.
    package var name: String?
    package var rehearsal = false
    package var unreportedDelivery = UnreportedDelivery.delivered
    package var sampleContent = false
    package var consent = ConsentSetting.perCustomer

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
    /// Throws `TenantStoreError.badBundleID`, `.badAppleID`, `.badName`, `.bundleIDTaken`.
    package static func addApp(
        _ new: NewApp, to tenant: TenantID, at now: Moment, by actor: AuditEntry.Actor, in tx: Transaction
    ) async throws -> App {
        guard App.isBundleID(new.bundleID) else { throw TenantStoreError.badBundleID(new.bundleID) }
        if let appleID = new.appleID, appleID <= 0 { throw TenantStoreError.badAppleID(appleID) }
        let name = new.name ?? new.bundleID
        guard isName(name) else { throw TenantStoreError.badName }
        var from: Moment?
        var wording: String?
        if case .allFrom(let moment, let text) = new.consent { (from, wording) = (moment, text) }
        guard
            let row = try await tx.row(
                """
                insert into tenants.apps as a
                  (tenant_id, bundle_id, apple_id, name, rehearsal, unreported_delivery, sample_content,
                   consent_all_from, consent_wording, created_at)
                values (\(tenant.rawValue), \(new.bundleID), \(new.appleID), \(name), \(new.rehearsal),
                  \(new.unreportedDelivery.rawValue), \(new.sampleContent), \(from), \(wording), \(now))
                on conflict (tenant_id, bundle_id) do update
                  set removed_at = null, apple_id = coalesce(excluded.apple_id, a.apple_id), name = excluded.name,
                    rehearsal = excluded.rehearsal, unreported_delivery = excluded.unreported_delivery,
                    sample_content = excluded.sample_content, consent_all_from = excluded.consent_all_from,
                    consent_wording = excluded.consent_wording
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
        try await Audit.write(
            AuditEntry(
                tenant: tenant, at: now, actor: actor, action: "app.added", subject: "\(app.id)",
                detail: ["bundleId": .text(app.bundleID), "appAppleId": app.appleID.map { .number($0) } ?? .none]),
            in: tx)
        return app
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
            where tenant_id = \(tenant) and app_id = \(id) and state = 'active'
            order by signing_key_id
            limit 100
            """)
        for key in keys {
            try await VaultStore.retire(SigningKeyID(rawValue: try key("signing_key_id")), of: app.tenant, in: tx)
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
        a.tenant_id, a.app_id, a.bundle_id, a.apple_id, a.name, a.rehearsal, a.unreported_delivery,
        a.sample_content, a.consent_all_from, a.consent_wording, a.refusal_allowance, a.removed_at
        """
}

extension App {
    init(_ row: Row) throws(PostgresError) {
        let from: Moment? = try row("consent_all_from")
        let wording: String? = try row("consent_wording")
        let allowance: Int32 = try row("refusal_allowance")
        let removed: Moment? = try row("removed_at")
        self.init(
            tenant: TenantID(rawValue: try row("tenant_id")), id: AppID(rawValue: try row("app_id")),
            bundleID: try row("bundle_id"), appleID: try row("apple_id"), name: try row("name"),
            rehearsal: try row("rehearsal"),
            unreportedDelivery: UnreportedDelivery(rawValue: try row("unreported_delivery")) ?? .withhold,
            sampleContent: try row("sample_content"),
            consent: from.map { .allFrom($0, wording: wording ?? "") } ?? .perCustomer,
            refusalAllowance: Int(allowance), isRemoved: removed != nil)
    }
}
