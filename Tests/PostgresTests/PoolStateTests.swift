import Testing

@testable import Postgres

@Suite struct `the state of a pool` {
    private func pool(size: Int = 2, waitersMax: Int = 2) -> PoolState {
        PoolState(size: size, waitersMax: waitersMax, idleMax: .seconds(60))
    }

    @Test func `the first caller makes a connection and gets it`() {
        var pool = pool()
        #expect(pool.ask(1, until: .seconds(5), now: .zero) == [.connect(1, after: .zero)])
        #expect(pool.connected(1, now: .zero) == [.hand(1, to: 1)])
        #expect(pool.giveBack(1, now: .zero) == [])
        #expect(pool.ask(2, until: .seconds(5), now: .zero) == [.hand(1, to: 2)])
    }

    @Test func `no more connections than its size, then callers wait in line`() {
        var pool = pool()
        _ = pool.ask(1, until: .seconds(5), now: .zero) + pool.ask(2, until: .seconds(5), now: .zero)
        _ = pool.connected(1, now: .zero) + pool.connected(2, now: .zero)
        #expect(pool.ask(3, until: .seconds(5), now: .zero) == [])
        #expect(pool.ask(4, until: .seconds(5), now: .zero) == [])
        #expect(pool.ask(5, until: .seconds(5), now: .zero) == [.refuse(5, .full)])
        #expect(pool.giveBack(2, now: .zero) == [.hand(2, to: 3)])
        #expect(pool.giveBack(1, now: .zero) == [.hand(1, to: 4)])
    }

    @Test func `who waits too long is told`() {
        var pool = pool()
        _ = pool.ask(1, until: .seconds(5), now: .zero)
        #expect(pool.nextTick == .seconds(5))
        #expect(pool.tick(now: .seconds(4)) == [])
        #expect(pool.tick(now: .seconds(5)) == [.refuse(1, .tooLong)])
        // The connection that was made for it serves the next one.
        #expect(pool.connected(1, now: .seconds(6)) == [])
        #expect(pool.ask(2, until: .seconds(9), now: .seconds(6)) == [.hand(1, to: 2)])
    }

    @Test func `while the server is away one connection at a time is tried, ever more slowly`() {
        var pool = pool()
        _ = pool.ask(1, until: .seconds(60), now: .zero)
        _ = pool.ask(2, until: .seconds(60), now: .zero)
        #expect(pool.failed(1, now: .zero) == [])  // the second attempt is still under way
        var id = 2
        var waits: [Duration] = []
        for _ in 0..<6 {
            let actions = pool.failed(id, now: .zero)
            guard case .connect(let next, let after) = actions.first else { break }
            #expect(actions.count == 1)
            waits.append(after)
            id = next
        }
        #expect(
            waits == [
                .milliseconds(200), .milliseconds(400), .milliseconds(800), .seconds(1), .seconds(1), .seconds(1),
            ])
        #expect(pool.connected(id, now: .seconds(9)) == [.hand(id, to: 1), .connect(id + 1, after: .zero)])
    }

    @Test func `a connection that ended is not handed out, and another is made for who waits`() {
        var pool = pool(size: 1)
        _ = pool.ask(1, until: .seconds(5), now: .zero) + pool.connected(1, now: .zero)
        #expect(pool.ask(2, until: .seconds(5), now: .zero) == [])
        #expect(pool.ended(1, now: .zero) == [.connect(2, after: .zero)])
        #expect(pool.giveBack(1, now: .zero) == [])
        #expect(pool.connected(2, now: .zero) == [.hand(2, to: 2)])
    }

    @Test func `idle connections grow old, but one stays`() {
        var pool = pool()
        _ = pool.ask(1, until: .seconds(5), now: .zero) + pool.ask(2, until: .seconds(5), now: .zero)
        _ = pool.connected(1, now: .zero) + pool.connected(2, now: .zero)
        _ = pool.giveBack(1, now: .seconds(1)) + pool.giveBack(2, now: .seconds(2))
        #expect(pool.nextTick == .seconds(61))
        #expect(pool.tick(now: .seconds(61)) == [.close(1)])
        #expect(pool.nextTick == nil)
        #expect(pool.tick(now: .seconds(999)) == [])
    }

    @Test func `a closed pool drains`() {
        var pool = pool()
        _ = pool.ask(1, until: .seconds(5), now: .zero) + pool.connected(1, now: .zero)
        _ = pool.ask(2, until: .seconds(5), now: .zero)
        #expect(pool.close() == [.refuse(2, .closed)])
        #expect(pool.ask(3, until: .seconds(5), now: .zero) == [.refuse(3, .closed)])
        #expect(pool.connected(2, now: .zero) == [.close(2)])
        #expect(pool.giveBack(1, now: .zero) == [.close(1), .drained])
    }

    /// Every order of events up to a depth, against what must always hold.
    @Test func `no order of events lends twice, forgets a caller or makes too many`() {
        var seen: Set<String> = []
        var states = 0

        func explore(_ world: World, depth: Int) {
            guard seen.insert("\(depth) \(world)").inserted else { return }
            states += 1
            guard depth > 0 else { return }
            for event in world.events {
                var next = world
                next.happen(event)
                explore(next, depth: depth - 1)
            }
        }
        explore(World(), depth: 9)
        #expect(states > 10_000)
    }
}

