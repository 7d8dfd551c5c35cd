import Crypto
import Foundation
import Postgres
import Schema
import Support
import Testing
import Time

/// The real program, in processes of its own.
@Suite(.timeLimit(.minutes(10))) struct `Commands` {
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

    @Test func `an app is made for rehearsal with its simulator's root and address, and for good`() async throws {
        try await withDesk { desk in
            _ = try await desk.answer("tenant", "add", "acme", "--name", "Acme Ltd")
            let root = desk.folder + "/root.der"
            try Data(try AppleSigner(around: WallClock.system.now).root.der).write(to: URL(filePath: root))
            let words = ["app", "add", "--tenant", "acme", "--bundle-id", "com.example.rehearsal"]
            let side = ["--rehearsal", "--trust-root", root, "--api-url"]
            let text = try desk.file("text", "no certificate")
            let refused: [([String], String)] = [
                (side + ["ftp://simulator.example"], "--api-url must begin with https://"),
                (side + ["https://me:you@simulator.example"], "--api-url must not hold a user"),
                (["--rehearsal", "--trust-root", text, "--api-url", "https://s.example"], "--trust-root must be one"),
                (["--rehearsal", "--trust-root", "/nowhere", "--api-url", "https://s.example"], "/nowhere"),
            ]
            for (more, why) in refused {
                let finished = try await Desk.program(words + more, environment: desk.environment)
                #expect(finished.status == 1 && finished.error.contains(why), "\(more): \(finished.error)")
            }
            let unasked = try await Desk.program(
                words + side + ["http://127.0.0.1:9090/"], environment: desk.environment)
            #expect(unasked.status == 1 && unasked.error.contains("REFUND_DESK_OUTBOUND_ALLOW_PRIVATE"))
            let allowing = desk.environment.merging(["REFUND_DESK_OUTBOUND_ALLOW_PRIVATE": "127.0.0.0/8"]) { $1 }
            let made = try await Desk.program(words + side + ["http://127.0.0.1:9090/"], environment: allowing)
            #expect(made.status == 0, "\(made.error)")
            func rows() async throws -> [String?] {
                try await desk.database.asSuperuser(
                    "select rehearsal, rehearsal_api_url from tenants.apps where removed_at is null"
                ).map { row in
                    let isRehearsal: Bool = try row("rehearsal")
                    return isRehearsal ? try row("rehearsal_api_url") : nil
                }
            }
            #expect(try await rows() == ["http://127.0.0.1:9090"])

            // Removed and added again, it is what it was or nothing.
            _ = try await desk.answer("app", "remove", "--tenant", "acme", "--bundle-id", "com.example.rehearsal")
            for more in [[], side + ["http://127.0.0.1:9091"]] {
                let finished = try await Desk.program(words + more, environment: allowing)
                #expect(finished.status == 1 && finished.error.contains("stays so"), "\(finished.error)")
            }
            _ = try await Desk.program(words + side + ["http://127.0.0.1:9090"], environment: allowing)
            #expect(try await rows() == ["http://127.0.0.1:9090"])
        }
    }

    @Test func `who declares consent for everybody says where it is shown and who they are`() async throws {
        try await withDesk { desk in
            _ = try await desk.answer("tenant", "add", "acme", "--name", "Acme Ltd")
            let wording = try desk.file("wording", "We tell Apple how you used it.")
            func add(_ shownWhere: String, _ declaredBy: String) async throws -> OutsideProgram.Outcome {
                try await desk.run(
                    "app", "add", "--tenant", "acme", "--bundle-id", "com.example.app", "--environments", "Sandbox",
                    "--consent", "all-from=2026-01-31", "--wording-file", wording, "--consent-shown-where", shownWhere,
                    "--consent-declared-by", declaredBy)
            }
            for (shownWhere, declaredBy, why) in [
                (" ", "the owner", "--consent-shown-where is missing"),
                ("in the terms", "", "--consent-declared-by is missing"),
                (String(repeating: "x", count: 1001), "the owner", "--consent-shown-where is longer"),
                ("in the terms", "the\u{1}owner", "--consent-declared-by has a control character"),
            ] {
                let finished = try await add(shownWhere, declaredBy)
                #expect(finished.status == 1 && finished.error.contains(why), "\(finished.error)")
            }
            #expect(try await add("in the terms", "the owner").status == 0)
            let row = try await desk.database.asSuperuser(
                "select consent_shown_where || ', ' || consent_declared_by as said, environments from tenants.apps where consent_all_from = '2026-01-31T00:00:00Z' and consent_declared_at is not null"
            )
            #expect(try row.first?("said") == "in the terms, the owner")
            #expect(try row.first?("environments") == ["Sandbox"])
        }
    }

    @Test func `what exists or is missing is a failure, said on standard error`() async throws {
        try await withDesk { desk in
            _ = try await desk.answer("tenant", "add", "acme", "--name", "Acme")
            _ = try await desk.answer("app", "add", "--tenant", "acme", "--bundle-id", "com.example.app")
            let table: [([String], String)] = [
                (["tenant", "add", "acme", "--name", "Acme"], "already a tenant"),
                (["tenant", "add", "Not A Slug", "--name", "Acme"], "cannot be a slug"),
                (["tenant", "add", "blank", "--name", " "], "at least one character that can be seen"),
                (["tenant", "add", "blank", "--name", ""], "at least one character that can be seen"),
                (
                    ["app", "add", "--tenant", "acme", "--bundle-id", "com.example.c", "--name", "\u{A0} "],
                    "at least one character that can be seen"
                ),
                (
                    ["operator", "add", "--email", " ", "--tenant", "acme", "--role", "owner"],
                    "an e-mail address is needed"
                ),
                (["app", "list", "--tenant", "nobody"], "no tenant"),
                (["key", "list", "--tenant", "nobody"], "no tenant"),
                (["token", "list", "--tenant", "nobody"], "no tenant"),
                (["operator", "list", "--tenant", "nobody"], "no tenant"),
                (["inbox", "list", "--tenant", "acme", "--bundle-id", "com.example.B"], "no app"),
                (["app", "remove", "--tenant", "acme", "--bundle-id", "com.example.B"], "no app"),
                (["operator", "remove", "--tenant", "acme", "--email", "x@example.com"], "nobody"),
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
            [
                "app", "add", "--tenant", "x", "--bundle-id", "y", "--consent", "all-from=9000-01-01", "--wording-file",
                "/dev/null",
            ],
            [
                "app", "add", "--tenant", "x", "--bundle-id", "y", "--consent", "all-from=2026-02-03", "--wording-file",
                "/dev/null",
            ],
            [
                "app", "add", "--tenant", "x", "--bundle-id", "y", "--consent", "all-from=2026-02-03", "--wording-file",
                "/dev/null", "--consent-shown-where", "in the terms",
            ],
            ["app", "add", "--tenant", "x", "--bundle-id", "y", "--consent-declared-by", "the owner"],
            ["app", "add", "--tenant", "x", "--bundle-id", "y", "--environments", "Xcode"],
            ["app", "add", "--tenant", "x", "--bundle-id", "y", "--environments", "Sandbox,"],
            ["app", "add", "--tenant", "x", "--bundle-id", "y", "--rehearsal"],
            ["app", "add", "--tenant", "x", "--bundle-id", "y", "--rehearsal", "--trust-root", "/dev/null"],
            ["app", "add", "--tenant", "x", "--bundle-id", "y", "--api-url", "https://simulator.example"],
            ["app", "list"], ["key", "list"], ["token", "list"], ["inbox", "list", "--tenant", "x"],
            ["tenant", "list", "x"], ["operator", "remove", "--email", "a@b.c"],
            ["operator", "remove", "--email", "a@b.c", "--tenant", "x", "--installation"],
            ["operator", "add", "--email", "a@b.c"],
            ["operator", "add", "--email", "a@b.c", "--tenant", "x", "--role", "king"],
            ["operator", "add", "--email", "a@b.c", "--tenant", "x", "--role", "owner", "--installation"],
            ["token", "add", "--tenant", "x", "--scope", "everything"],
            ["channel", "add", "--tenant", "x", "--kind", "pigeon"], ["channel", "test", "--tenant", "x", "--id", "1"],
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

    @Test func `what was added is listed, and what is removed is listed no more`() async throws {
        try await withDesk { desk in
            func list(_ words: [String], _ name: String) async throws -> [[String: Any]] {
                let finished = try await Desk.program(words + ["--json"], environment: desk.environment)
                #expect(finished.status == 0, "\(words): \(finished.error)")
                let object = try JSONSerialization.jsonObject(with: Data(finished.output.utf8)) as? [String: Any]
                return try #require(object?[name] as? [[String: Any]], "\(words)")
            }
            let (of, app) = (["--tenant", "acme"], ["--tenant", "acme", "--bundle-id", "com.example.app"])
            #expect(try await list(["tenant", "list"], "tenants").isEmpty)
            for slug in ["zebra", "acme"] { _ = try await desk.answer("tenant", "add", slug, "--name", "The \(slug)") }
            #expect(try await list(["tenant", "list"], "tenants").map { $0["slug"] as? String } == ["acme", "zebra"])

            let added = try await desk.answer("app", "add", "--tenant", "acme", "--bundle-id", "com.example.app")
            let inboxes = try await list(["inbox", "list"] + app, "inboxes")
            #expect(inboxes.map { $0["notificationURL"] as? String } == [added["notificationURL"] as? String])
            let file = try desk.file("key.p8", try SampleKeyFile.new())
            let issuer = "57246542-96fe-1a63-e053-0824d011072a"
            for (id, more) in [("2X9R4HXF34", []), ("2X9R4HXF35", ["--bundle-id", "com.example.app"])] {
                let words = ["key", "add", "--key-id", id, "--issuer-id", issuer, "--file", file] + of + more
                #expect(try await Desk.program(words, environment: desk.environment).status == 0)
            }
            let keys = try await list(["key", "list"] + of, "keys")
            #expect(Set(keys.map { $0["keyId"] as? String }) == ["2X9R4HXF34", "2X9R4HXF35"])
            #expect(keys.contains { $0["bundleId"] as? String == "com.example.app" })
            let token = try await desk.answer("token", "add", "--tenant", "acme", "--scope", "usage")
            let tokens = try await list(["token", "list"] + of, "tokens")
            #expect(tokens.map { $0["id"] as? String } == [token["id"] as? String])
            let whole = try #require(token["token"] as? String)
            let shown = try await desk.run("token", "list", "--tenant", "acme")
            #expect(shown.output.contains(whole.prefix(9)) && !shown.output.contains(whole))
            for (slug, email) in [
                ("acme", "ada@example.com"), ("zebra", "ada@example.com"), ("acme", "bob@example.com"),
            ] {
                _ = try await desk.answer("operator", "add", "--email", email, "--tenant", slug, "--role", "owner")
            }
            _ = try await desk.answer("operator", "add", "--email", "root@example.com", "--installation")
            let everybody = try await list(["operator", "list"], "operators")
            #expect(
                everybody.map { $0["email"] as? String } == ["ada@example.com", "bob@example.com", "root@example.com"])
            #expect((everybody[0]["memberships"] as? [[String: String]])?.map { $0["tenant"] } == ["acme", "zebra"])
            #expect(try await list(["operator", "list", "--tenant", "zebra"], "operators").count == 1)

            _ = try await desk.answer("key", "remove", "--tenant", "acme", "--key-id", "2X9R4HXF34")
            #expect(try await list(["key", "list"] + of, "keys").count == 1)
            _ = try await desk.answer("token", "remove", "--tenant", "acme", "--id", token["id"] as? String ?? "")
            #expect(try await list(["token", "list"] + of, "tokens").isEmpty)
            _ = try await desk.answer("operator", "remove", "--email", "BOB@example.com", "--tenant", "acme")
            #expect(
                try await list(["operator", "list"] + of, "operators").map { $0["email"] as? String } == [
                    "ada@example.com"
                ])
            let twice = try await desk.run("operator", "remove", "--email", "bob@example.com", "--tenant", "acme")
            #expect(twice.status == 1 && twice.error.contains("no member of acme"))
            _ = try await desk.answer("operator", "remove", "--email", "root@example.com", "--installation")
            _ = try await desk.answer("app", "remove", "--tenant", "acme", "--bundle-id", "com.example.app")
            #expect(try await list(["app", "list"] + of, "apps").map { $0["removed"] as? Bool } == [true])
            #expect(try await list(["key", "list"] + of, "keys").isEmpty)
            #expect(
                try await desk.run("inbox", "list", "--tenant", "acme", "--bundle-id", "com.example.app").status == 1)

            let actions = try await desk.database.asSuperuser(
                "select a.action from tenants.audit a join tenants.tenants t using (tenant_id) where t.slug = 'acme' order by a.seq"
            )
            let written = try actions.map { row -> String in try row("action") }
            for action in ["key.removed", "token.removed", "member.removed", "app.removed"] {
                #expect(written.contains(action), "\(action)")
            }
            let doctor = try await desk.run("doctor")
            #expect(doctor.output.contains("audit acme"), "\(doctor.output)")
        }
    }

    @Test func `a person who is removed from their last place is signed out`() async throws {
        try await withDesk { desk in
            for slug in ["acme", "zebra"] {
                _ = try await desk.answer("tenant", "add", slug, "--name", slug)
                _ = try await desk.answer(
                    "operator", "add", "--email", "ada@example.com", "--tenant", slug, "--role", "viewer")
            }
            func usable() async throws -> Int {
                try await desk.database.asSuperuser("select from tenants.sign_in_links where used_at is null").count
            }
            _ = try await desk.answer("operator", "remove", "--email", "ada@example.com", "--tenant", "acme")
            #expect(try await usable() == 1)
            _ = try await desk.answer("operator", "remove", "--email", "ada@example.com", "--tenant", "zebra")
            #expect(try await usable() == 0)
        }
    }

    @Test func `./ops/run says what is wrong with an address before it does anything`() async throws {
        for listen in [
            "nonsense", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", "999.0.0.1:80", "[::1:80", "a b:80",
            "unix:/tmp/x",
        ] {
            let finished = try await OutsideProgram.run(
                Checkout.path("ops/run"), [],
                environment: ["REFUND_DESK_LISTEN": listen, "PATH": "/usr/bin:/bin"], input: "")
            #expect(finished.status == 1, "\(listen)")
            #expect(finished.error.contains("REFUND_DESK_LISTEN") && !finished.error.contains("Traceback"), "\(listen)")
        }
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
            #expect(unreadable.status == 1 && unreadable.output.contains("Restore that key from its backup"))
            #expect(unreadable.output.contains("master-key new") && !unreadable.output.contains("master-key rotate"))
            var without = desk
            without.environment["REFUND_DESK_MASTER_KEY_FILE"] = nil
            let missing = try await without.run("doctor")
            #expect(missing.status == 1 && missing.output.contains("no master key: 1 secret is sealed"))
            without.environment["REFUND_DESK_MASTER_KEY_FILE"] = "/nowhere/key"
            let gone = try await without.run("doctor")
            #expect(gone.output.contains("Restore it from its backup") && gone.output.contains("master-key new"))
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
        #expect(object?["schema"] as? Int == Schema.migrations.count)
        #expect(object?.keys.contains("commit") == true)
    }

    @Test func `a channel is added in a language, and doctor says of the public address and the database's room`()
        async throws
    {
        try await withDesk { desk in
            _ = try await desk.answer("tenant", "add", "acme", "--name", "Acme Ltd")
            let words = ["channel", "add", "--tenant", "acme", "--kind", "slack", "--secret-stdin", "--language"]
            let hook = "https://hooks.slack.com/services/T0/B0/abc"
            let refused = try await Desk.program(words + ["tlh"], environment: desk.environment, input: hook)
            #expect(refused.status == 2 && refused.error.contains("en, de, fr, es, ja"), "\(refused.error)")
            let added = try await Desk.program(words + ["fr"], environment: desk.environment, input: hook)
            #expect(added.status == 0, "\(added.error)")
            let listed = try await desk.answer("channel", "list", "--tenant", "acme")
            #expect((listed["channels"] as? [[String: Any]])?.first?["language"] as? String == "fr")

            let doctor = try await desk.run("doctor")
            #expect(doctor.output.contains("public-certificate") && doctor.output.contains("database-room"))
            var small = desk.environment
            small["REFUND_DESK_DATABASE_BYTES"] = "64M"
            let full = try await Desk.program(["doctor"], environment: small)
            #expect(full.status == 1 && full.output.contains("of 64 MiB: make room"), "\(full.output)")
        }
    }

    /// The program links a part of Foundation that knows no zones: what a test's own process can is not what it can.
    @Test func `a channel takes the zones of this machine, and says which names are none`() async throws {
        try await withDesk { desk in
            #expect(try await desk.run("migrate").status == 0)
            _ = try await desk.answer("tenant", "add", "acme", "--name", "Acme")
            func add(_ zone: String) async throws -> OutsideProgram.Outcome {
                try await desk.run(
                    "channel", "add", "--tenant", "acme", "--kind", "slack", "--secret-stdin", "--zone", zone,
                    input: "https://hooks.slack.com/services/T0/B0/abc\n")
            }
            for zone in ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"] {
                let added = try await add(zone)
                #expect(added.status == 0, "\(added.error)")
            }
            let refused = try await add("Mars/Base")
            #expect(refused.status == 1 && refused.error.contains("time zone"))
        }
    }
}
