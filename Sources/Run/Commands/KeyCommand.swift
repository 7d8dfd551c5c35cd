import FoundationEssentials
import Crypto
import Postgres
import Queue
import Refunds
import Tenants
import Time

/// `refund-desk key …`
enum KeyCommand {
    static let add = Command(
        CommandForm(
            words: ["key", "add"],
            options: [
                .required("tenant", "SLUG", "whose key it is"),
                .optional(
                    "key-id", "ID",
                    "ten capital letters and digits, from App Store Connect; not needed while the file is still named SubscriptionKey_<ID>.p8"
                ),
                .required("issuer-id", "UUID", "shown above the list of keys in App Store Connect"),
                .optional("bundle-id", "ID", "only for this app; else for all of the tenant's"),
                .required("file", "PATH", "the .p8 file; - is standard input"),
                .optional(
                    "grace-days", "N",
                    "how long the key before it is kept, 0 to 90; 7 otherwise. It signs where Apple refuses the new one"
                ),
            ],
            summary: "Adds an In-App Purchase key, or replaces the one with the same key ID. Never calls Apple.")
    ) { arguments, surroundings in
        let grace = try grace(arguments)
        return try await House.open(surroundings) { house in
            let path = arguments["file"]
            let file = try SecretFile.read(path, bytesMax: SigningKeyUpload.fileBytesMax)
            let key = try SigningKeyUpload.check(
                file: file, fileName: path == "-" ? nil : path, keyID: arguments.optional("key-id"),
                issuerID: arguments["issuer-id"])
            let hints = key.hints.map { "\($0)" }
            let tenant = try await house.tenant(arguments["tenant"])
            let info = try await store(
                key, of: tenant, bundleID: arguments.optional("bundle-id"), grace: grace, in: house)
            return Answer(
                [
                    ("id", .text(info.id.rawValue.uuidString.lowercased())), ("keyId", .text(info.keyID)),
                    ("fingerprint", .text(info.fingerprint)), ("hints", .list(hints.map { .text($0) })),
                ],
                text: (["Added key \(info.keyID). Its fingerprint:", info.fingerprint] + hints.map { "Note: \($0)" })
                    .joined(separator: "\n"))
        }
    }

    static let list = Command(
        CommandForm(
            words: ["key", "list"], options: [.required("tenant", "SLUG", "whose keys")],
            summary: "Lists a tenant's signing keys in use, newest first. No key is opened.")
    ) { arguments, surroundings in
        try await House.open(surroundings) { house in
            let tenant = try await house.tenant(arguments["tenant"])
            let (keys, apps) = try await house.database.transaction(tenant.id.scope) { tx in
                let keys = try await house.vault.keys(of: tenant.id, in: tx).filter { $0.info.state != .retired }
                return (keys, try await TenantStore.apps(of: tenant.id, in: tx))
            }
            func bundleID(_ key: SigningKeyInfo) -> String? { apps.first { $0.id == key.app }?.bundleID }
            let listed = keys.map { story in
                let key = story.info
                return JSON.object([
                    ("id", .text(key.id.rawValue.uuidString.lowercased())), ("keyId", .text(key.keyID)),
                    ("issuerId", .text(key.issuerID)), ("bundleId", JSON(bundleID(key))),
                    ("fingerprint", .text(key.fingerprint)), ("createdAt", .number(key.createdAt.milliseconds)),
                    ("state", .text(key.state.rawValue)), ("retiresAt", moment(key.retiresAt)),
                    ("lastUsedAt", moment(key.lastUsedAt)), ("opens", .flag(story.opens)),
                    ("environments", .list(story.standings.map(standing))),
                    ("isSafeToRevoke", .flag(story.isSafeToRevoke)), ("why", .text(story.why)),
                ])
            }
            let rows = keys.map { story in
                let key = story.info
                return [
                    key.keyID, bundleID(key) ?? "every app", key.state.rawValue, key.createdAt.iso8601, key.fingerprint,
                    story.isSafeToRevoke ? "yes" : "no",
                ]
            }
            return Answer(
                [("keys", .list(listed))],
                text: keys.isEmpty
                    ? "\(tenant.name) has no signing key in use. Next: refund-desk key add --tenant \(tenant.slug) --key-id ID --issuer-id UUID --file PATH"
                    : TextTable("KEY ID", "SIGNS FOR", "STATE", "ADDED", "FINGERPRINT", "MAY BE REVOKED", rows: rows)
                        .text)
        }
    }

    private static func moment(_ moment: Moment?) -> JSON { moment.map { .number($0.milliseconds) } ?? .none }

    private static func standing(_ standing: KeyStanding) -> JSON {
        .object([
            ("environment", .text(standing.environment)), ("usedAt", moment(standing.usedAt)),
            ("acceptedAt", moment(standing.acceptedAt)), ("refusedAt", moment(standing.refusedAt)),
            ("refusedSince", moment(standing.refusedSince)),
        ])
    }

    static let remove = Command(
        CommandForm(
            words: ["key", "remove"],
            options: [
                .required("tenant", "SLUG", "whose key it is"), .required("key-id", "ID", "which key"),
                .optional("bundle-id", "ID", "the key of this app; else the one of the whole tenant"),
            ],
            summary: "Takes a key out of use and wipes it.")
    ) { arguments, surroundings in
        try await House.open(surroundings) { house in
            let tenant = try await house.tenant(arguments["tenant"])
            let keyID = arguments["key-id"]
            let isRemoved = try await house.database.transaction(tenant.id.scope) { tx in
                var app: App?
                if let bundleID = arguments.optional("bundle-id") {
                    app = try await house.app(bundleID, of: tenant, in: tx)
                }
                return try await house.vault.removeSigningKey(
                    keyID: keyID, app: app?.id, of: tenant.id, by: .commandLine, in: tx)
            }
            guard isRemoved else { throw Failure("the tenant has no such key \(keyID) in use") }
            return Answer([("keyId", .text(keyID))], text: "Removed key \(keyID).")
        }
    }

    private static func grace(_ arguments: Arguments) throws(UsageError) -> Duration {
        guard let text = arguments.optional("grace-days") else { return KeyOverlap.grace }
        guard let days = Int64(text), (0...90).contains(days) else {
            throw UsageError("--grace-days is a number from 0 to 90", usage: arguments.form.usage)
        }
        return .days(days)
    }

    /// Stores a key and lets the replies that waited for it go on.
    private static func store(
        _ key: borrowing CheckedSigningKey, of tenant: Tenant, bundleID: String?, grace: Duration, in house: House
    ) async throws -> SigningKeyInfo {
        let database = house.database
        return try await database.transaction(tenant.id.scope) { tx in
            var apps = try await TenantStore.apps(of: tenant.id, in: tx)
            var tied: App?
            if let bundleID {
                let app = try await house.app(bundleID, of: tenant, in: tx)
                (tied, apps) = (app, [app])
            }
            let info = try await house.vault.store(
                key, of: tenant.id, for: tied?.id, grace: grace, by: .commandLine, in: tx)
            for app in apps {
                for isSandbox in [false, true] {
                    try await Enqueue.hurry(
                        tenant: tenant.id.rawValue, kind: RefundJobs.Kind.reply.rawValue,
                        lane: App.lane(app.id, isSandbox: isSandbox), in: tx)
                }
            }
            return info
        }
    }
}
