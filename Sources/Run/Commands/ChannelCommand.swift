import FoundationEssentials
import Journal
import Postgres
import Queue
import Refunds
import Tenants
import Time

/// `refund-desk channel …`
enum ChannelCommand {
    private static let kinds = ChannelKind.allCases.map(\.rawValue).joined(separator: ", ")
    private static let languages = AlertLanguage.allCases.map(\.rawValue).joined(separator: ", ")
    private static let whose = "whose channel it is; \"installation\" for what belongs to no tenant"

    static let add = Command(
        CommandForm(
            words: ["channel", "add"],
            options: [
                .required("tenant", "SLUG", whose), .required("kind", "K", kinds),
                .optional("target", "T", "where, as far as it is not secret: a mail address, a server, a chat"),
                .flag("secret-stdin", "reads the routing key, hook or token from standard input"),
                .optional("name", "NAME", "what people call it; else the kind's name"),
                .optional("severity", "S", "hears of this and worse: warning, error (default), critical"),
                .optional("after", "MINUTES", "only when nobody has acknowledged by then; default 0"),
                .optional("zone", "ZONE", "in which its messages say times, such as Europe/Berlin; default UTC"),
                .optional("language", "L", "in which its messages are written: \(languages); default en"),
            ],
            summary: "Adds a way to reach somebody. Press \"channel test\" afterwards.")
    ) { arguments, surroundings in
        guard let kind = ChannelKind(rawValue: arguments["kind"]) else {
            throw UsageError("--kind is one of \(kinds)", usage: arguments.form.usage)
        }
        guard let severity = Severity(rawValue: arguments.optional("severity") ?? "error"), severity > .info else {
            throw UsageError("--severity is warning, error or critical", usage: arguments.form.usage)
        }
        guard let minutes = Int64(arguments.optional("after") ?? "0"), (0...1440).contains(minutes) else {
            throw UsageError("--after is a number of minutes, 0 to 1440", usage: arguments.form.usage)
        }
        guard let language = AlertLanguage(rawValue: arguments.optional("language") ?? "en") else {
            throw UsageError("--language is one of \(languages)", usage: arguments.form.usage)
        }
        var secret: Redacted<String>?
        if arguments.has("secret-stdin") {
            secret = Redacted(String(decoding: try SecretFile.line(bytesMax: 4096), as: UTF8.self))
        }
        let change = ChannelChange(
            name: arguments.optional("name") ?? kind.name, target: arguments.optional("target"), secret: secret,
            severity: severity, after: .minutes(minutes), zone: arguments.optional("zone"),
            language: language)
        return try await House.open(surroundings) { house in
            let tenant = try await house.anyTenant(arguments["tenant"])
            do {
                let channel = try await house.alerts.addChannel(kind, change, of: tenant.id, by: .commandLine)
                let id = channel.id.uuidString.lowercased()
                return Answer(
                    [("id", .text(id)), ("kind", .text(kind.rawValue)), ("name", .text(channel.name))],
                    text: """
                        \(kind.name) "\(channel.name)" \(id) hears of \(severity.rawValue) and worse.
                        \(channel.isConfirmed ? "Next:" : "A link is sent there; nothing else is until somebody has opened it. Once more:") \
                        refund-desk channel test --tenant \(tenant.slug) --id \(id)
                        """)
            } catch let error as ChannelTargetError {
                throw Failure("\(error)")
            } catch let error as AlertError {
                throw Failure("\(error)")
            }
        }
    }

