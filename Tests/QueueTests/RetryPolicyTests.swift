import Queue
import Testing
import Time

@Suite struct `the retry policy` {
    @Test func `waits one to two seconds, then doubles, up to its ceiling`() {
        let whole = (1...12).map { RetryPolicy.delay(attempt: $0, random: 1, ceiling: .minutes(5)) }
        #expect(whole.prefix(8) == [2, 4, 8, 16, 32, 64, 128, 256].map { Duration.seconds($0) }[...])
        #expect(whole.suffix(4).allSatisfy { $0 == .minutes(5) })
        let least = (1...12).map { RetryPolicy.delay(attempt: $0, random: 0, ceiling: .minutes(5)) }
        #expect(zip(least, whole).allSatisfy { $0 * 2 == $1 })
    }

    @Test(arguments: [(0, 0.5), (-3, 0.5), (1, -7), (1, 9), (Int.max, 1), (40, .nan)])
    func `stays within its bounds whatever it is given`(attempt: Int, random: Double) {
        let delay = RetryPolicy.delay(attempt: attempt, random: random, ceiling: .seconds(20))
        #expect(delay >= .seconds(1) && delay <= .seconds(20))
    }
}
