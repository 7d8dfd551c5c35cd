import AppStore
import FoundationEssentials
import Journal
import Postgres
import Queue
import Tenants
import Time

/// The second and the third step: the call itself, and what came of it.
extension ReplyJob {
    // MARK: send

    /// Hands the call to the network, if the permission still stands by our own clock.
    func perform(_ call: ReplyCall) async -> ReplyResult {
        switch await one.turn(of: call) {
        case .notSent(let why): ReplyResult(notSent: why)
        case .send(let token, _): ReplyResult(await send(call, token))
        }
    }

    // MARK: settle

    /// Records the result and what follows.
    func settle(_ call: ReplyCall, with result: ReplyResult, _ job: Job) async {
        if result.result == .credentials { tokens.forget(call.key, call.app) }
        counters.count(
            "replies_total", ["result": result.result.rawValue, "environment": call.environment.rawValue],
            of: call.app, help: "Calls of Send Consumption Information, by result.")
        await one.settle(call, result.result.rawValue, job) { job, tx in
            try await settle(call, result, job, in: tx)
        }
    }

    private func settle(_ call: ReplyCall, _ result: ReplyResult, _ job: Job?, in tx: Transaction) async throws {
        let now = clock.now
        let isSandbox = call.environment == .sandbox
        // The lock first: the attempt's row changes under it.
        try await CaseStore.hold(call.caseID, tenant: call.tenant, in: tx)
        var result = result
        if result.result == .credentials {
            let until = try await KeyStandings.refused(
                call.key.id, for: call.app.id, isSandbox: isSandbox, of: call.tenant, clockOffset: result.clockOffset,
                at: now, in: tx)
            // Where an older key signs meanwhile, this reply need not wait for the refused one.
            let next = try await vault.signingKey(of: call.tenant, for: call.app.id, isSandbox: isSandbox, in: tx)
            let hasOther = next.map { $0.id != call.key.id } ?? false
            result = result.waiting(until: hasOther ? now + .seconds(1) : until)
        } else if try await !KeyStandings.isProven(
            call.key.id, for: call.app.id, isSandbox: isSandbox, of: call.tenant, at: now, in: tx)
        {
            // A key that works is left alone: its row would otherwise make all replies of a tenant wait for each
            // other's commits.
            if result.showsKeyAccepted {
                try await KeyStandings.accepted(
                    call.key.id, for: call.app.id, isSandbox: isSandbox, of: call.tenant, at: now, in: tx)
            } else {
                try await KeyStandings.undecided(
                    call.key.id, for: call.app.id, isSandbox: isSandbox, of: call.tenant, in: tx)
            }
        }
        if let until = result.laneUntil {
            try await ReplyStore.holdLane(
                App.lane(call.app.id, isSandbox: isSandbox), for: max(.zero, until - now),
                why: "Apple asked for no more calls before \(until.iso8601)", tx: tx)
        }
        try await ReplyStore.end(call, with: result, retryAt: nil, tx: tx)
        if result.isTransactionUnknown {
            // Is the number wrong, or only the call? Not urgent: no bell, whoever looks next finds it.
            try await RefundJobs.addLookUp(
                transaction: call.transactionID, environment: call.environment, tenant: call.tenant, app: call.app.id,
                at: now, in: tx)
        }
        guard var locked = try await CaseStore.lock(call.caseID, tenant: call.tenant, in: tx) else {
            try await job?.done(in: tx)
            return
        }
        try await CaseStore.save(&locked, at: now, in: tx)
        tell(call, result, locked)
        guard let job else { return }
        let attempts = locked.round(call.round)?.attempts ?? []
        if locked.stored[call.round]?.state == .open,
            let next = ReplyPlan.next(
                after: result, attempts: attempts, window: call.window, at: now, random: .random(in: 0...1))
        {
            try await job.again(at: next, error: result.text, in: tx)
        } else {
            try await job.done(in: tx)
        }
    }

    private func tell(_ call: ReplyCall, _ result: ReplyResult, _ locked: LockedCase) {
        let text =
            switch result.result {
            case .accepted: "a reply was accepted"
            case .refused: "Apple refused a reply for good"
            case .credentials: "Apple refused the signing key: check key ID, issuer ID, key and bundle ID"
            case .retry, .unknown, .notSent: "a reply has to be sent again"
            }
        let fields: KeyValuePairs<String, JournalValue> = [
            "tenant": .init(call.tenant.rawValue), "case": .init(call.caseID.text),
            "attempt": .init(call.attempt), "result": .init(result.result.rawValue),
            "status": result.answer.map { .init($0.status) } ?? .none, "why": .init(result.text),
        ]
        result.result == .accepted ? journal.info(text, fields) : journal.warning(text, fields)
    }
}
