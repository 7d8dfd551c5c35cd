import Foundation
import Journal
import Loop
import Postgres
import Schema
import Support
import Testing
import Time

@Suite struct `row security` {
    private struct Two: Sendable {
        let a: Int64, b: Int64
        let appOfB: Int64
    }

    private func twoTenants(_ db: Database) async throws -> Two {
        let rows = try await db.rows(
            .house, "insert into tenants.tenants (slug, name) values ('a', 'A'), ('b', 'B') returning tenant_id")
        let (a, b): (Int64, Int64) = (try rows[0]("tenant_id"), try rows[1]("tenant_id"))
        let app = try await db.rows(
            .tenant(b),
            "insert into tenants.apps (tenant_id, bundle_id, name) values (\(b), 'com.b', 'B') returning app_id")
        return Two(a: a, b: b, appOfB: try app[0]("app_id"))
    }

    private func addNotification(_ two: Two, _ db: Database) async throws {
        let (id, at) = (UUID(), Moment(milliseconds: 1_781_524_800_123))
        try await db.transaction(.intake) { tx in
            try await tx.execute(
                """
                insert into refunds.notifications (tenant_id, app_id, notification_uuid, environment, type, signed_at)
                values (\(two.b), \(two.appOfB), \(id), 'Production', 'TEST', \(at))
                """)
            try await tx.execute(
                """
                insert into refunds.notification_bodies (tenant_id, app_id, notification_uuid, received_at, form, headers, signature, body)
                values (\(two.b), \(two.appOfB), \(id), \(at), 0, '{}', '', \([1, 2] as [UInt8]))
                """)
        }
    }

    @Test func `a forgotten where sees nothing of another tenant`() async throws {
        try await withDatabase { test in
            let two = try await twoTenants(test.database)
            try await addNotification(two, test.database)
            for table in ["tenants.apps", "refunds.notifications", "refunds.notification_bodies"] {
                let all = SQL(stringLiteral: "select tenant_id from \(table)")
                #expect(try await test.database.rows(.tenant(two.a), all).isEmpty, "\(table)")
                #expect(try await test.database.rows(.tenant(two.b), all).count == 1, "\(table)")
            }
            let changed = try await test.database.execute(.tenant(two.a), "update tenants.apps set name = 'mine now'")
            #expect(changed == 0)
            let gone = try await test.database.execute(.tenant(two.a), "delete from refunds.notifications")
            #expect(gone == 0)
        }
    }

