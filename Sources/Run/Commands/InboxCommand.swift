import Postgres
import Tenants
import Time

/// `refund-desk inbox …`
enum InboxCommand {
    static let add = Command(
        CommandForm(
            words: ["inbox", "add"],
            options: [.required("tenant", "SLUG", "whose app it is"), .required("bundle-id", "ID", "which app")],
            summary: "Adds a notification URL to an app; the ones before stay in use.")
    ) { arguments, surroundings in
        try await House.open(surroundings) { house in
            let tenant = try await house.tenant(arguments["tenant"])
            let inbox = try await house.database.transaction(tenant.id.scope) { tx in
                let app = try await house.app(arguments["bundle-id"], of: tenant, in: tx)
                return try await house.vault.addInbox(to: app.id, of: tenant.id, by: .commandLine, in: tx)
            }
            let url = house.notificationURL(inbox)
            return Answer(
                [("id", .number(inbox.inboxID)), ("notificationURL", .text(url))],
                text: """
                    Another notification URL:
                    \(url)
                    Enter it in App Store Connect, then: refund-desk inbox retire --tenant \(tenant.slug) --bundle-id \(arguments["bundle-id"])
                    """)
        }
    }

    static let list = Command(
        CommandForm(
            words: ["inbox", "list"],
            options: [.required("tenant", "SLUG", "whose app it is"), .required("bundle-id", "ID", "which app")],
            summary: "Shows an app's notification URLs in use, newest first.")
    ) { arguments, surroundings in
        try await House.open(surroundings) { house in
            let tenant = try await house.tenant(arguments["tenant"])
            let inboxes = try await house.database.transaction(tenant.id.scope) { tx in
                let app = try await house.app(arguments["bundle-id"], of: tenant, in: tx)
                return try await house.vault.inboxes(of: tenant.id, app: app.id, in: tx)
            }
            let listed = inboxes.map { inbox in
                JSON.object([
                    ("id", .number(inbox.inboxID)), ("notificationURL", .text(house.notificationURL(inbox))),
                    ("createdAt", .number(inbox.createdAt.milliseconds)),
                ])
            }
            let rows = inboxes.map { inbox in
                [String(inbox.inboxID), inbox.createdAt.iso8601, house.notificationURL(inbox)]
            }
            return Answer(
                [("inboxes", .list(listed))],
                text: inboxes.isEmpty
                    ? "No notification URL is in use. Next: refund-desk inbox add --tenant \(tenant.slug) --bundle-id \(arguments["bundle-id"])"
                    : TextTable("ID", "MADE", "NOTIFICATION URL", rows: rows).text)
        }
    }

    static let retire = Command(
        CommandForm(
            words: ["inbox", "retire"],
            options: [
                .required("tenant", "SLUG", "whose app it is"), .required("bundle-id", "ID", "which app"),
                .optional("id", "N", "which URL; else the oldest in use"),
            ],
            summary: "Ends a notification URL: what arrives there is answered with 404.")
    ) { arguments, surroundings in
        let id = try arguments.number("id")
        return try await House.open(surroundings) { house in
            let tenant = try await house.tenant(arguments["tenant"])
            let retired = try await house.database.transaction(tenant.id.scope) { tx in
                let app = try await house.app(arguments["bundle-id"], of: tenant, in: tx)
                return try await house.vault.retireInbox(id, of: tenant.id, app: app.id, by: .commandLine, in: tx)
            }
            return Answer([("id", .number(retired))], text: "Retired notification URL \(retired).")
        }
    }
}
