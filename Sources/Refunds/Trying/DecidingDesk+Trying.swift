import Crypto
package import FoundationEssentials
import Postgres
import Queue
package import Tenants
import Time

/// Replays, drafts that run beside, and the share of cases without a preference.
extension DecidingDesk {
    /// What a policy page shows of an app's trials.
    package struct Trials: Sendable {
        /// Newest first.
        package let replays: [PolicyReplay]
        /// The draft that was started last, running or not.
        package let shadow: Shadow?
        package let comparison: ShadowComparison?
        package let holdOut: HoldOutEffect

        package init(
            replays: [PolicyReplay], shadow: Shadow?, comparison: ShadowComparison?, holdOut: HoldOutEffect
        ) {
            self.replays = replays
            self.shadow = shadow
            self.comparison = comparison
            self.holdOut = holdOut
        }
    }

    package func trials(of app: App) async throws -> Trials {
        let now = clock.now
        return try await database.transaction(app.tenant.scope, isolation: .readOnly) { tx in
            let parts = try await tx.pipeline([
                ReplayStore.list(of: app, limit: ReplayStore.keptMax), ShadowStore.newest(of: app),
            ])
            let shadow = try parts[1].first.map { try Shadow($0) }
            var comparison: ShadowComparison?
            if let shadow { comparison = try await ShadowComparison.read(shadow, of: app, in: tx) }
            return Trials(
                replays: try parts[0].map { try PolicyReplay($0) }, shadow: shadow, comparison: comparison,
                holdOut: try await HoldOutEffect.read(of: app, at: now, in: tx))
        }
    }

    /// One replay; nil where the tenant has none of this id.
    package func replay(_ id: UUID, of tenant: TenantID) async throws -> PolicyReplay? {
        try await database.transaction(tenant.scope, isolation: .readOnly) { tx in
            try await tx.row(ReplayStore.find(id, of: tenant)).map { try PolicyReplay($0) }
        }
    }

    // MARK: Replays

    /// Begins to lay a text of rules over all cases that rules decided; audited.
    ///
    /// - Returns: its id, or that of the replay that runs already.
    /// - Throws: `Refused`.
    package func beginReplay(
        _ text: String, of app: App, by person: PersonID, role: Tenants.Role, address: String?
    ) async throws -> UUID {
        guard role >= .admin else { throw Refused.forbidden }
        try Self.check(text)
        let now = clock.now
        let id = try await database.transaction(app.tenant.scope) { tx in
            try await Self.oneByOne(app, in: tx)
            if let running = try await tx.rows(ReplayStore.list(of: app, limit: 1)).first.map({ try PolicyReplay($0) }),
                running.state == .running
            {
                return running.id
            }
            let id = Random.uuid()
            try await tx.execute(ReplayStore.begin(id, text, of: app, by: person, at: now))
            try await tx.execute(ReplayStore.forget(of: app))
            try await ReplayJob.add(id, of: app, at: now, in: tx)
            try await note("policy.replayed", app, ["is": .text(id.text)], person, address, at: now, in: tx)
            return id
        }
        bell.ring()
        return id
    }

    /// Ends a replay that runs; what it has looked at stays. Audited.
    package func cancelReplay(
        _ id: UUID, of app: App, by person: PersonID, role: Tenants.Role, address: String?
    ) async throws {
        guard role >= .admin else { throw Refused.forbidden }
        try await database.transaction(app.tenant.scope) { tx in
            guard let replay = try await tx.row(ReplayStore.find(id, of: app.tenant)).map({ try PolicyReplay($0) }),
                replay.app == app.id
            else { return }
            let now = clock.now
            let ended = try await tx.execute(
                ReplayStore.end(id, of: app.tenant, as: .cancelled, trouble: nil, at: now))
            guard ended > 0 else { return }
            try await note("policy.replay-cancelled", app, ["is": .text(id.text)], person, address, at: now, in: tx)
        }
    }

    // MARK: Drafts that run beside

