import HTTP
import Support
import Testing

@Suite struct RouterTests {
    private func ask(_ line: String, body: String = "") async throws -> RawResponse {
        let server = try await RunningServer(Echo.routes)
        return try await server.ask("\(line) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    @Test(arguments: [
        ("/t/acme/cases/7", "acme|7|/t/{slug}/cases/{id}"), ("/t/acme/cases/new", "new of acme"),
        ("/t/a%20b/cases/c%2Fd", "a b|c/d|/t/{slug}/cases/{id}"), ("/t/%C3%BC/cases/+", "ü|+|/t/{slug}/cases/{id}"),
        ("/query?a=1&a=two+w&b=%C3%BC", "[\"1\", \"two w\"]ütrue"), ("/query?a&b==", "[\"\"]=true"),
        ("/query?a=%zz&b=1", "[]1false"), ("/query?a=%ff", "[]-false"), ("/", "home"), ("/?x", "home"),
    ])
    func `a path leads to its route, with its parts decoded`(target: String, expected: String) async throws {
        let response = try await ask("GET \(target)")
        #expect(response.status == 200)
        #expect(response.text == expected)
    }

    @Test(arguments: [
        "/nowhere", "/hello/", "//hello", "/t//cases/7", "/t/acme/cases", "/t/acme/cases/7/x", "/HELLO", "/..",
        "/t/acme/cases/",
    ])
    func `a path without a route is 404, never a redirect`(target: String) async throws {
        #expect(try await ask("GET \(target)").status == 404)
    }

    @Test(arguments: ["/n/secret", "/n/secret/", "/n/secret?x=1", "/n/secret/?x=1"])
    func `BL-024: a final slash and a query are no redirect`(target: String) async throws {
        let response = try await ask("POST \(target)", body: "{}")
        #expect(response.status == 200)
        #expect(response.text == "secret 2")
    }

    @Test func `another method is 405 and names those that are right`() async throws {
        let response = try await ask("DELETE /echo")
        #expect(response.status == 405)
        #expect(response["Allow"] == "POST, PUT")
        #expect(try await ask("POST /hello")["Allow"] == "GET, HEAD")
        #expect(try await ask("BREW /hello").status == 405)
        #expect(try await ask("get /hello").status == 405)
    }

    @Test func `the answers to nowhere can be replaced`() async throws {
        let server = try await RunningServer(Echo.routes) { router in
            router.notFound = { _, context in .text("nothing here: \(context.route)", status: .notFound) }
        }
        let response = try await server.ask("GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(response.status == 404)
        #expect(response.text == "nothing here: -")
    }
}
