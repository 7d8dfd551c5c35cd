import FoundationEssentials
import HTTP
import Postgres
import Refunds
import Tenants
import Time

/// `refund-desk relay …`: an app's other receiver, to which every original notification is passed on.
enum RelayCommand {
    private static let place: [CommandForm.Option] = [
        .required("tenant", "SLUG", "whose app it is"), .required("bundle-id", "ID", "which app"),
    ]
    /// Bytes of the line that holds the address.
    private static let lineBytesMax = 4096
    private static let linesShown = 20

    static let set = Command(
        CommandForm(
            words: ["relay", "set"],
            options: place + [
                .flag("url-stdin", "reads the other receiver's URL from the first line of standard input"),
                .flag("none", "nobody else wants them: nothing is passed on"),
            ],
            summary: "Names an app's other receiver, or says that there is none.")
    ) { arguments, surroundings in
        let isNone = arguments.has("none")
        guard isNone != arguments.has("url-stdin") else {
            throw UsageError("either --url-stdin or --none", usage: arguments.form.usage)
        }
        let url = isNone ? "" : String(decoding: try SecretFile.line(bytesMax: lineBytesMax), as: UTF8.self)
        guard isNone || !url.isEmpty else { throw Failure("standard input holds no URL") }
        return try await with(arguments, surroundings) { house, tenant, app, tx in
            var changes = AppChanges()
            changes.hasOtherReceiver = !isNone
            changes.relayURL = url
            let changed: App
            do {
                changed = try await TenantStore.change(
                    app, changes, with: house.vault,
                    outbound: house.configuration.outboundRules, by: .commandLine,
                    at: house.clock.now, in: tx)
            } catch let error as AppChangeError {
                throw Failure("the URL \(error.text)")
            }
            return Answer(
                [("id", .number(app.id.rawValue)), ("passedOn", .flag(changed.isRelayed))],
                text: changed.isRelayed
                    ? "Every original notification of \(app.bundleID) is passed on, from the next one on."
                    : "Nothing is passed on for \(app.bundleID).")
        }
    }

    static let show = Command(
        CommandForm(
            words: ["relay", "show"], options: place,
            summary: "Tells how an app's other receiver does, with the newest lines of the delivery log.")
    ) { arguments, surroundings in
        try await with(arguments, surroundings) { house, tenant, app, tx in
            let standing = try await RelayQueries.standing(of: app, in: tx)
            let lines = try await RelayQueries.list(of: app, limit: linesShown, in: tx).lines
            return Answer(
                [
                    ("id", .number(app.id.rawValue)), ("passedOn", .flag(standing.isSet)),
                    ("waiting", .number(Int64(standing.waiting))), ("givenUp", .number(Int64(standing.givenUp))),
                    ("lastSuccessAt", standing.lastSuccessAt.map { .number($0.milliseconds) } ?? .none),
                    ("lastError", standing.lastError.map { .text($0) } ?? .none),
                    ("deliveries", .list(lines.map(json))),
                ], text: text(standing, lines, app))
        }
    }

    static let retry = Command(
        CommandForm(
            words: ["relay", "retry"], options: place,
            summary: "Tries again to pass on what was not delivered, at most 1,000, for another three days.")
    ) { arguments, surroundings in
        try await with(arguments, surroundings) { house, tenant, app, tx in
            guard app.isRelayed else {
                throw Failure(
                    "nothing is passed on for \(app.bundleID): \"refund-desk relay set --tenant \(tenant.slug) --bundle-id \(app.bundleID) --url-stdin\""
                )
            }
            let count = try await RelayQueries.retry(of: app, by: .commandLine, at: house.clock.now, in: tx)
            return Answer(
                [("id", .number(app.id.rawValue)), ("deliveries", .number(Int64(count)))],
                text: count == 0
                    ? "All that was noted was delivered."
                    : "\(count) \(count == 1 ? "delivery is" : "deliveries are") tried again.")
        }
    }

    private static func with(
        _ arguments: Arguments, _ surroundings: Surroundings,
        _ body: @escaping @Sendable (House, Tenant, App, Transaction) async throws -> Answer
    ) async throws -> Answer {
        try await House.open(surroundings) { house in
            let tenant = try await house.tenant(arguments["tenant"])
            return try await house.database.transaction(tenant.id.scope) { tx in
                try await body(house, tenant, try await house.app(arguments["bundle-id"], of: tenant, in: tx), tx)
            }
        }
    }

    private static func json(_ line: RelayLine) -> JSON {
        .object([
            ("notificationUUID", .text(line.id.uuidString.lowercased())),
            ("notificationType", line.type.map { .text($0) } ?? .none), ("state", .text(line.state.rawValue)),
            ("attempts", .number(Int64(line.attempts))), ("createdAt", .number(line.createdAt.milliseconds)),
            ("status", line.status.map { .number(Int64($0)) } ?? .none),
            ("error", line.error.map { .text($0) } ?? .none),
        ])
    }

    private static func text(_ standing: RelayStanding, _ lines: [RelayLine], _ app: App) -> String {
        guard standing.isSet else { return "Nothing is passed on for \(app.bundleID)." }
        let last = standing.lastSuccessAt.map { "last delivered at \($0.iso8601)" } ?? "nothing delivered yet"
        let trouble = standing.isInTrouble ? "\nTrouble: \(standing.lastError ?? "it does not answer")" : ""
        let table = TextTable(
            "RECEIVED", "TYPE", "STATE", "ATTEMPTS", "ANSWER",
            rows: lines.map { line in
                [
                    line.createdAt.iso8601, line.type ?? "forgotten", line.state.rawValue, "\(line.attempts)",
                    line.status.map { "\($0)" } ?? line.error ?? "-",
                ]
            })
        return "Passed on: \(last); \(standing.waiting) waiting, \(standing.givenUp) given up.\(trouble)"
            + (lines.isEmpty ? "" : "\n\(table.text)")
    }
}
