import AppStore
import Crypto
import FoundationEssentials
import Postgres
import Tenants
import Time

/// The way in for what Apple's own records say of a customer: verified like any signed text, and kept where it is newer
/// than what is held.
struct PastIntake: Sendable {
    let apple: AppleSide

    /// One of a page's transactions, believed.
    struct Believed: Sendable {
        let id: String
        let payload: TransactionPayload

        /// Stands for what it says: its signature is another one each time.
        var mark: String { "\(id) \(payload.refundedAt?.milliseconds ?? 0)" }
    }

    struct Sorted: Sendable {
        var transactions: [Believed] = []
        var refused = 0
    }

    /// Verifies a page; what is not to be believed is left out, and counted.
    ///
    /// - Throws: a `JWSError` that is our own trouble: the page is to be read again.
    func sort(
        _ signed: [String], of app: App, _ environment: Environment, at now: Moment
    ) async throws -> Sorted {
        var sorted = Sorted()
        let verifier = apple.verifier(for: app)
        for text in signed {
            do throws(JWSError) {
                let payload = try await verifier.transaction(
                    text, bundleID: app.bundleID, environment: environment, from: .lookup, signedAt: now)
                guard let id = payload.transactionId, Text.isKept(id, bytesMax: 64) else {
                    throw JWSError(.transactionIDMissing, "the signed transaction has no usable transactionId")
                }
                sorted.transactions.append(Believed(id: id, payload: payload))
            } catch {
                if error.isOurTrouble { throw error }
                sorted.refused += 1
            }
        }
        return sorted
    }

    /// Keeps a page: the newest form of each transaction, and for each refund a fact of its case.
    ///
    /// Each refund is a transaction of its own: whoever works on a case holds its transaction before, and here many
    /// would be held at once.
    func keep(
        _ found: [Believed], of list: Past.List, _ app: App, _ environment: Environment, at now: Moment,
        on database: Database
    ) async throws {
        guard !found.isEmpty else { return }
        let sorted = found.sorted { $0.id < $1.id }
        try await database.transaction(app.tenant.scope) { tx in
            for one in sorted { _ = try await take(one, app, environment, at: now, in: tx) }
        }
        guard list == .refunds else { return }
        for one in found {
            guard let refundedAt = one.payload.refundedAt else { continue }
            try await database.transaction(app.tenant.scope) { tx in
                try await refund(one, at: min(refundedAt, now), app, environment, now: now, in: tx)
            }
        }
    }

    private func take(
        _ one: Believed, _ app: App, _ environment: Environment, at now: Moment, in tx: Transaction
    ) async throws -> StoredTransaction {
        try await TransactionStore.take(
            one.payload, id: one.id, environment: environment, app: app.id, tenant: app.tenant,
            signedAt: one.payload.signedDate ?? now, in: tx)
    }

    /// A refund whose notification came is known: the fact says nothing new then, and changes nothing.
    ///
    /// It counts as of the day of the refund, so that a reversal that was signed after it stays one.
    private func refund(
        _ one: Believed, at refundedAt: Moment, _ app: App, _ environment: Environment, now: Moment, in tx: Transaction
    ) async throws {
        let newest = try await take(one, app, environment, at: now, in: tx)
        let known = try await CaseStore.lock(
            transaction: one.id, app: app.id, environment: environment, tenant: app.tenant, in: tx)
        let isFromBefore =
            try await tx.row(
                """
                select created_at > \(refundedAt) as is_before
                from tenants.apps
                where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
                """)?("is_before") ?? false
        let fact = CaseFact(
            id: Self.id(of: one.id, environment, at: refundedAt), kind: .refund, signedAt: refundedAt,
            source: isFromBefore ? .imported : .refundHistory)
        if known?.value.facts.contains(where: { $0.id == fact.id }) == true { return }
        var locked =
            if let known { known } else {
                try await CaseStore.make(
                    transaction: newest, app: app.id, environment: environment, tenant: app.tenant, first: fact, in: tx)
            }
        let revocation = Revocation(one.payload)
        try await CaseStore.add(fact, revocation: revocation, to: &locked, at: now, in: tx)
        if known == nil { try await CaseStore.addEarlier(to: &locked, at: now, in: tx) }
        let marks = CaseStore.marking(fact, build: nil, revocation: revocation, of: locked)
        try await CaseStore.save(&locked, after: marks, transaction: newest, at: now, in: tx)
    }

    /// One refund is one fact, however often it is read.
    static func id(of transaction: String, _ environment: Environment, at refundedAt: Moment) -> UUID {
        LookUpJob.id(of: "refund history \(environment.rawValue) \(transaction) \(refundedAt.milliseconds)")
    }
}

extension TransactionPayload {
    /// When Apple gave money back; nil where it did not: what left Family Sharing, or a seat, was not refunded.
    var refundedAt: Moment? {
        switch revocationType?.raw {
        case "FAMILY_REVOKE", "ASSIGNMENT_REVOKE": return nil
        default: break
        }
        if let revocationDate { return revocationDate.isInACalendar ? revocationDate : nil }
        // Of an Advanced Commerce purchase each item tells for itself.
        let ofItems = advancedCommerceInfo?.items.flatMap { $0.refunds.compactMap(\.refundDate) }.max()
        return ofItems.flatMap { $0.isInACalendar ? $0 : nil }
    }
}

extension Moment {
    fileprivate var isInACalendar: Bool { (0...253_402_300_799_999).contains(milliseconds) }
}
