import FoundationEssentials
import Journal
import Postgres
import Tenants
import Time

/// `refund-desk token …`
enum TokenCommand {
    static let add = Command(
        CommandForm(
            words: ["token", "add"],
            options: [
                .required("tenant", "SLUG", "whose token it is"),
                .optional("bundle-id", "ID", "only for this app; else for all of the tenant's"),
                .repeatable(
                    "scope", "S", isRequired: true, APIScope.allCases.map(\.rawValue).joined(separator: ", ")),
                .optional("name", "NAME", "where it is used; without it: made on the command line"),
                .optional("expires", "YYYY-MM-DD|never", "when it ends; without it, in a year"),
            ],
            summary: "Makes an API token and prints it this once.")
    ) { arguments, surroundings in
        var scopes: Set<APIScope> = []
        // `--scope a --scope b` and `--scope a,b` are the same.
        for word in arguments.all("scope").flatMap({ $0.split(whereSeparator: { $0 == "," || $0 == " " }) }) {
            guard let scope = APIScope(rawValue: String(word)) else {
                let known = APIScope.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("--scope is one of \(known)", usage: arguments.form.usage)
            }
            scopes.insert(scope)
        }
        let wanted = scopes
        guard !wanted.isEmpty else { throw UsageError("--scope is empty", usage: arguments.form.usage) }
        let end = try end(arguments)
        return try await House.open(surroundings) { house in
            let tenant = try await house.tenant(arguments["tenant"])
            let made = try await house.database.transaction(tenant.id.scope) { tx in
                var app: App?
                if let bundleID = arguments.optional("bundle-id") {
                    app = try await house.app(bundleID, of: tenant, in: tx)
                }
                return try await house.tokens.add(
                    to: tenant.id, app: app?.id, scopes: wanted,
                    name: arguments.optional("name") ?? "made on the command line", end: end,
                    by: .commandLine, in: tx)
            }
            let id = made.token.id.uuidString.lowercased()
            return Answer(
                [
                    ("id", .text(id)), ("token", .text(made.text.reveal())),
                    ("scopes", .list(wanted.map(\.rawValue).sorted().map { .text($0) })),
                    ("expiresAt", made.expiresAt.map { .number($0.milliseconds) } ?? .none),
                ],
                text: """
                    API token \(id), shown this once, \(made.expiresAt.map { "good until \($0.iso8601)" } ?? "without an end"):
                    \(made.text.reveal())
                    """)
        }
    }

    /// In a year where nothing is said.
    private static func end(_ arguments: Arguments) throws(UsageError) -> TokenEnd {
        guard let text = arguments.optional("expires") else { return .after(APITokens.usualLife) }
        if text == "never" { return .never }
        guard let day = Moment(date: text) else {
            throw UsageError("--expires is a day, YYYY-MM-DD, or never", usage: arguments.form.usage)
        }
        return .at(day)
    }

    static let list = Command(
        CommandForm(
            words: ["token", "list"], options: [.required("tenant", "SLUG", "whose tokens")],
            summary: "Lists a tenant's API tokens in use, newest first, by their first characters.")
    ) { arguments, surroundings in
        try await House.open(surroundings) { house in
            let tenant = try await house.tenant(arguments["tenant"])
            let (tokens, apps) = try await house.database.transaction(tenant.id.scope) { tx in
                let tokens = try await house.tokens.all(of: tenant.id, in: tx)
                return (tokens, try await TenantStore.apps(of: tenant.id, in: tx))
            }
            func id(_ token: APITokenSummary) -> String { token.token.id.uuidString.lowercased() }
            func bundleID(_ token: APITokenSummary) -> String? { apps.first { $0.id == token.token.app }?.bundleID }
            func scopes(_ token: APITokenSummary) -> [String] { token.token.scopes.map(\.rawValue).sorted() }
            let listed = tokens.map { token in
                JSON.object([
                    ("id", .text(id(token))), ("prefix", .text(token.prefix)), ("name", .text(token.name)),
                    ("bundleId", JSON(bundleID(token))),
                    ("scopes", .list(scopes(token).map { .text($0) })),
                    ("createdAt", .number(token.createdAt.milliseconds)),
                    ("expiresAt", token.expiresAt.map { .number($0.milliseconds) } ?? .none),
                    ("lastUsedOn", JSON(token.lastUsedOn)),
                ])
            }
            let rows = tokens.map { token in
                [
                    id(token), token.prefix + "…", token.name, bundleID(token) ?? "every app",
                    scopes(token).joined(separator: ","), token.createdAt.iso8601,
                    token.expiresAt?.iso8601 ?? "never", token.lastUsedOn ?? "never",
                ]
            }
            return Answer(
                [("tokens", .list(listed))],
                text: tokens.isEmpty
                    ? "\(tenant.name) has no API token in use. Next: refund-desk token add --tenant \(tenant.slug) --scope S"
                    : TextTable("ID", "TOKEN", "NAME", "REACHES", "SCOPES", "MADE", "ENDS", "LAST USED", rows: rows)
                        .text)
        }
    }

    static let remove = Command(
        CommandForm(
            words: ["token", "remove"],
            options: [.required("tenant", "SLUG", "whose token it is"), .required("id", "UUID", "which token")],
            summary: "Ends an API token at once.")
    ) { arguments, surroundings in
        guard let id = UUID(uuidString: arguments["id"]) else {
            throw UsageError("--id is the UUID that \"token add\" printed", usage: arguments.form.usage)
        }
        return try await House.open(surroundings) { house in
            let tenant = try await house.tenant(arguments["tenant"])
            let isRemoved = try await house.database.transaction(tenant.id.scope) { tx in
                try await house.tokens.remove(id, of: tenant.id, by: .commandLine, in: tx)
            }
            guard isRemoved else { throw Failure("the tenant has no such token in use") }
            return Answer([("id", .text(id.uuidString.lowercased()))], text: "Removed.")
        }
    }
}
