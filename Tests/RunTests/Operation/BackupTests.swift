import Foundation
import Support
import Testing

/// `ops/backup` and `ops/restore` on a database that holds something.
@Suite(.timeLimit(.minutes(10))) struct `Backup and restore` {
    private func backUp(_ url: String, to folder: String, key: String? = nil) async throws -> OutsideProgram.Outcome {
        var environment = ["DATABASE_URL": url]
        environment["REFUND_DESK_MASTER_KEY_FILE"] = key
        return try await Tool.run(
            Checkout.path("ops/backup"), "--folder", folder, "--keep", "2", environment: environment)
    }

    private func restore(_ dump: String, to url: String, _ desk: Desk) async throws -> OutsideProgram.Outcome {
        var environment = desk.environment
        environment["DATABASE_URL"] = url
        environment["REFUND_DESK_PUBLIC_FOLDER"] = Checkout.path("public")
        // It asks doctor afterwards, and finds the program as it would be found where it is installed.
        let program = OutsideProgram.path("refund-desk")
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        environment["PATH"] = URL(filePath: program).deletingLastPathComponent().path + ":" + path
        return try await Tool.run(Checkout.path("ops/restore"), dump, environment: environment)
    }

    /// Tenants, an app with a sealed key, people and cases.
    private func fill(_ desk: Desk) async throws {
        let sample = try await SampleDesk.make(in: desk.database)
        for number in 1...30 {
            var one = SampleCase()
            one.transactionID = "2000000900\(100_000 + number)"
            try await sample.add(one, to: sample.alphaApp)
        }
        let key = try await Tool.run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
        _ = try await desk.answer(
            "key", "add", "--tenant", "alpha", "--key-id", "2X9R4HXF34", "--issuer-id",
            "57246542-96fe-1a63-e053-0824d011072a", "--file", "-", input: key.output)
        _ = try await desk.answer("inbox", "add", "--tenant", "alpha", "--bundle-id", "com.example.alpha")
    }

    @Test func `a restored database holds every row, belongs to its new owner, and the program serves from it`()
        async throws
    {
        try await withDesk { desk in
            try await fill(desk)
            let dumps = desk.folder + "/dumps"
            let made = try await backUp(desk.database.url, to: dumps, key: desk.folder + "/master.key")
            #expect(made.status == 0 && made.error.contains("The master key is not in it"), "\(made)")
            let dump = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
            let bytes = try Data(contentsOf: URL(filePath: dump))
            let key = try String(contentsOfFile: desk.folder + "/master.key", encoding: .utf8).prefix(43)
            #expect(bytes.range(of: Data(key.utf8)) == nil)

            // Another owner, as after a move to another server; its name must not stand in old policies only.
            let (name, owner) = ("\(desk.database.name)_back", "owner of \(desk.database.name)")
            let server = try TestServer.url()
            try await TestServer.administer(server, "create role \"\(owner)\" login superuser")
            try await TestServer.administer(server, "create database \(name) owner \"\(owner)\"")
            do {
                let escaped = owner.replacing(" ", with: "%20")
                let url = try TestServer.url(database: name).replacing("postgres@", with: escaped + "@")
                let restored = try await restore(dump, to: url, desk)
                // Doctor misses keys and URLs of the other samples; what it says of the secrets counts here.
                #expect(restored.error.contains("as when the dump was made"), "\(restored)")
                #expect(restored.output.contains("every secret is sealed with the newest key"), "\(restored.output)")

                let after = try await rows(url)
                #expect(try await rows(desk.database.url) == after)
                #expect(after.contains { $0.hasPrefix("refunds.cases ") && !$0.hasSuffix(" 0") })
                let strangers = try await Tool.run(
                    "psql", url, "-XAtqc",
                    "select count(*) from pg_policy where polname = 'owner_sees_all' and not (select oid from pg_roles where rolname = current_user) = any (polroles)"
                )
                #expect(strangers.output == "0\n", "\(strangers)")

                var environment = desk.environment
                environment["DATABASE_URL"] = url
                environment["REFUND_DESK_PUBLIC_FOLDER"] = Checkout.path("public")
                let serving = try RunningProgram(
                    OutsideProgram.path("refund-desk"), ["serve"], environment: environment)
                try await serving.printed("\"text\":\"serving\"")
                serving.signal(SIGTERM)
                #expect(await serving.exit() == 0, "\(serving.output)")

                let again = try await restore(dump, to: url, desk)
                #expect(again.status == 1 && again.error.contains("is not empty"), "\(again)")
            } catch {
                try await forget(name, owner, server)
                throw error
            }
            try await forget(name, owner, server)
        }
    }

    /// The rows of each table, as a superuser counts them.
    private func rows(_ url: String) async throws -> [String] {
        let counted = try await Tool.run(
            "psql", url, "-XAtq", "-F", " ", "-c",
            """
            select n.nspname || '.' || c.relname,
              (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from only %s', c.oid::regclass), false, true, '')))[1]::text
            from pg_class c
            join pg_namespace n on n.oid = c.relnamespace
            where c.relkind = 'r' and n.nspname in ('desk', 'tenants', 'refunds', 'queue')
            order by 1
            """)
        return counted.output.split(separator: "\n").map(String.init)
    }

    private func forget(_ name: String, _ owner: String, _ server: String) async throws {
        try await TestServer.administer(server, "drop database if exists \(name) with (force)")
        try await TestServer.administer(server, "drop role if exists \"\(owner)\"")
    }

    @Test func `a dump that was changed is not loaded, and the oldest dumps are forgotten`() async throws {
        try await withDesk { desk in
            let dumps = desk.folder + "/dumps"
            var newest = ""
            for _ in 1...3 {
                let made = try await backUp(desk.database.url, to: dumps)
                #expect(made.status == 0, "\(made)")
                newest = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            let kept = try FileManager.default.contentsOfDirectory(atPath: dumps)
            #expect(
                kept.filter { $0.hasSuffix(".dump") }.count == 2 && kept.filter { $0.hasSuffix(".rows") }.count == 2)
            var bytes = try Data(contentsOf: URL(filePath: newest))
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: URL(filePath: newest))
            let refused = try await restore(newest, to: desk.database.url, desk)
            #expect(refused.status == 1 && refused.error.contains("its digest differs"), "\(refused)")
        }
    }

    @Test func `the master key is never among the dumps`() async throws {
        try await withDesk { desk in
            let refused = try await backUp(desk.database.url, to: desk.folder, key: desk.folder + "/master.key")
            #expect(refused.status == 1 && refused.error.contains("lies among the dumps"), "\(refused)")
        }
    }

    @Test func `a login that does not see every row makes no dump`() async throws {
        try await withDesk { desk in
            try await fill(desk)
            let login = "blind_\(desk.database.name)"
            let server = try TestServer.url()
            try await TestServer.administer(server, "create role \(login) login")
            for statement in [
                "grant connect on database \(desk.database.name) to \(login)",
                "grant usage on schema desk, tenants, refunds, queue to \(login)",
                "grant select on all tables in schema desk, tenants, refunds, queue to \(login)",
            ] {
                try await TestServer.administer(desk.database.url, statement)
            }
            let url = desk.database.url.replacing("postgres@", with: login + "@")
            let refused = try await backUp(url, to: desk.folder + "/dumps")
            #expect(refused.status == 1 && refused.error.contains("does not see every row"), "\(refused)")
            let files = try FileManager.default.contentsOfDirectory(atPath: desk.folder + "/dumps")
            #expect(files == [".lock"], "\(files)")
            try await TestServer.administer(desk.database.url, "drop owned by \(login)")
            try await TestServer.administer(server, "drop role \(login)")
        }
    }
}
