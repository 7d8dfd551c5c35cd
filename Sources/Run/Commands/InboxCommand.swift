import Postgres
import Tenants

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
