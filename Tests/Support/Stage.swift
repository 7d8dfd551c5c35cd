import Crypto
import Foundation
package import HTTP
import Journal
import Loop
package import Simulator

/// The whole product from outside: the real programs, a database of its own, and a small Apple in this process.
package final class Stage: Sendable {
    package struct NoAnswer: Error, CustomStringConvertible {
        package let description: String
    }

    package let apple: SmallApple
    package let folder: String
    package let databaseURL: String
    package let client: HTTPClient
    /// The environment of the programs.
    package let settings: [String: String]

    init(apple: SmallApple, folder: String, databaseURL: String, settings: [String: String]) throws {
        self.apple = apple
        self.folder = folder
        self.databaseURL = databaseURL
        client = HTTPClient(name: "stage", options: HTTPClient.Options(), journal: .silent, counters: Counters())
        var all = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("REFUND_DESK_") }
        all["DATABASE_URL"] = databaseURL
        all["REFUND_DESK_LISTEN"] = "127.0.0.1:0"
        all["REFUND_DESK_PUBLIC_FOLDER"] = Checkout.path("public")
        all["REFUND_DESK_MASTER_KEY_FILE"] = folder + "/master-key"
        all["REFUND_DESK_TRUST_ROOTS"] = folder + "/roots"
        all["REFUND_DESK_REVOCATION_CHECK"] = "off"
        all["REFUND_DESK_APP_STORE_PRODUCTION_URL"] = apple.apiURL(.production)
        all["REFUND_DESK_APP_STORE_SANDBOX_URL"] = apple.apiURL(.sandbox)
        all["REFUND_DESK_ADVANCED_COMMERCE_PRODUCTION_URL"] = apple.apiURL(.production)
        all["REFUND_DESK_ADVANCED_COMMERCE_SANDBOX_URL"] = apple.apiURL(.sandbox)
        self.settings = all.merging(settings) { $1 }
        try FileManager.default.createDirectory(atPath: folder + "/roots", withIntermediateDirectories: true)
        try Data(apple.rootDER).write(to: URL(filePath: folder + "/roots/small-apple.der"))
    }

    // MARK: Commands

    /// An administrative command with `--json`; its answer.
    @discardableResult
    package func command(_ arguments: String..., input: String = "") async throws -> [String: JSON] {
        try await command(arguments, input: input)
    }

    /// The same, with words that were gathered.
    @discardableResult
    package func command(_ arguments: [String], input: String = "") async throws -> [String: JSON] {
        let outcome = try await OutsideProgram.run(
            OutsideProgram.path("refund-desk"), arguments + ["--json"], environment: settings, input: input)
        guard outcome.status == 0 else {
            throw NoAnswer(description: "\(arguments.joined(separator: " ")) ended \(outcome.status): \(outcome.error)")
        }
        guard let object = (try? JSONReader.read(outcome.output))?.object else { return [:] }
        return Dictionary(uniqueKeysWithValues: object.members.map { ($0.name, $0.value) })
    }

    /// A tenant with an app whose key the small Apple knows; where its notifications go (a path).
    package func addApp(
        _ bundleID: String = "com.example.alpha", appleID: Int64 = 6_450_000_001, tenant: String = "alpha",
        consent: String = "all-from=2020-01-01"
    ) async throws -> String {
        try await command("tenant", "add", tenant, "--name", tenant)
        let wording = folder + "/wording.txt"
        try Data("You agree that we tell Apple how you used what you bought.\n".utf8).write(to: URL(filePath: wording))
        var words = [
            "app", "add", "--tenant", tenant, "--bundle-id", bundleID, "--apple-id", "\(appleID)", "--consent", consent,
        ]
        if consent.hasPrefix("all-from") { words += Self.consentWords(wording) }
        let path = try path(try await command(words))
        try await addKey(
            "STAGE\(10000 + apple.shelves.apps.count)", to: ["--tenant", tenant],
            known: RegisteredApp(bundleID: bundleID, appAppleID: appleID, issuerID: Self.issuer), at: apple)
        return path
    }

    /// An app of `addApp`'s tenant that is made to rehearse with `side`, which knows its key; where its
    /// notifications go (a path). Everybody has agreed.
    package func addRehearsal(
        _ bundleID: String, appleID: Int64, tenant: String = "alpha", with side: SmallApple
    ) async throws -> String {
        let root = folder + "/\(bundleID).der"
        try Data(side.rootDER).write(to: URL(filePath: root))
        let words =
            [
                "app", "add", "--tenant", tenant, "--bundle-id", bundleID, "--apple-id", "\(appleID)", "--rehearsal",
                "--trust-root", root, "--api-url", side.address, "--consent", "all-from=2020-01-01",
            ] + Self.consentWords(folder + "/wording.txt")
        let path = try path(try await command(words))
        try await addKey(
            "STAGE\(20000 + side.shelves.apps.count)", to: ["--tenant", tenant, "--bundle-id", bundleID],
            known: RegisteredApp(bundleID: bundleID, appAppleID: appleID, issuerID: Self.issuer), at: side)
        return path
    }

    private static let issuer = "57246542-96fe-4a63-b053-0824d011072a"

    private static func consentWords(_ wording: String) -> [String] {
        [
            "--wording-file", wording, "--consent-shown-where", "before each purchase", "--consent-declared-by",
            "the stage",
        ]
    }

    private func path(_ answer: [String: JSON]) throws -> String {
        guard let url = answer["notificationURL"]?.string else { throw NoAnswer(description: "no URL was printed") }
        return "/n/" + (url.split(separator: "/").last.map(String.init) ?? "")
    }

    private func addKey(_ keyID: String, to owner: [String], known app: RegisteredApp, at side: SmallApple) async throws
    {
        let file = folder + "/\(keyID).p8"
        try Data(try await privateKey().utf8).write(to: URL(filePath: file))
        try await command(
            ["key", "add", "--key-id", keyID, "--issuer-id", app.issuerID, "--file", file] + owner)
        side.register(app, keyID: keyID, publicKey: try await publicKey(of: file))
    }

    private func privateKey() async throws -> String {
        try await OutsideProgram.run(
            "/usr/bin/openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
            environment: settings
        ).output
    }

    /// The last 65 bytes of a P-256 public key's DER are its point.
    private func publicKey(of file: String) async throws -> P256PublicKey {
        let text = try await OutsideProgram.run(
            "/usr/bin/openssl", ["pkey", "-in", file, "-pubout"], environment: settings
        ).output
        let body = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        return try P256PublicKey(x963: Array((Data(base64Encoded: body) ?? Data()).suffix(65)))
    }

    // MARK: The service

    /// Starts `refund-desk serve` and waits until it says where it listens.
    ///
    /// - Parameter clock: how far its clock is off, as libfaketime reads it: `+10m`. The library is loaded by name: the
    ///   command `faketime` stays in between and takes the signals for itself.
    package func serve(
        _ changes: [String: String] = [:], clock: String? = nil, _ arguments: String...
    ) async throws -> Desk {
        var all = settings.merging(changes) { $1 }
        if let clock {
            all["LD_PRELOAD"] = "/usr/$LIB/faketime/libfaketime.so.1"
            all["FAKETIME"] = clock
            all["FAKETIME_DONT_FAKE_MONOTONIC"] = "1"
        }
        let program = try RunningProgram(
            OutsideProgram.path("refund-desk"), ["serve"] + arguments, environment: all)
        try await program.printed("\"text\":\"serving\"")
        try await program.printed("\"address\":\"127.0.0.1:")
        guard let match = program.output.firstMatch(of: /"address":"(127\.0\.0\.1:\d+)"/) else {
            throw NoAnswer(description: "serve did not say where it listens")
        }
        return Desk(program: program, address: "http://\(match.1)", client: client)
    }

    // MARK: Notifications

    /// A refund request, signed, not sent.
    package func request(
        _ bundleID: String = "com.example.alpha", environment: StoreEnvironment = .production,
        reason: String? = "OTHER",
        productType: String = "Consumable", change: (inout NotificationOrder) -> Void = { _ in }
    ) throws -> SentNotification {
        var order = NotificationOrder(
            "CONSUMPTION_REQUEST", environment: environment, bundleID: bundleID, productType: productType,
            reason: reason)
        order.decides = false
        change(&order)
        return try apple.write(order)
    }

    /// The calls to Send Consumption Information for this transaction.
    package func replies(to transaction: String?) -> [Call] {
        apple.ledger.calls.filter { $0.consumptionTransactionID == transaction && transaction != nil }
    }

    /// Asks again and again until it is so. For what has no signal of its own.
    package func eventually(
        _ what: String, within limit: Duration = .seconds(30), _ isSo: () async throws -> Bool
    ) async throws {
        let start = ContinuousClock.now
        while try await !isSo() {
            guard ContinuousClock.now - start < limit else { throw NoAnswer(description: "never came: \(what)") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// A running `refund-desk serve`.
package struct Desk: Sendable {
    package let program: RunningProgram
    package let address: String
    package let client: HTTPClient

    package func get(_ path: String, headers: [(String, String)] = []) async throws -> ClientResponse {
        var fields = HeaderFields()
        for (name, value) in headers { fields.add(name, value) }
        return try await client.send(ClientRequest(method: .get, url: address + path, headers: fields))
    }

    /// Posts a notification; its status.
    package func post(_ notification: SentNotification, to path: String) async throws -> Int {
        try await post(notification.body, to: path)
    }

    /// Posts these bytes; the status.
    package func post(_ body: [UInt8], to path: String) async throws -> Int {
        var fields = HeaderFields()
        fields.add("Content-Type", "application/json")
        return try await client.send(
            ClientRequest(method: .post, url: address + path, headers: fields, body: body)
        ).status
    }

    /// Sends SIGTERM and waits for the end.
    @discardableResult
    package func stop() async -> Int32 {
        program.signal(15)
        return await program.exit()
    }
}

/// Sets the stage: a migrated database on the server of the tests, or on a durable one of its own.
package func withStage<R: Sendable>(
    settings: [String: String] = [:], databaseURL: String? = nil, calm: Bool = true,
    _ body: (Stage) async throws -> R
) async throws -> R {
    let folder = NSTemporaryDirectory() + "/refund-desk-stage-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let apple = try await SmallApple.start(.forTests, calm: calm)
    func act(_ url: String) async throws -> R {
        let stage = try Stage(apple: apple, folder: folder, databaseURL: url, settings: settings)
        try await stage.command("master-key", "new", "--file", folder + "/master-key")
        return try await body(stage)
    }
    let result: Result<R, any Error>
    do {
        if let databaseURL {
            result = .success(try await act(databaseURL))
        } else {
            result = .success(try await withDatabase { test in try await act(test.url) })
        }
    } catch {
        result = .failure(error)
    }
    await apple.stop()
    return try result.get()
}
