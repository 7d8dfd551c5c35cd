import AppStore
import Postgres
import Tenants
import Time

/// Reads what is known of a purchase when a request about it is decided.
enum FactsReader {
    /// What was read, and under which policy it is decided.
    struct Known {
        var facts: PurchaseFacts
        let policy: PolicyVersion?
        /// A draft that runs beside.
        let shadow: Shadow?
    }

    /// What is known at this moment. Consent and use are locked against change until the transaction ends.
    static func read(
        _ transaction: StoredTransaction, _ locked: LockedCase, _ round: Round, _ app: App, at now: Moment,
        in tx: Transaction
    ) async throws -> Known {
        let payload = try transaction.payload()
        let reason = locked.value.facts.first { $0.id == round.id && $0.kind == .request }?.reason
        let boughtAt = [payload.originalPurchaseDate, payload.purchaseDate].compactMap { $0 }.min()
        let match = try await match(transaction, locked, in: tx)
        let customer = transaction.customer ?? match?.customer
        let keys = ConsentLedger.keys(
            customer: customer, original: transaction.original, transaction: transaction.id, app: app)
        // One round trip: each statement sees what was committed before it, so the locks come first.
        let locks =
            keys.map { $0.lock(exclusively: false) }
            + [UsageStore.lock(transaction.id, tenant: app.tenant, app: app.id, exclusively: false)]
            + (transaction.appTransaction.map {
                [Rescissions.lock($0, locked.environment, of: app.id, tenant: app.tenant, exclusively: false)]
            } ?? [])
        let reads: [SQL] = [
            ConsentLedger.changes(of: keys, app: app),
            ProductStore.lookUp(transaction.product, of: app),
            CommerceFacts.ownRequest(
                transaction: transaction, environment: locked.environment, app: app.id, tenant: app.tenant),
            PolicyStore.newest(of: app.id, tenant: app.tenant),
            earlier(transaction, customer, locked),
            spent(transaction, customer, locked),
            Rescissions.stopping(transaction.appTransaction, locked.environment, of: app),
            OverrideStore.find(customer, of: app.id, tenant: app.tenant),
            HoldOut.share(of: app.id, tenant: app.tenant),
            ShadowStore.running(of: app.id, tenant: app.tenant),
            AskStore.objection(round.id, locked),
        ]
        let found = try await tx.pipeline(
            locks + reads + UsageStore.newest(of: transaction.id, tenant: app.tenant, app: app.id))
        let parts = Array(found[locks.count...])
        var consent = try ConsentLedger.standing(
            parts[0], rescindedAt: try parts[6].first?("rescinded_at"), boughtAt: boughtAt,
            signedAt: round.window.signedAt, app: app)
        if consent.stands, let row = parts[10].first,
            let objection = ConsentObjection(rawValue: try row("objection"))
        {
            consent = consent.facing(
                objection, at: try row("ended_at"), try parts[0].map { try ConsentChange($0) })
        }
        let usage = try UsageStore.State(parts[reads.count...])
        let product = try parts[1].first.map { try ProductSetting(productID: transaction.product, $0) }
        var circumstances = circumstances(payload, transaction, environment: locked.environment)
        circumstances.timeLeft = round.window.deadline - now
        if let row = parts[4].first {
            let (requests, refunds): (Int64, Int64) = (try row("requests"), try row("refunds"))
            circumstances.earlierRequests = Int(requests)
            circumstances.earlierRefunds = Int(refunds)
        }
        circumstances.match = match
        if customer != nil {
            circumstances.spent = try Dictionary(
                parts[5].map { row in (try row("currency"), try row("spent")) }, uniquingKeysWith: +)
        }
        var facts = PurchaseFacts(
            type: payload.type, ownership: payload.inAppOwnershipType,
            isAdvancedCommerce: payload.advancedCommerceInfo != nil, appAccountToken: payload.appAccountToken,
            reason: reason.map(AppStore.Known.init), requestSignedAt: round.window.signedAt, consent: consent,
            delivery: usage.deliveryStatus,
            share: ShareModel.share(
                usage, by: product?.model, purchasedAt: payload.purchaseDate ?? payload.originalPurchaseDate, at: now),
            sampleContent: usage.sampleContentProvided
                ?? product?.sampleContent.map { Evidence($0, .productSetting) }
                ?? Evidence(app.sampleContent, .setting),
            unreportedDelivery: app.unreportedDelivery == .delivered ? .delivered : nil,
            isOwnRequest: !parts[2].isEmpty, circumstances: circumstances)
        facts.override = try parts[7].first.flatMap { try CustomerOverride($0) }.flatMap {
            $0.counts(at: now) ? $0 : nil
        }
        if let share: Int = try parts[8].first?("share"), share > 0 {
            facts.isHeldOut = HoldOut.takes(round.id, share: share)
        }
        return Known(
            facts: facts, policy: try parts[3].first.map { try PolicyVersion($0) },
            shadow: try parts[9].first.map { try Shadow($0) })
    }

