import Postgres
import Refunds
import Support
import Testing
import Time

@Suite struct `What has been kept long enough` {
    static let now = WallClock.system.now

    /// A tenant with an app, and one row of each kind of the given age.
    static func fill(_ test: TestDatabase, age: Duration, case number: Int) async throws {
        let at = now - age
        try await test.asSuperuser(
            "insert into tenants.tenants (slug, name) values (\("t\(number)"), 'T')")
        try await test.asSuperuser(
            "insert into tenants.apps (tenant_id, bundle_id, name) select tenant_id, 'com.example.a', 'A' from tenants.tenants where slug = \("t\(number)")"
        )
        let app: SQL = "tenants.apps join tenants.tenants using (tenant_id) where slug = \("t\(number)")"
        try await test.asSuperuser(
            """
            insert into refunds.cases (tenant_id, case_id, app_id, environment, transaction_id, original_transaction_id,
              product_id, state, outcome, listed_at)
            select tenant_id, gen_random_uuid(), app_id, 'Production', '1', '1', 'p', 'unasked', 'refunded', \(at) from \(app)
            """)
        for transaction in ["1", "2"] {
            try await test.asSuperuser(
                """
                insert into refunds.notifications (tenant_id, app_id, notification_uuid, environment, type, signed_at,
                  received_at, transaction_id)
                select tenant_id, app_id, gen_random_uuid(), 'Production', 'REFUND', \(at), \(at), \(transaction) from \(app)
                """)
        }
        try await test.asSuperuser(
            """
            insert into refunds.notification_bodies (tenant_id, app_id, notification_uuid, received_at, form, headers, signature, body)
            select tenant_id, app_id, gen_random_uuid(), \(at), 0, '{}', '\\x00', '\\x00' from \(app)
            """)
        try await test.asSuperuser(
            """
            insert into refunds.refusals (tenant_id, app_id, slot, refusal_no, received_at, reason, detail, body_sha256, bytes)
            select tenant_id, app_id, 0, 0, \(at), 'forged', '', '\\x00', 0 from \(app)
            """)
    }

    /// A request of each state with an item, an attempt and a fact, and what was sold, of the given age.
    static func sell(_ test: TestDatabase, age: Duration) async throws {
        let at = now - age
        try await test.asSuperuser(
            """
            insert into refunds.commerce_requests (tenant_id, request_id, app_id, environment, kind, transaction_id,
              original_transaction_id, request_reference_id, idempotency_key, asked_sha256, state, body, asked_at,
              listed_at, changed_at)
            select tenant_id, gen_random_uuid(), app_id, 'Production', 'refund', 'c' || s, '1', gen_random_uuid(), s,
              sha256(''), s, '', \(at), \(at), \(at)
            from tenants.apps, unnest(array['draft', 'awaiting-approval', 'queued', 'sending', 'accepted', 'refunded',
              'declined', 'failed', 'pending-at-apple', 'cancelled']) s
            """)
        try await test.asSuperuser(
            """
            insert into refunds.transactions (tenant_id, app_id, environment, transaction_id, original_transaction_id,
              product_id, signed_at, fields)
            select tenant_id, app_id, environment, transaction_id, '1', 'p', \(at), '' from refunds.commerce_requests
            """)
        try await test.asSuperuser(
            """
            insert into refunds.commerce_items (tenant_id, request_id, item_no, sku, refund_reason, refund_type, revoke)
            select tenant_id, request_id, 1, 's', 'OTHER', 'FULL', false from refunds.commerce_requests
            """)
        try await test.asSuperuser(
            """
            insert into refunds.commerce_attempts (tenant_id, request_id, attempt_no, app_id, environment, worker,
              started_at, send_by, give_up_at, ended_at, result)
            select tenant_id, request_id, 1, app_id, environment, 1, \(at), \(at + .seconds(5)), \(at + .seconds(35)),
              \(at), 'accepted'
            from refunds.commerce_requests
            """)
        try await test.asSuperuser(
            """
            insert into refunds.commerce_facts (tenant_id, request_id, fact_id, sku, kind, signed_at, learned_at)
            select tenant_id, request_id, gen_random_uuid(), '', 'refunded', \(at), \(at)
            from refunds.commerce_requests
            """)
        try await test.asSuperuser(
            """
            insert into refunds.commerce_sales (tenant_id, app_id, environment, transaction_id, sku, sold_at)
            select tenant_id, app_id, 'Production', '1', 's', \(at) from tenants.apps
            """)
        try await test.asSuperuser(
            """
            insert into refunds.renewals (tenant_id, app_id, environment, original_transaction_id, signed_at, fields)
            select tenant_id, app_id, 'Production', '1', \(at), '' from tenants.apps
            """)
    }

