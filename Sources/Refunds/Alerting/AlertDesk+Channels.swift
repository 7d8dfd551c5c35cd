import Crypto
package import FoundationEssentials
import Journal
import Postgres
import Queue
package import Tenants
package import Time

extension AlertDesk {
    package func channels(of tenant: TenantID) async throws -> [Channel] {
        try await database.transaction(tenant.scope) { tx in try await ChannelStore.all(of: tenant, in: tx) }
    }

    /// Adds a way to reach somebody.
    ///
    /// - Throws: `AlertError`, `ChannelTargetError` with a sentence about what was typed, `VaultError.noMasterKey`.
    package func addChannel(
        _ kind: ChannelKind, _ change: ChannelChange, of tenant: TenantID, by actor: AuditEntry.Actor,
        address: String? = nil
    ) async throws -> Channel {
        if kind == .email, !hasMail { throw AlertError.noMail }
        let entry = try check(kind, change)
        let now = clock.now
        let added = try await database.transaction(tenant.scope) { tx in
            guard try await ChannelStore.all(of: tenant, in: tx).count < ChannelStore.max else {
                throw AlertError.tooMany(ChannelStore.max)
            }
            var secret: UUID?
            if let typed = entry.secret { secret = try await vault.sealChannelSecret(typed, of: tenant, in: tx) }
            let channel = Channel(
                id: Random.uuid(), tenant: tenant, kind: kind, name: change.name, target: entry.target, secret: secret,
                severity: change.severity, apps: change.apps, after: change.after, quiet: change.quiet,
                zone: change.zone, language: change.language ?? .english, createdAt: now)
            try await ChannelStore.add(channel, by: actor.person, in: tx)
            try await audit("channel.added", channel, tenant, actor, address, in: tx)
            if !channel.isConfirmed { _ = try await askToConfirm(channel.id, of: tenant, in: tx) }
            return channel
        }
        if !added.isConfirmed { bell.ring() }
        return added
    }

    /// Changes a channel; a new address or key switches a dead one on again, and what failed is told anew.
    package func changeChannel(
        _ id: UUID, _ change: ChannelChange, of tenant: TenantID, by actor: AuditEntry.Actor, address: String? = nil
    ) async throws -> Channel {
        let now = clock.now
        let changed = try await database.transaction(tenant.scope) { tx in
            guard let old = try await ChannelStore.find(id, of: tenant, forUpdate: true, in: tx) else {
                throw AlertError.noSuchChannel
            }
            let entry = try check(old.kind, change, known: try await known(old, change, in: tx))
            var secret = old.secret
            if change.secret != nil, let typed = entry.secret {
                secret = try await vault.sealChannelSecret(typed, of: tenant, in: tx)
                if let gone = old.secret { try await vault.wipeChannelSecret(gone, of: tenant, in: tx) }
            }
            let isRepaired = change.secret != nil || entry.target != old.target
            let channel = Channel(
                id: id, tenant: tenant, kind: old.kind, name: change.name, target: entry.target, secret: secret,
                severity: change.severity, apps: change.apps, after: change.after, quiet: change.quiet,
                zone: change.zone ?? change.quiet?.zone ?? old.zone, language: change.language ?? old.language,
                confirmedAt: entry.target == old.target ? old.confirmedAt : nil, createdAt: old.createdAt,
                offAt: isRepaired ? nil : old.offAt, offWhy: isRepaired ? nil : old.offWhy,
                lastSuccessAt: old.lastSuccessAt, lastError: old.lastError, lastErrorAt: old.lastErrorAt,
                failures: isRepaired ? 0 : old.failures)
            try await ChannelStore.change(channel, isRepaired: isRepaired, in: tx)
            if isRepaired { try await NoticeStore.forgetFailed(over: id, of: tenant, at: now, in: tx) }
            try await audit("channel.changed", channel, tenant, actor, address, in: tx)
            if entry.target != old.target, !channel.isConfirmed {
                try await ChannelStore.forgetLinks(of: id, tenant: tenant, in: tx)
                _ = try await askToConfirm(id, of: tenant, in: tx)
            }
            return channel
        }
        if !changed.isConfirmed { bell.ring() }
        return changed
    }

    package func removeChannel(
        _ id: UUID, of tenant: TenantID, by actor: AuditEntry.Actor, address: String? = nil
    ) async throws {
        let now = clock.now
        try await database.transaction(tenant.scope) { tx in
            guard let old = try await ChannelStore.find(id, of: tenant, forUpdate: true, in: tx) else {
                throw AlertError.noSuchChannel
            }
            try await ChannelStore.remove(id, of: tenant, at: now, in: tx)
            if let secret = old.secret { try await vault.wipeChannelSecret(secret, of: tenant, in: tx) }
            try await audit("channel.removed", old, tenant, actor, address, in: tx)
        }
    }

