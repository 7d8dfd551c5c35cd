import AppStore
import Crypto
import FoundationEssentials
import Journal
import Postgres
import Queue
import Tenants
import Time

/// Reads a stored notification: the inner signed texts are verified, and what they say becomes facts of a
/// case, the newest form of a transaction, and work.
///
/// What contradicts itself is set aside in the quarantine and never acted on.
struct NotificationJob: Sendable {
    let apple: AppleSide
    let database: Database
    let directory: InboxDirectory
    let headers: SignatureHeaders
    let bell: Bell
    let clock: WallClock
    let journal: Journal
    let counters: Counters

    struct Subject: Codable, Sendable {
        let app: Int64
        let notification: UUID
    }

    /// The longest wait of a reply for Apple's own records of its customer.
    private static let pastWait: Duration = .seconds(20)

    /// The inner texts, believed.
    struct Inner: Sendable {
        var transaction: TransactionPayload?
        var transactionID: String?
        var renewal: RenewalPayload?
        /// Under which everything was bought that consent is withdrawn for.
        var appTransactionID: String?
    }

    func run(_ job: Job) async throws {
        try await RefundJobs.persist(job, on: database, clock: clock, journal: journal, ceiling: .minutes(1)) {
            try await read(job)
        }
    }

    private func read(_ job: Job) async throws {
        let subject = try JSONDecoder().decode(Subject.self, from: Data(job.subject.utf8))
        let tenant = TenantID(rawValue: job.tenant)
        let app = AppID(rawValue: subject.app)
        guard
            let stored = try await NotificationStore.read(
                subject.notification, app: app, tenant: tenant, database: database),
            stored.standing == .stored, let settings = try await directory.app(tenant: tenant, id: app)
        else {
            // Done before, forgotten by retention, or the app is gone.
            return try await database.transaction(tenant.scope) { try await job.done(in: $0) }
        }
        let text = try await headers.text(of: stored.form)
        let payload: NotificationPayload
        let inner: Inner
        do throws(JWSError) {
            payload = try Self.payload(text)
            inner = try await verify(payload, of: settings, environment: stored.environment, signedAt: stored.signedAt)
        } catch {
            // Not the notification's fault: the job is tried again.
            if error.isOurTrouble { throw error }
            return try await setAside(stored, settings, because: error, text: text, job: job)
        }
        let isMoreWork = try await database.transaction(tenant.scope) { tx in
            let isMoreWork = try await apply(payload, inner, stored, settings, in: tx)
            let isRelayed = try await relay(stored, settings, in: tx)
            try await job.done(in: tx)
            return isMoreWork || isRelayed
        }
        if isMoreWork { bell.ring() }
        counters.count(
            "notifications_handled_total", ["type": payload.type?.rawValue ?? "other"], of: settings,
            help: "Notifications that were read, by type.")
    }

    private static func payload(_ text: [UInt8]) throws(JWSError) -> NotificationPayload {
        let jws = try JWS(text)
        do { return try NotificationPayload(json: jws.payload) } catch {
            throw JWSError(.payloadUnreadable, "\(error)")
        }
    }

    /// Verifies what is there of the inner texts. Each must be of the app and the environment that the
    /// notification names.
    private func verify(
        _ payload: NotificationPayload, of app: App, environment: Environment, signedAt: Moment
    ) async throws(JWSError) -> Inner {
        guard payload.shapes.count == 1 else {
            throw JWSError(.shapesAmbiguous, "the payload has \(payload.shapes.count) shapes where one belongs")
        }
        var inner = Inner()
        let verifier = apple.verifier(for: app)
        if payload.type == .rescindConsent {
            inner.appTransactionID = try await rescinded(payload, of: app, environment, signedAt, verifier)
        }
        guard let data = payload.data else { return inner }
        if data.hasUnreadableTransaction {
            throw JWSError(.transactionMismatch, "signedTransactionInfo is not a text")
        }
        if let text = data.signedTransactionInfo {
            let transaction = try await verifier.transaction(
                text, bundleID: app.bundleID, environment: environment, from: .notification, signedAt: signedAt)
            guard let id = transaction.transactionId, !id.isEmpty, Text.isKept(id, bytesMax: 64) else {
                throw JWSError(.transactionIDMissing, "the signed transaction has no usable transactionId")
            }
            inner.transaction = transaction
            inner.transactionID = id
        }
        if let text = data.signedRenewalInfo {
            // It has no bundle id: the purchase that both are about is what ties it to the app.
            let original = inner.transaction?.originalTransactionId.flatMap { $0.isEmpty ? nil : $0 }
            inner.renewal = try await verifier.renewal(
                text, environment: environment, originalTransactionID: original, signedAt: signedAt)
        }
        let needsTransaction: [NotificationType] = [.consumptionRequest, .refund, .refundDeclined, .refundReversed]
        if let type = payload.type, needsTransaction.contains(type), inner.transaction == nil {
            throw JWSError(.transactionIDMissing, "a notification of type \(type.rawValue) without a transaction")
        }
        return inner
    }

