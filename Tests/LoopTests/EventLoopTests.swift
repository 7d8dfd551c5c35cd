import Journal
import Loop
import Support
import Synchronization
import Testing

/// An actor that lives on a loop.
private actor Resident {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor }
    private var count = 0

    init(_ loop: EventLoop) { self.loop = loop }

    func visit() -> Bool {
        count += 1
        return loop.isCurrent
    }
    func visits() -> Int { count }
}

private func isStillOn(_ loop: EventLoop) async -> Bool { loop.isCurrent }

@Suite struct EventLoopTests {
    let loop = EventLoop.start(name: "loop", journal: .silent, counters: Counters())

    @Test func `posted work runs on the loop, in the order it was posted`() async {
        let order: [Int] = await withCheckedContinuation { done in
            let seen = Mutex<[Int]>([])
            let box = Box(seen: seen)
            for number in 0..<1000 {
                loop.post { [loop] in
                    precondition(loop.isCurrent && EventLoop.current === loop)
                    let all = box.seen.withLock { seen in
                        seen.append(number)
                        return seen
                    }
                    if all.count == 1000 { done.resume(returning: all) }
                }
            }
        }
        #expect(order == Array(0..<1000))
        #expect(!loop.isCurrent)
    }

    @Test func `an actor pinned to a loop runs there, whoever calls`() async {
        let resident = Resident(loop)
        await withTaskGroup { group in
            for _ in 0..<200 { group.addTask { #expect(await resident.visit()) } }
        }
        #expect(await resident.visits() == 200)
    }

    @Test func `a task that was started on a loop stays there through groups and sleeps`() async {
        let loop = loop
        let answers: [Bool] = await withCheckedContinuation { done in
            loop.run {
                var answers = [loop.isCurrent]
                try? await loop.sleep(for: .milliseconds(1))
                answers.append(loop.isCurrent)
                async let child = isStillOn(loop)
                answers.append(await child)
                answers += await withTaskGroup(of: Bool.self) { group in
                    group.addTask { loop.isCurrent }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                done.resume(returning: answers)
            }
        }
        #expect(answers == [true, true, true, true])
    }

    @Test func `two loops exchange work without losing any of it`() async {
        let other = EventLoop.start(name: "other", journal: .silent, counters: Counters())
        let a = Resident(loop)
        let b = Resident(other)
        await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    for _ in 0..<20 {
                        _ = await a.visit()
                        _ = await b.visit()
                    }
                }
            }
        }
        #expect(await a.visits() == 1000)
        #expect(await b.visits() == 1000)
    }

    @Test func `the end of a turn comes after everything that was ready in it`() async {
        let loop = loop
        let order: [String] = await withCheckedContinuation { done in
            loop.post {
                let box = Box(seen: Mutex<[String]>([]))
                loop.atEndOfTurn {
                    done.resume(returning: box.seen.withLock { $0 })
                }
                box.seen.withLock { $0.append("first") }
                loop.post {
                    box.seen.withLock { $0.append("second") }
                    loop.post { box.seen.withLock { $0.append("third") } }
                }
            }
        }
        #expect(order == ["first", "second", "third"])
    }

    @Test func `a slow turn is counted, and a quick one is not`() async {
        let counters = Counters()
        let loop = EventLoop.start(name: "watched", journal: .silent, counters: counters)
        await withCheckedContinuation { done in
            loop.post { done.resume() }
        }
        let before = counters.value("loop_slow_turns_total", ["loop": "watched"])
        await withCheckedContinuation { done in
            loop.post {
                let start = EventLoop.now
                while EventLoop.now - start < 30_000_000 {}
                // The count is made when the turn ends: look in the next one.
                loop.after(.milliseconds(1)) { done.resume() }
            }
        }
        #expect(counters.value("loop_slow_turns_total", ["loop": "watched"]) >= before + 1)
    }

    @Test func `loops are given out in turn`() {
        let loops = EventLoops(count: 2, name: "turn", journal: .silent, counters: Counters())
        let given = (0..<4).map { _ in loops.next() }
        #expect(given[0] !== given[1] && given[0] === given[2] && given[1] === given[3])
        #expect(loops.here === loops.all[0])
    }
}

/// A mutex that closures may share.
private final class Box<Value: Sendable>: Sendable {
    let seen: Mutex<Value>
    init(seen: consuming sending Mutex<Value>) { self.seen = seen }
}
