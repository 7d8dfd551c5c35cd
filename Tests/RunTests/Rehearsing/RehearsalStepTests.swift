import AppStore
import Foundation
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import Run

@Suite("Steps of a rehearsal") struct RehearsalStepTests {
    private static let signed = Moment(milliseconds: 1_781_524_800_000)

    private struct Told {
        var outcome = CaseOutcome.pending
        var state = RoundState.answered
        var preference: ConsumptionFacts.RefundPreference? = .decline
        var status = 202
        var after = Duration.seconds(20)
        var kind: String?
        var body = #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false}"#
    }

    private static func story(_ told: Told, asked: Bool = true) -> CaseStory {
        let started = signed + told.after
        let attempt = CaseStory.Attempt(
            number: 1, startedAt: started, endedAt: started + .milliseconds(90),
            result: told.state == .answered ? .accepted : .refused, status: told.status, appleCode: nil)
        let round = CaseStory.Round(
            id: UUID(), requestedAt: signed, deadline: signed + .minutes(5), state: told.state,
            stateReason: told.state == .withheld ? "no-consent" : nil, firstReceivedAt: signed + .seconds(1),
            decision: Decision(row: 1, situation: "otherwise", preference: told.preference, saw: []),
            reply: told.state == .withheld
                ? nil : CaseStory.Reply(api: 2, body: Array(told.body.utf8), frozenAt: started, attempts: [attempt]))
        let fact = CaseStory.Fact(
            id: UUID(), kind: .refund, signedAt: signed, learnedAt: signed, revocationType: told.kind,
            revocationShare: told.kind == nil ? nil : 50_000)
        return CaseStory(
            line: CaseLine(
                id: UUID(), app: AppID(rawValue: 1), isSandbox: true, transactionID: "1", originalTransactionID: "1",
                productID: "coins", state: asked ? .answered : .unasked, outcome: told.outcome, listedAt: signed),
            bundleID: "com.example.alpha", appName: "Alpha",
            purchase: CaseStory.Purchase(type: "Consumable", signedAt: signed),
            rounds: asked ? [round] : [], facts: told.outcome == .refunded ? [fact] : [], consents: [], usage: [],
            remarks: [], notifications: [])
    }

    @Test(
        arguments: [
            (RehearsalStep.granted, CaseOutcome.refunded, nil, true), (.granted, .declined, nil, false),
            (.granted, .pending, nil, nil), (.declined, .declined, nil, true), (.declined, .refunded, nil, false),
            (.prorated, .refunded, "REFUND_PRORATED", true), (.prorated, .refunded, "REFUND_FULL", false),
            (.prorated, .declined, nil, false), (.prorated, .pending, nil, nil),
        ] as [(RehearsalStep, CaseOutcome, String?, Bool?)])
    func `a step is judged by what Apple did`(
        step: RehearsalStep, outcome: CaseOutcome, kind: String?, isPassed: Bool?
    ) {
        let judged = step.judge(Self.story(Told(outcome: outcome, kind: kind), asked: false))
        #expect(judged?.isPassed == isPassed)
    }

    private static func asked(_ change: (inout Told) -> Void) -> (isPassed: Bool, text: String)? {
        var told = Told()
        told.outcome = .declined
        change(&told)
        return RehearsalStep.asked.judge(story(told))
    }

    @Test func `an answer in time with the outcome that was asked for passes`() {
        let judged = Self.asked { _ in }
        #expect(judged?.isPassed == true && judged?.text == "202 after 20 s; declined, as asked")
        #expect(Self.asked { $0.preference = nil }?.isPassed == true)
        #expect(
            Self.asked {
                $0.preference = .grantProrated; $0.outcome = .refunded; $0.kind = "REFUND_PRORATED"
            }?.isPassed == true)
        #expect(Self.asked { $0.outcome = .pending } == nil && Self.asked { $0.state = .open } == nil)
        #expect(RehearsalStep.asked.judge(Self.story(Told(outcome: .refunded), asked: false)) == nil)
    }

    @Test func `anything else fails, and says why`() {
        let cases: [(String, (inout Told) -> Void)] = [
            ("after the deadline", { $0.after = .minutes(6) }), ("and not 202", { $0.status = 200 }),
            (
                "breaks a rule of Apple's: customerConsented",
                { $0.body = #"{"deliveryStatus":"DELIVERED","sampleContentProvided":true}"# }
            ),
            ("nothing was sent, on purpose (no-consent)", { $0.state = .withheld }),
            (
                "refused",
                {
                    $0.state = .refused; $0.status = 400
                }
            ), ("missed", { $0.state = .missed }),
            ("though a decline was asked for", { $0.outcome = .refunded }),
            ("though a refund was asked for", { $0.preference = .grantFull }),
            (
                "though a part was asked for",
                {
                    $0.preference = .grantProrated; $0.outcome = .refunded; $0.kind = "REFUND_FULL"
                }
            ),
        ]
        for (why, change) in cases {
            let judged = Self.asked(change)
            #expect(
                judged?.isPassed == false && judged?.text.contains(why) == true, "\(why): \(judged?.text ?? "nothing")")
        }
    }

    @Test func `every step but the first tells a person what to do`() {
        for step in RehearsalStep.allCases { #expect(step.instructions.isEmpty == (step == .ready)) }
        #expect(RehearsalStep.declined.instructions.joined().contains("DECLINE"))
        #expect(RehearsalStep.prorated.instructions.joined().contains("GRANT_PRORATED"))
    }

    @Test func `options that do not go together are wrong usage, and without an app it says so`() async throws {
        try await withDesk { desk in
            let wrong = try await desk.run("rehearse", "--bundle-id", "a.b", "--simulator", "http://127.0.0.1:1")
            #expect(wrong.status == 2 && wrong.error.contains("--simulator goes with --unattended"), "\(wrong)")
            _ = try await desk.answer("migrate")
            let none = try await desk.run("rehearse", "--bundle-id", "com.example.none")
            #expect(none.status == 1 && none.error.contains("com.example.none"), "\(none)")
            _ = try await desk.answer("tenant", "add", "alpha", "--name", "Alpha")
            _ = try await desk.answer("app", "add", "--tenant", "alpha", "--bundle-id", "com.example.alpha")
            let stranger = try await desk.run("rehearse", "--bundle-id", "com.example.alpha", "--unattended")
            #expect(
                stranger.status == 1 && stranger.error.contains("no simulator stands in Apple's place"), "\(stranger)")
            let idle = try await desk.run("rehearse", "--bundle-id", "com.example.alpha", "--json")
            #expect(
                idle.status == 1 && idle.output.contains("nothing serves") && idle.output.contains("no signing key"),
                "\(idle)")
        }
    }
}
