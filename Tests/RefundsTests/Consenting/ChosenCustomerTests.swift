import FoundationEssentials
import Postgres
import Support
import Synchronization
import Tenants
import Testing
import Time

@testable import AppStore
@testable import Refunds

@Suite("Customers whom a person chooses")
struct ChosenCustomerTests {
    private static let customer = "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c111"
    private static let other = "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c222"
    private static let ada = CaseActor.person(HeldCaseTests.author, name: "ada@example.com")
    private static let bo = CaseActor.token(UUID(), name: "Bo, support")

    /// A request about a purchase that names nobody.
    private static func ask(_ desk: Desk, _ change: (inout J) -> Void = { _ in }) throws -> J {
        try desk.note(
            "CONSUMPTION_REQUEST",
            desk.tx {
                $0["appAccountToken"] = nil
                change(&$0)
            })
    }

    private static func caseID(_ desk: Desk) async throws -> UUID {
        try #require(
            try await desk.test.asSuperuser("select case_id from refunds.cases order by listed_at desc limit 1")
                .first?("case_id"))
    }

    @discardableResult
    private static func choose(
        _ desk: Desk, _ customer: String = customer, note: String = "Their receipt, sent to support.",
        by who: CaseActor = ada, role: Tenants.Role = .support
    ) async throws -> Bool {
        let done = try await desk.deciding.chooseCustomer(
            customer, of: try await caseID(desk), tenant: desk.alpha.app.tenant, note: note, by: who, role: role,
            address: nil)
        try await desk.work()
        return done
    }

    private static func consent(of desk: Desk) async throws -> CaseConsent {
        try #require(
            try await desk.deciding.consent(of: try await caseID(desk), tenant: desk.alpha.app.tenant))
    }

    @Test func `a request that waits for a person waits no more where whoever was chosen has withdrawn`() async throws {
        try await Desk.open { desk in
            try await desk.save("otherwise ask a person, else send facts only")
            let (app, now) = (desk.alpha.app, desk.now)
            _ = try await desk.database.transaction(app.tenant.scope) { tx in
                try await ConsentLedger.record(
                    .init(consented: true, recordedAt: now - .hours(2)),
                    of: .purchase(transactionID: "2000000900000001"), tenant: app.tenant, app: app.id, at: now, in: tx)
            }
            try await desk.take(Self.ask(desk))
            #expect(try await desk.cases().map(\.state) == ["held"])
            try await desk.consent(token: Self.other)
            try await desk.consent(false, at: desk.now, token: Self.customer)
            try await Self.choose(desk)
            #expect(try await desk.cases().map(\.reason) == ["no-consent"])
            _ = try await desk.deciding.takeBackCustomer(
                nil, of: try await Self.caseID(desk), tenant: app.tenant, by: Self.ada, role: .support, address: nil)
            try await desk.work()
            #expect(try await desk.cases().map(\.state) == ["held"] && desk.apple.calls.isEmpty)
        }
    }

    @Test func `what was withheld goes out under the consent of whoever was chosen, and later requests do too`()
        async throws
    {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.take(Self.ask(desk))
            #expect(desk.apple.calls.isEmpty)
            #expect(try await Self.consent(of: desk).isForAPerson)

            #expect(try await Self.choose(desk, Self.customer.uppercased()))
            #expect(desk.apple.calls.count == 1)
            let text: String = try #require(
                try await desk.test.asSuperuser("select decision from refunds.rounds").first?("decision"))
            #expect(text.contains(Self.customer) && text.contains("chosen by a person"), "\(text)")
            let consent = try await Self.consent(of: desk)
            #expect(consent.match == CustomerMatch(customer: Self.customer, by: .person))
            #expect(consent.chosen?.note == "Their receipt, sent to support." && consent.entries.count == 1)

            // A renewal of the same purchase, with a case of its own.
            desk.clock.advance(by: .minutes(1))
            try await desk.take(Self.ask(desk) { $0["transactionId"] = "2000000900000002" })
            #expect(desk.apple.calls.count == 2)
            // It stands in the story of the case and, without the customer, in the audit log.
            #expect(
                try await desk.count(
                    "refunds.case_notes where kind = 'customer' and person_id is not null and detail like '%receipt%'")
                    == 1)
            #expect(
                try await desk.count(
                    "tenants.audit where action = 'case.customer-chosen' and encode(detail, 'escape') not like '%3d0e%'"
                )
                    == 1)
        }
    }

    @Test func `consent that was given after the request reopens nothing, whoever is chosen`() async throws {
        try await Desk.open { desk in
            try await desk.take(Self.ask(desk))
            desk.clock.advance(by: .minutes(1))
            try await desk.consent(at: desk.now)
            try await Self.choose(desk)
            #expect(desk.apple.calls.isEmpty)
            #expect(try await desk.cases().map(\.reason) == ["no-consent"])
            // Given before, and reported only now: the chosen customer's purchases are looked at again.
            try await desk.consent(at: desk.now - .hours(5))
            try await desk.work()
            #expect(desk.apple.calls.count == 1)
        }
    }

    @Test func `taken back, it counts no more for what was not sent`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.take(Self.ask(desk))
            try await Self.choose(desk)
            let chosen = try #require(try await Self.consent(of: desk).chosen)
            let (id, tenant) = (try await Self.caseID(desk), desk.alpha.app.tenant)
            func takeBack() async throws -> Bool {
                try await desk.deciding.takeBackCustomer(
                    chosen.id, of: id, tenant: tenant, by: Self.bo, role: .support, address: nil)
            }
            #expect(try await takeBack())
            let overtaken = await #expect(throws: DecidingDesk.CustomerOvertaken.self) { _ = try await takeBack() }
            #expect(overtaken?.current == nil)
            let consent = try await Self.consent(of: desk)
            #expect(consent.isForAPerson && consent.namings.first?.withdrawnName == "Bo, support")
            desk.clock.advance(by: .minutes(1))
            try await desk.take(Self.ask(desk))
            #expect(desk.apple.calls.count == 1)
            #expect(try await desk.count("tenants.audit where action = 'case.customer-taken-back'") == 1)
            // What was chosen is kept; only its end was written, and nothing of it changes any more.
            await #expect(throws: (any Error).self) {
                try await desk.test.asSuperuser("update refunds.named_customers set customer = 'x'")
            }
        }
    }

    @Test func `of two people who choose, the second is told of the first`() async throws {
        try await Desk.open { desk in
            try await desk.take(Self.ask(desk))
            try await Self.choose(desk)
            let overtaken = await #expect(throws: DecidingDesk.CustomerOvertaken.self) {
                try await Self.choose(desk, Self.other, by: Self.bo)
            }
            #expect(overtaken?.current?.customer == Self.customer && overtaken?.current?.name == "ada@example.com")
            #expect(try await desk.count("refunds.named_customers") == 1)
        }
    }

    @Test func `it is not chosen where the purchase is named, by who may only look, without a note, or from outside`()
        async throws
    {
        try await Desk.open { desk in
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            let named = await #expect(throws: DecidingDesk.Refused.self) { try await Self.choose(desk, Self.other) }
            #expect(named == .field("customer", "The purchase itself names its customer."))
            desk.clock.advance(by: .minutes(1))
            let lone = try Self.ask(desk) {
                $0["transactionId"] = "2000000900000077"
                $0["originalTransactionId"] = "2000000900000077"
            }
            try await desk.take(lone)
            await #expect(throws: DecidingDesk.Refused.forbidden) { try await Self.choose(desk, role: .viewer) }
            for (customer, note, field) in [
                ("", "x", "customer"), ("somebody", "x", "customer"), (Self.customer, " \n", "customerNote"),
                (Self.customer, "a\u{202E}b", "customerNote"), ("a\0b", "x", "customer"),
            ] {
                do {
                    try await Self.choose(desk, customer, note: note)
                    Issue.record("\(customer) was taken")
                } catch DecidingDesk.Refused.field(let name, _) {
                    #expect(name == field)
                }
            }
            let id = try await Self.caseID(desk)
            #expect(
                try await desk.deciding.chooseCustomer(
                    Self.customer, of: id, tenant: desk.beta.app.tenant, note: "x", by: Self.ada, role: .owner,
                    address: nil) == false)
            #expect(try await desk.count("refunds.named_customers") == 0)
        }
    }

    @Test func `BL-023: the purchase's own word goes before a person's, and a person's before the account's`()
        async throws
    {
        try await Desk.open { desk in
            try await desk.take(Self.ask(desk) { $0["appTransactionId"] = "70" })
            try await Self.choose(desk)
            func saw(_ id: String, _ change: (inout J) -> Void) async throws {
                try await desk.take(
                    desk.note(
                        "ONE_TIME_CHARGE",
                        desk.tx {
                            $0["transactionId"] = .text(id)
                            $0["originalTransactionId"] = .text(id)
                            $0["appAccountToken"] = .text(Self.other)
                            change(&$0)
                        }))
            }
            try await saw("2000000900000050") { $0["appTransactionId"] = "70" }
            #expect(try await Self.consent(of: desk).match == .init(customer: Self.customer, by: .person))
            try await saw("2000000900000051") { $0["originalTransactionId"] = "2000000900000001" }
            #expect(try await Self.consent(of: desk).match == .init(customer: Self.other, by: .purchase))
        }
    }

    @Test func `BL-023: the app's server names the customer when it is asked, and goes before a person`() async throws {
        try await Desk.open { desk in
            let server = try ScriptedServer { _, _ in
                .answer(
                    200, fields: [("Content-Type", "application/json")],
                    body: #"{"appAccountToken":"\#(Self.customer)","deliveryStatus":"DELIVERED"}"#)
            }
            _ = try await desk.askBack(at: server.url)
            try await desk.consent()
            try await desk.take(Self.ask(desk))
            #expect(desk.apple.calls.count == 1)
            let consent = try await Self.consent(of: desk)
            #expect(consent.match == .init(customer: Self.customer, by: .callback) && !consent.isForAPerson)
            await #expect(throws: DecidingDesk.Refused.self) { try await Self.choose(desk, Self.other) }
            // A purchase that names its customer is not told another.
            desk.clock.advance(by: .minutes(1))
            try await desk.take(
                desk.note("CONSUMPTION_REQUEST", desk.tx { $0["appAccountToken"] = .text(Self.other) }))
            #expect(
                try await desk.count("refunds.case_notes where detail like '%the purchase itself names another%'") == 1)
        }
    }
}
