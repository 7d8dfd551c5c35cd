import AppStore
import FoundationEssentials
import Testing
import Time

@testable import Refunds

@Suite("A refund case")
struct RefundCaseTests {
    struct Line: Sendable, CustomTestStringConvertible {
        let name: String
        let sample: RefundCase
        let at: Moment
        let state: RoundState
        let reason: String?
        let late: Bool
        var testDescription: String { name }

        init(
            _ name: String, _ sample: RefundCase, at now: Moment = noon + .minutes(1), _ state: RoundState,
            reason: String? = nil, late: Bool = false
        ) {
            self.name = name
            self.sample = sample
            self.at = now
            self.state = state
            self.reason = reason
            self.late = late
        }
    }

    static let hour = Duration.hours(1)
    static let deadline = noon + .hours(12)

    /// Every line of the table, then what each line wins against, then the holes.
    static let lines: [Line] = [
        Line("a new request is open", requested(), .open),
        Line(
            "one millisecond before its deadline it is still open", requested(), at: deadline - .milliseconds(1), .open),
        Line("at its deadline it is missed", requested(), at: deadline, .missed, reason: "not-attempted"),
        Line(
            "in the sandbox the deadline comes after five minutes", requested(environment: .sandbox),
            at: noon + .minutes(5), .missed, reason: "not-attempted"),
        Line("accepted is answered", requested().changing { $0.attempts = [attempt(.accepted)] }, .answered),
        Line(
            "a refund after the answer does not undo it",
            requested().changing { $0.attempts = [attempt(.accepted)] }.adding(fact(.refund, 9, at: noon + hour)),
            at: noon + .hours(2), .answered),
        Line(
            "accepted wins against a newer request",
            requested().changing { $0.attempts = [attempt(.accepted)] }.joined(with: requested(2, at: noon + hour)),
            .answered),
        Line(
            "a late answer of a frozen worker is an answer, marked late",
            requested().changing {
                $0.attempts = [attempt(.unknown), attempt(.accepted, 2, endedAt: deadline + .seconds(1))]
            }, at: deadline + .hours(1), .answered, late: true),
        Line(
            "in flight is open, whatever the clock says", requested().changing { $0.attempts = [attempt(nil)] },
            at: deadline + .seconds(1), .open),
        Line(
            "in flight wins against Apple's decision",
            requested().changing { $0.attempts = [attempt(nil)] }.adding(fact(.refund, 9, at: noon + hour)), .open),
        Line("refused is refused", requested().changing { $0.attempts = [attempt(.refused, status: 400)] }, .refused),
        Line(
            "refused wins against the deadline",
            requested().changing { $0.attempts = [attempt(.refused, status: 400)] }, at: deadline + .hours(1), .refused
        ),
        Line(
            "refused after an unknown is refused",
            requested().changing { $0.attempts = [attempt(.unknown), attempt(.refused, 2, status: 400)] }, .refused),
        Line("a newer request supersedes", requested().joined(with: requested(2, at: noon + hour)), .superseded),
        Line(
            "superseded wins against withheld",
            requested().changing { $0.withheld = .noConsent }.joined(with: requested(2, at: noon + hour)), .superseded),
        Line("an older request does not supersede", requested().joined(with: requested(2, at: noon - hour)), .open),
        Line("imported is never sent", requested(arrival: .imported), .imported),
        Line(
            "imported wins against Apple's decision",
            requested(arrival: .imported).adding(fact(.refund, 9, at: noon + hour)), .imported),
        Line(
            "from the history after its deadline: missed",
            requested(received: deadline + .seconds(1), arrival: .history), at: deadline + .seconds(2), .missed,
            reason: "fetched-too-late"),
        Line("from the history in time: open", requested(received: noon + hour, arrival: .history), .open),
        Line(
            "a refund later than the request overtakes it", requested().adding(fact(.refund, 9, at: noon + hour)),
            .overtaken),
        Line("so does a decline", requested().adding(fact(.declined, 9, at: noon + hour)), .overtaken),
        Line("a refund older than the request does not", requested().adding(fact(.refund, 9, at: noon - hour)), .open),
        Line("a reversal does not", requested().adding(fact(.reversed, 9, at: noon + hour)), .open),
        Line("an ordinary notification does not", requested().adding(fact(.seen, 9, at: noon + hour)), .open),
        Line(
            "withheld stays so when Apple decides",
            requested().changing { $0.withheld = .noConsent }.adding(fact(.refund, 9, at: noon + hour)), .withheld,
            reason: "no-consent"),
        Line(
            "missed stays so when Apple decides after the deadline",
            requested().adding(fact(.refund, 9, at: deadline + hour)), at: deadline + hour + hour, .missed,
            reason: "not-attempted"),
        Line(
            "withheld says why", requested().changing { $0.withheld = .familyShared }, .withheld,
            reason: "family-shared"),
        Line(
            "withheld stays so after the deadline", requested().changing { $0.withheld = .noConsent },
            at: deadline + hour, .withheld, reason: "no-consent"),
        Line(
            "missed after tries says so", requested().changing { $0.attempts = [attempt(.retry, status: 500)] },
            at: deadline, .missed, reason: "apple-unavailable"),
        Line(
            "missed by the key says so", requested().changing { $0.attempts = [attempt(.credentials, status: 401)] },
            at: deadline, .missed, reason: "credentials-refused"),
        Line(
            "missed with an unknown says so", requested().changing { $0.attempts = [attempt(.unknown)] },
            at: deadline, .missed, reason: "result-unknown"),
        Line("held waits for a person", requested().changing { $0.heldUntil = noon + hour }, .held),
        Line(
            "held is over at its fallback", requested().changing { $0.heldUntil = noon + hour }, at: noon + hour, .open),
        Line(
            "missed wins against held", requested().changing { $0.heldUntil = deadline + hour }, at: deadline, .missed,
            reason: "not-attempted"),
        Line("a retry leaves it open", requested().changing { $0.attempts = [attempt(.retry, status: 500)] }, .open),
        Line("an unknown leaves it open", requested().changing { $0.attempts = [attempt(.unknown)] }, .open),
        Line(
            "first delivered after its deadline: worked on, late",
            requested(received: deadline + .seconds(5)), at: deadline + .seconds(6), .open, late: true),
        Line(
            "a late one is repeated when it certainly did not arrive",
            requested(received: deadline + .seconds(5)).changing {
                $0.attempts = [attempt(.retry), attempt(.notSent, 2)]
            },
            at: deadline + .minutes(5), .open, late: true),
        Line(
            "a late one that may have arrived is not repeated",
            requested(received: deadline + .seconds(5)).changing { $0.attempts = [attempt(.unknown)] },
            at: deadline + .minutes(1), .missed, reason: "result-unknown", late: true),
        Line(
            "a late one that Apple answered with trouble is not repeated",
            requested(received: deadline + .seconds(5)).changing { $0.attempts = [attempt(.retry, status: 500)] },
            at: deadline + .minutes(1), .missed, reason: "apple-unavailable", late: true),
        Line(
            "a late one is missed ten minutes after its first delivery",
            requested(received: deadline + .seconds(5)), at: deadline + .seconds(605), .missed,
            reason: "not-attempted", late: true),
    ]