    @Test func `a tenant cannot write for another`() async throws {
        try await withDatabase { test in
            let two = try await twoTenants(test.database)
            let error = await #expect(throws: PostgresError.self) {
                try await test.database.execute(
                    .tenant(two.a),
                    "insert into tenants.apps (tenant_id, bundle_id, name) values (\(two.b), 'com.x', 'X')")
            }
            #expect(error?.kind == .denied)
            let moved = await #expect(throws: PostgresError.self) {
                try await test.database.execute(.tenant(two.b), "update tenants.apps set tenant_id = \(two.a)")
            }
            #expect(moved?.kind == .denied)
        }
    }

    @Test func `the tenant's role without a tenant sees nothing and adds nothing`() async throws {
        try await withDatabase { test in
            let two = try await twoTenants(test.database)
            _ = two
            let login = try await Login(test.url, on: test.loops.all[0])
            _ = try await login.rows("select set_config('role', 'refund_desk_tenant', false)")
            #expect(try await login.rows("select 1 as one from tenants.apps").isEmpty)
            let error = await #expect(throws: PostgresError.self) {
                try await login.rows("insert into tenants.apps (tenant_id, bundle_id, name) values (1, 'com.x', 'X')")
            }
            #expect(error?.kind == .denied)
            await login.close()
        }
    }

    @Test func `the intake writes any tenant's notifications and reads no body`() async throws {
        try await withDatabase { test in
            let two = try await twoTenants(test.database)
            try await addNotification(two, test.database)
            #expect(try await test.database.rows(.intake, "select deliveries from refunds.notifications").count == 1)
            for statement in [
                "select body from refunds.notification_bodies", "select body from refunds.notification_bodies_default",
                "select type from refunds.notifications", "select subject from queue.jobs",
                "select sealed from tenants.secrets",
                "delete from refunds.notifications", "update refunds.notifications set standing = 'acted'",
                "select email from tenants.people",
            ] {
                let error = await #expect(throws: PostgresError.self, "\(statement)") {
                    try await test.database.rows(.intake, SQL(stringLiteral: statement))
                }
                #expect(error?.kind == .denied, "\(statement)")
            }
        }
    }

    @Test func `the queue's role reaches jobs, lanes and workers and nothing else`() async throws {
        try await withDatabase { test in
            let jobs = try await test.database.rows(.queue, "select job_id from queue.jobs")
            #expect(jobs.isEmpty)
            for table in [
                "tenants.apps", "tenants.secrets", "refunds.cases", "refunds.notifications", "tenants.people",
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    try await test.database.rows(.queue, SQL(stringLiteral: "select count(*) from \(table)"))
                }
                #expect(error?.kind == .denied, "\(table)")
            }
        }
    }

    @Test func `no role opens or drops what the owner owns`() async throws {
        try await withDatabase { test in
            for scope in [Scope.tenant(1), .intake, .queue, .house] {
                for statement in [
                    "alter table tenants.apps disable row level security", "drop table refunds.notifications",
                    "create table tenants.mine (id int)", "select refunds.make_partitions(1)",
                ] where scope != .house || !statement.contains("make_partitions") {
                    let error = await #expect(throws: PostgresError.self) {
                        try await test.database.rows(scope, SQL(stringLiteral: statement))
                    }
                    #expect(error?.kind == .denied, "\(scope): \(statement)")
                }
            }
        }
    }

    @Test func `stands on every table with a tenant, forced, with a policy for the tenant's role`() async throws {
        try await withDatabase { test in
            let bare = try await test.asSuperuser(
                """
                select c.oid::regclass::text as name from pg_class c
                join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
                join pg_namespace n on n.oid = c.relnamespace and n.nspname in ('tenants', 'refunds', 'queue', 'desk')
                where c.relkind in ('r', 'p')
                  and (not c.relrowsecurity or not c.relforcerowsecurity
                       or not exists (select from pg_policy p join pg_roles r on r.oid = any(p.polroles)
                                      where p.polrelid = c.oid and r.rolname = 'refund_desk_tenant'))
                """)
            #expect(try bare.map { try $0("name") as String } == [])
        }
    }

    @Test func `reports a role that it does not bind`() async throws {
        try await withDatabase { test in
            #expect(try await RoleCheck.troubles(test.url, on: test.loops.all[0]) == [])
            // In a cluster of its own, because roles are shared by all databases of a server.
            try await Cluster.with(durable: false) { _, url in
                let loop = test.loops.all[0]
                #expect(try await RoleCheck.troubles(url, on: loop).count == 4)
                _ = try await Schema.migrator(on: loop, journal: .silent).migrate(url)
                try await TestServer.administer(
                    url,
                    """
                    alter role refund_desk_tenant bypassrls; alter role refund_desk_intake superuser;
                    alter table queue.jobs owner to refund_desk_queue
                    """)
                let troubles = try await RoleCheck.troubles(url, on: loop)
                #expect(troubles.count == 3)
                #expect(troubles.contains { $0.contains("refund_desk_tenant bypasses row security") })
                #expect(troubles.contains { $0.contains("refund_desk_intake is a superuser") })
                #expect(troubles.contains { $0.contains("refund_desk_queue owns 1 of our tables") })
                // And no pool works under such a role.
                let database = try Database(
                    url: url, loops: test.loops, limits: PoolLimits(wait: .milliseconds(500)), journal: .silent,
                    counters: test.counters)
                let error = await #expect(throws: PostgresError.self) {
                    try await database.rows(.tenant(1), "select 1")
                }
                #expect(error?.text.contains("bypasses row security") == true)
                await database.close()
            }
        }
    }
}
