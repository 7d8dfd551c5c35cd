import Testing
import Time

@testable import Refunds

@Suite("Consent, towards one request")
struct ConsentStandingTests {
    private static func change(_ no: Int64, _ consented: Bool, _ minutes: Int64) -> ConsentChange {
        let given = noon + .minutes(minutes)
        return ConsentChange(changeNo: no, consented: consented, givenAt: given, learnedAt: given)
    }

    struct History: Sendable, CustomTestStringConvertible {
        let name: String
        let changes: [ConsentChange]
        let standing: ConsentStanding
        var testDescription: String { name }
        init(_ name: String, _ changes: [ConsentChange], _ standing: ConsentStanding) {
            self.name = name
            self.changes = changes
            self.standing = standing
        }
    }

    static let histories: [History] = [
        History("nothing", [], .missing),
        History("given before", [change(1, true, -1)], .given(at: noon + .minutes(-1), changeNo: 1)),
        History("given at the very moment", [change(1, true, 0)], .tooLate(givenAt: noon)),
        History("given after", [change(1, true, 1)], .tooLate(givenAt: noon + .minutes(1))),
        History("declined before", [change(1, false, -1)], .withdrawn(at: noon + .minutes(-1))),
        History("withdrawn before", [change(1, true, -2), change(2, false, -1)], .withdrawn(at: noon + .minutes(-1))),
        History(
            "withdrawn after the request", [change(1, true, -2), change(2, false, 1)],
            .withdrawn(at: noon + .minutes(1))),
        History(
            "confirmed again after the request", [change(1, true, -2), change(2, true, 1)],
            .given(at: noon + .minutes(-2), changeNo: 1)),
        History(
            "withdrawn and given again before", [change(1, true, -3), change(2, false, -2), change(3, true, -1)],
            .given(at: noon + .minutes(-1), changeNo: 3)),
        History(
            "withdrawn and given again after the request",
            [change(1, true, -3), change(2, false, 1), change(3, true, 2)], .withdrawn(at: noon + .minutes(1))),
        History(
            "a tie goes to the withdrawal", [change(1, true, -1), change(2, false, -1)],
            .withdrawn(at: noon + .minutes(-1))),
    ]

    @Test(arguments: histories) func `what counts is what was given before the request and not taken back`(
        history: History
    ) {
        #expect(ConsentStanding.of(history.changes, signedAt: noon) == history.standing)
        #expect(ConsentStanding.of(history.changes.reversed(), signedAt: noon) == history.standing)
    }

    @Test func `consent of all covers who bought since then, and nobody who took theirs back`() {
        let from = noon - .days(2)
        func standing(_ changes: [ConsentChange], boughtAt: Moment?) -> ConsentStanding {
            ConsentStanding.of(changes, signedAt: noon, allFrom: from, boughtAt: boughtAt)
        }
        #expect(standing([], boughtAt: from) == .allFrom(from))
        #expect(standing([], boughtAt: from - .milliseconds(1)) == .missing)
        #expect(standing([], boughtAt: nil) == .missing)
        #expect(standing([Self.change(1, false, 1)], boughtAt: from) == .withdrawn(at: noon + .minutes(1)))
        #expect(standing([Self.change(1, true, 1)], boughtAt: from) == .allFrom(from))
        #expect(standing([Self.change(1, true, -1)], boughtAt: from) == .given(at: noon + .minutes(-1), changeNo: 1))
    }
}