    @Test(arguments: lines) func `each line of the table of states holds`(line: Line) {
        let standing = line.sample.standing(of: line.sample.rounds[0], at: line.at)
        #expect(standing.state == line.state)
        #expect(standing.reason == line.reason)
        #expect(standing.late == line.late)
    }

    @Test func `an answer that may have arrived is remarked on wherever the round ends`() {
        let unknown = requested().changing { $0.attempts = [attempt(.unknown)] }
        let ends = [
            unknown.standing(of: unknown.rounds[0], at: Self.deadline),
            unknown.changing { $0.withheld = .noConsent }.standing(at: noon, of: 0),
            unknown.changing { $0.attempts.append(attempt(.refused, 2)) }.standing(at: noon, of: 0),
            unknown.adding(fact(.refund, 9, at: noon + Self.hour)).standing(at: noon, of: 0),
        ]
        #expect(ends.map(\.state) == [.missed, .withheld, .refused, .overtaken])
        #expect(ends.allSatisfy { $0.remark != nil })
    }

    // MARK: the case as a whole

    @Test func `the case shows its newest request by Apple's date`() {
        let newer = requested(2, at: noon + Self.hour).changing { $0.withheld = .noConsent }
        let older = requested().changing { $0.attempts = [attempt(.accepted)] }
        for sample in [newer.joined(with: older), older.joined(with: newer)] {
            let standing = sample.standing(at: noon + .hours(2))
            #expect(standing.state == .withheld)
            #expect(standing.stateReason == "no-consent")
            #expect(standing.deadline == noon + .hours(13))
            #expect(standing.listedAt == noon + Self.hour)
        }
    }

    @Test func `a case without a request is unasked, one made by import alone is imported`() {
        #expect(RefundCase(facts: [fact(.refund, 1)]).standing(at: noon).state == .unasked)
        #expect(RefundCase(facts: [fact(.refund, 1, source: .imported)]).standing(at: noon).state == .imported)
        let mixed = RefundCase(facts: [fact(.refund, 1, source: .imported), fact(.reversed, 2, at: noon + Self.hour)])
        #expect(mixed.standing(at: noon).state == .unasked)
        #expect(mixed.standing(at: noon).listedAt == noon)
    }

    @Test func `BL-027: the reason is the newest request's, verbatim, or not given`() {
        var sample = requested()
        sample.facts = [fact(.request, 1, reason: "SOMETHING_NEW")]
        #expect(sample.standing(at: noon).reason == "SOMETHING_NEW")
        #expect(sample.joined(with: requested(2, at: noon + Self.hour)).standing(at: noon).reason == nil)
    }