    /// Lets a text run beside the policy, in place of one that ran before; audited.
    ///
    /// - Throws: `Refused`.
    package func startShadow(
        _ text: String, of app: App, by person: PersonID, role: Tenants.Role, address: String?
    ) async throws {
        guard role >= .admin else { throw Refused.forbidden }
        try Self.check(text)
        try await database.transaction(app.tenant.scope) { tx in
            try await Self.oneByOne(app, in: tx)
            let now = clock.now
            let last = try await tx.row(ShadowStore.newest(of: app)).map { try Shadow($0) }
            if let last, last.stoppedAt == nil {
                try await tx.execute(ShadowStore.stop(last.number, promoted: nil, of: app, by: person, at: now))
            }
            let number = (last?.number ?? 0) + 1
            try await tx.execute(ShadowStore.start(text, number: number, of: app, by: person, at: now))
            try await note(
                "policy.shadow-started", app, ["count": .number(Int64(number))], person, address, at: now, in: tx)
        }
    }

    /// Stops the draft that runs beside; what it said stays. Audited.
    package func stopShadow(of app: App, by person: PersonID, role: Tenants.Role, address: String?) async throws {
        guard role >= .admin else { throw Refused.forbidden }
        try await database.transaction(app.tenant.scope) { tx in
            try await Self.oneByOne(app, in: tx)
            guard
                let shadow = try await tx.row(ShadowStore.running(of: app.id, tenant: app.tenant)).map({
                    try Shadow($0)
                })
            else { return }
            let now = clock.now
            try await tx.execute(ShadowStore.stop(shadow.number, promoted: nil, of: app, by: person, at: now))
            try await note(
                "policy.shadow-stopped", app, ["count": .number(Int64(shadow.number))], person, address, at: now,
                in: tx)
        }
    }

    /// Makes the draft that runs beside the policy that decides; audited as a change of the policy.
    ///
    /// - Parameter basedOn: as of `save`.
    /// - Throws: `Refused`; `overtaken` also where no draft runs any more.
    package func promoteShadow(
        basedOn: Int, of app: App, by person: PersonID, role: Tenants.Role, address: String?
    ) async throws -> PolicyVersion {
        guard role >= .admin else { throw Refused.forbidden }
        return try await database.transaction(app.tenant.scope) { tx in
            try await Self.oneByOne(app, in: tx)
            guard
                let shadow = try await tx.row(ShadowStore.running(of: app.id, tenant: app.tenant)).map({
                    try Shadow($0)
                })
            else { throw Refused.overtaken(by: nil) }
            try Self.check(shadow.text)
            let version = try await add(
                shadow.text, note: "Ran beside as draft \(shadow.number)", basedOn: basedOn, of: app, by: person,
                address: address, in: tx)
            try await tx.execute(
                ShadowStore.stop(shadow.number, promoted: version.number, of: app, by: person, at: version.madeAt))
            return version
        }
    }

    // MARK: The hold-out

    /// Sets how many in a hundred cases get facts without the preference; audited.
    ///
    /// - Parameter share: 0…50; 0: none.
    package func setHoldOut(
        _ share: Int, of app: App, by person: PersonID, role: Tenants.Role, address: String?
    ) async throws {
        guard role >= .admin else { throw Refused.forbidden }
        guard (0...HoldOut.shareMax).contains(share) else {
            throw Refused.field("share", "From 0 to \(HoldOut.shareMax) in a hundred.")
        }
        try await database.transaction(app.tenant.scope) { tx in
            let now = clock.now
            let changed = try await tx.execute(
                """
                insert into refunds.hold_outs as h (tenant_id, app_id, share, changed_by, changed_at)
                values (\(app.tenant.rawValue), \(app.id.rawValue), \(Int32(share)), \(person.rawValue), \(now))
                on conflict (tenant_id, app_id) do update
                  set share = excluded.share, changed_by = excluded.changed_by, changed_at = excluded.changed_at
                  where h.share <> excluded.share
                """)
            guard changed > 0 else { return }
            try await note(
                "policy.hold-out-set", app, ["count": .number(Int64(share))], person, address, at: now, in: tx)
        }
    }

    // MARK: small things

    static func check(_ text: String) throws {
        guard Text.isKept(text, bytesMax: PolicyText.bytesMax) else {
            throw Refused.field("rules", "A policy has at most 32 KiB of text.")
        }
        if case .failure(let troubles) = PolicyText.read(text) { throw Refused.troubles(troubles) }
    }

    /// What is made of one app's policy is made one after the other.
    static func oneByOne(_ app: App, in tx: Transaction) async throws {
        _ = try await tx.row(
            """
            select 1 as one
            from tenants.apps
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
            for update
            """)
    }
}