    /// The customer of a purchase that names none; nil where it names one, and where nobody is named alone.
    private static func match(
        _ transaction: StoredTransaction, _ locked: LockedCase, in tx: Transaction
    ) async throws -> CustomerMatch? {
        guard transaction.customer == nil else { return nil }
        // Whoever names a customer holds it exclusively: what was decided without the name is found and decided anew.
        let purchase = ConsentLedger.Key(tenant: locked.tenant, app: locked.app, purchase: transaction.original)
        let found = try await tx.pipeline([
            purchase.lock(exclusively: false),
            CustomerMatch.candidates(of: transaction, locked.environment, app: locked.app, tenant: locked.tenant),
        ])
        return try CustomerMatch(found[1])
    }

    /// What the signed transaction alone says.
    static func circumstances(
        _ payload: TransactionPayload, _ transaction: StoredTransaction, environment: Environment
    ) -> PurchaseFacts.Circumstances {
        PurchaseFacts.Circumstances(
            product: transaction.product.isEmpty ? nil : transaction.product, price: transaction.price,
            currency: transaction.currency, storefront: payload.storefront, environment: environment,
            purchasedAt: payload.purchaseDate, expiresAt: payload.expiresDate, offer: payload.offerType,
            isFreeTrial: payload.offerDiscountType == "FREE_TRIAL", isCustomerKnown: transaction.customer != nil)
    }

    /// Other cases of the same customer; without the app's word for one, of the same subscription.
    private static func earlier(
        _ transaction: StoredTransaction, _ customer: String?, _ locked: LockedCase
    ) -> SQL {
        let whose: SQL =
            customer.map { "customer = \($0)" as SQL } ?? "original_transaction_id = \(transaction.original)"
        return """
            select count(*) filter (where deadline is not null) as requests,
              count(*) filter (where outcome = 'refunded') as refunds
            from (
              select deadline, outcome
              from refunds.cases
              where tenant_id = \(locked.tenant.rawValue) and app_id = \(locked.app.rawValue) and \(whose)
                and environment = \(locked.environment.rawValue) and case_id <> \(locked.id)
              order by listed_at desc
              limit 1000) c
            """
    }

    private static func spent(
        _ transaction: StoredTransaction, _ customer: String?, _ locked: LockedCase
    ) -> SQL {
        """
        select currency, sum(price)::int8 as spent
        from (
          select currency, price
          from refunds.transactions
          where tenant_id = \(locked.tenant.rawValue) and app_id = \(locked.app.rawValue)
            and customer = \(customer ?? "") and environment = \(locked.environment.rawValue)
            and transaction_id <> \(transaction.id)
          order by purchased_at desc
          limit 1000) t
        where currency is not null and price is not null
        group by currency
        order by currency
        limit 20
        """
    }
}