    private func rescinded(
        _ payload: NotificationPayload, of app: App, _ environment: Environment, _ signedAt: Moment,
        _ verifier: Verifier
    ) async throws(JWSError) -> String {
        guard let text = payload.appData?.signedAppTransactionInfo else {
            throw JWSError(.transactionIDMissing, "consent is withdrawn, and no app transaction says whose")
        }
        let found = try await verifier.appTransaction(
            text, for: AppIdentity(bundleID: app.bundleID, appleID: app.appleID), environment: environment,
            signedAt: signedAt)
        guard let id = found.appTransactionId, Text.isKept(id, bytesMax: 64) else {
            throw JWSError(.transactionIDMissing, "the app transaction has no usable appTransactionId")
        }
        return id
    }

    /// - Returns: whether there is work for somebody now.
    private func apply(
        _ payload: NotificationPayload, _ inner: Inner, _ stored: NotificationStore.Stored, _ app: App,
        in tx: Transaction
    ) async throws -> Bool {
        let now = clock.now
        // One that was fetched proves that Apple sent it, and not that it can arrive.
        if payload.type == .test, stored.factSource == .notification {
            try await TestNotificationStore.arrived(stored, in: tx)
        }
        if let id = inner.appTransactionID {
            try await Rescissions.take(id, stored, at: now, in: tx)
            try await NotificationStore.mark(stored, .acted, transaction: nil, in: tx)
            counters.count(
                "consent_rescinded_total", [:], of: app, help: "Customers whose consent a parent withdrew at Apple.")
            return true
        }
        guard let transaction = inner.transaction, let id = inner.transactionID, let type = payload.type else {
            // Nothing to act on, or a type that nobody knew when this was written: kept, and shown as it is.
            try await NotificationStore.mark(
                stored, .nothingToDo, transaction: inner.transactionID, in: tx)
            if let id = inner.transactionID {
                try await remember(stored, transaction: id, in: tx, now: now)
            }
            return false
        }
        let newest = try await TransactionStore.take(
            transaction, id: id, environment: stored.environment, app: app.id, tenant: app.tenant,
            signedAt: transaction.signedDate ?? stored.signedAt, in: tx)
        try await takeCommerce(transaction, newest, inner.renewal, stored, in: tx)
        guard let kind = CaseFact.Kind(type) else {
            try await NotificationStore.mark(stored, .nothingToDo, transaction: id, in: tx)
            try await remember(stored, transaction: id, in: tx, now: now)
            return try await linkConsent(newest, app, at: now, in: tx)
        }
        let fact = CaseFact(
            id: stored.uuid, kind: kind, signedAt: stored.signedAt, source: stored.factSource,
            reason: kind == .request
                ? payload.data?.consumptionRequestReason.map { Text.kept($0.raw, bytesMax: 200) } : nil)
        let known = try await CaseStore.lock(
            transaction: id, app: app.id, environment: stored.environment, tenant: app.tenant, in: tx)
        var locked =
            if let known { known } else {
                try await CaseStore.make(
                    transaction: newest, app: app.id, environment: stored.environment, tenant: app.tenant, first: fact,
                    in: tx)
            }
        let revocation = Revocation(transaction)
        try await CaseStore.add(fact, revocation: revocation, to: &locked, at: now, in: tx)
        if known == nil { try await CaseStore.addEarlier(to: &locked, at: now, in: tx) }
        if kind == .request {
            try await CaseStore.open(
                Round(
                    id: fact.id,
                    window: ReplyWindow(
                        signedAt: stored.signedAt, firstReceivedAt: stored.receivedAt, environment: stored.environment),
                    arrival: Round.Arrival(fact.source)),
                in: &locked, in: tx)
        }
        let build = payload.data?.bundleVersion.flatMap { $0.isEmpty ? nil : Text.kept($0, bytesMax: 100) }
        let marks = CaseStore.marking(fact, build: build, revocation: revocation, of: locked)
        try await CaseStore.save(&locked, after: marks, transaction: newest, at: now, in: tx)
        try await CommerceFacts.take(
            type, transaction, notification: stored.uuid, signedAt: stored.signedAt, case: locked, transaction: newest,
            at: now, in: tx)
        try await NotificationStore.mark(stored, .acted, transaction: id, in: tx)
        let isAsked = try await enqueue(locked, newest, round: kind == .request ? fact.id : nil, in: tx)
        let isLinked = try await linkConsent(newest, app, at: now, in: tx)
        let isLookedUp = try await completeByLookUp(transaction, newest, stored, in: tx, now: now)
        return isAsked || isLinked || isLookedUp
    }

