import HTTP
import Journal
import Postgres
import Refunds
import Tenants
import Time

/// `refund-desk callback …`: an app's own server, which is asked at each refund request.
enum CallbackCommand {
    private static let place: [CommandForm.Option] = [
        .required("tenant", "SLUG", "whose app it is"), .required("bundle-id", "ID", "which app"),
    ]
    /// Bytes of the line that holds the address.
    private static let lineBytesMax = 4096

    static let set = Command(
        CommandForm(
            words: ["callback", "set"],
            options: place + [
                .flag("url-stdin", "reads the server's URL from the first line of standard input"),
                .flag("new-secret", "makes another secret; for a day the one before signs too"),
                .flag("none", "the server is not asked any more"),
            ],
            summary: "Names the server that is asked at each refund request, and prints the secret that signs.")
    ) { arguments, surroundings in
        let isNone = arguments.has("none")
        guard isNone ? !arguments.has("url-stdin") : arguments.has("url-stdin") || arguments.has("new-secret") else {
            throw UsageError("--url-stdin, --new-secret or both; or --none", usage: arguments.form.usage)
        }
        var url: String?
        if arguments.has("url-stdin") {
            let line = String(decoding: try SecretFile.line(bytesMax: lineBytesMax), as: UTF8.self)
            guard !line.isEmpty else { throw Failure("standard input holds no URL") }
            url = line
        }
        let (wanted, isNew) = (url, arguments.has("new-secret"))
        return try await House.open(surroundings) { house in
            let tenant = try await house.tenant(arguments["tenant"])
            return try await house.database.transaction(tenant.id.scope) { tx in
                let app = try await house.app(arguments["bundle-id"], of: tenant, in: tx)
                var changes = AppChanges()
                changes.evidence = isNone ? (app.evidence == .callback ? .push : app.evidence) : .callback
                changes.callbackURL = wanted
                var changed: App
                do {
                    changed = try await TenantStore.change(
                        app, changes, with: house.vault, outbound: house.configuration.outboundRules, by: .commandLine,
                        at: house.clock.now, in: tx)
                } catch let error as AppChangeError {
                    throw Failure("the URL \(error.text)")
                }
                var secret: String?
                if !isNone, isNew || changed.callbackSecret == nil {
                    secret = try await TenantStore.makeCallbackSecret(
                        of: changed, with: house.vault, by: .commandLine, at: house.clock.now, in: tx
                    ).reveal()
                }
                return Answer(
                    [
                        ("id", .number(app.id.rawValue)), ("asked", .flag(!isNone)),
                        ("secret", secret.map { .text($0) } ?? .none),
                    ],
                    text: isNone
                        ? "The server of \(app.bundleID) is not asked any more."
                        : "The server of \(app.bundleID) is asked at each refund request."
                            + (secret.map { "\nThe secret, shown this once: \($0)" } ?? ""))
            }
        }
    }
}
