import AppStore
import Crypto
import FoundationEssentials
import Journal
import Postgres
import Queue
import Tenants
import Time

/// The third step: what came of the call, recorded, and what follows.
extension CommerceJob {
    /// What Apple signed in its answer, verified.
    struct Signed: Sendable {
        var transaction: TransactionPayload?
        var transactionText: String?
        var renewal: RenewalPayload?
    }

    /// Records the result and what follows.
    func settle(_ call: Call, with ending: Ending, _ job: Job) async {
        let end = Ended(ending)
        if end.result == .credentials { tokens.forget(call.key, call.app) }
        let signed = await believe(ending, call)
        await one.settle(call, end.result.rawValue, job) { job, tx in
            try await settle(call, end, signed, job, in: tx)
        }
    }

    /// Verifies what the answer holds. What cannot be believed is left out: Apple took the request all the same.
    private func believe(_ ending: Ending, _ call: Call) async -> Signed {
        var signed = Signed()
        guard case .outcome(let outcome) = ending,
            case .accepted(_, let transaction, let renewal) = outcome.result
        else { return signed }
        do {
            signed.transaction = try await verify(transaction: transaction, call)
            signed.transactionText = transaction
            if let renewal {
                signed.renewal = try await apple.verifier(for: call.app).renewal(
                    renewal, environment: call.environment,
                    originalTransactionID: signed.transaction?.originalTransactionId, signedAt: clock.now)
            }
        } catch {
            journal.warning(
                "Apple took a commerce request, and what it signed in its answer is not believed",
                [
                    "tenant": .init(call.tenant.rawValue), "request": .init(call.request.id.text),
                    "error": .init(error),
                ])
        }
        return signed
    }

    private func verify(transaction text: String?, _ call: Call) async throws -> TransactionPayload {
        guard let text else { throw JWSError(.transactionMismatch, "the answer holds no signedTransactionInfo") }
        let payload = try await apple.verifier(for: call.app).transaction(
            text, bundleID: call.app.bundleID, environment: call.environment, from: .lookup, signedAt: clock.now)
        let isSame =
            call.request.kind == .refund
            ? payload.transactionId == call.request.transactionID
            : payload.originalTransactionId == call.request.originalTransactionID
        guard isSame, let id = payload.transactionId, Text.isKept(id, bytesMax: 64), !id.isEmpty else {
            throw JWSError(.transactionMismatch, "Apple answered with another transaction than was asked about")
        }
        return payload
    }

