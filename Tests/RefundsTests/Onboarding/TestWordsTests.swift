import AppStore
import Crypto
import FoundationEssentials
import Testing
import Time

@testable import Refunds

@Suite("What became of a test, in words")
struct TestWordsTests {
    private static let asked = Moment(milliseconds: 1_781_524_800_000)

    private func words(
        _ state: TestNotification.State, isSandbox: Bool = false, result: String? = nil, status: Int? = nil,
        code: Int64? = nil, detail: String = "", arrivedAfter: Duration? = nil
    ) -> TestWords {
        TestWords(
            TestNotification(
                id: UUID(), isSandbox: isSandbox, askedAt: Self.asked, state: state,
                arrivedAt: arrivedAfter.map { Self.asked + $0 }, sendAttemptResult: result, status: status,
                appleCode: code, detail: detail), at: Self.asked + .seconds(30))
    }

    @Test(arguments: SendAttemptResult.allCases)
    func `each of Apple's results has a sentence and an advice of its own`(result: SendAttemptResult) {
        let words = words(.notArrived, result: result.rawValue)
        #expect(words.state == .trouble && words.summary.hasSuffix("."))
        #expect(words.advice?.isEmpty == false)
        let others = SendAttemptResult.allCases.filter { $0 != result }
        #expect(!others.contains { TestWords.words($0) == TestWords.words(result) })
    }

    @Test func `a result that is newer than this program is shown as it is`() {
        #expect(words(.notArrived, result: "EATEN_BY_DOG").summary.contains("EATEN_BY_DOG"))
    }

    @Test func `a success that is not here went to another server`() {
        #expect(words(.notArrived, result: "SUCCESS").summary.contains("another server"))
        #expect(words(.asked, result: "SUCCESS").advice?.contains("another server") == true)
        #expect(words(.asked).advice == nil)
    }

    @Test func `Sandbox is tried once only`() {
        #expect(words(.notArrived, isSandbox: true, result: "TIMED_OUT").advice?.contains("once in Sandbox") == true)
        #expect(words(.notArrived, result: "TIMED_OUT").advice?.contains("once in Sandbox") == false)
    }

    @Test func `no URL is named with the place where it goes`() {
        let words = words(.refused, isSandbox: true, status: 404, code: 4_040_007)
        #expect(words.summary == "Apple has no notification URL for Sandbox.")
        #expect(words.advice?.contains("version 2") == true)
    }

    @Test func `refused, limited and unreachable are told apart`() {
        #expect(words(.refused, status: 401).summary.contains("refused the key"))
        #expect(words(.refused, status: 429).state == .todo)
        #expect(words(.refused, detail: "no route").advice == "no route")
        #expect(words(.refused, status: 500).summary.contains("500"))
    }

    @Test func `an arrival says how long it took`() {
        #expect(
            words(.arrived, arrivedAfter: .milliseconds(300)).summary
                == "The Production test notification arrived less than a second after it was asked for.")
        #expect(words(.arrived, arrivedAfter: .seconds(4)).summary.contains("4 seconds"))
    }
}
