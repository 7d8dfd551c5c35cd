import AppStore
import Crypto
import Foundation
import Gateway
import HTTP
import Journal
import Loop
import Postgres
import Queue
import Refunds
import Support
import Tenants
import Time

/// A served gateway with two tenants, an app and tokens each, and a signer whom it trusts.
struct GatewayDesk: Sendable {
    struct Side: Sendable {
        let app: App
        let inbox: String
        /// A token with every scope.
        let token: String
    }

    let test: TestDatabase
    let server: RunningServer
    let routes: [Route]
    let directory: InboxDirectory
    let signer: AppleSigner
    let tokens: APITokens
    let alpha: Side
    let beta: Side

    static func open(
        trusting: Bool = true, clock: WallClock = .system, _ body: (GatewayDesk) async throws -> Void
    ) async throws {
        try await withDatabase { test in
            let (database, journal) = (test.database, Journal.silent)
            let signer = try AppleSigner(around: clock.now)
            let bell = Bell(database: database, journal: journal)
            let intake = Intake(
                apple: .sample(trusting: trusting ? [signer.root] : [], clock: clock),
                database: database, headers: SignatureHeaders(database: database),
                quarantine: Quarantine(database: database, clock: clock, journal: journal, counters: test.counters),
                bell: bell, journal: journal, counters: test.counters)
            let tokens = APITokens(database: database, clock: clock)
            let directory = InboxDirectory(database: database, clock: clock)
            let vault = Vault(
                database: database, keyring: try MasterKeyring(text: MasterKeyring.newKeyText()), clock: clock,
                journal: journal)
            let gateway = Gateway(
                directory: directory, intake: intake, tokens: tokens,
                reports: Reports(database: database, bell: bell), records: Records(database: database),
                commerce: CommerceDesk(
                    database: database, apple: .sample(trusting: trusting ? [signer.root] : [], clock: clock),
                    vault: vault, tokens: TokenCache(), bell: bell, clock: clock, journal: journal),
                deciding: DecidingDesk(database: database, bell: bell, clock: clock), clock: clock)
            let server = try await RunningServer(gateway.routes, clock: clock) { router in
                Gateway.answerTroubles(in: &router)
            }
            try await body(
                GatewayDesk(
                    test: test, server: server, routes: gateway.routes, directory: directory, signer: signer,
                    tokens: tokens,
                    alpha: try await side("alpha", 6_450_000_001, test, vault, tokens, clock),
                    beta: try await side("beta", 6_450_000_002, test, vault, tokens, clock)))
            await server.server.stop(within: .seconds(5))
        }
    }

    private static func side(
        _ slug: String, _ appleID: Int64, _ test: TestDatabase, _ vault: Vault, _ tokens: APITokens, _ clock: WallClock
    ) async throws -> Side {
        let tenant = try await test.database.transaction(.house) { tx in
            try await TenantStore.add(slug: slug, name: slug, at: clock.now, by: .commandLine, in: tx)
        }
        return try await test.database.transaction(tenant.id.scope) { tx in
            var new = NewApp(bundleID: "com.example.\(slug)")
            new.appleID = appleID
            let app = try await TenantStore.addApp(new, to: tenant.id, at: clock.now, by: .commandLine, in: tx)
            let inbox = try await vault.addInbox(to: app.id, of: tenant.id, by: .commandLine, in: tx)
            let token = try await tokens.add(to: tenant.id, app: nil, scopes: [.all], by: .commandLine, in: tx)
            return Side(app: app, inbox: inbox.token.reveal(), token: token.text.reveal())
        }
    }

    /// A further token of the first tenant.
    func token(_ scopes: Set<APIScope>, app: AppID? = nil) async throws -> String {
        try await test.database.transaction(alpha.app.tenant.scope) { tx in
            try await tokens.add(to: alpha.app.tenant, app: app, scopes: scopes, by: .commandLine, in: tx).text.reveal()
        }
    }

    // MARK: asking

    /// One call of the API, with the first tenant's token unless another is given.
    func call(
        _ line: String, _ body: String? = nil, token: String? = "alpha", headers: String = ""
    ) async throws -> RawResponse {
        var request = "\(line) HTTP/1.1\r\nHost: desk\r\n\(headers)"
        if let token { request += "Authorization: Bearer \(token == "alpha" ? alpha.token : token)\r\n" }
        if let body { request += "Content-Length: \(body.utf8.count)\r\n" }
        return try await server.ask(request + "\r\n" + (body ?? ""))
    }

    /// Posts to the first tenant's inbox, as Apple does.
    func post(_ body: String, suffix: String = "", headers: String = "") async throws -> RawResponse {
        try await server.ask(
            "POST /n/\(alpha.inbox)\(suffix) HTTP/1.1\r\nHost: desk\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
    }

    /// A valid TEST notification of the first tenant's app, until something of it is spoiled.
    func test(bundleID: String = "com.example.alpha", signedAt: Moment? = nil, padding: Int = 0) throws -> String {
        var data: [String: Any] = [
            "appAppleId": 6_450_000_001, "bundleId": bundleID, "bundleVersion": "1", "environment": "Production",
        ]
        if padding > 0 { data["padding"] = String(repeating: "x", count: padding) }
        let payload: [String: Any] = [
            "notificationType": "TEST", "notificationUUID": UUID().uuidString.lowercased(), "version": "2.0",
            "signedDate": (signedAt ?? WallClock.system.now).milliseconds, "data": data,
        ]
        return "{\"signedPayload\":\"\(try signer.sign(payload))\"}"
    }

    func stored() async throws -> Int64 {
        try await test.asSuperuser("select count(*) as n from refunds.notifications").first?("n") ?? -1
    }
}
