import HTTP
import Journal
import Support
import Testing

@Suite struct AccessLogTests {
    private static let secret = "s3cr3tInboxToken"

    @Test(arguments: [
        "POST /n/\(secret) HTTP/1.1", "POST /n/\(secret)/?token=\(secret) HTTP/1.1", "GET /n/\(secret) HTTP/1.1",
        "POST /n/\(secret)/\(secret) HTTP/1.1", "GET /hello?token=\(secret) HTTP/1.1",
        "POST /n/\(secret)%zz HTTP/1.1", "POST /n/\(secret) HTTP/9.9",
    ])
    func `a secret in a path or a query is in no line`(line: String) async throws {
        let server = try await RunningServer(Echo.routes)
        _ = try await server.ask(
            "\(line)\r\nHost: a\r\nCookie: c=\(Self.secret)\r\nAuthorization: Bearer \(Self.secret)\r\n\r\n")
        await server.server.stop(within: .seconds(5))
        #expect(server.journal.contains { $0.contains("\"text\":\"request") })
        #expect(!server.journal.contains { $0.contains(Self.secret) })
        #expect(!server.counters.text().contains(Self.secret))
    }

    @Test func `a line says what was asked, what was answered, how long it took and for whom`() async throws {
        let server = try await RunningServer(Echo.routes)
        let response = try await server.ask("GET /t/acme/cases/7 HTTP/1.1\r\nHost: a\r\n\r\n")
        await server.server.stop(within: .seconds(5))
        let line = try #require(server.journal.first { $0.contains("\"text\":\"request\"") })
        for part in [
            "\"path\":\"/t/acme/cases/7\"", "\"status\":200", "\"method\":\"GET\"", "\"client\":\"127.0.0.1\"",
            "\"bytes\":\(response.body.count)", "\"request\":\"\(response["X-Request-Id"] ?? "")\"",
            "\"microseconds\":",
        ] {
            #expect(line.contains(part))
        }
    }

    @Test func `requests are counted by their route's pattern`() async throws {
        let server = try await RunningServer(Echo.routes)
        _ = try await server.ask("GET /t/acme/cases/7 HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await server.ask("GET /t/acme/cases/8 HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await server.ask("WEIRD /nowhere HTTP/1.1\r\nHost: a\r\n\r\n")
        await server.server.stop(within: .seconds(5))
        #expect(
            server.counters.value(
                "http_requests_total", ["route": "/t/{slug}/cases/{id}", "method": "GET", "status": "200"]) == 2)
        #expect(server.counters.value("http_requests_total", ["route": "-", "method": "other", "status": "404"]) == 1)
    }
}
