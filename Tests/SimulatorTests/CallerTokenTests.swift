import Crypto
import HTTP
import Testing
import Time

@testable import Simulator

@Suite struct `Tokens of callers` {
    private static let path = "/inApps/v1/transactions/410000987654321"

    struct Wrong: CustomTestStringConvertible {
        let testDescription: String
        var header: JSONObject = [:]
        /// A patch, made from seconds now.
        var claims: @Sendable (Int64) -> JSONObject = { _ in [:] }
        /// Applied to the finished token.
        var spoil: @Sendable (String) -> String = { $0 }

        init(
            _ name: String, header: JSONObject = [:], claims: @escaping @Sendable (Int64) -> JSONObject = { _ in [:] },
            spoil: @escaping @Sendable (String) -> String = { $0 }
        ) {
            testDescription = name
            self.header = header
            self.claims = claims
            self.spoil = spoil
        }
    }

    private static let wrong: [Wrong] = [
        Wrong("no algorithm", header: ["alg": "none"]),
        Wrong("HS256", header: ["alg": "HS256"]),
        Wrong("another typ", header: ["typ": "at+jwt"]),
        Wrong("no key id", header: ["kid": nil]),
        Wrong("unknown key id", header: ["kid": "ZZ99ZZ99ZZ"]),
        Wrong("another issuer", claims: { _ in ["iss": "11111111-2222-3333-4444-666666666666"] }),
        Wrong("no issuer", claims: { _ in ["iss": nil] }),
        Wrong("another audience", claims: { _ in ["aud": "advanced-commerce-api"] }),
        Wrong("an audience in a list", claims: { _ in ["aud": ["appstoreconnect-v1"]] }),
        Wrong("no bundle id", claims: { _ in ["bid": nil] }),
        Wrong("bundle id in another case", claims: { _ in ["bid": "org.example.Reader"] }),
        Wrong("another team's app", claims: { _ in ["bid": "com.example.stranger"] }),
        Wrong("issued a minute from now", claims: { ["iat": .int($0 + 60)] }),
        Wrong("times in milliseconds", claims: { ["iat": .int($0 * 1000), "exp": .int($0 * 1000 + 300_000)] }),
        Wrong("issued at a fraction", claims: { ["iat": .number("\($0 - 60).5")] }),
        Wrong("expired", claims: { ["iat": .int($0 - 600), "exp": .int($0 - 1)] }),
        Wrong("no expiry", claims: { _ in ["exp": nil] }),
        Wrong("good for more than an hour", claims: { ["iat": .int($0 - 60), "exp": .int($0 - 60 + 3601)] }),
        Wrong("good for more than an hour and no issue time", claims: { ["iat": nil, "exp": .int($0 + 3700)] }),
        Wrong("a changed signature", spoil: { String($0.dropLast(4)) + ($0.hasSuffix("AAAA") ? "BBBB" : "AAAA") }),
        Wrong("no signature", spoil: { String($0[...($0.lastIndex(of: ".") ?? $0.startIndex)]) }),
        Wrong("a padded part", spoil: { $0 + "==" }),
        Wrong("two parts", spoil: { String($0[..<($0.lastIndex(of: ".") ?? $0.startIndex)]) }),
        Wrong("a fourth part", spoil: { $0 + ".AA" }),
        Wrong("nothing", spoil: { _ in "" }),
    ]

    @Test func `every wrong token gets the same bare 401, and the ledger knows why`() async throws {
        let apple = try await Apple()
        apple.apple.register(
            RegisteredApp(
                bundleID: "com.example.stranger", appAppleID: 2, issuerID: "99999999-2222-3333-4444-555555555555"))
        try apple.apple.purchase(Apple.bundleID, changes: ["transactionId": "410000987654321"])
        let now = WallClock.system.now
        for wrong in Self.wrong {
            let token = wrong.spoil(try apple.token(header: wrong.header, claims: wrong.claims(now.seconds)))
            let reply = try await apple.call(.get, Self.path, authorization: "Bearer \(token)")
            try Self.expectBare(reply, wrong.testDescription)
            let call = try #require(apple.apple.ledger.calls.last)
            #expect(call.tokenFault != nil && call.status == 401, "\(wrong.testDescription)")
            #expect(call.header("Authorization") == nil)
        }
        for authorization in ["Basic abc", "bearer x.y.z", "Bearer"] {
            try Self.expectBare(try await apple.call(.get, Self.path, authorization: authorization), authorization)
        }
        let stranger = try Apple.TeamKey()
        let forged = try apple.token(signedBy: stranger)
        try Self.expectBare(try await apple.call(.get, Self.path, authorization: "Bearer \(forged)"), "another key")
        let good = try await apple.call(.get, Self.path)
        #expect(good.status == 200)
        await apple.apple.stop()
    }

