import Foundation
import Support
import Testing

/// The real program, in processes of its own.
@Suite(.timeLimit(.minutes(4))) struct `Commands` {
    @Test func `an app is set up from nothing, one JSON object a step`() async throws {
        try await withDesk { desk in
            let tenant = try await desk.answer("tenant", "add", "acme", "--name", "Acme Ltd")
            #expect(tenant["slug"] as? String == "acme")
            #expect(tenant["id"] is Int)
            let app = try await desk.answer(
                "app", "add", "--tenant", "acme", "--bundle-id", "com.example.app", "--apple-id", "123456")
            let url = try #require(app["notificationURL"] as? String)
            #expect(url.hasPrefix("https://desk.example/n/") && url.count == "https://desk.example/n/".count + 43)
            let second = try await desk.answer("inbox", "add", "--tenant", "acme", "--bundle-id", "com.example.app")
            #expect(second["notificationURL"] as? String != url)
            let retired = try await desk.answer("inbox", "retire", "--tenant", "acme", "--bundle-id", "com.example.app")
            #expect(retired["id"] as? Int != second["id"] as? Int)

            let file = try desk.file("key.p8", try SampleKeyFile.new())
            let key = try await desk.answer(
                "key", "add", "--tenant", "acme", "--key-id", "2X9R4HXF34", "--issuer-id",
                "57246542-96fe-1a63-e053-0824d011072a", "--file", file)
            #expect((key["fingerprint"] as? String)?.count == 47)
            let again = try await desk.answer(
                "key", "add", "--tenant", "acme", "--key-id", "2X9R4HXF34", "--issuer-id",
                "57246542-96fe-1a63-e053-0824d011072a", "--file", "-",
                input: String(contentsOfFile: file, encoding: .utf8))
            #expect(again["fingerprint"] as? String == key["fingerprint"] as? String)
            #expect(again["id"] as? String != key["id"] as? String)

            let person = try await desk.answer(
                "operator", "add", "--email", "ada@example.com", "--tenant", "acme", "--role", "owner")
            #expect((person["signInURL"] as? String)?.hasPrefix("https://desk.example/sign-in/link/") == true)
            let reset = try await desk.answer("operator", "reset", "--email", "ADA@example.com")
            #expect(reset["id"] as? String == person["id"] as? String)
            #expect(reset["signInURL"] as? String != person["signInURL"] as? String)
            let token = try await desk.answer(
                "token", "add", "--tenant", "acme", "--bundle-id", "com.example.app", "--scope", "consent", "--scope",
                "usage")
            #expect((token["token"] as? String)?.hasPrefix("rd_") == true)
            #expect(token["scopes"] as? [String] == ["consent", "usage"])

            let doctor = try await desk.run("doctor", "--json")
            #expect(doctor.status == 0, "\(doctor.output)")
            let report =
                try JSONSerialization.jsonObject(with: Data(doctor.output.utf8)) as? [String: [[String: String]]]
            let checks = try #require(report?["checks"])
            for name in ["configuration", "database", "schema", "role", "clock", "trust-roots", "master-key"] {
                #expect(checks.contains { $0["name"] == name && $0["state"] == "ok" }, "\(name)")
            }
            #expect(checks.contains { $0["name"] == "app acme/com.example.app key" && $0["state"] == "ok" })
        }
    }

    @Test func `what exists or is missing is a failure, said on standard error`() async throws {
        try await withDesk { desk in
            _ = try await desk.answer("tenant", "add", "acme", "--name", "Acme")
            _ = try await desk.answer("app", "add", "--tenant", "acme", "--bundle-id", "com.example.app")
            let table: [([String], String)] = [
                (["tenant", "add", "acme", "--name", "Acme"], "already a tenant"),
                (["tenant", "add", "Not A Slug", "--name", "Acme"], "cannot be a slug"),
                (["app", "add", "--tenant", "acme", "--bundle-id", "com.example.app"], "already has an app"),
                (["app", "add", "--tenant", "nobody", "--bundle-id", "com.example.b"], "no tenant"),
                (["inbox", "add", "--tenant", "acme", "--bundle-id", "com.example.B"], "no app"),
                (["operator", "reset", "--email", "x@example.com"], "nobody"),
                (["key", "remove", "--tenant", "acme", "--key-id", "AAAAAAAAAA"], "no such key"),
                (
                    ["token", "remove", "--tenant", "acme", "--id", "57246542-96fe-1a63-e053-0824d011072a"],
                    "no such token"
                ),
                (
                    [
                        "key", "add", "--tenant", "acme", "--key-id", "2X9R4HXF34", "--issuer-id",
                        "57246542-96fe-1a63-e053-0824d011072a", "--file", "/nowhere",
                    ], "/nowhere"
                ),
            ]
            for (words, text) in table {
                let finished = try await Desk.program(words, environment: desk.environment)
                #expect(finished.status == 1, "\(words)")
                #expect(finished.output.isEmpty, "\(words)")
                #expect(finished.error.contains(text), "\(words): \(finished.error)")
            }
        }
    }

    @Test(
        arguments: [
            [], ["nonsense"], ["tenant"], ["tenant", "add"], ["tenant", "add", "x"], ["serve", "--only", "everything"],
            ["app", "add", "--tenant", "x", "--bundle-id", "y", "--consent", "all-from=2026-02-30"],
            ["app", "add", "--tenant", "x", "--bundle-id", "y", "--consent", "all-from=2026-02-03"],
            ["operator", "add", "--email", "a@b.c"],
            ["operator", "add", "--email", "a@b.c", "--tenant", "x", "--role", "king"],
            ["operator", "add", "--email", "a@b.c", "--tenant", "x", "--role", "owner", "--installation"],
            ["token", "add", "--tenant", "x", "--scope", "everything"],
            ["channel", "add", "--tenant", "x", "--kind", "pagerduty", "--secret-stdin"],
        ] as [[String]])
    func `wrong usage ends with 2 and touches nothing`(words: [String]) async throws {
        // No settings at all: usage is looked at first.
        let finished = try await Desk.program(words)
        #expect(finished.status == 2)
        #expect(finished.output.isEmpty)
        #expect(!finished.error.isEmpty)
    }

    @Test(
        arguments: [
            ["--help"], ["tenant", "--help"], ["tenant", "add", "--help"], ["serve", "--help"], ["doctor", "--help"],
            ["master-key", "rotate", "-h"], ["channel", "add", "--help"],
        ] as [[String]])
    func `help is given without any setting`(words: [String]) async throws {
        let finished = try await Desk.program(words)
        #expect(finished.status == 0)
        #expect(finished.output.contains("--help"))
    }

    @Test func `a setting that is wrong stops every command with what to do`() async throws {
        let finished = try await Desk.program(
            ["tenant", "add", "x", "--name", "x"],
            environment: ["DATABASE_URL": "postgresql://127.0.0.1:1/x", "REFUND_DESK_MASTERKEY": "x"])
        #expect(finished.status == 1)
        #expect(finished.error.contains("REFUND_DESK_MASTERKEY") && finished.error.contains("REFUND_DESK_MASTER_KEY"))
    }

    @Test func `a master key file is for its owner alone and never overwritten`() async throws {
        try await withDesk { desk in
            let path = desk.environment["REFUND_DESK_MASTER_KEY_FILE"] ?? ""
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let before = try String(contentsOfFile: path, encoding: .utf8)
            #expect(try await desk.run("master-key", "new", "--file", path).status == 1)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == before)
        }
    }

    @Test func `rotation makes the older master key superfluous`() async throws {
        try await withDesk { desk in
            _ = try await desk.answer("tenant", "add", "acme", "--name", "Acme")
            _ = try await desk.answer("app", "add", "--tenant", "acme", "--bundle-id", "com.example.app")
            let newPath = desk.folder + "/new.key"
            _ = try await desk.answer("master-key", "new", "--file", newPath)
            let old = try String(contentsOfFile: desk.folder + "/master.key", encoding: .utf8)
            let new = try String(contentsOfFile: newPath, encoding: .utf8)
            var both = desk
            both.environment["REFUND_DESK_MASTER_KEY_FILE"] = try desk.file("both", new + "," + old)
            let report = try await both.answer("master-key", "rotate")
            #expect(report["rewrapped"] as? Int == 1 && report["left"] as? Int == 0)
            both.environment["REFUND_DESK_MASTER_KEY_FILE"] = newPath
            let doctor = try await both.run("doctor")
            #expect(doctor.output.contains("every secret is sealed with the newest key"))
            let unreadable = try await desk.run("doctor")
            #expect(unreadable.output.contains("older key"))
        }
    }

    @Test func `a password is read from standard input and must be long enough`() async throws {
        try await withDesk { desk in
            _ = try await desk.answer("tenant", "add", "acme", "--name", "Acme")
            let short = try await desk.run(
                "operator", "add", "--email", "a@example.com", "--tenant", "acme", "--role", "viewer",
                "--password-stdin",
                input: "short\n")
            #expect(short.status == 1)
            #expect(try await desk.run("operator", "reset", "--email", "a@example.com").status == 1)
            _ = try await desk.answer(
                "operator", "add", "--email", "a@example.com", "--tenant", "acme", "--role", "viewer",
                "--password-stdin",
                input: "long enough a password\n")
        }
    }

    @Test func `version tells version, commit and schema`() async throws {
        let finished = try await Desk.program(["version", "--json"])
        let object = try JSONSerialization.jsonObject(with: Data(finished.output.utf8)) as? [String: Any]
        #expect(object?["version"] is String)
        #expect(object?["schema"] as? Int == 5)
        #expect(object?.keys.contains("commit") == true)
    }
}