/// A pool and what the outside knows of it.
private struct World: CustomStringConvertible {
    enum Event {
        case ask, wait, expire, close
        case giveBack(Int), connected(Int), failed(Int), ended(Int), withdraw(Int)
    }

    var pool = PoolState(size: 2, waitersMax: 2, idleMax: .seconds(3))
    var now = Duration.zero
    var lastCaller = 0
    var waiting: Set<Int> = []
    var holders: [Int: Int] = [:]  // connection: caller
    var open: Set<Int> = []
    var connecting: Set<Int> = []
    var isClosed = false
    var isDrained = false

    var description: String {
        "\(pool) \(waiting.sorted()) \(holders.sorted { $0.key < $1.key }) \(open.sorted()) \(connecting.sorted())"
    }

    var events: [Event] {
        var events: [Event] = [.wait, .expire, .close]
        if lastCaller < 4 { events.append(.ask) }
        events += holders.keys.sorted().map(Event.giveBack)
        events += connecting.sorted().flatMap { [Event.connected($0), .failed($0)] }
        events += open.sorted().map(Event.ended)
        events += waiting.sorted().map(Event.withdraw)
        return events
    }

    mutating func happen(_ event: Event) {
        switch event {
        case .ask:
            lastCaller += 1
            waiting.insert(lastCaller)
            perform(pool.ask(lastCaller, until: now + .seconds(2), now: now))
        case .wait:
            now += .seconds(1)
            perform(pool.tick(now: now))
        case .expire:
            now += .seconds(2)
            perform(pool.tick(now: now))
            #expect(waiting.isEmpty, "nobody waits longer than it may")
        case .close:
            isClosed = true
            perform(pool.close())
            #expect(waiting.isEmpty, "nobody waits at a closed pool")
        case .giveBack(let id):
            holders[id] = nil
            perform(pool.giveBack(id, now: now))
        case .connected(let id):
            connecting.remove(id)
            open.insert(id)
            perform(pool.connected(id, now: now))
        case .failed(let id):
            connecting.remove(id)
            perform(pool.failed(id, now: now))
        case .ended(let id):
            open.remove(id)
            holders[id] = nil
            perform(pool.ended(id, now: now))
        case .withdraw(let caller):
            waiting.remove(caller)
            pool.withdraw(caller)
        }
        #expect(open.count + connecting.count <= 2, "never more connections than the size")
        #expect(pool.count == open.count + connecting.count, "the pool knows every connection")
        #expect(pool.waiterCount == waiting.count, "the pool knows every caller")
        #expect(pool.lentCount == holders.count)
        let idle = open.count - holders.count
        #expect(waiting.isEmpty || idle == 0, "nobody waits beside an idle connection")
        #expect(waiting.isEmpty || !connecting.isEmpty || !holders.isEmpty, "who waits is waiting for something")
        #expect(isDrained == (isClosed && open.isEmpty && connecting.isEmpty), "drained exactly when all is gone")
    }

    private mutating func perform(_ actions: [PoolState.Action]) {
        for action in actions {
            switch action {
            case .hand(let id, let caller):
                #expect(waiting.remove(caller) != nil, "only who waits is served")
                #expect(open.contains(id) && holders[id] == nil, "a connection has one holder")
                holders[id] = caller
            case .refuse(let caller, _): #expect(waiting.remove(caller) != nil, "only who waits is refused")
            case .connect(let id, _): #expect(connecting.insert(id).inserted)
            case .close(let id):
                #expect(open.remove(id) != nil && holders[id] == nil, "no connection is closed under its holder")
            case .drained:
                #expect(!isDrained, "drained once")
                isDrained = true
            }
        }
    }
}
