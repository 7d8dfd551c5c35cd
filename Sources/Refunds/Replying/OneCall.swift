import FoundationEssentials
import Journal
import Postgres
import Queue
import Tenants
import Time

/// A call to Apple that was begun: its rows are committed, and its permit says when it may be sent.
protocol BegunCall: Sendable {
    var app: App { get }
    var key: SigningKeyInfo { get }
    var permit: CallPermit { get }
    /// Whose limit it counts in.
    var lane: Int64 { get }
    /// Names it in the journal: `case` or `request`, and the id.
    var name: (kind: String, id: String) { get }
}

/// What the first step came to.
enum Begun<Call: BegunCall>: Sendable {
    /// Rows are committed; the call follows.
    case call(Call)
    /// The job ended or was postponed in the same transaction.
    case finished
    /// A token is needed first; nothing was changed.
    case needsToken(SigningKeyInfo, App)
}

/// Rolls back the transaction of the first step: nothing is decided while there is no token to send it with.
struct NeedsToken: Error {
    let key: SigningKeyInfo
    let app: App
}

/// The way of a call that must not be made twice, whatever it says: begin, send, settle, each of which may be the last
/// step of a process (docs/decisions/0010-one-call.md).
struct OneCall: Sendable {
    /// What the second step came to before the network.
    enum Turn: Sendable {
        /// With the permit, where the call took it when its turn came.
        case send(Redacted<String>, Taken?)
        case notSent(String)
    }

    /// A permit that a call took when its turn came.
    struct Taken: Sendable {
        let permit: Lane.Permit
        /// The permit's moment by this process's clock, or a little before: its turn may have come while the database's
        /// answer was on its way.
        let moment: ContinuousClock.Instant
    }

    let database: Database
    let tokens: AppTokens
    let clock: WallClock
    let journal: Journal

    /// Takes the three steps.
    ///
    /// - Parameter keyLook: the wait for a key that does not open.
    func run<Call: BegunCall, Ending>(
        _ job: Job, keyLook: Duration, begin: () async throws -> Begun<Call>, perform: (Call) async -> Ending,
        settle: (Call, Ending) async -> Void
    ) async throws {
        // A token is made outside the transaction and kept for minutes, so the second round is rare.
        for _ in 0..<3 {
            switch try await begin() {
            case .finished: return
            case .call(let call): return await settle(call, await perform(call))
            case .needsToken(let key, let app):
                do {
                    try await tokens.make(key, app)
                } catch let error as VaultError {
                    return try await postpone(job, until: clock.now + keyLook, because: "\(error)")
                }
            }
        }
        try await postpone(job, until: clock.now + .seconds(1), because: "the signing key changed again and again")
    }

    private func postpone(_ job: Job, until moment: Moment, because why: String) async throws {
        try await database.transaction(.tenant(job.tenant)) { try await job.again(at: moment, error: why, in: $0) }
    }

    /// The first step, in one transaction: commits the right to one call, or finds that there is none.
    ///
    /// - Parameter body: throws `NeedsToken`; is told a moment before any permit was taken.
    func begin<Call>(
        of tenant: TenantID, _ body: (Transaction, ContinuousClock.Instant) async throws -> Begun<Call>
    ) async throws -> Begun<Call> {
        // Before the transaction is sent: the permission's five seconds can only be shorter for it.
        let started = ContinuousClock.now
        do {
            return try await database.transaction(tenant.scope) { try await body($0, started) }
        } catch let need as NeedsToken {
            return .needsToken(need.key, need.app)
        }
    }

    /// The second step up to the network: waits for the turn, if the permission still stands by our own clock.
    ///
    func turn(of call: some BegunCall) async -> Turn {
        if let why = await call.permit.turn() { return .notSent(why) }
        return signed(call, nil)
    }

    /// How long before its expected moment a call takes its permit.
    private static let lead: Duration = .milliseconds(15)

