import AppStore
import Crypto
package import Foundation
import HTTP
import Journal
import Postgres
package import Refunds
package import Tenants
package import Time

/// The program itself, serving on a database of its own, with scripted servers in Apple's place.
///
/// Tenants, apps and keys are made by its own commands; what it did is read in the servers' ledgers and,
/// as a superuser, in its tables.
package final class Product: Sendable {
    package struct AppAtDesk: Sendable {
        package let slug: String
        package let bundleID: String
        package let notificationURL: String
        package let app: App
    }

    package enum Consent: Sendable { case perCustomer, fromAll }

    package let test: TestDatabase
    package let production: ScriptedServer
    package let sandbox: ScriptedServer
    package let signer: AppleSigner
    package let folder: URL
    private let environment: [String: String]
    private let program: RunningProgram
    private let client: HTTPClient
    package let url: String

    /// Where the programs of this build lie: beside the tests.
    package static var programs: URL {
        URL(
            filePath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
                ?? CommandLine.arguments[0]
        )
        .deletingLastPathComponent()
    }

    /// Runs `body` with a served product, and ends it.
    ///
    /// - Parameter settings: environment variables beside and above the usual ones.
    package static func serve(
        production: @escaping ScriptedServer.Script = { _, _ in .answer(202) },
        sandbox: @escaping ScriptedServer.Script = { _, _ in .answer(202) }, settings: [String: String] = [:],
        _ body: (Product) async throws -> Void
    ) async throws {
        try await withDatabase { test in
            let folder = FileManager.default.temporaryDirectory.appending(path: "desk-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: folder.appending(path: "roots"), withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let product = try await Product(
                test, folder, try ScriptedServer(production), try ScriptedServer(sandbox), settings)
            do {
                try await body(product)
            } catch {
                await product.end()
                throw error
            }
            await product.end()
        }
    }

    private init(
        _ test: TestDatabase, _ folder: URL, _ production: ScriptedServer, _ sandbox: ScriptedServer,
        _ settings: [String: String]
    ) async throws {
        self.test = test
        self.folder = folder
        self.production = production
        self.sandbox = sandbox
        signer = try AppleSigner(around: WallClock.system.now)
        try Data(signer.root.der).write(to: folder.appending(path: "roots/root.der"))
        let masterKey = folder.appending(path: "master-key").path
        environment = [
            "DATABASE_URL": test.url, "REFUND_DESK_LISTEN": "127.0.0.1:0", "REFUND_DESK_MASTER_KEY_FILE": masterKey,
            "REFUND_DESK_TRUST_ROOTS": folder.appending(path: "roots").path, "REFUND_DESK_REVOCATION_CHECK": "off",
            // With a prefix, so that a call that forgets it is seen at once.
            "REFUND_DESK_APP_STORE_PRODUCTION_URL": production.url + "/p",
            "REFUND_DESK_APP_STORE_SANDBOX_URL": sandbox.url + "/p",
        ].merging(settings) { $1 }
        let path = Self.programs.appending(path: "refund-desk").path
        _ = try await RunningProgram.run(path, ["master-key", "new", "--file", masterKey])
        program = try RunningProgram(path, ["serve"], environment: environment)
        client = HTTPClient(name: "visitor", options: .init(), journal: .silent, counters: Counters())
        try await program.printed("\"text\":\"serving\"")
        try await program.printed("\"address\":\"127.0.0.1:")
        let output = program.output
        let port =
            output.range(of: "\"address\":\"127.0.0.1:").map { output[$0.upperBound...].prefix { $0.isNumber } } ?? ""
        url = "http://127.0.0.1:\(port)"
    }

    private func end() async {
        await program.end(politelyWithin: .seconds(10))
        await client.shutdown()
    }

    /// The journal of the program.
    package var journal: String { program.output }

    /// One administrative command; its answer as JSON.
    @discardableResult
    package func command(_ arguments: String...) async throws -> [String: Any] {
        let path = Self.programs.appending(path: "refund-desk").path
        let text = try await RunningProgram.run(path, arguments + ["--json"], environment: environment)
        return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    }

    /// A tenant with one app and its signing key.
    package func addApp(
        _ slug: String, bundleID: String, appleID: Int64, consent: Consent = .fromAll, withKey: Bool = true
    ) async throws -> AppAtDesk {
        try await command("tenant", "add", slug, "--name", slug)
        let wording = folder.appending(path: "wording-\(slug)").path
        try Data("You agree that we tell Apple how you used a purchase when you ask for a refund.".utf8).write(
            to: URL(filePath: wording))
        let (added, id) = ("app", String(appleID))
        let answer: [String: Any]
        switch consent {
        case .perCustomer:
            answer = try await command(
                added, "add", "--tenant", slug, "--bundle-id", bundleID, "--apple-id", id)
        case .fromAll:
            answer = try await command(
                added, "add", "--tenant", slug, "--bundle-id", bundleID, "--apple-id", id, "--consent",
                "all-from=2020-01-01", "--wording-file", wording, "--consent-shown-where", "before each purchase",
                "--consent-declared-by", "Ada")
        }
        if withKey { try await addKey(to: slug, keyID: "2X9R4HXF34") }
        let app = try await test.database.transaction(.house) { tx in
            try await TenantStore.tenant(slug: slug, in: tx)
        }
        guard let tenant = app?.id,
            let stored = try await test.database.transaction(
                tenant.scope, { tx in try await TenantStore.app(of: tenant, bundleID: bundleID, in: tx) }),
            let printed = (answer["notificationURL"] as? String).flatMap({ URL(string: $0) })
        else { throw RunningProgram.Failure(description: "the app was not added: \(answer)") }
        return AppAtDesk(slug: slug, bundleID: bundleID, notificationURL: url + printed.path, app: stored)
    }

    /// A fresh signing key; the same key ID again replaces.
    package func addKey(to slug: String, keyID: String) async throws {
        let file = folder.appending(path: "\(slug)-\(keyID).p8").path
        _ = try await RunningProgram.run(
            "openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file])
        try await command(
            "key", "add", "--tenant", slug, "--key-id", keyID, "--issuer-id", "57246542-96fe-1a63-e053-0824d011072a",
            "--file", file)
    }

    /// A consumable bought yesterday.
    package func transaction(
        _ id: String, of app: AppAtDesk, environment: String = "Production", _ changes: [String: String?] = [:]
    ) -> [String: Any] {
        let now = WallClock.system.now.milliseconds
        var payload: [String: Any] = [
            "transactionId": id, "originalTransactionId": id, "bundleId": app.bundleID, "productId": "coins.100",
            "type": "Consumable", "quantity": 1, "inAppOwnershipType": "PURCHASED", "purchaseDate": now - 86_400_000,
            "originalPurchaseDate": now - 86_400_000, "signedDate": now, "environment": environment,
            "transactionReason": "PURCHASE", "storefront": "USA", "storefrontId": "143441", "price": 9990,
            "currency": "USD", "appAccountToken": "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c111",
        ]
        for (name, value) in changes { payload[name] = value }
        return payload
    }

    /// Posts a notification about a transaction to its app's URL.
    ///
    /// - Returns: the status, and how long the answer took.
    @discardableResult
    package func post(
        _ type: String, _ transaction: [String: Any], to app: AppAtDesk, signedDate: Moment = WallClock.system.now
    ) async throws -> (status: Int, took: Duration) {
        let environment = transaction["environment"] as? String ?? "Production"
        var data: [String: Any] = [
            "bundleId": app.bundleID, "bundleVersion": "1", "environment": environment,
            "signedTransactionInfo": try signer.sign(transaction),
        ]
        if environment == "Production" { data["appAppleId"] = app.app.appleID ?? 0 }
        if type == "CONSUMPTION_REQUEST" { data["consumptionRequestReason"] = "OTHER" }
        let note: [String: Any] = [
            "notificationType": type, "notificationUUID": UUID().uuidString.lowercased(), "version": "2.0",
            "signedDate": signedDate.milliseconds, "data": data,
        ]
        let body = #"{"signedPayload":"\#(try signer.sign(note))"}"#
        let begun = ContinuousClock.now
        let response = try await client.send(
            ClientRequest(
                method: .post, url: app.notificationURL, headers: ["Content-Type": "application/json"],
                body: Array(body.utf8)))
        return (response.status, .now - begun)
    }

    /// Asks for a refund reply and expects the acknowledgement.
    package func request(_ transaction: [String: Any], of app: AppAtDesk) async throws {
        let status = try await post("CONSUMPTION_REQUEST", transaction, to: app).status
        guard (200...206).contains(status) else {
            throw RunningProgram.Failure(description: "the notification was answered \(status)\n\(journal)")
        }
    }

    package struct Seen: Sendable, Equatable {
        package var state: String
        package var reason: String?
        package var customer: String?
    }

    package func seen(_ transactionID: String) async throws -> Seen? {
        try await test.asSuperuser(
            "select state, state_reason, customer from refunds.cases where transaction_id = \(transactionID)"
        ).first.map { Seen(state: try $0("state"), reason: try $0("state_reason"), customer: try $0("customer")) }
    }

    /// How a call about a transaction ended.
    package struct Attempt: Sendable, Equatable {
        package let result: String
        package let status: Int32?
        package let code: Int64?
        package let message: String?
        package let error: String?
    }

    /// Waits for the first attempt that ended.
    package func attempt(of transactionID: String, within time: Duration = .seconds(30)) async throws -> Attempt {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {
            let rows = try await test.asSuperuser(
                """
                select a.result, a.status, a.apple_code, a.apple_message, a.error
                from refunds.attempts a join refunds.cases c using (tenant_id, case_id)
                where c.transaction_id = \(transactionID) and a.result is not null
                order by a.attempt_no limit 1
                """)
            if let row = rows.first {
                return Attempt(
                    result: try row("result"), status: try row("status"), code: try row("apple_code"),
                    message: try row("apple_message"), error: try row("error"))
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw RunningProgram.Failure(description: "no call about \(transactionID) has ended\n\(journal)")
    }

    /// Waits until the case of a transaction is in one of these states. The database tells nobody of its
    /// changes, so it is looked at again and again.
    ///
    /// - Throws: `Failure`, with the program's journal, after half a minute.
    @discardableResult
    package func until(_ transactionID: String, is states: String..., within time: Duration = .seconds(30)) async throws
        -> Seen
    {
        let end = ContinuousClock.now + time
        var last: Seen?
        while ContinuousClock.now < end {
            last = try await seen(transactionID)
            if let last, states.contains(last.state) { return last }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw RunningProgram.Failure(
            description: "transaction \(transactionID) is \(String(describing: last)), not \(states)\n\(journal)")
    }

    /// The calls about one transaction that arrived in an environment.
    package func calls(_ transactionID: String, in environment: String = "Production") -> [ScriptedServer.Received] {
        (environment == "Production" ? production : sandbox).received.filter {
            $0.target.hasSuffix("/consumption/\(transactionID)")
        }
    }

    /// What is known of the use of a purchase.
    package func usage(
        _ transactionID: String, of app: AppAtDesk, delivery: DeliveryStatus? = .delivered, percentage: Int?
    ) async throws {
        let now = WallClock.system.now
        _ = try await test.database.transaction(app.app.tenant.scope) { tx in
            try await UsageStore.record(
                .init(
                    transactionID: transactionID, deliveryStatus: delivery, consumptionPercentage: percentage,
                    sampleContentProvided: false, observedAt: now), tenant: app.app.tenant, app: app.app.id, at: now,
                in: tx)
        }
    }

    package func consent(of token: String, at app: AppAtDesk, _ consented: Bool = true) async throws {
        let now = WallClock.system.now
        _ = try await test.database.transaction(app.app.tenant.scope) { tx in
            try await ConsentLedger.record(
                .init(consented: consented, recordedAt: now), of: .customer(appAccountToken: token),
                tenant: app.app.tenant, app: app.app.id, at: now, in: tx)
        }
    }
}

/// A body that was sent, as an object.
extension ScriptedServer.Received {
    package func json() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:]
    }
}
