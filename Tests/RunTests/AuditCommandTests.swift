import Foundation
import Postgres
import Support
import Testing

/// What `refund-desk doctor` says of an audit log that somebody changed by hand.
@Suite(.timeLimit(.minutes(10))) struct `Audit log on the command line` {
    private func check(_ desk: Desk, _ slug: String) async throws -> (state: String, text: String) {
        let doctor = try await desk.run("doctor", "--json")
        let report =
            try JSONSerialization.jsonObject(with: Data(doctor.output.utf8)) as? [String: [[String: String]]]
        let found = try #require(report?["checks"]?.first { $0["name"] == "audit \(slug)" })
        return (found["state"] ?? "", found["text"] ?? "")
    }

    /// Four entries a tenant.
    private func withLog(_ body: (Desk) async throws -> Void) async throws {
        try await withDesk { desk in
            for slug in ["acme", "bolt"] {
                _ = try await desk.answer("tenant", "add", slug, "--name", slug)
                for _ in 1...3 { _ = try await desk.answer("token", "add", "--tenant", slug, "--scope", "cases") }
            }
            try await desk.database.asSuperuser("alter table tenants.audit disable trigger fixed")
            try await body(desk)
        }
    }

    @Test func `doctor finds a changed, a missing and a cut entry, each in its own tenant`() async throws {
        try await withLog { desk in
            let whole = try await check(desk, "acme")
            #expect(whole.state == "ok" && whole.text.hasPrefix("4 entries, head "))
            let acme: SQL = "(select tenant_id from tenants.tenants where slug = 'acme')"
            let saved: SQL = "create table public.saved as select * from tenants.audit"
            try await desk.database.asSuperuser(saved)
            for (spoil, text) in [
                (
                    "update tenants.audit set subject = 'token x' where seq = 2 and tenant_id = \(acme)",
                    "entry 2 is not"
                ),
                ("delete from tenants.audit where seq = 3 and tenant_id = \(acme)", "entry 3 is not"),
                ("delete from tenants.audit where seq > 2 and tenant_id = \(acme)", "entries after 2 are missing"),
                ("delete from tenants.audit where tenant_id = \(acme)", "entries after 0 are missing"),
            ] as [(SQL, String)] {
                try await desk.database.asSuperuser(spoil)
                let found = try await check(desk, "acme")
                #expect(found.state == "fail" && found.text.hasPrefix(text), "\(found)")
                #expect(try await check(desk, "bolt").state == "ok")
                try await desk.database.asSuperuser("delete from tenants.audit")
                try await desk.database.asSuperuser("insert into tenants.audit select * from public.saved")
            }
            #expect(try await check(desk, "acme").state == "ok")
        }
    }

    @Test func `a token has a name and an end, which without a word is in a year`() async throws {
        try await withDesk { desk in
            _ = try await desk.answer("tenant", "add", "acme", "--name", "Acme")
            let usual = try await desk.answer("token", "add", "--tenant", "acme", "--scope", "cases")
            let end = try #require(usual["expiresAt"] as? Double)
            let days = (end / 1000 - Date().timeIntervalSince1970) / 86400
            #expect((364.9...365.1).contains(days))
            let endless = try await desk.answer(
                "token", "add", "--tenant", "acme", "--scope", "all", "--name", "shop", "--expires", "never")
            #expect(endless["expiresAt"] is NSNull)
            let dated = try await desk.answer(
                "token", "add", "--tenant", "acme", "--scope", "all", "--expires", "2099-01-02")
            #expect(dated["expiresAt"] as? Int == 4_070_995_200_000)
            for (words, status) in [("2001-01-01", 1), ("2099-02-30", 2), ("soon", 2)] {
                let refused = try await desk.run(
                    "token", "add", "--tenant", "acme", "--scope", "all", "--expires", words)
                #expect(refused.status == Int32(status), "\(words): \(refused.error)")
            }
            let list = try await desk.answer("token", "list", "--tenant", "acme")
            let tokens = try #require(list["tokens"] as? [[String: Any]])
            #expect(tokens.compactMap { $0["name"] as? String }.contains("shop") && tokens.count == 3)
        }
    }

    @Test func `a tenant is renamed, closed and opened again`() async throws {
        try await withDesk { desk in
            _ = try await desk.answer("tenant", "add", "acme", "--name", "Acme")
            _ = try await desk.answer("tenant", "rename", "acme", "--name", "Acme Ltd")
            _ = try await desk.answer("tenant", "close", "acme")
            #expect(try await desk.run("tenant", "close", "acme").status == 1)
            #expect(try await desk.run("token", "add", "--tenant", "acme", "--scope", "all").status == 1)
            _ = try await desk.answer("tenant", "reopen", "acme")
            let list = try await desk.answer("tenant", "list")
            #expect((list["tenants"] as? [[String: Any]])?.first?["name"] as? String == "Acme Ltd")
        }
    }

    @Test func `doctor looks at closed tenants too`() async throws {
        try await withDesk { desk in
            _ = try await desk.answer("tenant", "add", "acme", "--name", "Acme")
            _ = try await desk.answer("tenant", "close", "acme")
            let whole = try await desk.run("doctor")
            #expect(whole.output.contains("audit acme") && whole.output.contains("is closed since"), "\(whole.output)")
            try await desk.database.asSuperuser("alter table tenants.audit disable trigger fixed")
            try await desk.database.asSuperuser("update tenants.audit set subject = 'x' where seq = 1")
            let cut = try await desk.run("doctor")
            #expect(cut.status == 1 && cut.output.contains("entry 1 is not what was written"))
        }
    }

    @Test func `operator role gives an owner back, is audited, and refuses strangers`() async throws {
        try await withDesk { desk in
            _ = try await desk.answer("tenant", "add", "acme", "--name", "Acme")
            let ada = ["--email", "ada@example.com", "--tenant", "acme", "--role"]
            _ = try await Desk.program(["operator", "add"] + ada + ["viewer"], environment: desk.environment)
            func role() async throws -> String? {
                let list = try await desk.answer("operator", "list", "--tenant", "acme")
                let places = (list["operators"] as? [[String: Any]])?.first?["memberships"] as? [[String: String]]
                return places?.first?["role"]
            }
            #expect(try await role() == "viewer")
            for _ in 1...2 {
                let changed = try await desk.answer(
                    "operator", "role", "--email", "ADA@example.com", "--tenant", "acme", "--role", "owner")
                #expect(changed["role"] as? String == "owner")
            }
            #expect(try await role() == "owner")
            let entries = try await desk.database.asSuperuser(
                "select convert_from(detail, 'UTF8') as detail from tenants.audit where action = 'member.role-changed'")
            #expect(entries.count == 1, "what stays the same is not written")
            let detail: String = try entries[0]("detail")
            #expect(detail.contains("viewer") && detail.contains("owner"))
            for (words, status) in [
                (["--email", "bob@example.com", "--tenant", "acme", "--role", "owner"], 1),
                (["--email", "ada@example.com", "--tenant", "nobody", "--role", "owner"], 1),
                (["--email", "ada@example.com", "--tenant", "acme", "--role", "king"], 2),
                (["--email", "ada@example.com", "--tenant", "acme"], 2),
            ] {
                let ended = try await Desk.program(["operator", "role"] + words, environment: desk.environment)
                #expect(ended.status == Int32(status), "\(words): \(ended.error)")
            }
        }
    }
}