    static let list = Command(
        CommandForm(
            words: ["channel", "list"], options: [.required("tenant", "SLUG", whose)],
            summary: "Lists a tenant's channels and how each does.")
    ) { arguments, surroundings in
        try await House.open(surroundings) { house in
            let tenant = try await house.anyTenant(arguments["tenant"])
            let channels = try await house.alerts.channels(of: tenant.id)
            let listed = channels.map { channel in
                JSON.object([
                    ("id", .text(channel.id.uuidString.lowercased())), ("kind", .text(channel.kind.rawValue)),
                    ("name", .text(channel.name)), ("target", JSON(channel.target)),
                    ("severity", .text(channel.severity.rawValue)), ("language", .text(channel.language.rawValue)),
                    ("isOff", .flag(channel.isOff)),
                    ("lastSuccessAt", channel.lastSuccessAt.map { .number($0.milliseconds) } ?? .none),
                    ("lastError", JSON(channel.lastError)),
                ])
            }
            let rows = channels.map { channel in
                [
                    channel.id.uuidString.lowercased(), channel.kind.rawValue, channel.name, channel.target ?? "",
                    channel.severity.rawValue, standing(channel), channel.lastSuccessAt?.iso8601 ?? "never",
                ]
            }
            return Answer(
                [("channels", .list(listed))],
                text: channels.isEmpty
                    ? "\(tenant.name) has no channel: nobody is told. Next: refund-desk channel add --tenant \(tenant.slug) --kind K"
                    : TextTable("ID", "KIND", "NAME", "TARGET", "FROM", "STANDING", "LAST TAKEN", rows: rows).text)
        }
    }

    private static func standing(_ channel: Channel) -> String {
        if !channel.isConfirmed { return "not confirmed" }
        if channel.isOff { return "switched off: \(channel.offWhy ?? "")" }
        if channel.failures > 0 { return "fails: \(channel.lastError ?? "")" }
        return channel.lastSuccessAt == nil ? "never used" : "works"
    }

    static let test = Command(
        CommandForm(
            words: ["channel", "test"],
            options: [.required("tenant", "SLUG", whose), .required("id", "UUID", "which channel")],
            summary: "Sends a test message and waits for how it went; an engine must be running.")
    ) { arguments, surroundings in
        let id = try id(arguments)
        return try await House.open(surroundings) { house in
            let tenant = try await house.anyTenant(arguments["tenant"])
            let notice: UUID
            do {
                notice = try await house.alerts.testChannel(id, of: tenant.id, by: .commandLine)
            } catch let error as AlertError {
                throw Failure("\(error)")
            }
            let end = ContinuousClock.now + .seconds(40)
            while ContinuousClock.now < end {
                if let outcome = try await house.alerts.outcome(of: notice, tenant: tenant.id) {
                    guard outcome.isTaken else { throw Failure("the message was not taken: \(outcome.words)") }
                    return Answer([("answer", .text(outcome.words))], text: "Taken: \(outcome.words)")
                }
                try await Task.sleep(for: .milliseconds(200))
            }
            throw Failure("nothing sent the message within 40 seconds: does an engine run (refund-desk serve)?")
        }
    }

    static let remove = Command(
        CommandForm(
            words: ["channel", "remove"],
            options: [.required("tenant", "SLUG", whose), .required("id", "UUID", "which channel")],
            summary: "Takes a channel out of use and wipes its secret.")
    ) { arguments, surroundings in
        let id = try id(arguments)
        return try await House.open(surroundings) { house in
            let tenant = try await house.anyTenant(arguments["tenant"])
            do {
                try await house.alerts.removeChannel(id, of: tenant.id, by: .commandLine)
            } catch let error as AlertError {
                throw Failure("\(error)")
            }
            return Answer([("id", .text(id.uuidString.lowercased()))], text: "Removed.")
        }
    }

    private static func id(_ arguments: Arguments) throws(UsageError) -> UUID {
        guard let id = UUID(uuidString: arguments["id"]) else {
            throw UsageError("--id is the UUID that \"channel add\" printed", usage: arguments.form.usage)
        }
        return id
    }
}

extension House {
    /// The open tenant with this slug, or the installation itself.
    fileprivate func anyTenant(_ slug: String) async throws -> Tenant {
        guard slug == "installation" else { return try await tenant(slug) }
        let found = try await database.transaction(TenantID.installation.scope) { tx in
            try await TenantStore.tenant(TenantID.installation, in: tx)
        }
        guard let found else { throw Failure("the schema is too old for channels: run \"refund-desk migrate\"") }
        return found
    }

    fileprivate var alerts: AlertDesk {
        AlertDesk(
            database: database, vault: vault, bell: Bell(database: database, journal: journal), clock: clock,
            outbound: configuration.outboundRules, hasMail: configuration.mailServer != nil)
    }
}