    private static func expectBare(_ reply: Apple.Reply, _ name: String) throws {
        #expect(reply.status == 401, "\(name)")
        #expect(reply.headers.mediaType == "text/plain", "\(name)")
        let lines = reply.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines.count == 3 && lines[0] == "Unauthenticated" && lines[1].hasPrefix("Request ID: ") && lines[2].isEmpty,
            "\(name)")
        #expect(reply.headers["Retry-After"] == nil && reply.json == nil, "\(name)")
    }

    @Test func `a token without an issue time, and one of exactly an hour, are good`() async throws {
        let apple = try await Apple()
        try apple.apple.purchase(Apple.bundleID, changes: ["transactionId": "410000987654321"])
        let now = WallClock.system.now.seconds
        for claims: JSONObject in [["iat": nil], ["iat": .int(now - 60), "exp": .int(now - 60 + 3600)]] {
            let token = try apple.token(claims: claims)
            #expect(try await apple.call(.get, Self.path, authorization: "Bearer \(token)").status == 200)
        }
        let call = try #require(apple.apple.ledger.calls.last)
        #expect(call.claims?["bid"]?.string == Apple.bundleID && call.tokenHeader?["kid"]?.string == Apple.keyID)
        await apple.apple.stop()
    }

    @Test func `Apple's clock decides what lies in the future`() async throws {
        let apple = try await Apple()
        try apple.apple.purchase(Apple.bundleID, changes: ["transactionId": "410000987654321"])
        apple.apple.clockOffset = .seconds(-600)
        #expect(try await apple.call(.get, Self.path).status == 401)
        apple.apple.clockOffset = .seconds(-45)
        #expect(try await apple.call(.get, Self.path).status == 200)
        await apple.apple.stop()
    }

    @Test
    func `an app that was never released is known to the sandbox only, a withdrawn one to nobody, a revoked key fails`()
        async throws
    {
        let apple = try await Apple()
        var app = try #require(apple.apple.shelves.app(Apple.bundleID))
        app.isReleased = false
        apple.apple.register(app)
        #expect(try await apple.call(.get, Self.path, .production).status == 401)
        #expect(try await apple.call(.get, Self.path, .sandbox).code == 4_040_010)
        app.isWithdrawn = true
        apple.apple.register(app)
        #expect(try await apple.call(.get, Self.path, .sandbox).code == 4_040_003)
        apple.apple.keys.revoke(Apple.keyID)
        #expect(try await apple.call(.get, Self.path, .sandbox).status == 401)
        await apple.apple.stop()
    }

    @Test func `a key from the control API is a .p8 that signs good tokens`() async throws {
        let apple = try await Apple()
        let made = try await apple.control(.post, "/keys", ["issuerId": .string(Apple.issuerID)])
        #expect(made.status == 201)
        let json = try #require(made.json)
        let pem = try #require(json["privateKey"]?.string)
        let key = try PrivateKeyFile.p256(from: SecretBytes(copying: Array(pem.utf8)))
        #expect(json["fingerprint"]?.string == key.publicKey.fingerprint)
        let keyID = try #require(json["keyId"]?.string)
        #expect(keyID.wholeMatch(of: /[A-Z0-9]{10}/) != nil)
        let now = WallClock.system.now.seconds
        let signed =
            Base64URL.encode(JSON.object(["alg": "ES256", "kid": .string(keyID), "typ": "JWT"]).bytes) + "."
            + Base64URL.encode(
                JSON.object([
                    "iss": .string(Apple.issuerID), "iat": .int(now), "exp": .int(now + 300),
                    "aud": "appstoreconnect-v1",
                    "bid": .string(Apple.bundleID),
                ]).bytes)
        let token = signed + "." + Base64URL.encode(try key.sign(Array(signed.utf8)))
        #expect(try await apple.call(.get, Self.path, authorization: "Bearer \(token)").code == 4_040_010)
        await apple.apple.stop()
    }
}

@Suite struct `Public keys as text` {
    @Test func `PEM, DER and the bare point are read; a private key and anything else are not`() throws {
        let key = try Apple.TeamKey().key.publicKey
        let der = Base64.encode(PublicKeyText.spkiPrefix + key.x963)
        for text in [
            der, Base64.encode(key.x963),
            "-----BEGIN PUBLIC KEY-----\n\(der.prefix(64))\n\(der.dropFirst(64))\n-----END PUBLIC KEY-----\n",
        ] {
            #expect(try PublicKeyText.read(text) == key)
        }
        let secret = try NewSigningKey.make().p8
        for text in [secret, "", "AAAA", Base64.encode([UInt8](repeating: 4, count: 65))] {
            #expect(throws: PublicKeyText.Fault.self) { try PublicKeyText.read(text) }
        }
    }
}
