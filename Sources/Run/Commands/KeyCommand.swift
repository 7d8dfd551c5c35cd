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
                .required("key-id", "ID", "ten capital letters and digits, from App Store Connect"),
                .required("issuer-id", "UUID", "shown above the list of keys in App Store Connect"),
                .optional("bundle-id", "ID", "only for this app; else for all of the tenant's"),
                .required("file", "PATH", "the .p8 file; - is standard input"),
            ],
            summary: "Adds an In-App Purchase key, or replaces the one with the same key ID. Never calls Apple.")
    ) { arguments, surroundings in
        try await House.open(surroundings) { house in
            let path = arguments["file"]
            let file = try SecretFile.read(path, bytesMax: SigningKeyUpload.fileBytesMax)
            let key = try SigningKeyUpload.check(file, keyID: arguments["key-id"], issuerID: arguments["issuer-id"])
            let tenant = try await house.tenant(arguments["tenant"])
            let info = try await store(key, of: tenant, bundleID: arguments.optional("bundle-id"), in: house)
            return Answer(
                [
                    ("id", .text(info.id.rawValue.uuidString.lowercased())), ("keyId", .text(info.keyID)),
                    ("fingerprint", .text(info.fingerprint)),
                ],
                text: """
                    Added key \(info.keyID). Its fingerprint:
                    \(info.fingerprint)
                    """)
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
                let keys = try await house.vault.signingKeys(of: tenant.id, in: tx).map { $0.0 }
                return (keys, try await TenantStore.apps(of: tenant.id, in: tx))
            }
            func bundleID(_ key: SigningKeyInfo) -> String? { apps.first { $0.id == key.app }?.bundleID }
            let listed = keys.map { key in
                JSON.object([
                    ("id", .text(key.id.rawValue.uuidString.lowercased())), ("keyId", .text(key.keyID)),
                    ("issuerId", .text(key.issuerID)), ("bundleId", JSON(bundleID(key))),
                    ("fingerprint", .text(key.fingerprint)), ("createdAt", .number(key.createdAt.milliseconds)),
                ])
            }
            let rows = keys.map { key in
                [key.keyID, bundleID(key) ?? "every app", key.createdAt.iso8601, key.fingerprint]
            }
            return Answer(
                [("keys", .list(listed))],
                text: keys.isEmpty
                    ? "\(tenant.name) has no signing key in use. Next: refund-desk key add --tenant \(tenant.slug) --key-id ID --issuer-id UUID --file PATH"
                    : TextTable("KEY ID", "SIGNS FOR", "ADDED", "FINGERPRINT", rows: rows).text)
        }
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

    /// Stores a key and lets the replies that waited for it go on.
    private static func store(
        _ key: borrowing CheckedSigningKey, of tenant: Tenant, bundleID: String?, in house: House
    ) async throws -> SigningKeyInfo {
        let database = house.database
        return try await database.transaction(tenant.id.scope) { tx in
            var apps = try await TenantStore.apps(of: tenant.id, in: tx)
            var tied: App?
            if let bundleID {
                let app = try await house.app(bundleID, of: tenant, in: tx)
                (tied, apps) = (app, [app])
            }
            let info = try await house.vault.store(key, of: tenant.id, for: tied?.id, by: .commandLine, in: tx)
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
