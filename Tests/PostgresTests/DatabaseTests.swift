import Foundation
import Postgres
import Support
import Testing
import Time

@Suite struct `a database` {
    @Test func `a statement sees the tenant it was given and no other`() async throws {
        try await withDatabase { test in
            let db = test.database
            _ = try await db.execute(.house, "insert into tenants.tenants (slug, name) values ('a', 'A'), ('b', 'B')")
            let all = try await db.rows(.house, "select tenant_id, slug from tenants.tenants order by tenant_id")
            #expect(try all.map { try $0("slug") as String } == ["a", "b"])
            let a: Int64 = try all[0]("tenant_id")
            let seen = try await db.rows(.tenant(a), "select slug from tenants.tenants")
            #expect(try seen.map { try $0("slug") as String } == ["a"])
            let inside = try await db.transaction(.tenant(a)) { tx in
                try await tx.row("select count(*) as n, current_user::text as who from tenants.tenants")
            }
            #expect(try inside?("n") == 1 as Int)
            #expect(try inside?("who") == "refund_desk_tenant")
        }
    }
}
