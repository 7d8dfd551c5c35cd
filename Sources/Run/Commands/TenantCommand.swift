import Postgres
import Tenants
import Time

/// `refund-desk tenant …`
enum TenantCommand {
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
