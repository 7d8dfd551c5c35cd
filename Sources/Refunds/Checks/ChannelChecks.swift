package import Postgres
package import Tenants

/// Whether somebody would be told when replies stop: looked at for the owner's page and for `refund-desk doctor`.
package enum ChannelChecks {
    /// Of one tenant, or of the installation, whose troubles its tenants hear of where it has no channel of its own.
    package static func of(_ tenant: Tenant, in tx: Transaction) async throws -> [Check] {
        let channels = try await ChannelStore.all(of: tenant.id, in: tx)
        let isNeeded: Bool
        if tenant.id == .installation {
            isNeeded = false
        } else {
            isNeeded = try await TenantStore.apps(of: tenant.id, in: tx).contains { !$0.isRehearsal && !$0.isRemoved }
        }
        return of(channels, tenant, isNeeded: isNeeded)
    }

    /// Pure.
    static func of(_ channels: [Channel], _ tenant: Tenant, isNeeded: Bool) -> [Check] {
        let add = "refund-desk channel add --tenant \(tenant.slug) --kind K"
        var checks = channels.compactMap { channel -> Check? in
            let name = "channel \(tenant.slug)/\(channel.name)"
            let fix = Remedy(
                "Put in a new address or key, and press Test.", at: .channels,
                command: "refund-desk channel test --tenant \(tenant.slug) --id \(channel.id.text)")
            if !channel.isConfirmed {
                return .warn(
                    name, "nobody has opened the link that was sent to its address: nothing is told there until then",
                    Remedy(
                        "Open the link in the mail, or have it sent again.", at: .channels,
                        command: "refund-desk channel test --tenant \(tenant.slug) --id \(channel.id.text)"))
            }
            if channel.isOff { return .warn(name, "is switched off: \(channel.offWhy ?? "its address is gone")", fix) }
            if channel.failures >= 3 {
                return .warn(name, "does not take our messages: \(channel.lastError ?? "no answer")", fix)
            }
            if channel.failures > 0 {
                return .warn(name, "did not take the last message: \(channel.lastError ?? "")", fix)
            }
            if channel.lastSuccessAt == nil { return .warn(name, "was never used", fix) }
            return nil
        }
        let name = "channels \(tenant.slug)"
        let alive = channels.filter { $0.isUsed && $0.failures < 3 }
        if alive.contains(where: { $0.kind.reachesSomebody && $0.after == .zero }) {
            if checks.isEmpty { checks.append(.ok(name, "somebody is told when something goes wrong")) }
        } else if isNeeded {
            checks.append(
                .warn(
                    name,
                    alive.isEmpty
                        ? "whatever goes wrong with \(tenant.name), nobody is told"
                        : "nobody is told at once: what works reaches a program alone, or is the second in line",
                    Remedy("Add a channel that wakes somebody.", at: .channels, command: add)))
        } else if tenant.id == .installation {
            checks.append(
                .warn(
                    name, "the installation has no channel of its own: its tenants hear of its troubles",
                    Remedy("Add one for whoever runs it.", at: .channels, command: add)))
        }
        return checks
    }
}

extension ChannelKind {
    /// A person hears of it, and not only a program that may or may not tell one.
    var reachesSomebody: Bool { self != .webhook }
}
