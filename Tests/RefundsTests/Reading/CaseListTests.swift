import FoundationEssentials
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite struct `The list of cases` {
    private static let reasons: [String?] = [
        "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL", "OTHER", nil,
        "A_REASON_OF_2031", "A_REASON_OF_2032",
    ]

    /// One case of every state, outcome, reason and environment, a millisecond apart, over two apps; a third is Sam's.
    private static func fill(_ desk: SampleDesk) async throws {
        for (app, offset) in [(desk.alphaApp, 0), (desk.alphaLite, 1)] {
            try await desk.transaction(for: app) { tx in
                try await tx.execute(
                    """
                    insert into refunds.cases (tenant_id, case_id, app_id, environment, transaction_id,
                      original_transaction_id, product_id, customer, state, outcome, reason, listed_at, deadline)
                    select \(app.tenant.rawValue), gen_random_uuid(), \(app.id.rawValue), e, 't' || n, 'o' || n % 7,
                      'p' || n % 3, 'c' || n % 5, s, o, r, \(SampleDesk.signed) + n * interval '2 milliseconds'
                        + \(offset)::int * interval '1 millisecond', \(SampleDesk.signed + .hours(12))
                    from (
                      select e, s, o, r, row_number() over (order by md5(e || s || o || coalesce(r, ''))) as n
                      from unnest(array['Production', 'Sandbox']) e
                      cross join unnest(\(CaseState.allCases.map(\.rawValue))::text[]) s
                      cross join unnest(\(CaseOutcome.allCases.map(\.rawValue))::text[]) o
                      cross join unnest(\(Self.reasons)::text[]) r) x
                    """)
                try await tx.execute(
                    """
                    update refunds.cases set assignee = m.person_id
                    from tenants.members m
                    where length(transaction_id) % 3 = 0 and m.tenant_id = \(app.tenant.rawValue)
                      and app_id = \(app.id.rawValue)
                    """)
            }
        }
    }

    /// Reads a list to its end, a page at a time.
    private static func all(
        _ records: Records, _ desk: SampleDesk, _ filter: CaseFilter, limit: Int
    ) async throws -> [CaseLine] {
        var lines: [CaseLine] = []
        var after: ListCursor?
        repeat {
            let page = try await records.cases(
                of: desk.alpha.id, apps: [desk.alphaApp.id, desk.alphaLite.id], filter: filter, after: after,
                limit: limit)
            lines += page.cases
            // A cursor survives its way through an address.
            after = page.next.flatMap { ListCursor(text: $0.text) }
        } while after != nil
        return lines
    }

    @Test func `a facet in Swift is the facet in the database`() async throws {
        try await withDatabase { test in
            let desk = try await SampleDesk.make(in: test)
            try await Self.fill(desk)
            let rows = try await desk.transaction(for: desk.alphaApp) { tx in
                try await tx.rows(
                    "select environment, state, outcome, reason, assignee, facet from refunds.cases order by facet")
            }
            #expect(rows.count == 1440)
            for row in rows {
                let reason: String? = try row("reason")
                let environment: String = try row("environment")
                let assignee: UUID? = try row("assignee")
                let facet = CaseFacet.number(
                    isAssigned: assignee != nil, isSandbox: environment == "Sandbox", state: try row.word("state"),
                    outcome: try row.word("outcome"), reason: reason.map { .given($0) } ?? .notGiven)
                #expect(try row("facet") as Int16 == facet)
                #expect(CaseFacet.all.contains(facet))
            }
            #expect(CaseFacet.all.count == 1260)
        }
    }

    @Test func `any filter gives what a plain search gives, newest first, without gaps or repeats`() async throws {
        try await withDatabase { test in
            let desk = try await SampleDesk.make(in: test)
            try await Self.fill(desk)
            let records = Records(database: test.database)
            let everything = try await Self.all(records, desk, CaseFilter(), limit: 100)
            #expect(everything.count == 1440 && Set(everything.map(\.id)).count == 1440)
            #expect(everything.map(\.listedAt) == everything.map(\.listedAt).sorted(by: >))
            let sam = try #require(everything.compactMap(\.assignee).first)
            var filters: [CaseFilter] = []
            let one = try #require(everything.last { $0.state == .answered })
            func add(_ change: (inout CaseFilter) -> Void) {
                var filter = CaseFilter()
                change(&filter)
                filters.append(filter)
            }
            add { $0.states = [.open, .held] }
            add { $0.outcomes = [.refunded] }
            add { $0.reason = .notGiven }
            add { $0.reason = .given("LEGAL") }
            add { $0.reason = .given("A_REASON_OF_2032") }
            add { $0.isSandbox = true }
            add { $0.apps = [desk.alphaLite.id] }
            add { $0.assignment = .nobody }
            add { $0.assignment = .person(sam) }
            add {
                $0.assignment = .person(sam); $0.productID = "p2"; $0.states = [.missed]
            }
            add {
                $0.assignment = .nobody; $0.appAccountToken = "c3"; $0.outcomes = [.declined]
            }
            add { $0.productID = "p1" }
            add { $0.transactionID = "t77" }
            add { $0.originalTransactionID = "o3" }
            add { $0.appAccountToken = "C4" }
            add {
                $0.from = SampleDesk.signed + .milliseconds(300); $0.to = SampleDesk.signed + .milliseconds(500)
            }
            add {
                $0.states = [one.state]; $0.outcomes = [one.outcome]; $0.isSandbox = one.isSandbox
                $0.productID = one.productID
            }
            add {
                $0.appAccountToken = "c1"; $0.states = [.missed]; $0.reason = .given("OTHER")
            }
            for filter in filters {
                let expected = everything.filter { filter.fits($0) }
                #expect(!expected.isEmpty, "\(filter)")
                let found = try await Self.all(records, desk, filter, limit: 17)
                #expect(found.map(\.id) == expected.map(\.id), "\(filter)")
            }
        }
    }

    @Test func `another tenant's apps have no cases here, whoever names them`() async throws {
        try await withDatabase { test in
            let desk = try await SampleDesk.make(in: test)
            let mine = SampleCase()
            try await desk.add(mine, to: desk.betaApp)
            let records = Records(database: test.database)
            let page = try await records.cases(of: desk.alpha.id, apps: [desk.betaApp.id])
            #expect(page.cases.isEmpty && page.next == nil)
            #expect(try await records.story(of: desk.alpha.id, case: mine.id) == nil)
            #expect(try await records.caseJSON(of: desk.alpha.id, case: mine.id) == nil)
            #expect(try await records.notification(of: desk.alpha.id, id: mine.notification) == nil)
            #expect(try await records.story(of: desk.beta.id, case: mine.id) != nil)
        }
    }

    @Test(arguments: [
        "", "1", "1.2", "x.0b9a2f6e-5c1d-4e7a-8f30-000000000101", "01.0b9a2f6e-5c1d-4e7a-8f30-000000000101",
        "1.0B9A2F6E-5C1D-4E7A-8F30-000000000101", "9223372036854775807.0b9a2f6e-5c1d-4e7a-8f30-000000000101",
        "1.0b9a2f6e-5c1d-4e7a-8f30-000000000101.2",
    ])
    func `a cursor that nobody made is none`(text: String) {
        #expect(ListCursor(text: text) == nil)
    }
}

extension CaseFilter {
    /// What the filter means, said once more and without an index.
    fileprivate func fits(_ line: CaseLine) -> Bool {
        let asked: [Bool] = [
            states.isEmpty || states.contains(line.state),
            outcomes.isEmpty || outcomes.contains(line.outcome),
            isSandbox == nil || isSandbox == line.isSandbox,
            apps.isEmpty || apps.contains(line.app),
            productID == nil || productID == line.productID,
            transactionID == nil || transactionID == line.transactionID,
            originalTransactionID == nil || originalTransactionID == line.originalTransactionID,
            appAccountToken == nil || appAccountToken?.lowercased() == line.customer,
            from.map { line.listedAt >= $0 } ?? true,
            to.map { line.listedAt < $0 } ?? true,
            fitsReason(line.reason), fitsAssignment(line.assignee),
        ]
        return !asked.contains(false)
    }

    private func fitsAssignment(_ assignee: UUID?) -> Bool {
        switch assignment {
        case nil: true
        case .nobody: assignee == nil
        case .person(let id): assignee == id
        }
    }

    private func fitsReason(_ text: String?) -> Bool {
        switch reason {
        case nil: true
        case .notGiven: text == nil
        case .given(let wanted): text == wanted
        }
    }
}
