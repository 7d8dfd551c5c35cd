import FoundationEssentials
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

/// The plans that the server makes without knowing the values (as it does after five runs), under the
/// role of the tenant, on skewed data. A plan that reads a tenant's every row is found here and not by
/// the largest tenant.
@Suite struct `Plans` {
    private static let deep = ListCursor(at: SampleDesk.signed - .days(20), id: UUID())

    @Test func `every list and look-up reads by index, and throws little away`() async throws {
        try await withDatabase { test in
            let desk = try await SampleDesk.make(in: test)
            try await Self.fill(test, desk)
            let apps = [desk.alphaApp.id, desk.alphaLite.id]
            func page(_ after: ListCursor = .newest, _ change: (inout CaseFilter) -> Void = { _ in }) -> SQL {
                var filter = CaseFilter()
                change(&filter)
                return CaseQueries.page(apps: apps, filter: filter, after: after, limit: 51)
            }
            let statements: [(String, SQL, index: String)] = [
                ("all", page(), "cases_newest"),
                ("all, deep", page(Self.deep), "cases_newest"),
                ("a state", page { $0.states = [.open] }, "cases_facet"),
                ("an outcome, deep", page(Self.deep) { $0.outcomes = [.reversed] }, "cases_facet"),
                (
                    "a pair that does not occur",
                    page {
                        $0.states = [.held]; $0.outcomes = [.reversed]
                    },
                    "cases_facet"
                ),
                ("an unknown reason", page { $0.reason = .given("NEW") }, "cases_facet"),
                (
                    "environment and state",
                    page {
                        $0.isSandbox = true; $0.states = [.missed]
                    }, "cases_facet"
                ),
                ("a product", page { $0.productID = "p3" }, "cases_product"),
                ("what Apple was told", page { $0.told = .decline }, "cases_told"),
                (
                    "what Apple was told, an outcome and a reason, deep",
                    page(Self.deep) {
                        $0.told = .refundInFull; $0.outcomes = [.reversed]; $0.reason = .given("OTHER")
                    }, "cases_told"
                ),
                ("a transaction", page { $0.transactionID = "t777" }, "cases_transaction"),
                ("an original transaction", page { $0.originalTransactionID = "o777" }, "cases_original"),
                ("a customer", page { $0.appAccountToken = "c777" }, "cases_customer"),
                (
                    "the look-up", LookUpQueries.cases(apps: apps, text: "c777", transactions: ["t777"]),
                    "cases_transaction"
                ),
                (
                    "notifications, deep",
                    NotificationQueries.page(apps: apps, isSandbox: nil, after: Self.deep, limit: 51),
                    "notifications_newest"
                ),
            ]
            let commerce: [(String, SQL, index: String)] = [
                ("requests", Self.requests(apps), "commerce_requests_newest"),
                ("requests, deep", Self.requests(apps, after: Self.deep), "commerce_requests_newest"),
                ("requests of a state", Self.requests(apps) { $0.states = [.failed] }, "commerce_requests_facet"),
                (
                    "a state that does not occur, deep",
                    Self.requests(apps, after: Self.deep) { $0.states = [.pendingAtApple] }, "commerce_requests_facet"
                ),
                ("requests of a kind", Self.requests(apps) { $0.kind = .cancel }, "commerce_requests_facet"),
                (
                    "kind, state and environment",
                    Self.requests(apps) {
                        $0.kind = .revoke; $0.states = [.declined]; $0.environment = .sandbox
                    }, "commerce_requests_facet"
                ),
                (
                    "requests of a transaction", Self.requests(apps) { $0.transactionID = "t777" },
                    "commerce_requests_of_transaction"
                ),
            ]
            for (name, statement, index) in statements + commerce {
                let plan = try await Self.plan(of: statement, desk)
                let isByIndex = ["Index Scan using", "Index Only Scan using", "Bitmap Index Scan on"].contains {
                    plan.contains("\($0) \(index)")
                }
                #expect(isByIndex, "\(name): \(plan)")
                #expect(!plan.contains("Seq Scan on cases"), "\(name): \(plan)")
                #expect(!plan.contains("Seq Scan on notifications"), "\(name): \(plan)")
                #expect(!plan.contains("Seq Scan on commerce_requests"), "\(name): \(plan)")
                for line in plan.split(separator: "\n") where line.contains("Rows Removed by Filter:") {
                    let removed = line.split(separator: " ").last.flatMap { Int($0) }
                    #expect((removed ?? .max) <= 1000, "\(name): \(plan)")
                }
            }
        }
    }

    private static func requests(
        _ apps: [AppID], after: ListCursor = .newest, _ change: (inout CommerceFilter) -> Void = { _ in }
    ) -> SQL {
        var filter = CommerceFilter()
        change(&filter)
        return CommerceQueries.page(apps: apps, filter: filter, after: after, limit: 51)
    }

