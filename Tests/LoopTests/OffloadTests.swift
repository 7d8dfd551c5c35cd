import Dispatch
import Journal
import Loop
import Support
import Testing

@Suite struct OffloadTests {
    private struct Trouble: Error, Equatable {}

    @Test func `work runs off the loop and its caller goes on there`() async throws {
        let offload = Offload(name: "work", threads: 1, queueMax: 4)
        let loop = TestLoops.shared.all[0]
        let (wasOnLoop, cameBack): (Bool, Bool) = await withCheckedContinuation { done in
            loop.run {
                let wasOnLoop = (try? await offload.run { EventLoop.current != nil }) ?? true
                done.resume(returning: (wasOnLoop, loop.isCurrent))
            }
        }
        #expect(!wasOnLoop)
        #expect(cameBack)
    }

    @Test func `an error of the work reaches its caller`() async {
        let offload = Offload(name: "work", threads: 1, queueMax: 4)
        await #expect(throws: Trouble()) { try await offload.run { throw Trouble() } }
    }

    @Test func `work beyond the queue is refused at once`() async throws {
        let offload = Offload(name: "work", threads: 1, queueMax: 1)
        let gate = DispatchSemaphore(value: 0)
        let (running, isRunning) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await offload.run {
                isRunning.yield()
                gate.wait()
                return 1
            }
        }
        for await _ in running { break }
        // One place in the queue: of three more, two are refused whichever comes first.
        let refused = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<3 {
                group.addTask { (try? await offload.run { true }) == nil }
            }
            var refused = 0
            for await isRefused in group {
                if isRefused { refused += 1 }
                if refused == 2 { gate.signal() }
            }
            return refused
        }
        #expect(refused == 2)
        #expect(try await first.value == 1)
    }
}
