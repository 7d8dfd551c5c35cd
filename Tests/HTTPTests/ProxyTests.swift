import HTTP
import Loop
import Support
import Testing

@Suite struct ProxyTests {
    struct Case: Sendable {
        let header: String
        let client: String
    }

    @Test(arguments: [
        Case(header: "", client: "127.0.0.1 plain"),
        Case(header: "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: https\r\n", client: "203.0.113.7 secure"),
        Case(header: "X-Forwarded-For: 198.51.100.1, 203.0.113.7\r\n", client: "203.0.113.7 plain"),
        Case(header: "X-Forwarded-For: 203.0.113.7, 10.0.0.5\r\n", client: "203.0.113.7 plain"),
        Case(header: "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-For: 10.0.0.5\r\n", client: "203.0.113.7 plain"),
        Case(header: "X-Forwarded-For: 203.0.113.7:4711\r\n", client: "203.0.113.7 plain"),
        Case(header: "X-Forwarded-For: [2001:db8::1]:4711\r\n", client: "2001:db8::1 plain"),
        Case(header: "X-Forwarded-For: unknown, 10.0.0.5\r\n", client: "10.0.0.5 plain"),
        Case(header: "X-Forwarded-For: <script>\r\n", client: "127.0.0.1 plain"),
        Case(header: "X-Forwarded-Proto: HTTPS\r\n", client: "127.0.0.1 secure"),
        Case(
            header: "X-Forwarded-For: 203.0.113.7, 10.0.0.5\r\nX-Forwarded-Proto: https, http\r\n",
            client: "203.0.113.7 secure"),
    ])
    func `BL-118: a trusted proxy says who the client is and whether it speaks TLS`(given: Case) async throws {
        let ranges = ["127.0.0.0/8", "10.0.0.0/8"].compactMap { AddressRange($0) }
        let server = try await RunningServer(Echo.routes, trustedProxies: ranges)
        #expect(try await server.ask("GET /who HTTP/1.1\r\nHost: a\r\n\(given.header)\r\n").text == given.client)
    }

    @Test func `BL-118: nobody else is believed`() async throws {
        let server = try await RunningServer(
            Echo.routes, trustedProxies: [AddressRange("10.0.0.0/8")].compactMap { $0 })
        let response = try await server.ask(
            "GET /who HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: https\r\n"
                + "X-Request-Id: mine\r\n\r\n")
        #expect(response.text == "127.0.0.1 plain")
        #expect(response["X-Request-Id"] != "mine")
    }

    @Test func `a proxy may give a request its id`() async throws {
        let server = try await RunningServer(
            Echo.routes, trustedProxies: [AddressRange("127.0.0.1")].compactMap { $0 })
        let given = try await server.ask("GET /who HTTP/1.1\r\nHost: a\r\nX-Request-Id: edge-7\r\n\r\n")
        #expect(given["X-Request-Id"] == "edge-7")
        let odd = try await server.ask("GET /who HTTP/1.1\r\nHost: a\r\nX-Request-Id: a b\r\n\r\n")
        #expect(odd["X-Request-Id"] != "a b")
    }
}
