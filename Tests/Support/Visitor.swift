import HTTP
import Simulator

/// Somebody who is signed in at a desk and looks at its pages.
package struct Visitor: Sendable {
    package let desk: Desk
    /// Name and value.
    package let cookie: String

    /// Makes an operator of the tenant, who signs in.
    package static func signIn(
        at desk: Desk, of stage: Stage, tenant: String = "alpha", role: String = "support"
    ) async throws -> Visitor {
        let made = try await stage.command(
            "operator", "add", "--email", "ada@example.com", "--tenant", tenant, "--role", role,
            "--password-stdin", input: "correct horse battery\n")
        guard made["signInURL"]?.string?.contains("/sign-in/link/") == true else {
            throw Stage.NoAnswer(description: "no one-time link was printed")
        }
        let answer = try await desk.client.send(
            ClientRequest(
                method: .post, url: desk.address + "/sign-in",
                headers: [
                    "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin",
                    "Origin": desk.address,
                ], body: Array("email=ada%40example.com&password=correct+horse+battery".utf8)))
        guard answer.status == 303, let cookie = answer.headers["Set-Cookie"] else {
            throw Stage.NoAnswer(description: "nobody could sign in: \(answer.status)")
        }
        return Visitor(desk: desk, cookie: String(cookie.prefix { $0 != ";" }))
    }

    /// A page's text; redirects are followed once.
    package func page(_ path: String) async throws -> String {
        var answer = try await desk.get(path, headers: [("Cookie", cookie)])
        if answer.status == 303, let next = answer.headers["Location"] {
            answer = try await desk.get(next, headers: [("Cookie", cookie)])
        }
        guard answer.status == 200 else {
            throw Stage.NoAnswer(description: "\(path) was answered \(answer.status)")
        }
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// Sends a form of the console's own pages; the status and where it leads.
    package func post(_ path: String, _ fields: [(String, String)]) async throws -> (status: Int, next: String?) {
        let pairs = fields.map { name, value in
            "\(name)=\(value.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())"
        }
        return try await post(path, "application/x-www-form-urlencoded", Array(pairs.joined(separator: "&").utf8))
    }

    /// Sends a form with files: a name, a file's name where it is one, and the content.
    package func upload(
        _ path: String, _ parts: [(name: String, file: String?, content: String)]
    ) async throws -> (status: Int, next: String?) {
        var body = ""
        for part in parts {
            body += "--bound\r\nContent-Disposition: form-data; name=\"\(part.name)\""
            if let file = part.file { body += "; filename=\"\(file)\"\r\nContent-Type: application/octet-stream" }
            body += "\r\n\r\n\(part.content)\r\n"
        }
        return try await post(path, "multipart/form-data; boundary=bound", Array((body + "--bound--\r\n").utf8))
    }

    private func post(
        _ path: String, _ type: String, _ body: [UInt8]
    ) async throws -> (status: Int, next: String?) {
        let answer = try await desk.client.send(
            ClientRequest(
                method: .post, url: desk.address + path,
                headers: [
                    "Content-Type": type, "Sec-Fetch-Site": "same-origin", "Origin": desk.address, "Cookie": cookie,
                ], body: body))
        return (answer.status, answer.headers["Location"])
    }

    /// A page's text once it holds all these words: what follows an answer at Apple is recorded after it.
    @discardableResult
    package func page(_ path: String, tells words: [String], within limit: Duration = .seconds(30)) async throws
        -> String
    {
        let start = ContinuousClock.now
        while true {
            let text = try await page(path)
            let missing = words.filter { !text.contains($0) }
            if missing.isEmpty { return text }
            guard ContinuousClock.now - start < limit else {
                throw Stage.NoAnswer(description: "\(path) never told \(missing)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
