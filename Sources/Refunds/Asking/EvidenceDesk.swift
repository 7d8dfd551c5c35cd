import AppStore
import Crypto
import FoundationEssentials
package import HTTP
package import Journal
package import Postgres
package import Queue
package import Tenants
package import Time

/// Where people say how evidence comes: the server that is asked, how use is reckoned, files.
package final class EvidenceDesk: Sendable {
    private let database: Database
    private let vault: Vault
    private let reports: Reports
    private let http: HTTPClient
    private let bell: Bell
    private let clock: WallClock
    private let outbound: OutboundRules

    /// - Parameters:
    ///   - http: calls addresses that tenants chose: guarded.
    ///   - outbound: which addresses may be called for tenants.
    package init(
        database: Database, vault: Vault, reports: Reports, http: HTTPClient, bell: Bell, clock: WallClock,
        outbound: OutboundRules
    ) {
        self.database = database
        self.vault = vault
        self.reports = reports
        self.http = http
        self.bell = bell
        self.clock = clock
        self.outbound = outbound
    }

    package func model(of app: App) async throws -> EvidenceModel {
        try await database.transaction(app.tenant.scope, isolation: .readOnly) { tx in
            var model = EvidenceModel(app: app)
            model.models = try await ProductStore.all(of: app, in: tx).filter { $0.model != nil }
            let (tenant, id) = (app.tenant.rawValue, app.id.rawValue)
            let parts = try await tx.pipeline([
                """
                select failures, unanswered, last_success_at, last_error, last_error_at, paused_until
                from refunds.callback_standings
                where tenant_id = \(tenant) and app_id = \(id)
                """,
                """
                select count(*) as n
                from (
                  select from refunds.asks a
                  join refunds.cases c on c.tenant_id = a.tenant_id and c.case_id = a.case_id
                  where a.tenant_id = \(tenant) and a.state = 'waiting' and c.app_id = \(id)
                  limit 1000) x
                """,
            ])
            if let row = parts[0].first {
                let (failures, unanswered): (Int32, Int32) = (try row("failures"), try row("unanswered"))
                model.standing.failures = Int(failures)
                model.standing.unanswered = Int(unanswered)
                model.standing.lastSuccessAt = try row("last_success_at")
                model.standing.lastError = try row("last_error")
                model.standing.lastErrorAt = try row("last_error_at")
                model.standing.pausedUntil = try row("paused_until")
            }
            let waiting: Int64 = try parts[1].first?("n") ?? 0
            model.waiting = Int(waiting)
            return model
        }
    }

    // MARK: the callback

    /// Says whether the app's server is asked, and where.
    ///
    /// - Parameter isAsked: false: what stood before, or push, stays as the app's way.
    /// - Throws: `AppChangeError` naming the member.
    package func setCallback(
        _ url: String, isAsked: Bool, seen: AppChanges.Seen? = nil, of app: App, by who: Changer
    ) async throws {
        var changes = AppChanges()
        changes.seen = seen
        changes.callbackURL = url
        if isAsked {
            changes.evidence = .callback
        } else if app.evidence == .callback {
            changes.evidence = .push
        }
        let wanted = changes
        try await database.transaction(app.tenant.scope) { tx in
            try await TenantStore.change(
                app, wanted, with: vault, outbound: outbound, by: who.actor, address: who.address, at: clock.now, in: tx
            )
            // Another server, or none, has another story.
            if url != app.callbackURL { try await AskStore.forget(app, in: tx) }
        }
        bell.ring()
    }

    /// - Returns: the new secret, which is shown this once; nil where `app`'s own was replaced since it was read.
    /// - Throws: `VaultError.noMasterKey`.
    package func makeSecret(of app: App, by who: Changer) async throws -> Redacted<String>? {
        try await database.transaction(app.tenant.scope) { tx in
            // A form that is sent twice at once makes one.
            try await tx.execute(
                AdvisoryLock.sql("callback secret \(app.tenant.rawValue) \(app.id.rawValue)", exclusively: true))
            let now = try await TenantStore.app(of: app.tenant, id: app.id, in: tx)
            guard now?.callbackSecret == app.callbackSecret else { return nil }
            return try await TenantStore.makeCallbackSecret(
                of: app, with: vault, by: who.actor, address: who.address, at: clock.now, in: tx)
        }
    }

    /// Asks the app's server about a purchase that is nobody's, and keeps nothing of what it says. Audited.
    ///
    /// - Returns: nil where it cannot be asked: there is no address, or no secret.
    /// - Throws: `VaultError`.
    package func test(_ app: App, by who: Changer) async throws -> CallbackTrial? {
        guard let url = app.callbackURL, let text = try await vault.callbackSecret(of: app)?.reveal(),
            let secrets = WebhookSecret.list(text)
        else { return nil }
        let now = clock.now
        let question = CallbackQuestion(
            id: CallbackQuestion.id(of: Random.uuid(), tenant: app.tenant), bundleID: app.bundleID,
            environment: .production, transactionID: NobodysPurchase.transactionID,
            originalTransactionID: NobodysPurchase.transactionID, productID: "test",
            appAccountToken: NobodysPurchase.customer, reason: "OTHER", signedAt: now, deadline: now + .hours(12))
        let begun = ContinuousClock.now
        let outcome: CallbackOutcome
        do throws(HTTPClientError) {
            let request = question.request(to: url, secrets: AskJob.signing(secrets, app, at: now), at: now)
            outcome = CallbackOutcome(try await http.send(request), at: clock.now)
        } catch {
            outcome = CallbackOutcome(error)
        }
        let trial = CallbackTrial(outcome, took: ContinuousClock.now - begun)
        try await database.transaction(app.tenant.scope) { tx in
            if trial.isAnswered { try await AskStore.succeeded(app, at: clock.now, in: tx) }
            try await Audit.write(
                AuditEntry(
                    tenant: app.tenant, at: clock.now, actor: who.actor, address: who.address,
                    action: "callback.tested", subject: "\(app.id)", detail: ["result": .text(outcome.result)]), in: tx)
        }
        return trial
    }

    // MARK: models

    /// Says how the use of a product is reckoned; nil: not at all.
    ///
    /// - Throws: `AppChangeError` naming `productID`.
    package func setModel(_ model: ConsumptionModel?, of product: String, app: App, by who: Changer) async throws {
        try await database.transaction(app.tenant.scope) { tx in
            try await ProductStore.change(
                product, of: app, by: who.actor, address: who.address, at: clock.now, in: tx
            ) { $0.model = model }
        }
    }

    // MARK: files

    /// Takes a file of reports in, each row by itself: what is wrong with one harms no other. The same file again
    /// changes nothing. Audited.
    ///
    /// - Throws: `UnreadableFile`, and then nothing was stored.
    package func upload(_ bytes: ArraySlice<UInt8>, of app: App, by who: Changer) async throws -> FileUpload {
        let file = try UsageFile(bytes)
        var batch: [Reports.Usage] = []
        var places: [Int] = []
        var errors = [String?](repeating: nil, count: file.rows.count)
        for (index, row) in file.rows.enumerated() {
            switch row.reading {
            case .success(let usage):
                batch.append(usage)
                places.append(index)
            case .failure(let wrong): errors[index] = wrong.text
            }
        }
        for (place, refusal) in zip(places, try await reports.record(batch, app: app, at: clock.now)) {
            errors[place] = refusal.map { "\($0)" }
        }
        let upload = FileUpload(
            lines: zip(file.rows, errors).map { row, error in
                FileUpload.Line(number: row.line, subject: row.transactionID, error: error)
            })
        try await database.transaction(app.tenant.scope) { tx in
            try await Audit.write(
                AuditEntry(
                    tenant: app.tenant, at: clock.now, actor: who.actor, address: who.address,
                    action: "usage.uploaded", subject: "\(app.id)",
                    detail: [
                        "stored": .number(Int64(upload.stored)), "refused": .number(Int64(upload.refused.count)),
                    ]), in: tx)
        }
        return upload
    }
}
