import AppStore
import FoundationEssentials
import Refunds
import Simulator
import Support
import Tenants
import Time
import Testing

@testable import Web

/// What Apple answers when a purchase is looked up that is not held here.
@Suite struct `The look-up of a purchase` {
    @Test(
        arguments: [
            (404, #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#, 422, "Apple says:"),
            (401, "", 409, "Apple does not accept the app&#39;s signing key"),
            (429, "", 409, "Apple asked for fewer calls"),
            (500, "", 409, "Apple could not be asked"),
        ] as [(Int, String, Int, String)])
    func `what Apple says to a look-up is told apart`(answer: Int, body: String, status: Int, words: String)
        async throws
    {
        try await withConsole { desk, _, _ in
            try await desk.makeSam(.admin)
            // The try of the key that its form makes goes well.
            let server = try ScriptedServer { call, _ in
                call.target.contains("/transactions/") ? .answer(answer, body: body) : .answer(200, body: "{}")
            }
            defer { server.stop() }
            let apple = AppleSide.sample(
                trusting: [], calling: "http://127.0.0.1:\(server.port)", clock: desk.clock.clock)
            let sam = TestBrowser(try console(of: desk, apple: apple))
            try await sam.signIn()
            let key = try NewSigningKey.make()
            _ = try await sam.upload(
                .setupPart("alpha", bundleID: "com.example.alpha", .key),
                [
                    ("file", "SubscriptionKey_\(key.keyID).p8", key.p8), ("keyID", nil, ""),
                    ("issuerID", nil, key.issuerID), ("serves", nil, "all"),
                ])
            let found = try await sam.post(
                .purchaseLookUp("alpha"),
                [
                    ("app", "com.example.alpha"), ("environment", "Production"), ("transaction", "2000000900000798"),
                ])
            #expect(found.status == status && found.text.contains(words), "\(found.status)")
            #expect(found.text.contains("value=\"2000000900000798\""))
        }
    }
}
