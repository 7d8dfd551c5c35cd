import AppStore
import FoundationEssentials
import Journal
import Postgres
import Queue
package import Tenants
import Time

/// What the desk asks Apple itself while somebody waits: a purchase that we do not hold, and whether the door is open.
extension CommerceDesk {
    /// A transaction that cannot exist: Apple's have 15 digits and more.
    static let impossibleTransaction = "1"

    /// What is known of a purchase: ours, else Apple's word.
    ///
    /// - Throws: `CommerceRefused.noSuchTransaction`, `.notNow`.
    package func look(
        app: App, environment: AppEnvironment, transactionID id: String
    ) async throws -> CommercePurchase {
        let known = try await database.transaction(app.tenant.scope) { tx in
            try await CommercePurchases.find(id, environment: environment, app: app, in: tx)
        }
        if let known { return known }
        guard (1...20).contains(id.utf8.count), id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw CommerceRefused.noSuchTransaction("a transaction ID is 1 to 20 digits")
        }
        var answer = try await askAbout(id, of: app, environment)
        if case .failed(.retry(_, notBefore: nil)) = answer {
            // Somebody waits, and looking changes nothing: what failed for a moment is asked once more.
            try await Task.sleep(for: .milliseconds(500))
            answer = try await askAbout(id, of: app, environment)
        }
        let now = clock.now
        switch answer {
        case .failed(let result):
            throw Self.refused(result)
        case .found(let text):
            let payload: TransactionPayload
            do throws(JWSError) {
                payload = try await apple.verifier(for: app).transaction(
                    text, bundleID: app.bundleID, environment: Environment(environment), from: .lookup, signedAt: now)
            } catch {
                throw CommerceRefused.notNow("what Apple signed could not be believed: \(error.text)")
            }
            guard payload.transactionId == id else {
                throw CommerceRefused.notNow("Apple answered with another transaction than was asked for")
            }
            let found = try await database.transaction(app.tenant.scope) { tx in
                _ = try await TransactionStore.take(
                    payload, id: id, environment: Environment(environment), app: app.id, tenant: app.tenant,
                    signedAt: payload.signedDate ?? now, in: tx)
                try await CommerceStore.count(
                    sold: payload, id: id, environment: Environment(environment), app: app.id, tenant: app.tenant,
                    in: tx)
                return try await CommercePurchases.find(id, environment: environment, app: app, in: tx)
            }
            guard let found else { throw CommerceRefused.noSuchTransaction("there is no such transaction") }
            return found
        }
    }

    private func askAbout(_ id: String, of app: App, _ environment: AppEnvironment) async throws -> LookUpResult {
        let lane = App.lane(app.id, isSandbox: environment == .sandbox)
        let (key, token) = try await leave(app, lane: lane)
        let answer = await apple.api(for: app).transactionInfo(
            transactionID: id, environment: Environment(environment), token: token)
        let isWork = try await database.transaction(app.tenant.scope) { tx in
            try await learn(from: answer.failure, key, app, lane: lane, in: tx)
        }
        if isWork { bell.ring() }
        return answer
    }

    static func refused(_ result: CallResult) -> CommerceRefused {
        switch result {
        case .refused(let answer): .noSuchTransaction("Apple says: \(answer.text)")
        case .credentials: .notNow("Apple does not accept the app's signing key: try it on the app's set-up page")
        case .rateLimited: .notNow("Apple asked for fewer calls just now: try again soon")
        case .accepted, .retry, .unknown, .notSent:
            .notNow("Apple could not be asked: \(result.text)")
        }
    }

    /// Makes one harmless call: a cancellation of a transaction that cannot exist. Where Apple says that it does not,
    /// the door is open, and a stopped queue goes on, because somebody has looked.
    ///
    /// - Throws: `CommerceRefused.notNow` where the answer does not tell: the access stays as it was.
    package func checkAddendum(
        app: App, environment: AppEnvironment, by actor: CommerceActor
    ) async throws -> CommerceAccess {
        guard actor.mayAsk, actor.person != nil else {
            throw CommerceRefused.forbidden("your role may not make calls to Apple")
        }
        let lane = Lane.commerce(app: app.id.rawValue, isSandbox: environment == .sandbox)
        let (key, token) = try await leave(app, lane: lane)
        let outcome = await apple.commerce(for: app).send(
            .cancel, transactionID: Self.impossibleTransaction, environment: Environment(environment),
            body: CommerceIntention(
                kind: .cancel, environment: environment, transactionID: Self.impossibleTransaction
            ).body(reference: UUID()), token: token)
        let access = try await database.transaction(app.tenant.scope) { tx -> CommerceAccess in
            let now = clock.now
            _ = try await learn(from: outcome.result.asLesson, key, app, lane: lane, in: tx)
            try await CommerceAccessStore.ensure(
                app: app.id, environment: environment, tenant: app.tenant, at: now, in: tx)
            if outcome.result.showsOpenDoor {
                try await CommerceAccessStore.wentThrough(
                    app: app.id, environment: environment, tenant: app.tenant, at: now, in: tx)
                try await CommerceAccessStore.release(
                    app: app.id, environment: environment, tenant: app.tenant, at: now, in: tx)
            } else if case .doubted(let answer) = outcome.result {
                try await CommerceAccessStore.doubted(
                    answer, body: outcome.body, call: .cancel, request: nil, app: app.id, environment: environment,
                    tenant: app.tenant, at: now, in: tx)
            }
            try await tx.execute(
                """
                update refunds.commerce_access
                set checked_at = \(now), changed_at = \(now)
                where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
                  and environment = \(environment.rawValue)
                """)
            try await auditAccess(
                "commerce.checked", app, environment, actor, at: now, ["result": .text(outcome.result.label)], in: tx)
            return try await CommerceAccessStore.read(of: app, environment: environment, in: tx)
        }
        bell.ring()
        if outcome.result.showsOpenDoor { return access }
        if case .doubted = outcome.result { return access }
        throw CommerceRefused.notNow("the call did not tell: \(outcome.result.text)")
    }

    // MARK: leave, and what an answer teaches

    private enum Leave: Sendable {
        case granted(SigningKeyInfo, after: Duration)
        case needsToken(SigningKeyInfo)
        /// Somebody is just finding out whether Apple takes the key.
        case trial(until: Moment)
    }

    /// How long whoever waits for an answer is kept waiting for somebody else's trial of the key.
    private static let trialPatience: Duration = .seconds(5)

    /// A key that may be used now, a token and a permit of a lane; waits for the permit. `learn` must follow.
    func leave(_ app: App, lane: Int64) async throws -> (SigningKeyInfo, Redacted<String>) {
        let patience = ContinuousClock.now + Self.trialPatience
        while true {
            switch try await askLeave(app, lane: lane) {
            case .granted(let key, let wait):
                if wait > .zero { try await Task.sleep(for: wait) }
                if let token = tokens.kept(key, app) { return (key, token) }
                throw CommerceRefused.notNow("the token ended before the call: try again")
            case .needsToken(let key):
                do { try await tokens.make(key, app) } catch let error as VaultError {
                    throw CommerceRefused.notNow("\(error)")
                }
            case .trial(let until):
                guard ContinuousClock.now < patience else {
                    throw CommerceRefused.notNow("the signing key is being tried: try again soon")
                }
                try await Task.sleep(for: min(.milliseconds(250), max(.milliseconds(50), until - clock.now)))
            }
        }
    }

    private func askLeave(_ app: App, lane: Int64) async throws -> Leave {
        let isSandbox = Lane.isSandbox(lane)
        return try await database.transaction(app.tenant.scope) { tx in
            let now = clock.now
            guard let key = try await vault.signingKey(of: app.tenant, for: app.id, isSandbox: isSandbox, in: tx)
            else { throw CommerceRefused.notNow("no signing key serves this app: add one first") }
            guard tokens.isReady(key, app) else { return .needsToken(key) }
            let gate = try await KeyStandings.enter(
                key.id, for: app.id, isSandbox: isSandbox, of: app.tenant, at: now, in: tx)
            switch gate {
            case .open: break
            case .closed(let until) where until <= now + .seconds(1): return .trial(until: until)
            case .closed(let until):
                throw CommerceRefused.notNow(
                    "Apple refused the signing key \(key.keyID): it is not tried again before \(until.iso8601)")
            }
            guard let wait = try await Lane.takePermit(lane, ahead: Lane.patience, in: tx) else {
                throw CommerceRefused.notNow("Apple's rate limit is used up just now: try again soon")
            }
            return .granted(key, after: wait)
        }
    }

    /// Draws the lesson for the key and the lane.
    ///
    /// - Parameter failure: nil where Apple answered about the call itself.
    /// - Returns: whether jobs became ready: ring the bell after the commit.
    func learn(
        from failure: CallResult?, _ key: SigningKeyInfo, _ app: App, lane: Int64, in tx: Transaction
    ) async throws -> Bool {
        let isSandbox = Lane.isSandbox(lane)
        switch failure {
        case .rateLimited(_, let until):
            try await KeyStandings.undecided(
                key.id, for: app.id, isSandbox: isSandbox, of: app.tenant, in: tx)
            try await ReplyStore.holdLane(
                lane, for: max(.zero, until - clock.now),
                why: "Apple asked for no more calls before \(until.iso8601)", tx: tx)
            return false
        case .retry, .unknown, .notSent:
            try await KeyStandings.undecided(
                key.id, for: app.id, isSandbox: isSandbox, of: app.tenant, in: tx)
            return false
        case nil, .accepted, .refused, .credentials:
            return try await AppleQuestion(vault: vault, tokens: tokens, clock: clock)
                .learn(from: failure, key, app, isSandbox: isSandbox, in: tx)
        }
    }

    func auditAccess(
        _ action: String, _ app: App, _ environment: AppEnvironment?, _ actor: CommerceActor, at now: Moment,
        _ detail: [String: AuditEntry.Value], in tx: Transaction
    ) async throws {
        var detail = detail
        if let environment { detail["environment"] = .text(environment.rawValue) }
        try await Audit.write(
            AuditEntry(
                tenant: app.tenant, at: now, actor: actor.auditActor, address: actor.address, action: action,
                subject: "app \(app.id.rawValue)", detail: detail), in: tx)
    }
}

extension LookUpResult {
    fileprivate var failure: CallResult? {
        if case .failed(let result) = self { result } else { nil }
    }
}

extension AdvancedCommerceResult {
    /// What the answer teaches about key and lane, as an answer of the other API would; nil: that the key is taken.
    fileprivate var asLesson: CallResult? {
        switch self {
        case .accepted, .refused: nil
        case .doubted(let answer): showsKeyAccepted ? nil : .retry(answer, notBefore: nil)
        case .retry(let answer, let moment): .retry(answer, notBefore: moment)
        case .rateLimited(let answer, let until): .rateLimited(answer, until: until)
        case .credentials(let answer, let offset): .credentials(answer, clockOffset: offset)
        case .unknown(let error): .unknown(error)
        case .notSent(let error): .notSent(error)
        }
    }
}