    @Test func `the number of a facet is the column's`() async throws {
        try await withDatabase { test in
            let desk = try await SampleDesk.make(in: test)
            for (kind, word) in CommerceFacet.kinds.enumerated() {
                for (state, name) in CommerceFacet.states.enumerated() {
                    for environment in AppEnvironment.allCases {
                        try await test.asSuperuser(
                            """
                            insert into refunds.commerce_requests (tenant_id, request_id, app_id, environment, kind,
                              transaction_id, original_transaction_id, request_reference_id, idempotency_key,
                              asked_sha256, state, body, asked_at, listed_at, changed_at)
                            select \(desk.alphaApp.tenant.rawValue), id, \(desk.alphaApp.id.rawValue),
                              \(environment.rawValue), \(word.rawValue), id::text, id::text, id, id::text, sha256(''),
                              \(name.rawValue), '', now(), now(), now()
                            from gen_random_uuid() id
                            """)
                        let facet = CommerceFacet.number(environment, kind, state)
                        let found: Int64? = try await test.asSuperuser(
                            """
                            select count(*) as n
                            from refunds.commerce_requests
                            where facet = \(facet) and kind = \(word.rawValue) and state = \(name.rawValue)
                              and environment = \(environment.rawValue)
                            """
                        ).first?("n")
                        #expect(found == 1, "\(environment) \(word) \(name)")
                    }
                }
            }
            #expect(CommerceFacet.states.count == CommerceRequestState.allCases.count)
            #expect(CommerceFacet.kinds.count == CommerceKind.allCases.count)
        }
    }

    /// 60,000 cases and notifications of 41 tenants; almost a third are those of one app.
    private static func fill(_ test: TestDatabase, _ desk: SampleDesk) async throws {
        let app = desk.alphaApp.id.rawValue
        try await test.asSuperuser(
            """
            insert into tenants.tenants (slug, name) select 'many-' || n, 'Many' from generate_series(1, 40) n
            """)
        try await test.asSuperuser(
            """
            insert into tenants.apps (tenant_id, bundle_id, name)
            select tenant_id, 'com.example.many', 'Many' from tenants.tenants where slug like 'many-%'
            """)
        try await test.asSuperuser(
            """
            insert into refunds.cases (tenant_id, case_id, app_id, environment, transaction_id, original_transaction_id,
              product_id, customer, state, outcome, reason, listed_at, deadline, told)
            select a.tenant_id, gen_random_uuid(), a.app_id, case when n % 20 = 0 then 'Sandbox' else 'Production' end,
              't' || n, 'o' || n, 'p' || n % 50, 'c' || n,
              (array['answered', 'answered', 'answered', 'withheld', 'answered', 'missed', 'overtaken'])[n % 7 + 1],
              (array['refunded', 'declined', 'pending', 'refunded'])[n % 4 + 1],
              (array['UNINTENDED_PURCHASE', null, 'OTHER'])[n % 3 + 1],
              \(SampleDesk.signed) - n * interval '1 minute', \(SampleDesk.signed),
              case when n % 7 in (0, 1, 2, 4) then (array['DECLINE', 'GRANT_FULL', 'facts-only'])[n % 3 + 1] end
            from generate_series(1, 60000) n
            join lateral (
              select p.tenant_id, p.app_id
              from tenants.apps p
              where case when n % 10 < 3 then p.app_id = \(app) else p.bundle_id = 'com.example.many' end
              order by p.app_id
              offset case when n % 10 < 3 then 0 else n % 40 end
              limit 1) a on true
            """)
        try await test.asSuperuser(
            """
            insert into refunds.notifications (tenant_id, app_id, notification_uuid, environment, type, signed_at,
              received_at, standing, transaction_id)
            select tenant_id, app_id, case_id, environment, 'CONSUMPTION_REQUEST', listed_at, listed_at, 'acted',
              transaction_id
            from refunds.cases
            """)
        try await test.asSuperuser(
            """
            insert into refunds.commerce_requests (tenant_id, request_id, app_id, environment, kind, transaction_id,
              original_transaction_id, request_reference_id, idempotency_key, asked_sha256, state, body, asked_at,
              listed_at, changed_at)
            select tenant_id, case_id, app_id, environment, k.kind, transaction_id, original_transaction_id, case_id,
              case_id::text, sha256(''), k.state, '', listed_at, listed_at, listed_at
            from refunds.cases c
            cross join lateral (
              select (array['refund', 'refund', 'refund', 'revoke', 'cancel'])[n % 5 + 1] as kind,
                (array['refunded', 'accepted', 'refunded', 'declined', 'refunded', 'failed'])[n % 6 + 1] as state
              from (select substr(c.transaction_id, 2)::int as n) n) k
            where c.transaction_id like 't%'
            """)
        try await test.asSuperuser("analyze refunds.commerce_requests")
        try await test.asSuperuser("analyze refunds.cases")
        try await test.asSuperuser("analyze refunds.notifications")
    }

    /// The plan with which a statement is carried out when it is prepared and its values are not looked at.
    private static func plan(of statement: SQL, _ desk: SampleDesk) async throws -> String {
        try await desk.transaction(for: desk.alphaApp) { tx in
            let values = try statement.values.map(literal).joined(separator: ", ")
            try await tx.execute("set local plan_cache_mode = force_generic_plan")
            try await tx.execute(SQL(stringLiteral: "prepare planned as \(statement.text)"))
            let rows = try await tx.rows(
                SQL(stringLiteral: "explain (analyze, costs off, timing off, summary off) execute planned(\(values))"))
            try await tx.execute("deallocate planned")
            return try rows.map { try $0[0] as String }.joined(separator: "\n")
        }
    }

    private struct Unwritten: Error {}

    private static func literal(_ value: any SQLValue) throws -> String {
        switch value {
        case let value as Int: String(value)
        case let value as String: "'\(value)'"
        case let value as Moment: "'\(value.iso8601)'"
        case let value as UUID: "'\(value.uuidString)'"
        case let value as [Int64]: "'{\(value.map(String.init).joined(separator: ","))}'"
        case let value as [Int16]: "'{\(value.map(String.init).joined(separator: ","))}'"
        case let value as [String]: "'{\(value.joined(separator: ","))}'"
        default: throw Unwritten()
        }
    }
}
