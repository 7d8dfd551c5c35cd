import Postgres
import Support
import Testing
import Time

@testable import Tenants

@Suite struct `Audit chain` {
    private func withEntries(_ body: (TwoTenants) async throws -> Void) async throws {
        try await withTwoTenants { home in
            for number in 1...3 {
                try await home.with(home.a) { tx in
                    try await Audit.write(
                        AuditEntry(
                            tenant: home.a.id, at: Samples.now, actor: .program,
                            address: number == 2 ? "192.0.2.1" : nil,
                            action: "test.done", subject: "test \(number)",
                            detail: ["b": .number(2), "a": "x\"\n", "c": .none, "d": true]),
                        in: tx)
                }
            }
            try await body(home)
        }
    }

    private func standing(_ home: TwoTenants) async throws -> AuditStanding {
        try await home.with(home.a) { tx in try await Audit.check(of: home.a.id, in: tx) }
    }

    /// What an intruder with the owner's password could do.
    private func tamper(_ home: TwoTenants, _ sql: SQL) async throws {
        try await home.database.asSuperuser("alter table tenants.audit disable trigger fixed")
        try await home.database.asSuperuser(sql)
    }

    @Test func `is whole after writing, with a head and canonical details`() async throws {
        try await withEntries { home in
            guard case .whole(let head) = try await standing(home) else {
                Issue.record("not whole")
                return
            }
            // The tenant and its app made two entries before.
            #expect(head.sequence == 5)
            #expect(head.hash.count == 32)
            let newest = try await home.with(home.a) { tx in try await Audit.entries(of: home.a.id, limit: 1, in: tx) }
            #expect(
                String(decoding: newest[0].detail, as: UTF8.self)
                    == #"{"a":"x\"\u000a","b":2,"by":"program","c":null,"d":true}"#)
        }
    }

    @Test(
        arguments: [
            "update tenants.audit set subject = 'test 9' where seq = 4",
            "update tenants.audit set at = at + interval '1 ms' where seq = 4",
            "update tenants.audit set address = null where seq = 4",
            "update tenants.audit set detail = '{}' where seq = 4",
            "update tenants.audit set person_id = '00000000-0000-0000-0000-000000000001' where seq = 4",
            "update tenants.audit set token_id = '00000000-0000-0000-0000-000000000001' where seq = 4",
            "update tenants.audit set hash = decode(repeat('00', 32), 'hex') where seq = 4",
            "delete from tenants.audit where seq = 4",
        ] as [SQL])
    func `a changed or missing entry is found where it is`(sql: SQL) async throws {
        try await withEntries { home in
            let tenant: SQL = " and tenant_id = \(home.a.id.rawValue)"
            try await tamper(home, "\(sql)\(tenant)")
            #expect(try await standing(home) == .changed(at: 4))
        }
    }

    @Test func `a tail that was cut off is noticed by the head`() async throws {
        try await withEntries { home in
            try await tamper(home, "delete from tenants.audit where seq > 3 and tenant_id = \(home.a.id.rawValue)")
            #expect(try await standing(home) == .cut(after: 3))
        }
    }

    @Test func `an entry moved into another tenant's chain does not fit there`() async throws {
        try await withEntries { home in
            try await tamper(
                home,
                """
                update tenants.audit b set at = a.at, action = a.action, subject = a.subject, detail = a.detail, hash = a.hash
                from tenants.audit a
                where a.tenant_id = \(home.a.id.rawValue) and b.tenant_id = \(home.b.id.rawValue) and a.seq = b.seq
                """)
            let b = try await home.with(home.b) { tx in try await Audit.check(of: home.b.id, in: tx) }
            #expect(b == .changed(at: 1))
        }
    }

    @Test func `neither tenant nor house may change or remove an entry`() async throws {
        try await withEntries { home in
            for scope in [home.a.id.scope, Scope.house] {
                for sql in ["update tenants.audit set subject = 'x'", "delete from tenants.audit"] as [SQL] {
                    let error = await #expect(throws: PostgresError.self) {
                        try await home.database.database.transaction(scope) { tx in try await tx.execute(sql) }
                    }
                    #expect(error?.sqlState == "42501")
                }
            }
        }
    }

    @Test(
        arguments: [
            "update tenants.audit set subject = 'x'", "delete from tenants.audit", "truncate tenants.audit",
        ] as [SQL])
    func `not even the owner changes, removes or empties it in passing`(sql: SQL) async throws {
        try await withEntries { home in
            await #expect(throws: PostgresError.self) { try await home.database.asSuperuser(sql) }
            guard case .whole(let head) = try await standing(home) else {
                Issue.record("not whole")
                return
            }
            #expect(head.sequence == 5)
        }
    }

    @Test func `entries written at once form one chain`() async throws {
        try await withTwoTenants { home in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        try await home.with(home.a) { tx in
                            try await Audit.write(
                                AuditEntry(
                                    tenant: home.a.id, at: Samples.now, actor: .program, action: "test.done",
                                    subject: "test \(number)"),
                                in: tx)
                        }
                    }
                }
                try await group.waitForAll()
            }
            guard case .whole(let head) = try await standing(home) else {
                Issue.record("not whole")
                return
            }
            #expect(head.sequence == 14)
        }
    }
}
