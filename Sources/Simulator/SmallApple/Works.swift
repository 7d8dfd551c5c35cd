import Crypto
import Journal
import Loop
import Synchronization
import Time

/// What all parts of the small Apple share: its memory, its habits and its clock.
final class Works: Sendable {
    private struct Habits: Sendable {
        var manners: Manners
        var pace: Pace
        var clockOffset = Duration.zero
        var isStopped = false
    }

    let chance: Chance
    let authority: CertificateAuthority
    let numbers = UnconfirmedNumbers()
    let shelves = Shelves()
    let keys = KnownKeys()
    let ledger: Ledger
    let script = Script()
    let limits = RateLimits()
    let commerce = CommerceBook()
    let backends = BackendBook()
    let loops: EventLoops
    let journal: Journal
    private let baseClock: WallClock
    private let habits: Mutex<Habits>
    private let counts = Mutex<[String: Int]>([:])

    init(
        seed: UInt64, manners: Manners, pace: Pace, authority: CertificateAuthority, callsMax: Int, loops: EventLoops,
        clock: WallClock, journal: Journal
    ) {
        chance = Chance(seed: seed)
        self.authority = authority
        ledger = Ledger(callsMax: callsMax)
        self.loops = loops
        self.journal = journal
        baseClock = clock
        habits = Mutex(Habits(manners: manners, pace: pace))
    }

    var manners: Manners {
        get { habits.withLock { $0.manners } }
        set { habits.withLock { $0.manners = newValue } }
    }

    var pace: Pace {
        get { habits.withLock { $0.pace } }
        set { habits.withLock { $0.pace = newValue } }
    }

    /// How far Apple's clock is ahead of the machine's.
    var clockOffset: Duration {
        get { habits.withLock { $0.clockOffset } }
        set { habits.withLock { $0.clockOffset = newValue } }
    }

    var now: Moment { baseClock.now + clockOffset }
    var clock: WallClock { WallClock { self.now } }

    var isStopped: Bool { habits.withLock { $0.isStopped } }
    func stop() { habits.withLock { $0.isStopped = true } }

    /// The next number of a kind, from 1: what repeats in each run with one seed.
    func count(_ kind: String) -> Int {
        counts.withLock { counts in
            counts[kind, default: 0] += 1
            return counts[kind] ?? 0
        }
    }

    /// Does something after a while, unless the small Apple was stopped before.
    func later(_ delay: Duration, _ body: @escaping @Sendable () async -> Void) {
        let loop = loops.next()
        loop.after(delay) {
            guard !self.isStopped else { return }
            loop.run(body)
        }
    }
}