    /// What an Advanced Commerce purchase tells besides: what was sold, and how the subscription goes on.
    private func takeCommerce(
        _ transaction: TransactionPayload, _ newest: StoredTransaction, _ renewal: RenewalPayload?,
        _ stored: NotificationStore.Stored, in tx: Transaction
    ) async throws {
        guard transaction.advancedCommerceInfo != nil else { return }
        try await CommerceStore.count(
            sold: transaction, id: newest.id, environment: stored.environment, app: stored.app, tenant: stored.tenant,
            in: tx)
        guard let renewal else { return }
        try await CommerceStore.take(
            renewal, original: newest.original, environment: stored.environment, app: stored.app,
            tenant: stored.tenant, signedAt: stored.signedAt, in: tx)
    }

    /// Asks Apple for the whole transaction where the signed form of a case lacks what is shown and decided by:
    /// the product, its type, the day of the purchase.
    private func completeByLookUp(
        _ received: TransactionPayload, _ newest: StoredTransaction, _ stored: NotificationStore.Stored,
        in tx: Transaction, now: Moment
    ) async throws -> Bool {
        guard !received.isWhole, try !newest.payload().isWhole else { return false }
        return try await RefundJobs.addLookUp(
            transaction: newest.id, environment: stored.environment, tenant: stored.tenant, app: stored.app, at: now,
            in: tx)
    }

    /// After the case, and in this order everywhere: a sender holds the case and then asks for consent.
    private func linkConsent(
        _ transaction: StoredTransaction, _ app: App, at now: Moment, in tx: Transaction
    ) async throws -> Bool {
        try await ConsentLedger.link(
            transaction: transaction.id, original: transaction.original, tenant: app.tenant, app: app.id, at: now,
            in: tx)
    }

    /// A reply for an open request, and a look at the clock for the moment when its time is up.
    private func enqueue(
        _ locked: LockedCase, _ transaction: StoredTransaction, round id: UUID?, in tx: Transaction
    ) async throws -> Bool {
        guard let id, let round = locked.round(id), locked.stored[id]?.state == .open else { return false }
        let subject = ReplySubject(case: locked.id, round: id)
        let runAt = try await readPast(transaction, of: round, locked, in: tx)
        try await Enqueue.add(
            subject.job(tenant: locked.tenant, lane: locked.lane, deadline: round.window.end, runAt: runAt), in: tx)
        try await Enqueue.add(
            subject.deadlineJob(tenant: locked.tenant, lane: locked.lane, at: round.window.end), in: tx)
        return true
    }

