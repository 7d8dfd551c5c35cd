import Journal
import Loop
import Synchronization
import Testing

@Suite struct TimerTests {
    let loop = EventLoop.start(name: "timers", journal: .silent, counters: Counters())

    @Test func `timers fire on the loop, in the order of their due times`() async {
        let loop = loop
        let fired = Fired()
        await withCheckedContinuation { done in
            for delay in [30, 10, 20, 10] {
                loop.after(.milliseconds(delay)) {
                    precondition(loop.isCurrent)
                    if fired.add(delay) == 4 { done.resume() }
                }
            }
        }
        #expect(fired.all == [10, 10, 20, 30])
    }

    @Test func `a timer does not fire before its time`() async {
        let start = EventLoop.now
        let loop = loop
        await withCheckedContinuation { done in
            loop.after(.milliseconds(25)) { done.resume() }
        }
        #expect(EventLoop.now - start >= 25_000_000)
    }

    @Test func `a cancelled timer never fires, and lets go of what it held`() async {
        let loop = loop
        let fired = Fired()
        weak var held: Fired?
        do {
            let holding = Fired()
            held = holding
            let timer = loop.after(.milliseconds(5)) { _ = holding.add(1) }
            timer.cancel()
        }
        await withCheckedContinuation { done in
            loop.after(.milliseconds(20)) {
                _ = fired.add(2)
                done.resume()
            }
        }
        #expect(fired.all == [2])
        #expect(held == nil)
    }

    @Test func `ten thousand time-outs that are cancelled leave the one that counts`() async {
        let loop = loop
        await withCheckedContinuation { done in
            loop.post {
                for number in 0..<10_000 { loop.after(.seconds(10 + number % 7)) {}.cancel() }
                loop.after(.milliseconds(1)) { done.resume() }
            }
        }
    }

    @Test func `a sleep ends at once when its task is cancelled`() async {
        let loop = loop
        let task = Task { try await loop.sleep(for: .seconds(600)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a sleep that is cancelled while it lasts ends with the cancellation`() async {
        let loop = loop
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            start.yield()
            try await loop.sleep(for: .seconds(600))
        }
        for await _ in started { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

private final class Fired: Sendable {
    private let list = Mutex<[Int]>([])
    var all: [Int] { list.withLock { $0 } }
    func add(_ number: Int) -> Int {
        list.withLock { list in
            list.append(number)
            return list.count
        }
    }
}
