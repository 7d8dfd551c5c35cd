import Postgres
import Tenants
import Time

/// `refund-desk tenant …`
enum TenantCommand {
    private static let pageRows = 100

    static let list = Command(
        CommandForm(words: ["tenant", "list"], summary: "Lists the tenants of this installation.")
    ) { _, surroundings in
        try await House.open(surroundings) { house in
            var tenants: [Tenant] = []
            while true {
                let after = tenants.last?.slug ?? ""
                let page = try await house.database.transaction(.house) { tx in
                    try await TenantStore.tenants(after: after, limit: pageRows, in: tx)
                }
                tenants += page
                if page.count < pageRows { break }
            }
            let listed = tenants.map { tenant in
                JSON.object([
                    ("id", .number(tenant.id.rawValue)), ("slug", .text(tenant.slug)), ("name", .text(tenant.name)),
                ])
            }
            return Answer(
                [("tenants", .list(listed))],
                text: tenants.isEmpty
                    ? "There is no tenant yet. Next: refund-desk tenant add SLUG --name NAME"
                    : TextTable("SLUG", "NAME", rows: tenants.map { [$0.slug, $0.name] }).text)
        }
    }

    static let add = Command(
        CommandForm(
            words: ["tenant", "add"], positionals: ["SLUG"],
            options: [.required("name", "NAME", "what people read")], summary: "Adds a tenant.")
    ) { arguments, surroundings in
        try await House.open(surroundings) { house in
            let tenant = try await house.database.transaction(.house) { tx in
                try await TenantStore.add(
                    slug: arguments.positional(0), name: arguments["name"], at: house.clock.now, by: .commandLine,
                    in: tx)
            }
            return Answer(
                [("id", .number(tenant.id.rawValue)), ("slug", .text(tenant.slug)), ("name", .text(tenant.name))],
                text: """
                    Added \(tenant.name), \(house.configuration.publicURL)/t/\(tenant.slug)
                    Next: refund-desk app add --tenant \(tenant.slug) --bundle-id ID
                    """)
        }
    }

    static let rename = Command(
        CommandForm(
            words: ["tenant", "rename"], positionals: ["SLUG"],
            options: [.required("name", "NAME", "what people read from now on")],
            summary: "Gives a tenant another name. Its slug stays.")
    ) { arguments, surroundings in
        try await change(arguments, surroundings, "Renamed.") { slug, now, tx in
            try await TenantStore.rename(slug, to: arguments["name"], at: now, by: .commandLine, in: tx)
        }
    }

    static let close = Command(
        CommandForm(
            words: ["tenant", "close"], positionals: ["SLUG"],
            summary: "Shuts a tenant's pages, API tokens and notification URLs (404). Nothing is deleted.")
    ) { arguments, surroundings in
        try await change(arguments, surroundings, "Closed. To open it again: refund-desk tenant reopen SLUG") {
            try await TenantStore.close($0, at: $1, by: .commandLine, in: $2)
        }
    }

    static let reopen = Command(
        CommandForm(
            words: ["tenant", "reopen"], positionals: ["SLUG"],
            summary: "Opens a closed tenant again, as it was.")
    ) { arguments, surroundings in
        try await change(arguments, surroundings, "Open again.") {
            try await TenantStore.reopen($0, at: $1, by: .commandLine, in: $2)
        }
    }

    private static func change(
        _ arguments: Arguments, _ surroundings: Surroundings, _ text: String,
        _ body: @escaping @Sendable (String, Moment, Transaction) async throws -> Void
    ) async throws -> Answer {
        try await House.open(surroundings) { house in
            let slug = arguments.positional(0)
            try await house.database.transaction(.house) { tx in try await body(slug, house.clock.now, tx) }
            return Answer([("slug", .text(slug))], text: text)
        }
    }
}
