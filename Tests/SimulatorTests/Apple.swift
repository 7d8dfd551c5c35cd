import Crypto
import HTTP
import Journal
import Loop
import Synchronization
import Testing
import Time

@testable import Simulator

/// A running small Apple, an app that it knows, that app's key, and a client.
final class Apple: Sendable {
    static let loops = EventLoops(count: 2, name: "simulator-test", journal: .silent, counters: Counters())
    static let client = HTTPClient(name: "test", options: HTTPClient.Options(), journal: .silent, counters: Counters())

    static let bundleID = "org.example.reader"
    static let keyID = "AB12CD34EF"
    static let issuerID = "11111111-2222-3333-4444-555555555555"

    let apple: SmallApple
    let key: TeamKey

    final class TeamKey: Sendable {
        let key: P256Key
        init() throws { key = try P256Key.generate() }
    }

    init(seed: UInt64? = nil, calm: Bool = true, change: (inout SmallApple.Settings) -> Void = { _ in }) async throws {
        var settings = SmallApple.Settings()
        settings.seed = seed
        settings.manners = calm ? .calm : .asEver
        change(&settings)
        apple = try await SmallApple.start(loops: Self.loops, settings: settings)
        key = try TeamKey()
        apple.register(
            RegisteredApp(bundleID: Self.bundleID, appAppleID: 1_500_000_001, issuerID: Self.issuerID),
            keyID: Self.keyID,
            publicKey: key.key.publicKey)
    }

    /// A good token, unless it is changed: `header` and `claims` are patches.
    func token(
        header: JSONObject = [:], claims: JSONObject = [:], signedBy signer: TeamKey? = nil,
        at now: Moment = WallClock.system.now
    ) throws -> String {
        let goodHeader: JSONObject = ["alg": "ES256", "kid": .string(Self.keyID), "typ": "JWT"]
        let goodClaims: JSONObject = [
            "iss": .string(Self.issuerID), "iat": .int(now.seconds - 60), "exp": .int(now.seconds + 300),
            "aud": "appstoreconnect-v1", "bid": .string(Self.bundleID),
        ]
        let signed =
            Base64URL.encode(JSON.object(goodHeader.changed(by: header)).bytes) + "."
            + Base64URL.encode(JSON.object(goodClaims.changed(by: claims)).bytes)
        return signed + "." + Base64URL.encode(try (signer ?? key).key.sign(Array(signed.utf8)))
    }

    struct Reply {
        let status: Int
        let headers: HeaderFields
        let text: String

        var json: JSON? { try? JSONReader.read(text) }
        var code: Int64? { json?["errorCode"]?.int }
    }

    /// A call to the API of an environment, with a good token unless another authorization is given.
    func call(
        _ method: HTTP.Method, _ path: String, _ environment: StoreEnvironment = .production, body: JSON? = nil,
        authorization: String? = nil
    ) async throws -> Reply {
        let token = try self.token()
        return try await Self.send(
            method, apple.apiURL(environment) + path, authorization: authorization ?? "Bearer \(token)",
            body: body?.bytes)
    }

    func control(_ method: HTTP.Method, _ path: String, _ body: JSON? = nil) async throws -> Reply {
        try await Self.send(method, apple.address + "/control" + path, authorization: nil, body: body?.bytes)
    }

    static func send(
        _ method: HTTP.Method, _ url: String, authorization: String?, body: [UInt8]?, headers: HeaderFields = [:],
        timeout: Duration = .seconds(20)
    ) async throws -> Reply {
        var fields = headers
        if let authorization { fields.add("Authorization", authorization) }
        if body != nil { fields.add("Content-Type", "application/json") }
        let response = try await client.send(
            ClientRequest(method: method, url: url, headers: fields, body: body, totalTimeout: timeout))
        return Reply(
            status: response.status, headers: response.headers, text: String(decoding: response.body, as: UTF8.self))
    }

    static let goodBody: JSON = [
        "customerConsented": true, "deliveryStatus": "DELIVERED", "sampleContentProvided": false,
    ]

    func consume(
        _ transaction: StoreTransaction, _ body: JSON = goodBody, version: Int = 2, authorization: String? = nil
    ) async throws -> Reply {
        try await call(
            .put, "/inApps/v\(version)/transactions/consumption/\(transaction.id)", transaction.environment, body: body,
            authorization: authorization)
    }

    /// The payload of a JWS whose chain and signature hold; written from the signature's own specification.
    func verified(_ jws: String) throws -> JSON {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 3)
        let header = try JSONReader.read(try #require(Base64URL.decode(parts[0])))
        #expect(header["alg"] == "ES256")
        let chain = try #require(header["x5c"]?.array).map { value in
            try Certificate(der: try #require(Base64.decode(try need(value.string))))
        }
        try #require(chain.count == 3)
        try CertificateChain.verify(
            leaf: chain[0], intermediate: chain[1], anchors: [try Certificate(der: apple.rootDER)],
            at: WallClock.system.now)
        #expect(chain[0].hasExtension("1.2.840.113635.100.6.11.1") && chain[1].hasExtension("1.2.840.113635.100.6.2.1"))
        let key = try #require(chain[0].publicKey)
        let signature = try #require(Base64URL.decode(parts[2]))
        try #require(key.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
        return try JSONReader.read(try #require(Base64URL.decode(parts[1])))
    }
}

/// The developer's server: keeps what is posted, answers as told.
final class Receiver: Sendable {
    private let state = Mutex<(bodies: [JSON], statuses: [Int])>(([], []))
    let server: Server
    let url: String

    init() async throws {
        let box = Box()
        let route = Route(.post, "/n", bodyMax: 1_000_000) { request, _ in
            await box.receiver?.receive(request) ?? .status(.ok)
        }
        server = Server(
            listen: try #require(SocketAddress("127.0.0.1:0")), routes: Router([route]), loops: Apple.loops,
            clock: .system,
            journal: .silent, counters: Counters())
        url = "http://\(try await server.start())/n"
        box.put(self)
    }

    private final class Box: Sendable {
        private let held = Mutex<Receiver?>(nil)
        var receiver: Receiver? { held.withLock { $0 } }
        func put(_ receiver: Receiver) { held.withLock { $0 = receiver } }
    }

    /// The statuses of the next answers; 200 after them.
    func answer(_ statuses: [Int]) { state.withLock { $0.statuses = statuses } }

    var bodies: [JSON] { state.withLock { $0.bodies } }

    private func receive(_ request: Request) async -> Response {
        state.withLock { state in
            state.bodies.append((try? JSONReader.read(request.body)) ?? .null)
            return .status(Status(state.statuses.isEmpty ? 200 : state.statuses.removeFirst()))
        }
    }

    /// Waits until so many bodies were posted.
    func wait(for count: Int, within limit: Duration = .seconds(20)) async throws -> [JSON] {
        let deadline = ContinuousClock.now + limit
        while bodies.count < count, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(5)) }
        try #require(bodies.count >= count, "waited in vain for \(count) notifications, there were \(bodies.count)")
        return bodies
    }
}

/// What is there, or the test ends: for places inside an expectation.
func need<Value>(_ value: Value?) throws -> Value { try #require(value) }