    @Test func `a refund before its request: a newer request is a round like any other, an older one is overtaken`() {
        let refund = RefundCase(facts: [fact(.refund, 9)])
        #expect(refund.standing(at: noon).state == .unasked)
        #expect(refund.joined(with: requested(at: noon + Self.hour)).standing(at: noon + Self.hour).state == .open)
        #expect(refund.joined(with: requested(at: noon - Self.hour)).standing(at: noon).state == .overtaken)
    }

    @Test func `BL-040: a renewal delivered late changes nothing of a refund`() {
        let refunded = RefundCase(facts: [fact(.refund, 1)])
        let late = refunded.adding(fact(.seen, 2, at: noon - .minutes(10)))
        #expect(late.outcome == .refunded)
        #expect(late.standing(at: noon) == refunded.standing(at: noon))
        #expect(late.facts.count == 2)
    }

    // MARK: outcomes

    @Test(
        arguments: [
            ([], CaseOutcome.pending),
            ([.request], .pending),
            ([.refund], .refunded),
            ([.declined], .declined),
            ([.reversed], .reversed),
            ([.request, .refund], .refunded),
            ([.request, .declined], .declined),
            ([.declined, .request], .pending),
            ([.request, .refund, .request], .refunded),
            ([.request, .refund, .declined], .refunded),
            ([.request, .refund, .reversed], .reversed),
            ([.request, .refund, .reversed, .refund], .refunded),
            ([.request, .refund, .reversed, .request], .pending),
            ([.request, .refund, .reversed, .request, .declined], .declined),
            ([.request, .refund, .reversed, .declined], .reversed),
            ([.refund, .reversed, .declined, .request], .pending),
            ([.seen, .refund, .seen], .refunded),
        ] as [([CaseFact.Kind], CaseOutcome)])
    func `the outcome follows the newest of Apple's words`(story: [CaseFact.Kind], outcome: CaseOutcome) {
        let facts = story.enumerated().map { fact($1, $0 + 1, at: noon + .minutes(Int64($0))) }
        #expect(RefundCase(facts: Set(facts)).outcome == outcome)
    }

    /// Facts as deliveries bring them, some with equal dates.
    private static let delivered: [CaseFact] = [
        fact(.request, 1), fact(.refund, 2), fact(.declined, 3), fact(.reversed, 4, at: noon + .minutes(1)),
        fact(.request, 5, at: noon + .minutes(1)), fact(.refund, 6, at: noon + .minutes(2)),
        fact(.declined, 7, at: noon + .minutes(2)), fact(.seen, 8, at: noon + .minutes(3)),
    ]

    /// The same kinds as Apple's refund history, the import of the past, the sweeps and look-ups bring them.
    private static let found: [CaseFact] = [
        fact(.request, 1, source: .imported), fact(.refund, 2, source: .refundHistory),
        fact(.refund, 3, at: noon - .minutes(1), source: .imported),
        fact(.request, 4, at: noon + .minutes(1), source: .history),
        fact(.reversed, 5, at: noon + .minutes(1), source: .imported), fact(.refund, 6, at: noon + .minutes(2)),
        fact(.declined, 7, at: noon + .minutes(2), source: .imported),
        fact(.seen, 8, at: noon + .minutes(3), source: .transaction),
    ]

    @Test(arguments: [delivered, found])
    func `all orders of arrival, with repeats, end in the same state and outcome`(pool: [CaseFact]) {
        // Eight facts; every ordered selection of up to four of them, each delivered twice.
        var seen: [Set<CaseFact>: CaseStanding] = [:]
        var orders = 0
        func extend(_ story: [CaseFact]) {
            var sample = RefundCase()
            for fact in story + story.reversed() { arrive(fact, at: &sample) }
            let standing = sample.standing(at: noon + .minutes(5))
            let known = seen[Set(story)]
            #expect(known == nil || known == standing)
            seen[Set(story)] = standing
            orders += 1
            guard story.count < 4 else { return }
            for fact in pool where !story.contains(fact) { extend(story + [fact]) }
        }
        extend([])
        #expect(orders == 1 + 8 + 56 + 336 + 1680)
        #expect(seen.count == 1 + 8 + 28 + 56 + 70)
    }

    private func arrive(_ fact: CaseFact, at sample: inout RefundCase) {
        guard sample.facts.insert(fact).inserted, fact.kind == .request else { return }
        sample.rounds.append(
            Round(
                id: fact.id,
                window: ReplyWindow(signedAt: fact.signedAt, firstReceivedAt: fact.signedAt, environment: .production),
                arrival: Round.Arrival(fact.source)))
    }
}

extension RefundCase {
    func standing(at now: Moment, of index: Int) -> RoundStanding { standing(of: rounds[index], at: now) }
}
