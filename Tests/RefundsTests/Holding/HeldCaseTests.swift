import AppStore
import FoundationEssentials
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("Requests that wait for a person") struct HeldCaseTests {
    private static let ada = PersonID(rawValue: UUID())
    private static let policy = "if use is part then ask a person, else prefer DECLINE\notherwise send facts only"

    /// A request whose use is known in part, under a policy that wants a person to look.
    private func held(_ body: (Desk, UUID) async throws -> Void) async throws {
        try await Desk.open { desk in
            try await desk.save(Self.policy)
            try await desk.consent()
            try await desk.usage(.delivered, share: 40_000)
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            let id: UUID = try await desk.test.asSuperuser("select case_id from refunds.cases")[0]("case_id")
            try await body(desk, id)
        }
    }

    private func answer(
        _ choice: HeldAnswer.Choice, delivery: String? = nil, share: Int? = nil, reason: String = "Spoke with them.",
        at now: Moment
    ) -> HeldAnswer {
        HeldAnswer(
            choice: choice, deliveryStatus: delivery, consumptionPercentage: share, reason: reason,
            person: Self.ada.rawValue, name: "ada@example.com", at: now)
    }

    @Test func `nothing is sent meanwhile, and the list shows what is prepared and when it goes out`() async throws {
        try await held { desk, id in
            #expect(try await desk.cases().map(\.state) == ["held"] && desk.apple.calls.isEmpty)
            let waiting = try await desk.deciding.held(of: desk.alpha.app.tenant)
            #expect(waiting.map(\.id) == [id] && waiting.first?.decision?.answer == .decline)
            #expect(waiting.first.map { $0.until < $0.deadline && $0.until > desk.now } == true)
            #expect(try await desk.deciding.held(of: desk.beta.app.tenant).isEmpty)
        }
    }

    /// What the story says of who decided, in its order.
    private func steps(_ desk: Desk, _ id: UUID) async throws -> [String] {
        let story = try await desk.reading.story(of: desk.alpha.app.tenant, case: id)
        let kinds = (story?.timeline ?? []).map(\.event.kind)
        return kinds.filter { ["asked", "answered", "unanswered", "decided"].contains($0) }
    }

    @Test func `if nobody answers, what was prepared goes out in time`() async throws {
        try await held { desk, id in
            #expect(try await steps(desk, id) == ["asked"])
            desk.clock.advance(by: .hours(11) + .minutes(31))
            try await desk.work()
            #expect(desk.apple.calls.map { $0.body.contains("DECLINE") } == [true])
            #expect(try await desk.cases().map(\.state) == ["answered"])
            #expect(try await desk.count("refunds.rounds where decision like '%nobody answered in time%'") == 1)
            #expect(try await steps(desk, id) == ["unanswered", "decided"])
        }
    }

    @Test func `a person's answer goes out at once, with what the person knows and their reason`() async throws {
        try await held { desk, id in
            try await desk.deciding.answer(
                id, of: desk.alpha.app.tenant,
                answer(.grantFull, delivery: "UNDELIVERED_SERVER_OUTAGE", share: 0, at: desk.now), role: .support,
                address: nil)
            try await desk.work()
            let body = try #require(desk.apple.calls.first?.body)
            #expect(body.contains("GRANT_FULL") && body.contains("UNDELIVERED_SERVER_OUTAGE"))
            #expect(desk.apple.calls.count == 1 && !body.contains("Spoke"))
            #expect(
                try await desk.count(
                    "refunds.rounds where decision like '%Decided by ada@example.com: Spoke with them.%'") == 1)
            #expect(try await desk.count("tenants.audit where action = 'case.answered'") == 1)
            #expect(try await steps(desk, id) == ["asked", "answered", "decided"])
            let story = try await desk.reading.story(of: desk.alpha.app.tenant, case: id)
            #expect(story?.rounds.first?.isByPerson == true)
        }
    }

    @Test func `of two people the second is told who was quicker, and changes nothing`() async throws {
        try await held { desk, id in
            let tenant = desk.alpha.app.tenant
            try await desk.deciding.answer(
                id, of: tenant, answer(.factsOnly, at: desk.now), role: .support, address: nil)
            await #expect(throws: DecidingDesk.Refused.answered(by: "ada@example.com", state: .open)) {
                try await desk.deciding.answer(
                    id, of: tenant, answer(.decline, at: desk.now), role: .admin, address: nil)
            }
            try await desk.work()
            #expect(desk.apple.calls.map { $0.body.contains("refundPreference") } == [false])
        }
    }

    @Test func `an answer that was made for the request before is none to the newer one`() async throws {
        try await held { desk, id in
            let tenant = desk.alpha.app.tenant
            func newest() async throws -> UUID {
                try #require(try await desk.reading.story(of: tenant, case: id)?.rounds.first).id
            }
            let first = try await newest()
            desk.clock.advance(by: .minutes(5))
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            let second = try await newest()
            #expect(try await desk.cases().map(\.state) == ["held"] && second != first)
            await #expect(throws: DecidingDesk.Refused.askedAgain(state: .held)) {
                try await desk.deciding.answer(
                    id, of: tenant, round: first, answer(.decline, at: desk.now), role: .support, address: nil)
            }
            await #expect(throws: DecidingDesk.Refused.field("round", "The case has no such request.")) {
                try await desk.deciding.answer(
                    id, of: tenant, round: UUID(), answer(.decline, at: desk.now), role: .support, address: nil)
            }
            try await desk.work()
            #expect(try await desk.cases().map(\.state) == ["held"] && desk.apple.calls.isEmpty)
            try await desk.deciding.answer(
                id, of: tenant, round: second, answer(.grantFull, at: desk.now), role: .support, address: nil)
            try await desk.work()
            #expect(desk.apple.calls.map { $0.body.contains("GRANT_FULL") } == [true])
        }
    }

    @Test func `a withdrawal meanwhile ends the waiting at once, and says why`() async throws {
        try await held { desk, id in
            try await desk.consent(false, at: desk.now)
            try await desk.work()
            #expect(try await desk.cases() == [.init(state: "withheld", reason: "no-consent", outcome: "pending")])
            #expect(try await desk.deciding.held(of: desk.alpha.app.tenant).isEmpty && desk.apple.calls.isEmpty)
            await #expect(throws: DecidingDesk.Refused.answered(by: nil, state: .withheld)) {
                try await desk.deciding.answer(
                    id, of: desk.alpha.app.tenant, answer(.grantFull, at: desk.now), role: .support, address: nil)
            }
            try await desk.workOn(until: desk.now + .hours(12))
            #expect(desk.apple.calls.isEmpty)
        }
    }

    @Test func `a report that leaves consent as it stands changes nothing for who is asked`() async throws {
        try await held { desk, id in
            try await desk.consent(at: desk.now - .minutes(90))
            try await desk.work()
            #expect(try await desk.cases().map(\.state) == ["held"])
            #expect(try await desk.deciding.held(of: desk.alpha.app.tenant).map(\.id) == [id])
            #expect(try await desk.count("refunds.rounds where ask_until is not null") == 1)
        }
    }

    @Test func `nothing is sent where the person says so`() async throws {
        try await held { desk, id in
            try await desk.deciding.answer(
                id, of: desk.alpha.app.tenant, answer(.nothing, at: desk.now), role: .support, address: nil)
            try await desk.work()
            #expect(try await desk.cases().map(\.reason) == ["policy"] && desk.apple.calls.isEmpty)
        }
    }

    @Test func `a withdrawal counts, whatever the person said`() async throws {
        try await held { desk, id in
            try await desk.consent(false, at: desk.now)
            try await desk.deciding.answer(
                id, of: desk.alpha.app.tenant, answer(.nothing, at: desk.now), role: .support, address: nil)
            try await desk.work()
            #expect(try await desk.cases().map(\.reason) == ["no-consent"] && desk.apple.calls.isEmpty)
        }
    }

    @Test func `what Apple would refuse is said at its field, and nothing is changed`() async throws {
        let cases: [(HeldAnswer, String)] = [
            (answer(.grantProrated, share: 100_000, at: noon), "choice"),
            (answer(.grantProrated, delivery: "UNDELIVERED_OTHER", at: noon), "choice"),
            (answer(.decline, share: 100_001, at: noon), "use"), (answer(.decline, reason: " \n", at: noon), "reason"),
            (answer(.decline, reason: "a\u{202E}b", at: noon), "reason"),
            (answer(.decline, reason: "\u{200B} \u{2060}", at: noon), "reason"),
        ]
        try await held { desk, id in
            for (answer, field) in cases {
                do {
                    try await desk.deciding.answer(
                        id, of: desk.alpha.app.tenant, answer, role: .support, address: nil)
                    Issue.record("\(answer) was taken")
                } catch DecidingDesk.Refused.field(let name, _) {
                    #expect(name == field)
                }
            }
            #expect(try await desk.cases().map(\.state) == ["held"])
        }
    }

    @Test func `who may only look cannot answer, and another tenant's case is none`() async throws {
        try await held { desk, id in
            await #expect(throws: DecidingDesk.Refused.forbidden) {
                try await desk.deciding.answer(
                    id, of: desk.alpha.app.tenant, answer(.decline, at: desk.now), role: .viewer, address: nil)
            }
            await #expect(throws: DecidingDesk.Refused.answered(by: nil, state: .missed)) {
                try await desk.deciding.answer(
                    id, of: desk.beta.app.tenant, answer(.decline, at: desk.now), role: .support, address: nil)
            }
            let states = try await desk.cases().map(\.state)
            #expect(states == ["held"])
        }
    }

    @Test func `a case that waits is missed like any other when nothing could be sent`() async throws {
        try await held { desk, _ in
            desk.clock.advance(by: .hours(12))
            try await desk.work()
            #expect(try await desk.cases().map(\.state) == ["missed"] && desk.apple.calls.isEmpty)
        }
    }

    @Test func `the newest version decides, the case keeps which, and a text that was overtaken is not saved`()
        async throws
    {
        try await Desk.open { desk in
            let app = desk.alpha.app
            try await desk.save("otherwise prefer DECLINE")
            try await desk.save("otherwise prefer GRANT_FULL", basedOn: 1)
            do {
                try await desk.save("otherwise send nothing", basedOn: 1)
                Issue.record("an overtaken text was saved")
            } catch DecidingDesk.Refused.overtaken(let newest) { #expect(newest?.number == 2) }
            await #expect(throws: DecidingDesk.Refused.self) { try await desk.save("otherwise", basedOn: 2) }
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            #expect(desk.apple.calls.map { $0.body.contains("GRANT_FULL") } == [true])
            #expect(try await desk.count("refunds.rounds where decision like '%\"policyVersion\":2%'") == 1)
            let versions = try await desk.deciding.versions(of: app)
            #expect(versions.map(\.number) == [2, 1] && versions.allSatisfy { $0.author == Self.ada })
            let trial = try await desk.deciding.trial(Policy(template: .observe), of: app)
            #expect(trial.looked == 1 && trial.changed == 1 && trial.changes.first?.was == .refundInFull)
            #expect(try await desk.deciding.versions(of: desk.beta.app).isEmpty)
        }
    }

    @Test func `a rule that is changed later does not stop the repeat of what was decided`() async throws {
        try await Desk.open { desk in
            try await desk.save("otherwise prefer DECLINE")
            try await desk.consent()
            desk.apple.script(ScriptedApple.retry(500))
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            try await desk.save("otherwise send nothing", basedOn: 1)
            desk.clock.advance(by: .minutes(10))
            try await desk.work()
            let bodies = desk.apple.calls.map(\.body)
            #expect(bodies.count == 2 && Set(bodies).count == 1)
            let states = try await desk.cases().map(\.state)
            #expect(states == ["answered"])
        }
    }

    @Test func `rules see the customer's other cases and purchases`() async throws {
        try await Desk.open { desk in
            try await desk.save(
                "if requests at least 1 and spent at least 0 USD then prefer DECLINE\notherwise send facts only")
            try await desk.consent()
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            try await desk.take(
                desk.note(
                    "CONSUMPTION_REQUEST",
                    desk.tx {
                        $0["transactionId"] = "2000000900000002"
                        $0["originalTransactionId"] = "2000000900000002"
                    }))
            #expect(desk.apple.calls.map { $0.body.contains("DECLINE") } == [false, true])
        }
    }
}

extension Desk {
    var deciding: DecidingDesk { DecidingDesk(database: database, bell: bell, clock: clock.clock) }

    func save(_ text: String, basedOn: Int = 0) async throws {
        _ = try await deciding.save(
            text, note: "", basedOn: basedOn, of: alpha.app, by: HeldCaseTests.author, role: .admin, address: nil)
    }
}

extension HeldCaseTests {
    static var author: PersonID { ada }
}