    @Test(arguments: [(Duration.days(760), 10, 1), (.days(762), 2, 0)] as [(Duration, Int64, Int64)])
    func `commerce requests go with all that is theirs, as cases do; what waits to be sent stays`(
        age: Duration, requests: Int64, sales: Int64
    ) async throws {
        try await withDatabase { test in
            try await Self.fill(test, age: .days(1), case: 1)
            try await Self.sell(test, age: age)
            let retention = Retention(database: test.database, clock: WallClock { Self.now })
            _ = try await retention.prune()
            #expect(try await retention.prune().isEmpty)
            for table in ["requests", "items", "attempts", "facts"] {
                let left: Int64? = try await test.asSuperuser(
                    SQL(stringLiteral: "select count(*) as n from refunds.commerce_\(table)")
                ).first?("n")
                #expect(left == requests, "\(table)")
            }
            // A request that is kept keeps its purchase.
            let transactions: Int64? = try await test.asSuperuser("select count(*) as n from refunds.transactions")
                .first?("n")
            #expect(transactions == requests)
            for table in ["commerce_sales", "renewals"] {
                let left: Int64? = try await test.asSuperuser(
                    SQL(stringLiteral: "select count(*) as n from refunds.\(table)")
                ).first?("n")
                #expect(left == sales, "\(table)")
            }
        }
    }

    static func count(_ test: TestDatabase, _ table: String) async throws -> Int64 {
        let query: SQL =
            switch table {
            case "cases": "select count(*) as n from refunds.cases"
            case "notifications": "select count(*) as n from refunds.notifications"
            case "bodies": "select count(*) as n from refunds.notification_bodies"
            default: "select count(*) as n from refunds.refusals"
            }
        return try await test.asSuperuser(query)[0]("n")
    }

    @Test(arguments: [
        (Duration.days(1), [1, 2, 1, 1]),
        (.days(31), [1, 2, 1, 0]),
        // The key row of a notification outlives its body while a case keeps it.
        (.days(450), [1, 1, 0, 0]),
        (.days(800), [0, 0, 0, 0]),
    ])
    func `is forgotten, and nothing sooner`(age: Duration, left: [Int64]) async throws {
        try await withDatabase { test in
            try await Self.fill(test, age: age, case: 1)
            let retention = Retention(database: test.database, clock: WallClock { Self.now })
            // Cases go first, and a second look then finds the key rows they kept.
            _ = try await retention.prune()
            let again = try await retention.prune()
            #expect(again.isEmpty)
            for (table, expected) in zip(["cases", "notifications", "bodies", "refusals"], left) {
                #expect(try await Self.count(test, table) == expected, "\(table)")
            }
        }
    }

    @Test func `more rows than a batch holds all go`() async throws {
        try await withDatabase { test in
            try await Self.fill(test, age: .days(1), case: 1)
            try await test.asSuperuser(
                """
                insert into refunds.usage (tenant_id, app_id, transaction_id, observed_at, learned_at)
                select tenant_id, app_id, n::text, \(Self.now - .days(800)), \(Self.now - .days(800))
                from tenants.apps, generate_series(1, 2500) n
                """)
            let forgotten = try await Retention(
                database: test.database, clock: WallClock { Self.now }
            ).prune()
            #expect(forgotten == ["usage reports": 2500])
        }
    }

    @Test func `the archive cannot be emptied by a slip`() async throws {
        try await withDatabase { test in
            _ = await #expect(throws: PostgresError.self) {
                _ = try await test.database.rows(
                    .house, "select refunds.forget_bodies(\(Self.now - .days(1))) as months")
            }
        }
    }
}