    private func settle(_ call: Call, _ end: Ended, _ signed: Signed, _ job: Job?, in tx: Transaction) async throws {
        let now = clock.now
        let (tenant, app, request) = (call.tenant, call.app.id, call.request)
        // Transaction, case, request: everybody locks them in this order.
        try await take(signed, call, at: now, in: tx)
        let (found, known) = try await CommerceStore.lock(
            [request.id], tenant: tenant,
            also: [
                KeyStandings.proven(call.key.id, for: app, isSandbox: call.isSandbox, of: tenant, at: now),
                CommerceAccessStore.known(app: app, environment: request.environment, tenant: tenant, at: now),
            ] + (job.map { [Job.held([$0])] } ?? []), in: tx)
        if let job, known[2].isEmpty { throw ClaimLost(job: job.id) }
        guard var locked = found[request.id] else {
            try await job?.done(in: tx)
            return
        }
        let isProven: Bool = try known[0].first?("is_proven") ?? false
        let isKnown: Bool = try known[1].first?("is_known") ?? false
        var retryAt = end.notBefore
        if end.result == .credentials {
            retryAt = try await KeyStandings.refused(
                call.key.id, for: app, isSandbox: call.isSandbox, of: tenant, clockOffset: end.clockOffset, at: now,
                in: tx)
        } else if end.showsKeyAccepted {
            // Nothing is written, nor locked, by every call while all is well.
            if !isProven {
                try await KeyStandings.accepted(
                    call.key.id, for: app, isSandbox: call.isSandbox, of: tenant, at: now, in: tx)
            }
        } else {
            try await KeyStandings.undecided(
                call.key.id, for: app, isSandbox: call.isSandbox, of: tenant, in: tx)
        }
        if let until = end.laneUntil {
            let why = "Apple asked for no more calls before \(until.iso8601)"
            try await ReplyStore.holdLane(call.lane, for: max(.zero, until - now), why: why, tx: tx)
            try await Lane.rest(call.lane, until: until, why: why, in: tx)
        }
        if end.showsOpenDoor {
            if !isKnown {
                try await CommerceAccessStore.wentThrough(
                    app: app, environment: request.environment, tenant: tenant, at: now, in: tx)
            }
        } else if end.result == .doubted, let answer = end.answer {
            try await CommerceAccessStore.doubted(
                answer, body: end.body, call: request.kind, request: request.id, app: app,
                environment: request.environment, tenant: tenant, at: now, in: tx)
        }
        var statements: [SQL] = []
        if let ending = CommerceStore.end(
            call.attempt, of: &locked, with: end.result, answer: end.answer, error: end.error, retryAt: retryAt, at: now
        ) {
            statements.append(ending)
        }
        statements += plan(&locked, end, at: now)
        statements += CommerceStore.saving(locked, answer: end.answer.map { ($0, end.body) }, at: now)
        let standing = locked.progress.standing(at: now)
        guard let job else {
            try await tx.finish(with: statements)
            return tell(call, end, standing.state)
        }
        if standing.state == .queued {
            _ = try await tx.pipeline(statements)
            try await job.again(at: next(after: end, retryAt, locked.progress, at: now), error: end.text, in: tx)
        } else {
            try await tx.finish(with: statements + [job.end])
        }
        tell(call, end, standing.state)
    }

    private func take(_ signed: Signed, _ call: Call, at now: Moment, in tx: Transaction) async throws {
        guard let payload = signed.transaction, let id = payload.transactionId else { return }
        let (tenant, app, environment) = (call.tenant, call.app.id, call.environment)
        let signedAt = payload.signedDate ?? now
        let newest = try await TransactionStore.take(
            payload, id: id, environment: environment, app: app, tenant: tenant, signedAt: signedAt, in: tx)
        if let renewal = signed.renewal {
            try await CommerceStore.take(
                renewal, original: newest.original, environment: environment, app: app, tenant: tenant,
                signedAt: signedAt, in: tx)
        }
        try await CommerceStore.count(
            sold: payload, id: id, environment: environment, app: app, tenant: tenant, in: tx)
        guard
            var locked = try await CaseStore.lock(
                transaction: id, app: app, environment: environment, tenant: tenant, in: tx),
            let text = signed.transactionText
        else { return }
        let fact = CaseFact(id: LookUpJob.id(of: text), kind: .seen, signedAt: signedAt, source: .transaction)
        try await CaseStore.add(fact, revocation: Revocation(payload), to: &locked, at: now, in: tx)
        try await CaseStore.save(&locked, transaction: newest, at: now, in: tx)
    }

    /// Until when it is tried again, and the case whose own request stands in the way.
    private func plan(_ locked: inout LockedCommerce, _ end: Ended, at now: Moment) -> [SQL] {
        let request = locked.request
        let mine: SQL = "tenant_id = \(request.tenant.rawValue) and request_id = \(request.id)"
        switch end.result {
        case .retry, .unknown:
            guard end.laneUntil == nil, locked.progress.giveUpAt == nil else { return [] }
            locked.progress.giveUpAt = now + Self.patience
            return ["update refunds.commerce_requests set give_up_at = \(now + Self.patience) where \(mine)"]
        case .doubted:
            // The time that it waits for somebody to look is not the call's.
            locked.progress.giveUpAt = nil
            return ["update refunds.commerce_requests set give_up_at = null where \(mine)"]
        case .refused where end.answer?.advancedCommerceError == .pendingRefund:
            return [
                """
                update refunds.commerce_requests r
                set case_id = c.case_id
                from refunds.cases c
                where r.tenant_id = \(request.tenant.rawValue) and r.request_id = \(request.id)
                  and c.tenant_id = r.tenant_id and c.app_id = r.app_id and c.environment = r.environment
                  and c.transaction_id = r.transaction_id and r.case_id is null
                """
            ]
        case .accepted, .refused, .credentials, .notSent: return []
        }
    }

