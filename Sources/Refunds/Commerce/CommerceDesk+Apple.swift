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
        let question = AppleQuestion(vault: vault, tokens: tokens, clock: clock)
        let isSandbox = environment == .sandbox
        let (key, token) = try await leave(app, lane: App.lane(app.id, isSandbox: isSandbox))
        let answer = await apple.api(for: app).transactionInfo(
            transactionID: id, environment: Environment(environment), token: token)
        let now = clock.now
        switch answer {
        case .failed(let result):
            let isWork = try await database.transaction(app.tenant.scope) { tx in
                try await question.learn(from: result, key, app, isSandbox: isSandbox, in: tx)
            }
            if isWork { bell.ring() }
            if case .refused(let answer) = result {
                throw CommerceRefused.noSuchTransaction("Apple says: \(answer.text)")
            }
            throw CommerceRefused.notNow("Apple could not be asked about the transaction: \(result.text)")
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
                _ = try await question.learn(from: nil, key, app, isSandbox: isSandbox, in: tx)
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

    /// Makes one harmless call: a cancellation of a transaction that cannot exist. Apple's 404 shows that the door
    /// is open; then a stopped queue goes on, because somebody has looked.
    package func checkAddendum(
        app: App, environment: AppEnvironment, by actor: CommerceActor
    ) async throws -> CommerceAccess {
        guard actor.mayAsk, actor.person != nil else {
            throw CommerceRefused.forbidden("your role may not make calls to Apple")
        }
        let isSandbox = environment == .sandbox
        let (key, token) = try await leave(app, lane: Lane.commerce(app: app.id.rawValue, isSandbox: isSandbox))
        let outcome = await apple.commerce(for: app).send(
            .cancel, transactionID: Self.impossibleTransaction, environment: Environment(environment),
            body: CommerceStore.body(
                of: CommerceIntention(
                    kind: .cancel, environment: environment, transactionID: Self.impossibleTransaction),
                reference: UUID()), token: token)
        if case .credentials = outcome.result { tokens.forget(key, app) }
        let access = try await database.transaction(app.tenant.scope) { tx -> CommerceAccess in
            let now = clock.now
            try await CommerceAccessStore.ensure(
                app: app.id, environment: environment, tenant: app.tenant, at: now, in: tx)
            switch outcome.result {
            case .accepted, .refused:
                try await CommerceAccessStore.wentThrough(
                    app: app.id, environment: environment, tenant: app.tenant, at: now, in: tx)
                try await CommerceAccessStore.release(
                    app: app.id, environment: environment, tenant: app.tenant, at: now, in: tx)
            case .doubted(let answer):
                try await CommerceAccessStore.doubted(
                    answer, body: outcome.body, call: .cancel, request: nil, app: app.id, environment: environment,
                    tenant: app.tenant, at: now, in: tx)
            case .retry, .rateLimited, .credentials, .unknown, .notSent: break
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
        switch outcome.result {
        case .accepted, .refused, .doubted: return access
        case .retry, .rateLimited, .credentials, .unknown, .notSent:
            throw CommerceRefused.notNow("the call did not tell: \(outcome.result.text)")
        }
    }

    /// A key, a token and a permit of a lane; waits for the permit.
    private func leave(_ app: App, lane: Int64) async throws -> (SigningKeyInfo, Redacted<String>) {
        let taken = try await database.transaction(app.tenant.scope) { tx -> (SigningKeyInfo, Duration?)? in
            guard
                let key = try await vault.signingKey(
                    of: app.tenant, for: app.id, isSandbox: Lane.isSandbox(lane), in: tx)
            else { return nil }
            return (key, try await Lane.takePermit(lane, in: tx))
        }
        guard let (key, wait) = taken else {
            throw CommerceRefused.notNow("no signing key serves this app: add one first")
        }
        guard let wait else { throw CommerceRefused.notNow("Apple's rate limit is used up just now: try again soon") }
        if tokens.kept(key, app) == nil {
            do { try await tokens.make(key, app) } catch let error as VaultError {
                throw CommerceRefused.notNow("\(error)")
            }
        }
        guard let token = tokens.kept(key, app) else { throw CommerceRefused.notNow("no token could be made") }
        if wait > .zero { try await Task.sleep(for: wait) }
        return (key, token)
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
