import FoundationEssentials
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("Wordings that customers agreed to")
struct ConsentWordingTests {
    private static func add(
        _ version: String, text: String = "I agree.", from: Moment? = nil, to desk: Desk, role: Tenants.Role = .admin
    ) async throws {
        try await desk.deciding.addWording(
            version, text: text, shownFrom: from ?? desk.now - .days(1), of: desk.alpha.app,
            by: PersonID(rawValue: UUID()), role: role, address: nil)
    }

    @Test func `are kept once under a name, and never changed`() async throws {
        try await Desk.open { desk in
            try await Self.add("v1", to: desk)
            try await Self.add("v2", text: "I agree to more.", to: desk)
            await #expect(throws: AppChangeError.self) { try await Self.add("v1", text: "Something else.", to: desk) }
            await #expect(throws: AppChangeError.self) { try await Self.add("", to: desk) }
            await #expect(throws: AppChangeError.self) { try await Self.add("v3\u{202E}", to: desk) }
            // Such names belong to consent for everybody.
            await #expect(throws: AppChangeError.self) { try await Self.add("all-from-2026-01-01", to: desk) }
            await #expect(throws: AppChangeError.self) { try await Self.add("v3", text: " ", to: desk) }
            await #expect(throws: AppChangeError.self) { try await Self.add("v3", from: desk.now + .days(2), to: desk) }
            await #expect(throws: DecidingDesk.Refused.forbidden) { try await Self.add("v3", to: desk, role: .support) }
            let book = try await desk.deciding.consentBook(of: desk.alpha.app)
            #expect(Set(book.wordings.map(\.version)) == ["v1", "v2"])
            await #expect(throws: PostgresError.self) {
                try await desk.test.asSuperuser("update tenants.wordings set text = 'x'")
            }
            #expect(try await desk.count("tenants.audit where action = 'consent.wording-added'") == 2)
        }
    }

    @Test func `a report that names an unknown one is kept and marked, until the text is there`() async throws {
        try await Desk.open { desk in
            let (app, now) = (desk.alpha.app, desk.now)
            let state = try await desk.database.transaction(app.tenant.scope) { tx in
                try await ConsentLedger.record(
                    .init(consented: true, recordedAt: now - .hours(1), wordingVersion: "v9", source: "sign-up"),
                    of: .customer(appAccountToken: "c"), tenant: app.tenant, app: app.id, at: now, in: tx)
            }
            #expect(state.history.first?.isWordingKept == false)
            let book = try await desk.deciding.consentBook(of: app)
            #expect(book.unknownWordings.map(\.version) == ["v9"] && book.unknownWordings.first?.count == 1)
            try await Self.add("v9", to: desk)
            let found = try #require(
                try await desk.deciding.consentHistory(of: .customer(appAccountToken: "c"), app: app))
            #expect(found.state?.history.first?.isWordingKept == true)
            #expect(try await desk.deciding.consentBook(of: app).unknownWordings.isEmpty)
        }
    }

    @Test func `the text of consent of all is kept as a version of its own`() async throws {
        try await Desk.open(alpha: { $0.consent = .allFrom(Moment(date: "2026-01-31") ?? noon, wording: "By buying …") }
        ) {
            desk in
            var changes = AppChanges()
            changes.consent = .allFrom(
                Moment(date: "2026-01-31") ?? noon, wording: "By buying, again …", shownWhere: "terms",
                declaredBy: "Ada")
            let (app, now, vault, settled) = (desk.alpha.app, desk.now, desk.vault, changes)
            for _ in 1...2 {
                _ = try await desk.database.transaction(app.tenant.scope) { tx in
                    try await TenantStore.change(
                        app, settled, with: vault, outbound: OutboundRules { _ in nil }, by: .commandLine, at: now,
                        in: tx)
                }
            }
            let book = try await desk.deciding.consentBook(of: app)
            #expect(Set(book.wordings.map(\.version)) == ["all-from-2026-01-31", "all-from-2026-01-31-2"])
            #expect(Set(book.wordings.map(\.text)) == ["By buying …", "By buying, again …"])
        }
    }

    @Test func `what lack of consent costs is counted, in Production alone`() async throws {
        try await Desk.open { desk in
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            try await desk.take(
                desk.note(
                    "CONSUMPTION_REQUEST",
                    desk.tx {
                        $0["transactionId"] = "2000000900000002"
                        $0["price"] = 5000
                    }))
            try await desk.take(desk.note("REFUND", desk.tx { $0["transactionId"] = "2000000900000002" }))
            try await desk.take(
                desk.note("CONSUMPTION_REQUEST", desk.tx { $0["environment"] = "Sandbox" }))
            let cost = try await desk.deciding.consentBook(of: desk.alpha.app).cost
            #expect(cost.withheld == 2 && cost.requests == 2 && cost.refunded == 1)
            #expect(cost.price["USD"] == 9990 + 9990 || cost.price["USD"] == 14990, "\(cost)")
        }
    }
}
