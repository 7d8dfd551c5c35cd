import AppStore
import Testing
import Time

@testable import Refunds

@Suite("The time for a reply")
struct ReplyWindowTests {
    private func window(_ environment: Environment = .production, received: Duration = .zero) -> ReplyWindow {
        ReplyWindow(signedAt: noon, firstReceivedAt: noon + received, environment: environment)
    }

    @Test func `BL-066: the deadline is the signing date plus 43,200,000 ms, in the sandbox 300,000`() {
        #expect(window().deadline.milliseconds == noon.milliseconds + 43_200_000)
        #expect(window(.sandbox).deadline.milliseconds == noon.milliseconds + 300_000)
    }

    @Test func `no call begins in the last minute, in the sandbox in the last ten seconds`() {
        #expect(window().mayBegin(at: noon + .hours(12) - .milliseconds(60_001)))
        #expect(!window().mayBegin(at: noon + .hours(12) - .seconds(60)))
        #expect(window(.sandbox).mayBegin(at: noon + .milliseconds(289_999)))
        #expect(!window(.sandbox).mayBegin(at: noon + .seconds(290)))
    }

    @Test func `a request that comes with a minute left is still tried`() {
        let short = window(received: .hours(12) - .seconds(60))
        #expect(short.margin == .seconds(10))
        #expect(short.mayBegin(at: short.firstReceivedAt))
        #expect(!short.isLate)
    }

    @Test func `a request first delivered after its deadline is late and has ten minutes`() {
        let late = window(received: .hours(12))
        #expect(late.isLate)
        #expect(late.mayBegin(at: late.firstReceivedAt + .milliseconds(599_999)))
        #expect(!late.mayBegin(at: late.firstReceivedAt + .minutes(10)))
        #expect(late.end == late.firstReceivedAt + .minutes(10))
    }

    @Test func `an app's server is waited for for half of the time, in the sandbox for twenty seconds`() {
        #expect(window().callbackUntil == noon + .hours(6))
        #expect(window(received: .hours(11)).callbackUntil == noon + .hours(11) + .minutes(30))
        #expect(window(.sandbox).callbackUntil == noon + .seconds(20))
        #expect(window(.sandbox, received: .minutes(4) + .seconds(40)).callbackUntil == noon + .seconds(290))
    }

    @Test func `it is waited for before a person is, and a call can still begin`() {
        for environment in [AppStore.Environment.production, .sandbox] {
            let whole = ReplyWindow.length(in: environment)
            for tenth in 0..<10 {
                let window = window(environment, received: whole * tenth / 10)
                #expect(window.callbackUntil <= window.askUntil && window.mayBegin(at: window.callbackUntil))
            }
            let late = window(environment, received: whole)
            #expect(!AskPlan.isWorthAsking(late, at: late.firstReceivedAt))
        }
    }

    @Test func `waits between two calls grow to five minutes, in the sandbox to twenty seconds`() {
        #expect(window().retryCeiling == .minutes(5))
        #expect(window(.sandbox).retryCeiling == .seconds(20))
    }
}
