import Crypto
import Postgres
import Tenants
import Time

/// `refund-desk app …`
enum AppCommand {
    private enum YesNo: String, CaseIterable { case yes, no }

    /// Bytes of a wording that customers agreed to.
    private static let wordingBytesMax = 64 * 1024
    /// Bytes of a root certificate.
    private static let rootBytesMax = 16 * 1024

    static let add = Command(
        CommandForm(
            words: ["app", "add"],
            options: [
                .required("tenant", "SLUG", "whose app it is"),
                .required("bundle-id", "ID", "to the letter, as in App Store Connect"),
                .optional("apple-id", "N", "the app's Apple ID; else learned from its first Production notification"),
                .optional("name", "NAME", "what people read; else the bundle ID"),
                .optional(
                    "unreported-delivery", "delivered|withhold",
                    "what is said of delivery where nobody reported it (default: delivered)"),
                .optional("sample-content", "yes|no", "whether customers can try before they buy (default: no)"),
                .optional(
                    "consent", "per-customer|all-from=YYYY-MM-DD",
                    "who agreed that purchase data goes to Apple (default: per-customer)"),
                .optional("wording-file", "FILE", "with all-from: the text that everybody agreed to"),
                .optional("consent-shown-where", "TEXT", "with all-from: where customers read it before they buy"),
                .optional("consent-declared-by", "NAME", "with all-from: the person who answers for that"),
                .optional(
                    "environments", "Production,Sandbox",
                    "which of them the app takes part in (default: both); Sandbox alone before it is on sale"),
                .flag("rehearsal", "made to rehearse with a simulator, for good: counted in no total, pages nobody"),
                .optional("trust-root", "FILE", "with rehearsal: the one root it believes, DER or PEM"),
                .optional("api-url", "URL", "with rehearsal: the simulator's address, the only one it calls"),
            ],
            summary: "Adds an app and prints the URL for App Store Connect.")
    ) { arguments, surroundings in
        let new = try newApp(arguments)
        return try await House.open(surroundings) { house in
            let tenant = try await house.tenant(arguments["tenant"])
            if let side = new.rehearsal {
                do throws(AppChangeError) {
                    try house.configuration.outboundRules.check(side.apiURL, member: "apiURL")
                } catch {
                    throw Failure("--api-url \(error.text)")
                }
            }
            let (app, inbox) = try await house.database.transaction(tenant.id.scope) { tx in
                let app = try await add(new, to: tenant, at: house.clock.now, in: tx)
                let inbox = try await house.vault.addInbox(to: app.id, of: tenant.id, by: .commandLine, in: tx)
                return (app, inbox)
            }
            let url = house.notificationURL(inbox)
            return Answer(
                [
                    ("id", .number(app.id.rawValue)), ("bundleId", .text(app.bundleID)),
                    ("appAppleId", app.appleID.map { .number($0) } ?? .none), ("notificationURL", .text(url)),
                ],
                text: """
                    Added \(app.bundleID).
                    Notification URL for App Store Connect, Production and Sandbox alike, Version 2:
                    \(url)
                    Next: refund-desk key add --tenant \(tenant.slug) --key-id ID --issuer-id UUID --file PATH
                    """)
        }
    }

    static let list = Command(
        CommandForm(
            words: ["app", "list"], options: [.required("tenant", "SLUG", "whose apps")],
            summary: "Lists a tenant's apps, removed ones among them.")
    ) { arguments, surroundings in
        try await House.open(surroundings) { house in
            let tenant = try await house.tenant(arguments["tenant"])
            let apps = try await house.database.transaction(tenant.id.scope) { tx in
                try await TenantStore.apps(of: tenant.id, includingRemoved: true, in: tx)
            }
            let listed = apps.map { app in
                JSON.object([
                    ("id", .number(app.id.rawValue)), ("bundleId", .text(app.bundleID)),
                    ("appAppleId", app.appleID.map { .number($0) } ?? .none), ("name", .text(app.name)),
                    ("removed", .flag(app.isRemoved)),
                ])
            }
            let rows = apps.map { app in
                [app.bundleID, app.appleID.map { "\($0)" } ?? "-", app.isRemoved ? "removed" : "in use", app.name]
            }
            return Answer(
                [("apps", .list(listed))],
                text: apps.isEmpty
                    ? "\(tenant.name) has no app yet. Next: refund-desk app add --tenant \(tenant.slug) --bundle-id ID"
                    : TextTable("BUNDLE ID", "APPLE ID", "STATE", "NAME", rows: rows).text)
        }
    }

    static let remove = Command(
        CommandForm(
            words: ["app", "remove"],
            options: [.required("tenant", "SLUG", "whose app it is"), .required("bundle-id", "ID", "which app")],
            summary: "Takes an app out of use: its URLs, own keys and own tokens end. Its cases stay.")
    ) { arguments, surroundings in
        try await House.open(surroundings) { house in
            let tenant = try await house.tenant(arguments["tenant"])
            let app = try await house.database.transaction(tenant.id.scope) { tx in
                let app = try await house.app(arguments["bundle-id"], of: tenant, in: tx)
                try await TenantStore.removeApp(app, at: house.clock.now, by: .commandLine, in: tx)
                return app
            }
            return Answer([("id", .number(app.id.rawValue))], text: "Removed \(app.bundleID).")
        }
    }

