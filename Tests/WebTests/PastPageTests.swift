import AppStore
import FoundationEssentials
import Postgres
import Refunds
import Simulator
import Support
import Tenants
import Testing
import Time

@testable import Web

@Suite struct `The page of an app's past` {
    private static let place = Site.pastImport("alpha", bundleID: "com.example.alpha")

    @Test func `shows progress, and is begun and stopped by an admin`() async throws {
        try await withConsole { desk, console, test in
            try await desk.makeSam(.admin)
            let sam = TestBrowser(console)
            try await sam.signIn()
            #expect(try await sam.get(Self.place).text.contains("It begins by itself"))
            let start = [("do", "start"), ("environment", "Production")]
            let early = try await sam.post(Self.place, start)
            #expect(early.status == 409 && early.text.contains("from the first signing key on"))
            try await test.asSuperuser(
                """
                insert into refunds.histories (tenant_id, app_id, environment, began_at, due_at)
                values (\(desk.alpha.id.rawValue), \(desk.alphaApp.id.rawValue), 'Production', \(desk.clock.now),
                  \(desk.clock.now))
                """)
            #expect(try await sam.post(Self.place, start).status == 303)
            let running = try await sam.get(Self.place).text
            #expect(running.contains("Is being read") && running.contains("0 of 30 parts"))
            #expect(try await sam.get(.apps("alpha")).text.contains("is being read, 0 of 30 parts"))
            #expect(
                try await sam.post(Self.place, [("do", "stop"), ("environment", "Production")]).status == 303)
            #expect(try await sam.get(Self.place).text.contains("Read it again"))
            for (state, isShown) in [("stopped", true), ("done", false)] {
                try await test.asSuperuser("update refunds.imports set trouble = '502 of Apple', state = \(state)")
                #expect(try await sam.get(Self.place).text.contains("502 of Apple") == isShown)
            }
            #expect(try await sam.post(Self.place, [("do", "eat"), ("environment", "Production")]).status == 404)
        }
    }
}

@Suite struct `The look-up of an order` {
    @Test(
        arguments: [
            ("MK5XY2ABCD", 200, #"{"status":1}"#, 200, "Apple knows no such order"),
            ("mk5 xy2 abcd", 200, #"{"status":1}"#, 200, "MK5XY2ABCD"),
            ("no/number", 200, "{}", 422, "order number is digits"),
            ("MK5XY2ABCD", 401, "", 409, "signing key"),
            ("MK5XY2ABCD", 500, "", 409, "could not be asked"),
            ("MK5XY2ABCD", 200, #"{"status":0,"signedTransactions":["a.b.c"]}"#, 409, "could not be"),
        ] as [(String, Int, String, Int, String)])
    func `says what Apple knows of it`(order: String, answer: Int, body: String, status: Int, words: String)
        async throws
    {
        try await withConsole { desk, _, _ in
            try await desk.makeSam(.admin)
            let server = try ScriptedServer { call, _ in
                call.target.contains("/lookup/") ? .answer(answer, body: body) : .answer(200, body: "{}")
            }
            defer { server.stop() }
            let signer = try AppleSigner(around: desk.clock.now)
            let apple = AppleSide.sample(
                trusting: [signer.root], calling: "http://127.0.0.1:\(server.port)", clock: desk.clock.clock)
            let sam = TestBrowser(try console(of: desk, apple: apple))
            try await sam.signIn()
            let key = try NewSigningKey.make()
            _ = try await sam.upload(
                .setupPart("alpha", bundleID: "com.example.alpha", .key),
                [
                    ("file", "SubscriptionKey_\(key.keyID).p8", key.p8), ("keyID", nil, ""),
                    ("issuerID", nil, key.issuerID), ("serves", nil, "all"),
                ])
            let found = try await sam.post(.orders("alpha"), [("app", "com.example.alpha"), ("order", order)])
            #expect(found.status == status && found.text.contains(words), "\(found.status)")
        }
    }

    @Test func `shows what it holds, with the case about it`() async throws {
        try await withConsole { desk, _, _ in
            try await desk.makeSam(.admin)
            let id = try await desk.add(SampleCase(), to: desk.alphaApp)
            let signer = try AppleSigner(around: desk.clock.now)
            let signed = try signer.sign([
                "transactionId": "2000000900000001", "originalTransactionId": "2000000900000001",
                "bundleId": "com.example.alpha", "productId": "coins.<100>", "type": "Consumable",
                "environment": "Production", "purchaseDate": SampleDesk.signed.milliseconds,
                "signedDate": desk.clock.now.milliseconds, "price": 9990, "currency": "USD",
            ])
            let server = try ScriptedServer { call, _ in
                call.target.contains("/lookup/")
                    ? .answer(200, body: #"{"status":0,"signedTransactions":["\#(signed)"]}"#)
                    : .answer(200, body: "{}")
            }
            defer { server.stop() }
            let apple = AppleSide.sample(
                trusting: [signer.root], calling: "http://127.0.0.1:\(server.port)", clock: desk.clock.clock)
            let sam = TestBrowser(try console(of: desk, apple: apple))
            try await sam.signIn()
            let key = try NewSigningKey.make()
            _ = try await sam.upload(
                .setupPart("alpha", bundleID: "com.example.alpha", .key),
                [
                    ("file", "SubscriptionKey_\(key.keyID).p8", key.p8), ("keyID", nil, ""),
                    ("issuerID", nil, key.issuerID), ("serves", nil, "all"),
                ])
            #expect(try await sam.get(.orders("alpha")).status == 200)
            let found = try await sam.post(.orders("alpha"), [("app", "com.example.alpha"), ("order", "MK5XY2ABCD")])
            #expect(found.status == 200 && found.text.contains("&lt;100&gt;"), "\(found.status)")
            #expect(found.text.contains(Site.refundCase("alpha", id).url))
        }
    }
}
