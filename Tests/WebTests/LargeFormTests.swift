import Support
import Tenants
import Testing
import Time

@testable import HTTP
@testable import Web

/// Forms beyond the limits, over a real socket: whoever sent one sees a page that says so, whatever is still on its way.
@Suite struct `Forms that are too large, over a socket` {
    private static let big = String(repeating: "a", count: 3 << 20)

    /// The whole request, for the form of an app.
    private static func request(
        _ type: String, _ body: String, to site: Site = .newApp("alpha"), isChunked: Bool = false, cookie: String = ""
    ) -> String {
        let head =
            "POST \(site.url) HTTP/1.1\r\nHost: refunds.example\r\nOrigin: \(TestBrowser.address)\r\n"
            + "Content-Type: \(type)\r\n\(cookie)"
        if isChunked {
            let size = String(body.utf8.count, radix: 16)
            return head + "Transfer-Encoding: chunked\r\n\r\n\(size)\r\n\(body)\r\n0\r\n\r\n"
        }
        return head + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private func withServer(_ body: (RunningServer, TestBrowser) async throws -> Void) async throws {
        try await withConsole { desk, console, _ in
            try await desk.makeSam(.owner)
            let sam = TestBrowser(console)
            try await sam.signIn()
            let server = try await RunningServer(console.routes) { router in
                router.notFound = console.notFound
                console.answerRefusals(in: &router)
            }
            try await body(server, sam)
            await server.server.stop(within: .seconds(2))
        }
    }

    @Test(
        arguments: [
            ("application/x-www-form-urlencoded", "form=list&list=" + big),
            (
                "multipart/form-data; boundary=b",
                "--b\r\nContent-Disposition: form-data; name=\"list\"\r\n\r\n\(big)\r\n--b--\r\n"
            ),
        ], [false, true])
    func `three megabytes are answered by a page, and the connection ends after it`(
        form: (type: String, body: String), isChunked: Bool
    ) async throws {
        try await withServer { server, _ in
            let client = try await server.connect()
            // The server answers before all of it has been sent, and must not throw its answer away by hanging up.
            try await client.send(Self.request(form.type, form.body, isChunked: isChunked))
            let answer = try await client.response()
            #expect(answer.status == 413 && answer["Connection"]?.lowercased() == "close")
            #expect(answer["Content-Type"]?.hasPrefix("text/html") == true && answer.text.contains("Too large"))
            #expect(answer["Content-Security-Policy"] != nil && Markup(answer.text).troubles == [])
            #expect(try await client.receiveAll().isEmpty, "nothing comes behind the answer")
            await client.close()
            // What was refused harms nobody: the next request on a connection of its own is served.
            #expect(try await server.ask("GET /sign-in HTTP/1.1\r\nHost: refunds.example\r\n\r\n").status == 200)
        }
    }

    /// What the pages promise of files is the files' own size, whatever the form around them takes.
    @Test(arguments: [(0, 200), (1, 422)])
    func `a file of a whole mebibyte is taken, and one byte more is told its limit`(
        more: Int, status: Int
    ) async throws {
        try await withServer { server, sam in
            let cookie = "Cookie: " + sam.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") + "\r\n"
            let row = "transactionId,observedAt,deliveryStatus\n1,2026-01-31T09:30:00Z,DELIVERED"
            let file = row + String(repeating: " ", count: (1 << 20) + more - row.utf8.count)
            let parts =
                "--b\r\nContent-Disposition: form-data; name=\"do\"\r\n\r\nupload\r\n"
                + "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"use.csv\"\r\n\r\n\(file)\r\n--b--\r\n"
            let answer = try await server.ask(
                Self.request(
                    "multipart/form-data; boundary=b", parts,
                    to: .evidence("alpha", bundleID: "com.example.alpha", .now), cookie: cookie))
            #expect(answer.status == status)
            #expect(Markup(answer.text).troubles == [])
            #expect(answer.text.contains("1024 KiB") == (more > 0))
        }
    }

    @Test func `too many fields within the limit of bytes are answered by a page of the signed-in console`()
        async throws
    {
        try await withServer { server, sam in
            let cookie = "Cookie: " + sam.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") + "\r\n"
            let parts = (0..<40).map { "--b\r\nContent-Disposition: form-data; name=\"p\($0)\"\r\n\r\nx\r\n" }.joined()
            for (type, body, status) in [
                ("multipart/form-data; boundary=b", parts + "--b--\r\n", 413),
                ("application/x-www-form-urlencoded", (0..<1001).map { "p\($0)=x" }.joined(separator: "&"), 400),
            ] {
                let answer = try await server.ask(Self.request(type, body, cookie: cookie))
                #expect(answer.status == status, "\(type)")
                #expect(answer.text.contains("Nothing was changed") || answer.text.contains("nothing was changed"))
                #expect(answer.text.contains("action=\"/sign-out\"") && Markup(answer.text).troubles == [])
            }
        }
    }
}