    /// The second step of a call that was begun with others, and whose permit is only expected: it takes it when its turn
    /// comes, so that a call that comes late makes those after it come later and none nearer, and that nothing
    /// leaves while its lane is paused.
    ///
    /// - Parameter stopped: why nothing may leave any more, as others found out.
    func turn(of call: some BegunCall, unless stopped: () -> String?) async -> Turn {
        let asked = call.permit
        await Queue.Turn.wait(until: asked.sendAfter - Self.lead)
        guard .now >= asked.sendAfter - Self.lead else {
            return .notSent("the process stopped before the call's turn")
        }
        while ContinuousClock.now < asked.sendBy {
            if let why = stopped() { return .notSent(why) }
            let scope = call.app.tenant.scope
            let taken: Taken
            let asking = ContinuousClock.now
            do {
                switch try await Lane.askForPermit(
                    call.lane, of: scope, at: clock.now, ahead: Self.lead * 2, on: database)
                {
                case nil:
                    return .notSent(await Lane.whyNone(call.lane, of: scope, at: clock.now, on: database))
                case .notYet(let wait):
                    let soon = ContinuousClock.now + wait - Self.lead
                    await Queue.Turn.wait(until: soon)
                    guard .now >= soon else { return .notSent("the process stopped before the call's turn") }
                    continue
                case .given(let permit):
                    let moment = ContinuousClock.now + permit.wait
                    await Queue.Turn.wait(until: moment)
                    guard .now >= moment else { return .notSent("the process stopped before the call's turn") }
                    taken = Taken(permit: permit, moment: asking + permit.wait)
                    // A turn that was missed is another call's by now: it takes a new one, within the same permission.
                    if let slack = Lane.slack(of: call.lane), ContinuousClock.now > moment + slack { continue }
                }
            } catch {
                return .notSent("its turn could not be had: \(error)")
            }
            if let why = stopped() { return .notSent(why) }
            guard .now < asked.sendBy else { break }
            return signed(call, taken)
        }
        return .notSent("the permission to send ended before the call")
    }

    /// Makes the calls of a lane that are to come leave room for one that may have arrived late.
    ///
    /// Asked for when its answer has just come.
    func keepOthers(behind taken: Taken?, of call: some BegunCall, _ lateness: Lateness) async {
        guard let taken, let most = Lane.latenessBorne(by: call.lane) else { return }
        guard lateness.excess(of: .now - taken.moment) > most else { return }
        do {
            // When it arrived is not known; not later than its answer came.
            try await Lane.keepBehind(
                taken.permit, of: call.lane, arrived: .zero, scope: call.app.tenant.scope, on: database)
        } catch {
            // The limit is kept by the spacing all the same, but for one call now and then.
            journal.debug(
                "calls behind a late one could not be delayed", ["lane": .init(call.lane), "error": .init(error)])
        }
    }

    private func signed(_ call: some BegunCall, _ taken: Taken?) -> Turn {
        guard let token = tokens.kept(call.key, call.app) else { return .notSent("the token ended before the call") }
        return .send(token, taken)
    }

    /// The third step. While the database is away the result is kept in memory until the call is given up; then it
    /// is unknown, which is the truth.
    ///
    /// - Parameter body: is given the job while the claim stands, and no job once it was lost.
    func settle(
        _ call: some BegunCall, _ result: String, _ job: Job, _ body: (Job?, Transaction) async throws -> Void
    ) async {
        var pause = Duration.milliseconds(100)
        var held: Job? = job
        while true {
            do {
                return try await database.transaction(call.app.tenant.scope) { try await body(held, $0) }
            } catch is ClaimLost {
                // The result is true all the same: whoever has the job now finds it.
                held = nil
            } catch {
                guard ContinuousClock.now + pause < call.permit.giveUp else {
                    return journal.error(
                        "the result of a call could not be recorded: it counts as unknown",
                        [
                            "tenant": .init(call.app.tenant.rawValue), call.name.kind: .init(call.name.id),
                            "result": .init(result), "error": .init(error),
                        ])
                }
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(2))
            }
        }
    }
}
