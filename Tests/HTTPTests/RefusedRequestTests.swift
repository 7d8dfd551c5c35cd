import HTTP
import Support
import Testing

/// Requests that two readers could understand differently, and requests beyond the limits.
@Suite struct RefusedRequestTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let what: String
        let request: String
        let status: Int
        var testDescription: String { what }
        init(_ what: String, _ request: String, _ status: Int) {
            self.what = what
            self.request = request
            self.status = status
        }
    }

    static let host = "Host: a\r\n"
    static let cases = [
        Case(
            "both lengths",
            "POST /echo HTTP/1.1\r\n\(host)Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        Case(
            "differing lengths", "POST /echo HTTP/1.1\r\n\(host)Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
            400),
        Case("a list of lengths", "POST /echo HTTP/1.1\r\n\(host)Content-Length: 5, 5\r\n\r\nhello", 400),
        Case("a length with a sign", "POST /echo HTTP/1.1\r\n\(host)Content-Length: +5\r\n\r\nhello", 400),
        Case("a negative length", "POST /echo HTTP/1.1\r\n\(host)Content-Length: -1\r\n\r\n", 400),
        Case("a hexadecimal length", "POST /echo HTTP/1.1\r\n\(host)Content-Length: 0x5\r\n\r\nhello", 400),
        Case("an empty length", "POST /echo HTTP/1.1\r\n\(host)Content-Length: \r\n\r\n", 400),
        Case(
            "a length beyond all numbers", "POST /echo HTTP/1.1\r\n\(host)Content-Length: 99999999999999999999\r\n\r\n",
            413),
        Case("a folded field", "GET / HTTP/1.1\r\n\(host)A: b\r\n c\r\n\r\n", 400),
        Case("a folded first field", "GET / HTTP/1.1\r\n \(host)\r\n", 400),
        Case("a bare CR in a value", "GET / HTTP/1.1\r\n\(host)A: b\rc\r\n\r\n", 400),
        Case("a bare LF behind the request line", "GET / HTTP/1.1\n\(host)\r\n", 400),
        Case("a bare LF behind a field", "GET / HTTP/1.1\r\nHost: a\nB: c\r\n\r\n", 400),
        Case("a NUL in a value", "GET / HTTP/1.1\r\n\(host)A: b\0c\r\n\r\n", 400),
        Case("a space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
        Case("a field without a name", "GET / HTTP/1.1\r\n\(host): b\r\n\r\n", 400),
        Case("a field without a colon", "GET / HTTP/1.1\r\n\(host)Nothing\r\n\r\n", 400),
        Case(
            "an unknown coding", "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        Case(
            "a last coding that is not chunked",
            "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked, gzip\r\n\r\n", 400),
        Case(
            "chunked twice", "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 400),
        Case(
            "chunked in two fields",
            "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400),
        Case(
            "a coding with a control character",
            "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: \u{0B}chunked\r\n\r\n0\r\n\r\n", 400),
        Case("identity", "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: identity\r\n\r\n", 400),
        Case("no coding at all", "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding:\r\n\r\n", 400),
        Case("chunked in HTTP/1.0", "POST /echo HTTP/1.0\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        Case(
            "a chunk size that is no number",
            "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n5x\r\nhello\r\n0\r\n\r\n", 400),
        Case(
            "a chunk size with 0x",
            "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n", 400),
        Case(
            "a negative chunk size",
            "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n", 400),
        Case(
            "no chunk size", "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n\r\nhello\r\n0\r\n\r\n",
            400),
        Case(
            "a chunk size of seventeen digits",
            "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n00000000000000005\r\nhello\r\n0\r\n\r\n",
            400),
        Case(
            "a chunk size that overflows",
            "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n",
            413),
        Case(
            "a chunk longer than its size",
            "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n4\r\nhello\r\n0\r\n\r\n", 400),
        Case(
            "a chunk size that ends in LF",
            "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n", 400),
        Case(
            "a space behind a chunk size",
            "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n5 \r\nhello\r\n0\r\n\r\n", 400),
        Case(
            "a CR in a chunk extension",
            "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n5;a\rb\r\nhello\r\n0\r\n\r\n", 400),
        Case(
            "a folded trailer", "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n a: b\r\n\r\n",
            400),
        Case(
            "a trailer that ends in LF",
            "POST /echo HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\na: b\n\r\n", 400),
        Case("no Host", "GET / HTTP/1.1\r\n\r\n", 400),
        Case("two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
        Case("two Hosts in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        Case("a Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
        Case("a Host with a user", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", 400),
        Case("two words", "GET /\r\n\(host)\r\n", 400),
        Case("four words", "GET / x HTTP/1.1\r\n\(host)\r\n", 400),
        Case("two spaces", "GET  / HTTP/1.1\r\n\(host)\r\n", 400),
        Case("a method that is no token", "G(T / HTTP/1.1\r\n\(host)\r\n", 400),
        Case("no version", "GET / \r\n\(host)\r\n", 400),
        Case("another protocol", "GET / HTTQ/1.1\r\n\(host)\r\n", 400),
        Case("a version with three digits", "GET / HTTP/1.10\r\n\(host)\r\n", 400),
        Case("HTTP/2", "GET / HTTP/2.0\r\n\(host)\r\n", 505),
        Case("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        Case("a target that is no path", "GET hello HTTP/1.1\r\n\(host)\r\n", 400),
        Case("CONNECT", "CONNECT a:443 HTTP/1.1\r\n\(host)\r\n", 400),
        Case("a target beyond ASCII", "GET /ü HTTP/1.1\r\n\(host)\r\n", 400),
        Case("half a percent code", "GET /%4 HTTP/1.1\r\n\(host)\r\n", 400),
        Case("a wrong percent code", "GET /%zz HTTP/1.1\r\n\(host)\r\n", 400),
        Case("a NUL in the path", "GET /a%00b HTTP/1.1\r\n\(host)\r\n", 400),
        Case("a path that is not UTF-8", "GET /%ff HTTP/1.1\r\n\(host)\r\n", 400),
        Case("TLS", "\u{16}\u{03}\u{01}\u{02}\n", 400),
        Case(
            "an unknown expectation",
            "POST /echo HTTP/1.1\r\n\(host)Expect: a-miracle\r\nContent-Length: 5\r\n\r\nhello", 417),
        Case("a long target", "GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\n\(host)\r\n", 414),
        Case("a target without end", "GET /\(String(repeating: "a", count: 9000))", 414),
        Case("a large header", "GET / HTTP/1.1\r\n\(host)A: \(String(repeating: "a", count: 33_000))\r\n\r\n", 431),
        Case("a header without end", "GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 6000), 431),
        Case("101 fields", "GET / HTTP/1.1\r\n\(host)" + String(repeating: "A: b\r\n", count: 100) + "\r\n", 431),
        Case("a body that is too large", "POST /small HTTP/1.1\r\n\(host)Content-Length: 1001\r\n\r\n", 413),
        Case(
            "a chunk that is too large", "POST /small HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n3E9\r\n", 413
        ),
    ]

    @Test(arguments: cases) func `a request that is not right is refused and the connection closed`(refused: Case)
        async throws
    {
        let server = try await RunningServer(Echo.routes)
        let client = try await server.connect()
        // What stands behind a refused request must never be answered as a second one.
        try await client.send(refused.request + "GET /hello HTTP/1.1\r\n\(Self.host)\r\n")
        let response = try await client.response()
        #expect(response.status == refused.status)
        #expect(response["Connection"] == "close")
        #expect(response["X-Request-Id"] != nil)
        #expect(try await client.receiveAll().isEmpty)
        await client.close()
        await server.server.stop(within: .seconds(5))
    }

    @Test func `100 fields are not too many`() async throws {
        let server = try await RunningServer(Echo.routes)
        let fields = String(repeating: "A: b\r\n", count: 99)
        #expect(try await server.ask("GET /hello HTTP/1.1\r\nHost: a\r\n\(fields)\r\n").status == 200)
    }
}