    /// What is wrong with a member is said of the option that it came by.
    private static func add(_ new: NewApp, to tenant: Tenant, at now: Moment, in tx: Transaction) async throws -> App {
        do {
            return try await TenantStore.addApp(new, to: tenant.id, at: now, by: .commandLine, in: tx)
        } catch let error as AppChangeError {
            let options = [
                "consentShownWhere": "--consent-shown-where", "consentDeclaredBy": "--consent-declared-by",
                "consentFrom": "--consent", "environments": "--environments",
            ]
            throw Failure("\(options[error.member] ?? error.member) \(error.text)")
        }
    }

    private static func environments(_ arguments: Arguments) throws -> Set<AppEnvironment> {
        guard let text = arguments.optional("environments") else { return Set(AppEnvironment.allCases) }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let known = names.compactMap(AppEnvironment.init(rawValue:))
        guard known.count == names.count else {
            throw UsageError(
                "--environments is Production, Sandbox, or both with a comma between them",
                usage: arguments.form.usage)
        }
        return Set(known)
    }

    private static func rehearsal(_ arguments: Arguments) throws -> RehearsalSide? {
        let (root, url) = (arguments.optional("trust-root"), arguments.optional("api-url"))
        guard arguments.has("rehearsal") else {
            guard root == nil, url == nil else {
                throw UsageError("--trust-root and --api-url go with --rehearsal", usage: arguments.form.usage)
            }
            return nil
        }
        guard let root, let url else {
            throw UsageError("--rehearsal needs --trust-root and --api-url", usage: arguments.form.usage)
        }
        let file: [UInt8]
        do throws(SecretReadError) {
            let bytes = try SecretBytes.file(root, bytesMax: rootBytesMax)
            file = bytes.withBytes { bytes in (0..<bytes.count).map { bytes[$0] } }
        } catch {
            throw Failure("\(root) could not be read: \(error)")
        }
        do throws(AppChangeError) { return try RehearsalSide(rootFile: file, apiURL: url) } catch {
            let option = error.member == "apiURL" ? "--api-url" : "--trust-root"
            throw Failure("\(option) \(error.text)")
        }
    }

    private static func newApp(_ arguments: Arguments) throws -> NewApp {
        let usage = arguments.form.usage
        var new = NewApp(bundleID: arguments["bundle-id"])
        if let text = arguments.optional("apple-id") {
            do throws(AppChangeError) { new.appleID = try AppleIDText.number(text) } catch {
                throw UsageError("--apple-id \(error.text)", usage: usage)
            }
        }
        new.name = arguments.optional("name")
        new.environments = try environments(arguments)
        new.rehearsal = try rehearsal(arguments)
        new.unreportedDelivery = try arguments.choice("unreported-delivery") ?? .delivered
        new.sampleContent = try arguments.choice("sample-content", as: YesNo.self) == .yes
        let consent = arguments.optional("consent") ?? "per-customer"
        let wordingFile = arguments.optional("wording-file")
        new.consentShownWhere = arguments.optional("consent-shown-where")
        new.consentDeclaredBy = arguments.optional("consent-declared-by")
        if consent == "per-customer" {
            for name in ["wording-file", "consent-shown-where", "consent-declared-by"]
            where arguments.optional(name) != nil {
                throw UsageError("--\(name) goes with --consent all-from=YYYY-MM-DD", usage: usage)
            }
            return new
        }
        guard consent.hasPrefix("all-from="), let from = Moment(date: consent.dropFirst("all-from=".count)) else {
            throw UsageError("--consent is per-customer or all-from=YYYY-MM-DD", usage: usage)
        }
        do throws(AppChangeError) {
            _ = try ConsentSetting.checkedStart(from, at: WallClock.system.now)
        } catch {
            throw UsageError("--consent \(consent) \(error.text)", usage: usage)
        }
        guard let wordingFile else {
            throw UsageError(
                "--consent all-from needs --wording-file with the text that everybody agreed to", usage: usage)
        }
        guard new.consentShownWhere != nil, new.consentDeclaredBy != nil else {
            throw UsageError(
                "--consent all-from needs --consent-shown-where and --consent-declared-by: where the wording is shown, and who says so",
                usage: usage)
        }
        let wording: String
        do throws(SecretReadError) {
            let bytes = try SecretBytes.file(wordingFile, bytesMax: wordingBytesMax)
            wording = bytes.withBytes { bytes in String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self) }
        } catch {
            throw Failure("\(wordingFile) could not be read: \(error)")
        }
        guard wording.contains(where: { !$0.isWhitespace }), !wording.unicodeScalars.contains("\u{0}") else {
            throw Failure("\(wordingFile) holds no text")
        }
        new.consent = .allFrom(from, wording: wording)
        return new
    }
}
