import Foundation
import HTTP
import Loop
import Postgres
import Support
import Testing
import Time

@Suite struct InboxTests {
    @Test func `BL-024: a final slash and any query are answered directly`() async throws {
        try await GatewayDesk.open { desk async throws in
            let body = try desk.test()
            for suffix in ["", "/", "?x=1", "/?x=1&y"] {
                let response = try await desk.post(body, suffix: suffix)
                #expect(response.status == 200)
                #expect(response["Location"] == nil)
            }
            #expect(try await desk.stored() == 1)
        }
    }

    @Test(arguments: [
        "", "Content-Type: application/json\r\n", "Content-Type: text/plain\r\n", "Content-Encoding: identity\r\n",
    ])
    func `any content type is read as JSON`(header: String) async throws {
        try await GatewayDesk.open { desk async throws in
            #expect(try await desk.post(try desk.test(), headers: header).status == 200)
            #expect(try await desk.stored() == 1)
        }
    }

    @Test func `BL-068: a delivery that waits for 100 Continue is stored`() async throws {
        try await GatewayDesk.open { desk async throws in
            let body = try desk.test(padding: 20_000)
            let client = try await desk.server.connect()
            try await client.send(
                "POST /n/\(desk.alpha.inbox) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n")
            #expect(try await client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.send(body)
            #expect(try await client.response().status == 200)
        }
    }

    @Test func `BL-069: a delivery in chunks is stored`() async throws {
        try await GatewayDesk.open { desk async throws in
            let body = Array(try desk.test().utf8)
            let client = try await desk.server.connect()
            try await client.send(
                "POST /n/\(desk.alpha.inbox) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n")
            try await client.send(Array(body[0..<1]))
            try await client.send("\r\n7;a")
            try await client.send("=b\r\n")
            try await client.send(Array(body[1..<8]))
            try await client.send("\r\n\(String(body.count - 8, radix: 16, uppercase: true))\r")
            try await client.send("\n")
            try await client.send(Array(body[8...]))
            try await client.send("\r\n0\r\nX-Trailer: 1\r\n\r\n")
            #expect(try await client.response().status == 200)
            #expect(try await desk.stored() == 1)
        }
    }

    @Test func `BL-125: a large genuine notification is stored, one beyond the limit is 413`() async throws {
        try await GatewayDesk.open { desk async throws in
            #expect(try await desk.post(try desk.test(padding: 180_000)).status == 200)
            #expect(try await desk.post(String(repeating: " ", count: 1024 * 1024 + 1)).status == 413)
            #expect(try await desk.stored() == 1)
        }
    }

    @Test func `what can never be right is 400 and says why`() async throws {
        try await GatewayDesk.open { desk async throws in
            let stranger = try AppleSigner(around: WallClock.system.now)
            let forged = try stranger.sign(["notificationType": "TEST"])
            let now = WallClock.system.now
            for body in [
                "", "{}", "not JSON", "{\"signedPayload\":\"a.b.c\"}", "{\"signedPayload\":\"\(forged)\"}",
                try desk.test(bundleID: "com.example.beta"), try desk.test(signedAt: now + .minutes(6)),
                try desk.test(signedAt: now - .days(9)),
            ] {
                let response = try await desk.post(body)
                #expect(response.status == 400, "\(body.prefix(60))")
                #expect(!response.text.isEmpty && response.text.utf8.count < 1000)
            }
            #expect(try await desk.stored() == 0)
        }
    }

    @Test func `an unknown inbox is 404, another method 405, a coded body 415`() async throws {
        try await GatewayDesk.open { desk async throws in
            let length = "Host: a\r\nContent-Length: 2\r\n"
            for token in ["x", String(repeating: "A", count: 43), desk.alpha.inbox + "x", desk.alpha.inbox + "/x"] {
                #expect(try await desk.server.ask("POST /n/\(token) HTTP/1.1\r\n\(length)\r\n{}").status == 404)
            }
            #expect(try await desk.server.ask("GET /n/\(desk.alpha.inbox) HTTP/1.1\r\nHost: a\r\n\r\n").status == 405)
            #expect(try await desk.post(try desk.test(), headers: "Content-Encoding: gzip\r\n").status == 415)
            #expect(try await desk.stored() == 0)
        }
    }

    @Test func `BL-025: without trust roots a delivery is asked for again`() async throws {
        try await GatewayDesk.open(trusting: false) { desk async throws in
            let response = try await desk.post(try desk.test())
            #expect(response.status == 503)
            #expect(response["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
        }
    }

    @Test func `BL-017: while the database is away a delivery is asked for again, never refused`() async throws {
        try await GatewayDesk.open { desk async throws in
            let body = try desk.test()
            await desk.test.database.close(within: .zero)
            let response = try await desk.post(body)
            #expect(response.status == 503)
            #expect(response["Retry-After"] != nil)
        }
    }

    @Test func `no line of the journal holds an inbox's token`() async throws {
        try await GatewayDesk.open { desk async throws in
            _ = try await desk.post(try desk.test())
            _ = try await desk.post("{}", suffix: "/?again=\(desk.alpha.inbox)")
            await desk.server.server.stop(within: .seconds(5))
            #expect(desk.server.journal.contains { $0.contains("/n/") })
            #expect(!desk.server.journal.contains { $0.contains(desk.alpha.inbox) })
        }
    }
}
