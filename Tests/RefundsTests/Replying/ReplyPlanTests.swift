import AppStore
import Testing
import Time

@testable import Refunds

@Suite("When a reply is sent again")
struct ReplyPlanTests {
    private let window = ReplyWindow(signedAt: noon, firstReceivedAt: noon, environment: .production)
    private let sandbox = ReplyWindow(signedAt: noon, firstReceivedAt: noon, environment: .sandbox)

    private func next(
        _ call: CallResult, failures: Int, at now: Moment = noon, random: Double, _ window: ReplyWindow? = nil
    ) -> Duration? {
        let attempts = (1...max(1, failures)).map { attempt(.retry, $0, status: 500) }
        return ReplyPlan.next(
            after: ReplyResult(call), attempts: attempts, window: window ?? self.window, at: now, random: random
        ).map { $0 - now }
    }

    @Test func `the first repeat comes within two seconds, then the wait doubles`() {
        let trouble = ScriptedApple.retry(500)
        #expect(next(trouble, failures: 1, random: 1) == .seconds(2))
        #expect(next(trouble, failures: 1, random: 0) == .seconds(1))
        #expect(
            (1...12).map { next(trouble, failures: $0, random: 1)! }
                == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300].map { Duration.seconds($0) })
    }

    @Test func `in the sandbox the wait grows to twenty seconds`() {
        #expect(
            (1...6).map { next(ScriptedApple.retry(500), failures: $0, random: 1, sandbox)! }
                == [2, 4, 8, 16, 20, 20].map { Duration.seconds($0) })
    }

    @Test func `nothing is planned that would begin too late`() {
        #expect(next(ScriptedApple.retry(500), failures: 1, at: noon + .hours(12) - .seconds(61), random: 1) == nil)
        #expect(
            next(ScriptedApple.retry(500), failures: 1, at: noon + .hours(12) - .seconds(63), random: 1) == .seconds(2))
    }

    @Test func `Apple's moment is waited for`() {
        let until = noon + .minutes(7)
        #expect(next(.rateLimited(ScriptedApple.answered(429), until: until), failures: 1, random: 0) == .minutes(7))
        #expect(next(.retry(ScriptedApple.answered(503), notBefore: until), failures: 1, random: 0) == .minutes(7))
    }

    @Test func `an end is an end`() {
        #expect(next(.accepted(ScriptedApple.answered(202)), failures: 1, random: 1) == nil)
        #expect(next(ScriptedApple.refused, failures: 1, random: 1) == nil)
    }
}
