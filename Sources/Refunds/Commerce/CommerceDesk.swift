package import AppStore
import Crypto
package import FoundationEssentials
package import Journal
package import Postgres
package import Queue
package import Tenants
package import Time

/// Where commerce requests are made: by people and by the tenants' own servers.
package final class CommerceDesk: Sendable {
    let database: Database
    let apple: AppleSide
    let vault: Vault
    let tokens: AppTokens
    let bell: Bell
    let clock: WallClock
    let journal: Journal

    package init(
        database: Database, apple: AppleSide, vault: Vault, tokens: TokenCache, bell: Bell, clock: WallClock,
        journal: Journal
    ) {
        self.database = database
        self.apple = apple
        self.vault = vault
        self.tokens = AppTokens(vault: vault, cache: tokens, clock: clock)
        self.bell = bell
        self.clock = clock
        self.journal = journal
    }

    // MARK: asking

    /// Makes a request, once for each key.
    ///
    /// - Parameters:
    ///   - idempotencyKey: the caller's; the same key for the same intention gives the same request.
    ///   - acceptsWarnings: whoever asks has seen them.
    ///   - asDraft: written down and not handed in. What was a draft under this key is handed in when it is asked for
    ///     as a request, and so is what waits for an approval that today's limits do not ask for any more.
    /// - Returns: the request, and whether it is new.
    /// - Throws: `CommerceRefused`
    package func ask(
        _ intention: CommerceIntention, app: App, by actor: CommerceActor, idempotencyKey: String,
        acceptsWarnings: Bool = false, asDraft: Bool = false
    ) async throws -> (request: CommerceRequest, isNew: Bool) {
        guard actor.mayAsk else { throw CommerceRefused.forbidden("your role may look at requests and not make them") }
        guard Self.isKey(idempotencyKey) else {
            throw CommerceRefused.troubles([
                CommerceTrouble("Idempotency-Key", nil, "A key has 1 to 200 visible ASCII characters.")
            ])
        }
        let digest = intention.digest
        if let known = try await database.transaction(
            app.tenant.scope,
            { tx in
                try await known(idempotencyKey, digest, app, in: tx)
            })
        {
            guard !asDraft, known.state == .draft || known.state == .awaitingApproval else { return (known, false) }
            if known.state == .awaitingApproval {
                let waits = try await database.transaction(app.tenant.scope) { tx in
                    try await Self.stillNeedsApproval(known, app, in: tx)
                }
                if waits { return (known, false) }
            }
            let submitted = try await submit(
                known.id, of: app.tenant, by: actor, acceptsWarnings: acceptsWarnings)
            return (submitted, false)
        }
        let broken = CommerceRule.troubles(of: intention, against: nil, at: clock.now)
            .filter { $0.severity == .refused }
        guard broken.isEmpty else { throw CommerceRefused.troubles(broken) }
        // Apple is asked outside of any transaction of ours.
        _ = try await look(app: app, environment: intention.environment, transactionID: intention.transactionID)
        let made = try await database.transaction(app.tenant.scope) { tx in
            try await make(
                intention, digest, app, actor, idempotencyKey, acceptsWarnings: acceptsWarnings, asDraft: asDraft,
                in: tx)
        }
        if made.isNew { bell.ring() }
        return made
    }

    private func make(
        _ intention: CommerceIntention, _ digest: [UInt8], _ app: App, _ actor: CommerceActor, _ key: String,
        acceptsWarnings: Bool, asDraft: Bool, in tx: Transaction
    ) async throws -> (request: CommerceRequest, isNew: Bool) {
        let now = clock.now
        try await hold(app, intention.environment, intention.transactionID, in: tx)
        if let known = try await known(key, digest, app, in: tx) { return (known, false) }
        let unsent = try await tx.row(
            """
            select request_id
            from refunds.commerce_requests
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
              and environment = \(intention.environment.rawValue) and transaction_id = \(intention.transactionID)
              and state in ('draft', 'awaiting-approval', 'queued', 'sending')
            limit 1
            """)
        if let unsent { throw CommerceRefused.alreadyAsked(try unsent("request_id")) }
        let purchase = try await checked(intention, app, acceptsWarnings: acceptsWarnings, at: now, in: tx)
        let estimate = Self.estimate(intention, purchase)
        let currency = intention.currency ?? purchase.currency
        let needsApproval = try await needsApproval(
            Self.sum(estimate, Self.refundedBefore(intention, purchase)), currency, intention.kind, app, in: tx)
        let id = Random.uuid()
        let reference = Random.uuid()
        let isReady = !asDraft && !needsApproval
        let body = isReady ? intention.body(reference: reference) : nil
        let progress = CommerceProgress(
            kind: intention.kind, skus: intention.items.map(\.sku), isSubmitted: !asDraft,
            needsApproval: needsApproval)
        try await tx.execute(
            """
            insert into refunds.commerce_requests
              (tenant_id, request_id, app_id, environment, kind, transaction_id, original_transaction_id, product_id,
               request_reference_id, idempotency_key, asked_sha256, state, body, refund_reason, refund_type,
               refund_risking, currency, storefront, amount_estimate, note, asked_at, asked_by, asked_by_token,
               submitted_at, submitted_by, submitted_by_token, needs_approval, case_id, listed_at, changed_at)
            values (\(app.tenant.rawValue), \(id), \(app.id.rawValue), \(intention.environment.rawValue),
              \(intention.kind.rawValue), \(intention.transactionID), \(purchase.originalTransactionID),
              \(purchase.productID), \(reference), \(key), \(digest), \(progress.standing(at: now).state.rawValue),
              \(body), \(intention.refundReason?.rawValue), \(intention.refundType?.rawValue),
              \(intention.refundRiskingPreference), \(intention.currency), \(intention.storefront), \(estimate),
              \(intention.note), \(now), \(actor.person?.rawValue), \(actor.token), \(asDraft ? nil : now), \(asDraft ? nil : actor.person?.rawValue), \(asDraft ? nil : actor.token),
              \(needsApproval), \(purchase.caseID), \(now), \(now))
            """)
        for (index, item) in Self.items(intention, purchase).enumerated() {
            try await tx.execute(
                """
                insert into refunds.commerce_items
                  (tenant_id, request_id, item_no, sku, refund_reason, refund_type, refund_amount, revoke, price)
                values (\(app.tenant.rawValue), \(id), \(Int32(index + 1)), \(item.sku),
                  \(item.refundReason.rawValue), \(item.refundType.rawValue),
                  \(item.refundAmount.map { Int32(clamping: $0) }), \(item.revoke), \(purchase.item(item.sku)?.price))
                """)
        }
        if isReady {
            try await CommerceStore.enqueue(
                id, app: app.id, environment: intention.environment, tenant: app.tenant, at: now, in: tx)
        }
        try await audit(
            "commerce.asked", id, app.tenant, actor, at: now,
            [
                "kind": .text(intention.kind.rawValue), "environment": .text(intention.environment.rawValue),
                "transaction": .text(intention.transactionID), "reason": .text(Self.reasons(intention)),
                "amount": estimate.map { .number($0) } ?? .none, "needsApproval": .flag(needsApproval),
                "draft": .flag(asDraft), "note": .text(intention.note ?? ""),
                "warningsAccepted": .flag(acceptsWarnings),
            ], in: tx)
        return (try await request(id, of: app.tenant, in: tx), true)
    }

    /// Hands a draft in, or what waits for an approval that nobody has to give any more: the limit that asked for it
    /// was removed or raised. No change of a limit sends anything by itself.
    package func submit(
        _ request: UUID, of tenant: TenantID, by actor: CommerceActor, acceptsWarnings: Bool = false
    ) async throws -> CommerceRequest {
        guard actor.mayAsk else { throw CommerceRefused.forbidden("your role may look at requests and not make them") }
        return try await change(request, of: tenant, by: actor, "commerce.submitted") { locked, app, now, tx in
            let state = locked.progress.standing(at: now).state
            guard state == .draft || state == .awaitingApproval else {
                throw CommerceRefused.tooLate(locked.request.state)
            }
            let intention = locked.request.intention
            let purchase = try await self.checked(
                intention, app, acceptsWarnings: acceptsWarnings, except: request, at: now, in: tx)
            let needsApproval = Self.needsApproval(
                intention, of: purchase, limits: try await CommerceQueries.limits(of: app, in: tx))
            guard state == .draft || !needsApproval else {
                throw CommerceRefused.forbidden("the limit still asks for a second person's approval")
            }
            locked.progress.isSubmitted = true
            locked.progress.needsApproval = needsApproval
            try await tx.execute(
                """
                update refunds.commerce_requests
                set needs_approval = \(needsApproval), submitted_at = \(now), submitted_by = \(actor.person?.rawValue), submitted_by_token = \(actor.token)
                where tenant_id = \(tenant.rawValue) and request_id = \(request)
                """)
        }
    }

    /// A second person agrees.
    package func approve(_ request: UUID, of tenant: TenantID, by actor: CommerceActor) async throws -> CommerceRequest
    {
        guard actor.mayApprove, let person = actor.person else {
            throw CommerceRefused.forbidden("approvals are given by people, and your role gives none")
        }
        return try await change(request, of: tenant, by: actor, "commerce.approved") { locked, _, now, tx in
            guard locked.progress.standing(at: now).state == .awaitingApproval else {
                throw CommerceRefused.tooLate(locked.request.state)
            }
            guard locked.request.askedBy != person else {
                throw CommerceRefused.forbidden("who asked does not approve: a second person has to")
            }
            let own = try await tx.row(
                """
                select 1 as own
                from tenants.tokens
                where tenant_id = \(tenant.rawValue) and token_id = \(locked.request.askedByToken)
                  and created_by = \(person.rawValue)
                """)
            guard own == nil else {
                throw CommerceRefused.forbidden("the token that asked was made by you: a second person has to approve")
            }
            locked.progress.isApproved = true
            try await tx.execute(
                """
                update refunds.commerce_requests
                set approved_by = \(person.rawValue), approved_at = \(now)
                where tenant_id = \(tenant.rawValue) and request_id = \(request)
                """)
        }
    }

    /// Takes a request back of which Apple cannot know.
    package func cancel(_ request: UUID, of tenant: TenantID, by actor: CommerceActor) async throws -> CommerceRequest {
        guard actor.mayAsk else {
            throw CommerceRefused.forbidden("your role may look at requests and not take them back")
        }
        return try await change(request, of: tenant, by: actor, "commerce.cancelled") { locked, _, now, tx in
            guard locked.progress.mayCancel(at: now) else { throw CommerceRefused.tooLate(locked.request.state) }
            locked.progress.isCancelled = true
            try await tx.execute(
                """
                update refunds.commerce_requests
                set cancelled_by = \(actor.person?.rawValue), cancelled_at = \(now)
                where tenant_id = \(tenant.rawValue) and request_id = \(request)
                """)
        }
    }

    /// Changes a request under its lock, writes its new state, queues it where its turn may come, and leaves a trace.
    private func change(
        _ id: UUID, of tenant: TenantID, by actor: CommerceActor, _ action: String,
        _ body: (inout LockedCommerce, App, Moment, Transaction) async throws -> Void
    ) async throws -> CommerceRequest {
        let changed = try await database.transaction(tenant.scope) { tx in
            let now = clock.now
            guard var locked = try await CommerceStore.lock(id, tenant: tenant, in: tx),
                let app = try await TenantStore.app(of: tenant, id: locked.request.app, in: tx)
            else { throw CommerceRefused.noSuchRequest }
            try await body(&locked, app, now, tx)
            if locked.progress.standing(at: now).state == .queued, locked.request.body == nil {
                let body = locked.request.intention.body(reference: locked.request.requestReferenceID)
                try await tx.execute(
                    """
                    update refunds.commerce_requests
                    set body = \(body)
                    where tenant_id = \(tenant.rawValue) and request_id = \(id)
                    """)
                try await CommerceStore.enqueue(
                    id, app: app.id, environment: locked.request.environment, tenant: tenant, at: now, in: tx)
            }
            try await CommerceStore.save(locked, at: now, in: tx)
            try await audit(
                action, id, tenant, actor, at: now, ["transaction": .text(locked.request.transactionID)], in: tx)
            return try await request(id, of: tenant, in: tx)
        }
        bell.ring()
        return changed
    }

    // MARK: small things

    /// The rules, against what is known inside this transaction.
    private func checked(
        _ intention: CommerceIntention, _ app: App, acceptsWarnings: Bool, except own: UUID? = nil, at now: Moment,
        in tx: Transaction
    ) async throws -> CommercePurchase {
        guard
            var purchase = try await CommercePurchases.find(
                intention.transactionID, environment: intention.environment, app: app, in: tx)
        else { throw CommerceRefused.noSuchTransaction("there is no such transaction") }
        purchase.openRequests.removeAll { $0.id == own }
        let troubles = CommerceRule.troubles(of: intention, against: purchase, at: now)
        let isRefused = troubles.contains { $0.severity == .refused }
        guard !isRefused, acceptsWarnings || troubles.isEmpty else { throw CommerceRefused.troubles(troubles) }
        return purchase
    }

    /// The request of a key; nil where the key is new.
    private func known(
        _ key: String, _ digest: [UInt8], _ app: App, in tx: Transaction
    ) async throws -> CommerceRequest? {
        let row = try await tx.row(
            """
            select request_id, asked_sha256
            from refunds.commerce_requests
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue) and idempotency_key = \(key)
            """)
        guard let row else { return nil }
        let id: UUID = try row("request_id")
        guard try row("asked_sha256") == digest else { throw CommerceRefused.keyTaken(by: id) }
        return try await request(id, of: app.tenant, in: tx)
    }

    private func request(_ id: UUID, of tenant: TenantID, in tx: Transaction) async throws -> CommerceRequest {
        let found = try await CommerceStore.read(
            of: tenant, where: "r.request_id = \(id)", order: "r.request_id", limit: 1, in: tx
        ).first
        guard let found else { throw CommerceRefused.noSuchRequest }
        return found
    }

    /// Two who ask for the same purchase ask one after the other.
    private func hold(
        _ app: App, _ environment: AppEnvironment, _ transaction: String, in tx: Transaction
    ) async throws {
        _ = try await tx.row(
            AdvisoryLock.sql(
                "commerce \(app.id.rawValue) \(environment.rawValue) \(transaction)", exclusively: true))
    }

    private func needsApproval(
        _ estimate: Int64?, _ currency: String?, _ kind: CommerceKind, _ app: App, in tx: Transaction
    ) async throws -> Bool {
        return Self.needsApproval(
            estimate, currency, kind, limits: try await CommerceQueries.limits(of: app, in: tx))
    }

    /// Whether a second person has to agree before it is sent. Pure.
    package static func needsApproval(
        _ intention: CommerceIntention, of purchase: CommercePurchase, limits: [String: Int64]
    ) -> Bool {
        needsApproval(
            sum(estimate(intention, purchase), refundedBefore(intention, purchase)),
            intention.currency ?? purchase.currency, intention.kind, limits: limits)
    }

    /// Whether a request that waits for approval has to, by today's limits.
    static func stillNeedsApproval(_ request: CommerceRequest, _ app: App, in tx: Transaction) async throws -> Bool {
        guard
            let purchase = try await CommercePurchases.find(
                request.transactionID, environment: request.environment, app: app, in: tx)
        else { return true }
        return needsApproval(
            request.intention, of: purchase, limits: try await CommerceQueries.limits(of: app, in: tx))
    }

    /// What the customer got back for these items before: a limit is not kept by asking twice. Nil: unknown.
    private static func refundedBefore(_ intention: CommerceIntention, _ purchase: CommercePurchase) -> Int64? {
        guard intention.kind == .refund else { return 0 }
        var total: Int64? = 0
        for item in intention.items { total = sum(total, purchase.item(item.sku)?.refunded ?? 0) }
        return total
    }

    private static func sum(_ a: Int64?, _ b: Int64?) -> Int64? {
        guard let a, let b else { return nil }
        let (sum, isTooMuch) = a.addingReportingOverflow(b)
        return isTooMuch ? nil : sum
    }

    private static func needsApproval(
        _ estimate: Int64?, _ currency: String?, _ kind: CommerceKind, limits: [String: Int64]
    ) -> Bool {
        if kind == .cancel || limits.isEmpty { return false }
        // An amount or a currency that is not known may be any.
        guard let estimate, let currency else { return true }
        return limits[currency].map { estimate > $0 } ?? false
    }

    /// Milliunits; the most that the customer may get back. Nil: unknown.
    static func estimate(_ intention: CommerceIntention, _ purchase: CommercePurchase) -> Int64? {
        switch intention.kind {
        case .cancel: return 0
        case .revoke: return purchase.price
        case .refund:
            var sum: Int64 = 0
            for item in intention.items {
                let bought = purchase.item(item.sku)
                let amount = item.refundType == .custom ? item.refundAmount : bought?.price ?? purchase.price
                guard let amount else { return nil }
                let (new, isTooMuch) = sum.addingReportingOverflow(amount)
                if isTooMuch { return nil }
                sum = new
            }
            return sum
        }
    }

    /// What is asked for item by item. A revocation is about all that was bought.
    private static func items(_ intention: CommerceIntention, _ purchase: CommercePurchase) -> [CommerceItem] {
        guard intention.kind == .revoke else { return intention.items }
        var known: Set<String> = []
        return purchase.items.filter { known.insert($0.sku).inserted }.map { item in
            CommerceItem(
                sku: item.sku, refundReason: intention.refundReason ?? .other,
                refundType: intention.refundType ?? .full, refundAmount: nil, revoke: true)
        }
    }

    static func reasons(_ intention: CommerceIntention) -> String {
        var reasons = intention.items.map(\.refundReason.rawValue)
        if let reason = intention.refundReason { reasons.append(reason.rawValue) }
        return Set(reasons).sorted().joined(separator: " ")
    }

    func audit(
        _ action: String, _ request: UUID, _ tenant: TenantID, _ actor: CommerceActor, at now: Moment,
        _ detail: [String: AuditEntry.Value], in tx: Transaction
    ) async throws {
        try await Audit.write(
            AuditEntry(
                tenant: tenant, at: now, actor: actor.auditActor, address: actor.address, action: action,
                subject: "commerce request \(request.text)", detail: detail), in: tx)
    }

    private static func isKey(_ key: String) -> Bool {
        (1...200).contains(key.utf8.count) && key.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
