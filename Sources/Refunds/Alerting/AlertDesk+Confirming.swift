import Crypto
import FoundationEssentials
import Postgres
import Queue
import Tenants
import Time

/// What a link in a mail would confirm.
package struct ChannelConfirmation: Sendable, Hashable {
    package let tenantName: String
    package let channelName: String
    package let address: String
}

/// A mail address is written to when whoever reads there has said so: a slip of the pen would else tell a stranger, and
/// nobody would be woken.
extension AlertDesk {
    /// How long a link counts.
    static let linkLife = Duration.days(7)
    /// Links that a tenant may have sent in an hour: nobody's mailbox is filled through us.
    static let linksMax: Int64 = 20

    /// What the link would confirm; nil where it does nothing (any more). Changes nothing.
    package func confirmation(_ token: String) async throws -> ChannelConfirmation? {
        guard let hash = Self.hash(of: token) else { return nil }
        let now = clock.now
        return try await database.transaction(.house) { tx in
            try await ChannelStore.linked(hash, at: now, in: tx)?.confirmation
        }
    }

    /// Uses the link up; nil where it does nothing.
    package func confirm(_ token: String, address: String? = nil) async throws -> ChannelConfirmation? {
        guard let hash = Self.hash(of: token) else { return nil }
        let now = clock.now
        let found = try await database.transaction(.house) { tx in try await ChannelStore.linked(hash, at: now, in: tx)
        }
        guard let found else { return nil }
        let isDone = try await database.transaction(found.tenant.scope) { tx in
            guard try await ChannelStore.confirm(found.channel, by: hash, of: found.tenant, at: now, in: tx) else {
                return false
            }
            try await Audit.write(
                AuditEntry(
                    tenant: found.tenant, at: now, actor: .program, address: address, action: "channel.confirmed",
                    subject: "channel \(found.channel.text)"),
                in: tx)
            return true
        }
        return isDone ? found.confirmation : nil
    }

    /// Has a link sent to a channel that nobody has confirmed; where many were sent already, the newest of them stands.
    func askToConfirm(_ channel: UUID, of tenant: TenantID, in tx: Transaction) async throws -> UUID {
        let now = clock.now
        let sent = try await tx.rows(
            """
            select notice_id, channel_id
            from refunds.notices
            where tenant_id = \(tenant.rawValue) and event = 'confirm' and made_at > \(now - .hours(1))
            order by made_at desc, notice_id desc
            limit \(Self.linksMax)
            """)
        if sent.count >= Self.linksMax {
            let same = try sent.first { try $0("channel_id") == channel }
            if let same { return try same("notice_id") }
            throw AlertError.field("target", "too many links were sent within an hour: try again later")
        }
        return try await NoticeStore.add(
            NoticePlan.Wanted(channel: channel, event: .confirm, sequence: 1), of: nil, severity: .info, tenant: tenant,
            at: now, in: tx)
    }

    /// Nil for what is no token of ours.
    static func hash(of token: String) -> [UInt8]? {
        token.utf8.count == 43 ? Digest.sha256(Array(token.utf8)) : nil
    }
}