    /// Has Apple's own records of the customer read, unless they were lately.
    ///
    /// - Returns: until when the reply waits for them, where a rule of the app looks at what they tell; the reading
    ///   sends it on its way when it has ended.
    private func readPast(
        _ transaction: StoredTransaction, of round: Round, _ locked: LockedCase, in tx: Transaction
    ) async throws -> Moment? {
        let now = clock.now
        let subject = PastStore.subject(of: transaction)
        guard Text.isKept(subject, bytesMax: 64) else { return nil }
        let row = try await tx.row(
            PastStore.standing(subject, locked.environment, of: locked.app, tenant: locked.tenant))
        let readAt: Moment? = try row?("read_at")
        if let readAt, now - readAt < Past.freshFor { return nil }
        let isLookedAt = try row?("is_looked_at") ?? false
        let left = round.window.lastStart - now
        let waits = isLookedAt && !round.isLate && left > .zero
        try await RefundJobs.addPast(
            PastJob.Subject(
                app: locked.app.rawValue, environment: locked.environment.rawValue, transaction: transaction.id,
                round: waits ? round.id : nil),
            // Behind every reply that has to go out before.
            tenant: locked.tenant, deadline: round.window.end + (waits ? .zero : .hours(12)), in: tx)
        return waits ? now + min(Self.pastWait, left / 10) : nil
    }

    /// An ordinary notification belongs to the story of a case that exists.
    private func remember(
        _ stored: NotificationStore.Stored, transaction: String, in tx: Transaction, now: Moment
    ) async throws {
        guard
            var locked = try await CaseStore.lock(
                transaction: transaction, app: stored.app, environment: stored.environment, tenant: stored.tenant,
                in: tx)
        else { return }
        let fact = CaseFact(id: stored.uuid, kind: .seen, signedAt: stored.signedAt, source: stored.factSource)
        try await CaseStore.add(fact, to: &locked, at: now, in: tx)
        let newest = try await TransactionStore.find(
            transaction, environment: stored.environment, app: stored.app, tenant: stored.tenant, in: tx)
        try await CaseStore.save(&locked, transaction: newest, at: now, in: tx)
    }

    /// The other receiver had what is imported when it was new.
    private func relay(_ stored: NotificationStore.Stored, _ app: App, in tx: Transaction) async throws -> Bool {
        if stored.factSource == .imported { return false }
        return try await RelayStore.add(stored.uuid, of: app, at: clock.now, in: tx)
    }

    private func setAside(
        _ stored: NotificationStore.Stored, _ app: App, because error: JWSError, text: [UInt8], job: Job
    ) async throws {
        let now = clock.now
        let isRelayed = try await database.transaction(app.tenant.scope) { tx in
            try await NotificationStore.mark(stored, .setAside, transaction: nil, in: tx)
            try await Quarantine.store(
                Refusal(
                    reason: error.reason.rawValue, detail: error.text, body: text, notification: stored.uuid, meta: nil),
                of: app, counts: [error.reason.rawValue: 1], at: now, in: tx)
            // Apple was told that it was taken: the other receiver judges for itself.
            let isRelayed = try await relay(stored, app, in: tx)
            try await job.done(in: tx)
            return isRelayed
        }
        if isRelayed { bell.ring() }
        counters.count(
            "notifications_set_aside_total", ["reason": error.reason.rawValue], of: app,
            help: "Accepted notifications whose inner texts contradict them, by reason.")
        journal.warning(
            "a notification was set aside: its inner signed text is not to be believed",
            [
                "tenant": .init(app.tenant.rawValue), "app": .init(app.id.rawValue),
                "notificationUUID": .init(stored.uuid.uuidString.lowercased()), "reason": .init(error.reason.rawValue),
            ])
    }
}

extension TransactionPayload {
    /// Whether it says what was bought and when.
    fileprivate var isWhole: Bool { type != nil && productId?.isEmpty == false && purchaseDate != nil }
}

extension CaseFact.Kind {
    /// What a notification says about a refund; nil for those that say nothing.
    init?(_ type: NotificationType) {
        switch type {
        case .consumptionRequest: self = .request
        case .refund: self = .refund
        case .refundDeclined: self = .declined
        case .refundReversed: self = .reversed
        default: return nil
        }
    }
}

extension Revocation {
    init(_ payload: TransactionPayload) {
        self.init(
            date: payload.revocationDate, type: payload.revocationType.map { Text.kept($0.raw, bytesMax: 200) },
            share: payload.revocationPercentage.map { Int32(clamping: $0) }, reason: payload.revocationReason?.raw)
    }
}