    /// Sends a test message over a channel, or the link once more where nobody has confirmed it; how it went stands on
    /// the channel.
    ///
    /// Not repeated by itself: whoever pressed Test sees what came of it.
    ///
    /// - Returns: the message, to ask about with `outcome`.
    @discardableResult
    package func testChannel(
        _ id: UUID, of tenant: TenantID, by actor: AuditEntry.Actor, address: String? = nil
    ) async throws -> UUID {
        let now = clock.now
        let notice = try await database.transaction(tenant.scope) { tx in
            guard let channel = try await ChannelStore.find(id, of: tenant, in: tx) else {
                throw AlertError.noSuchChannel
            }
            guard channel.isConfirmed else {
                try await audit("channel.tested", channel, tenant, actor, address, in: tx)
                return try await askToConfirm(id, of: tenant, in: tx)
            }
            let notice = try await NoticeStore.add(
                NoticePlan.Wanted(channel: id, event: .test, sequence: 1), of: nil, severity: .info, tenant: tenant,
                at: now, in: tx)
            try await audit("channel.tested", channel, tenant, actor, address, in: tx)
            return notice
        }
        bell.ring()
        return notice
    }

    /// The newest test of a channel; nil where it was never tested.
    package func lastTest(of channel: Channel) async throws -> ChannelTest? {
        let rows = try await database.rows(
            channel.tenant.scope,
            """
            select made_at, ended_at, state, coalesce(answer, '') as answer
            from refunds.notices
            where tenant_id = \(channel.tenant.rawValue) and channel_id = \(channel.id) and event = 'test'
            order by made_at desc, notice_id desc
            limit 1
            """)
        return try rows.first.map { row in
            let state: String = try row("state")
            let isTaken: Bool? = state == "waiting" ? nil : state == "sent"
            return ChannelTest(
                askedAt: try row("made_at"), endedAt: try row("ended_at"), isTaken: isTaken, words: try row("answer"))
        }
    }

    /// How a message fared; nil while it is on its way.
    package func outcome(of notice: UUID, tenant: TenantID) async throws -> (isTaken: Bool, words: String)? {
        let rows = try await database.rows(
            tenant.scope,
            """
            select state, coalesce(answer, '') as answer
            from refunds.notices
            where tenant_id = \(tenant.rawValue) and notice_id = \(notice) and state <> 'waiting'
            """)
        return try rows.first.map { row in
            let state: String = try row("state")
            return (state == "sent", try row("answer"))
        }
    }

    /// What a channel is called with now, where nothing new was typed. One that does not open has to be typed again.
    private func known(_ old: Channel, _ change: ChannelChange, in tx: Transaction) async throws -> Redacted<String>? {
        guard change.secret == nil, let id = old.secret,
            let sealed = try await vault.channelSecrets([id], of: old.tenant, in: tx)[id]
        else { return nil }
        return try? vault.open(sealed)
    }

    private func check(
        _ kind: ChannelKind, _ change: ChannelChange, known: Redacted<String>? = nil
    ) throws -> ChannelEntry {
        let name = change.name
        guard (1...80).contains(name.count), Text.isWritten(name, bytesMax: 320),
            name.contains(where: { !$0.isWhitespace })
        else { throw AlertError.field("name", "a name has 1 to 80 characters") }
        guard change.severity > .info else {
            throw AlertError.field("severity", "choose warning, error or critical: the rest is told to nobody")
        }
        guard change.after >= .zero, change.after <= .hours(24) else {
            throw AlertError.field("after", "at most 24 hours")
        }
        if let zone = change.zone, Zone(zone) == nil {
            throw AlertError.field("zone", "a time zone has a name such as Europe/Berlin or UTC")
        }
        return try kind.check(
            target: change.target, secret: (change.secret ?? known)?.reveal(), rules: outbound)
    }

    private func audit(
        _ action: String, _ channel: Channel, _ tenant: TenantID, _ actor: AuditEntry.Actor, _ address: String?,
        in tx: Transaction
    ) async throws {
        try await Audit.write(
            AuditEntry(
                tenant: tenant, at: clock.now, actor: actor, address: address, action: action,
                subject: "channel \(channel.id.text)",
                detail: ["kind": .text(channel.kind.rawValue), "severity": .text(channel.severity.rawValue)]),
            in: tx)
    }
}

/// A test message that somebody asked for, and what came of it.
package struct ChannelTest: Sendable, Hashable {
    package let askedAt: Moment
    package let endedAt: Moment?
    /// Nil while it is on its way.
    package let isTaken: Bool?
    /// The service's own words, or why it was not sent.
    package let words: String

    package init(askedAt: Moment, endedAt: Moment? = nil, isTaken: Bool? = nil, words: String = "") {
        self.askedAt = askedAt
        self.endedAt = endedAt
        self.isTaken = isTaken
        self.words = words
    }
}

extension AuditEntry.Actor {
    var person: PersonID? { if case .person(let id) = self { id } else { nil } }
}
