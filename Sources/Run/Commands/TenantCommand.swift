import Postgres
import Tenants
import Time

/// `refund-desk tenant …`
enum TenantCommand {
    private static let pageRows = 100

    static let list = Command(
        CommandForm(words: ["tenant", "list"], summary: "Lists the organisations of this installation.")
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
            options: [.required("name", "NAME", "what people read")], summary: "Adds an organisation.")
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
}
