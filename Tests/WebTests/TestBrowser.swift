import FoundationEssentials
import Journal
import Mail
import Refunds
import Support
import Testing
import Tenants
import Time

@testable import HTTP
@testable import Web

/// A browser without a window: keeps cookies, says where its forms come from, and asks the console's
/// own routes.
final class TestBrowser {
    static let address = "https://refunds.example"

    private let router: Router
    private let origin: String
    var cookies: [String: String] = [:]
    var client = ClientInfo(address: "192.0.2.7")

    init(_ console: Console, origin: String = address) {
        var router = Router(console.routes)
        router.notFound = console.notFound
        router.methodNotAllowed = console.methodNotAllowed
        self.router = router
        self.origin = origin
    }

    struct Answer {
        let status: Int
        let headers: HeaderFields
        let text: String
        var location: String? { headers["Location"] }
    }

    func get(_ target: String, headers: [(String, String)] = []) async throws -> Answer {
        try await ask(.get, target, headers: headers, body: "")
    }

    func get(_ site: Site) async throws -> Answer { try await get(site.url) }

    /// A form of the console's own page.
    func post(
        _ target: String, _ fields: [(String, String)] = [], headers: [(String, String)]? = nil
    ) async throws -> Answer {
        let body = URLText.query(fields.map { ($0.0, Optional($0.1)) }).dropFirst()
        return try await ask(
            .post, target,
            headers: (headers ?? [("Origin", origin), ("Sec-Fetch-Site", "same-origin")]) + [
                ("Content-Type", "application/x-www-form-urlencoded")
            ], body: String(body))
    }

    func post(_ site: Site, _ fields: [(String, String)] = []) async throws -> Answer {
        try await post(site.url, fields)
    }

    /// A form with files: a name, a file's name where it is one, and the content.
    func upload(_ site: Site, _ parts: [(name: String, file: String?, content: String)]) async throws -> Answer {
        var body = ""
        for part in parts {
            body += "--bound\r\nContent-Disposition: form-data; name=\"\(part.name)\""
            if let file = part.file { body += "; filename=\"\(file)\"\r\nContent-Type: application/octet-stream" }
            body += "\r\n\r\n\(part.content)\r\n"
        }
        return try await ask(
            .post, site.url,
            headers: [
                ("Origin", origin), ("Sec-Fetch-Site", "same-origin"),
                ("Content-Type", "multipart/form-data; boundary=bound"),
            ], body: body + "--bound--\r\n")
    }

    @discardableResult
    func signIn(_ email: String = "sam@alpha.example") async throws -> Answer {
        try await post("/sign-in", [("email", email), ("password", SampleDesk.password)])
    }

    func ask(
        _ method: HTTP.Method, _ target: String, headers fields: [(String, String)], body: String
    ) async throws -> Answer {
        var headers: HeaderFields = ["Host": "refunds.example"]
        for (name, value) in fields { headers.add(name, value) }
        if !cookies.isEmpty {
            headers.add("Cookie", cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "))
        }
        let request = try Request(method: method, target: target, headers: headers, body: Array(body.utf8))
        let response: Response
        switch router.match(method, request.segments) {
        case .found(let route, let parameters):
            response = try await route.handler(request, context(route.pattern, parameters))
        case .wrongMethod: response = try await router.methodNotAllowed(request, context("", [:]))
        case .nothing: response = try await router.notFound(request, context("", [:]))
        }
        for cookie in response.headers.all("Set-Cookie") {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            cookies[String(pair[0])] = cookie.contains("Max-Age=0") ? nil : String(pair[1])
        }
        var body: [UInt8] = []
        switch response.body {
        case .empty: break
        case .bytes(let bytes): body = bytes
        case .stream(let pull): while let piece = try await pull() { body += piece }
        }
        let text = String(decoding: body, as: UTF8.self)
        return Answer(status: response.status.code, headers: response.headers, text: text)
    }

    private func context(_ route: String, _ parameters: [String: String]) -> Context {
        Context(
            requestID: "test", route: route, parameters: parameters, client: client,
            journal: .silent, receivedAt: SampleDesk.signed)
    }
}

/// Runs a test with a sample desk and a console over it.
func withConsole(
    publicURL: String = TestBrowser.address, signInHeader: String? = nil,
    _ body: (SampleDesk, Console, TestDatabase) async throws -> Void
) async throws {
    try await withDatabase { test in
        let desk = try await SampleDesk.make(in: test)
        try await body(desk, try console(of: desk, publicURL: publicURL, signInHeader: signInHeader), test)
    }
}

func console(
    of desk: SampleDesk, publicURL: String = TestBrowser.address, signInHeader: String? = nil, apple: AppleSide? = nil,
    hasMail: Bool = true, mail: MailClient? = nil
) throws -> Console {
    Console(
        records: Records(database: desk.database), signIn: desk.signIn, administration: desk.administration,
        checks: CheckDesk { tenant in [.ok("audit \(tenant.slug)", "3 entries")] },
        publicAddress: try #require(PublicAddress(url: publicURL)), assets: try Assets(folder: Checkout.path("public")),
        setup: try desk.setup(), commerce: try desk.commerce(apple: apple), alerts: try desk.alerts(hasMail: hasMail),
        deciding: desk.deciding(), evidence: try desk.evidence(),
        post: desk.post(mail),
        clock: desk.clock.clock, signInHeader: signInHeader)
}
