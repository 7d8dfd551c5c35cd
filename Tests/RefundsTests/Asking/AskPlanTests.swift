import AppStore
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("When apps' servers are asked") struct AskPlanTests {
    private let window = ReplyWindow(signedAt: noon, firstReceivedAt: noon, environment: .production)

    @Test func `tries grow apart up to ten minutes, and none begins after the time is over`() {
        func next(_ tries: Int, _ retryAfter: Duration? = nil, at now: Moment = noon) -> Moment? {
            AskPlan.next(after: tries, retryAfter: retryAfter, window: window, at: now, random: 1)
        }
        #expect(next(1) == noon + .seconds(2) && next(4) == noon + .seconds(16) && next(30) == noon + .minutes(10))
        #expect(next(1, .minutes(3)) == noon + .minutes(3))
        #expect(next(30, at: noon + .hours(6) - .minutes(11)) != nil)
        #expect(next(30, at: noon + .hours(6) - .minutes(10)) == nil && next(1, .hours(7)) == nil)
    }

    @Test func `a server is left alone after three failures, and never in the sandbox`() {
        #expect(AskPlan.pause(after: 2, in: .production, random: 1) == nil)
        #expect(AskPlan.pause(after: 3, in: .production, random: 1) == .seconds(8))
        #expect(AskPlan.pause(after: 500, in: .production, random: 1) == .minutes(5))
        #expect(AskPlan.pause(after: 500, in: .sandbox, random: 1) == nil)
    }

    @Test func `one app's server takes no other's seats`() {
        let seats = AskSeats(max: 3, ofApp: 2)
        let (slow, other) = (AppID(rawValue: 1), AppID(rawValue: 2))
        #expect(seats.take(slow) && seats.take(slow) && !seats.take(slow))
        #expect(seats.take(other) && !seats.take(other))
        seats.give(slow)
        #expect(seats.take(other) && !seats.take(slow))
    }
}
