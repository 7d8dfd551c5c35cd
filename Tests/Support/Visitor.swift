import HTTP
import Simulator

/// Somebody who is signed in at a desk and looks at its pages.
package struct Visitor: Sendable {
    package let desk: Desk
    /// Name and value.
    package let cookie: String

    /// Makes an operator of the tenant, who signs in.
    package static func signIn(at desk: Desk, of stage: Stage, tenant: String = "alpha") async throws -> Visitor {
        let made = try await stage.command(
            "operator", "add", "--email", "ada@example.com", "--tenant", tenant, "--role", "support",
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
