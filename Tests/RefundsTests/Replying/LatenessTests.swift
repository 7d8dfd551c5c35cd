import Testing

@testable import Refunds

@Suite struct `How much later than usual a call's answer came` {
    @Test func `is nothing for the first, and counted from the quickest one`() {
        let lateness = Lateness()
        #expect(lateness.excess(of: .milliseconds(300)) == .zero)
        #expect(lateness.excess(of: .milliseconds(100)) == .zero)
        #expect(lateness.excess(of: .milliseconds(250)) == .milliseconds(150))
    }

    @Test func `is nothing any more once the network has become slow for good`() {
        let lateness = Lateness()
        _ = lateness.excess(of: .milliseconds(20))
        for _ in 0..<500 { _ = lateness.excess(of: .milliseconds(500)) }
        #expect(lateness.excess(of: .milliseconds(500)) < .milliseconds(5))
    }
}