    private func next(
        after end: Ended, _ retryAt: Moment?, _ progress: CommerceProgress, at now: Moment
    ) -> Moment {
        switch end.result {
        // The lane is stopped; when it is released this one is the first again.
        case .doubted, .accepted, .refused: return now
        case .notSent: return now + .seconds(1)
        case .credentials: return retryAt ?? now + .minutes(1)
        case .retry, .unknown:
            if let until = end.laneUntil { return until }
            let failures = progress.attempts.filter { $0.result == .unknown || $0.result == .retry }.count
            return max(
                retryAt ?? now, now + RetryPolicy.delay(attempt: max(1, failures), ceiling: .minutes(5)))
        }
    }

    private func tell(_ call: Call, _ end: Ended, _ state: CommerceRequestState) {
        counters.add(
            "commerce_calls_total", 1,
            [
                "kind": call.request.kind.rawValue, "environment": call.request.environment.rawValue,
                "result": end.result.rawValue,
            ], help: "Calls of the Advanced Commerce API, by result.")
        let text =
            switch end.result {
            case .accepted: "Apple took a commerce request"
            case .refused: "Apple refused a commerce request"
            case .doubted: "Apple refused a commerce request in a way that no table explains: the queue is stopped"
            case .credentials: "Apple refused the signing key: check key ID, issuer ID, key and bundle ID"
            case .retry, .unknown, .notSent: "a commerce request has to be sent again"
            }
        let fields: KeyValuePairs<String, JournalValue> = [
            "tenant": .init(call.tenant.rawValue), "request": .init(call.request.id.text),
            "attempt": .init(call.attempt), "result": .init(end.result.rawValue), "state": .init(state.rawValue),
            "why": .init(end.text),
        ]
        switch end.result {
        case .accepted: journal.info(text, fields)
        case .doubted: journal.error(text, fields)
        case .refused, .credentials, .retry, .unknown, .notSent: journal.warning(text, fields)
        }
    }
}

/// The end of one call, as it is stored and as it decides what follows. Pure.
struct Ended: Sendable {
    let result: CommerceAttempt.Result
    var answer: AppleAnswer?
    var body: [UInt8] = []
    /// In our words, where there was no answer.
    var error: String?
    var notBefore: Moment?
    /// For a 429: the whole lane waits.
    var laneUntil: Moment?
    var clockOffset: Duration?
    private(set) var showsOpenDoor = false
    private(set) var showsKeyAccepted = false
    let text: String

    init(_ ending: CommerceJob.Ending) {
        switch ending {
        case .notSent(let why):
            result = .notSent
            error = why
            text = why
        case .outcome(let outcome):
            answer = outcome.result.answer
            body = outcome.body
            text = outcome.result.text
            showsOpenDoor = outcome.result.showsOpenDoor
            showsKeyAccepted = outcome.result.showsKeyAccepted
            switch outcome.result {
            case .accepted: result = .accepted
            case .refused: result = .refused
            case .doubted: result = .doubted
            case .retry(_, let moment):
                result = .retry
                notBefore = moment
            case .rateLimited(_, let until):
                result = .retry
                laneUntil = until
            case .credentials(_, let offset):
                result = .credentials
                clockOffset = offset
            case .unknown:
                result = .unknown
                error = text
            case .notSent:
                // It certainly did not reach Apple: passing trouble of the way there.
                result = .retry
                error = text
            }
        }
    }
}
