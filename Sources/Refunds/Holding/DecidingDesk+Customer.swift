import AppStore
import Crypto
package import FoundationEssentials
import Postgres
import Queue
package import Tenants
import Time

/// That the customer of a case's purchase was chosen, or taken back, as the story keeps it.
package struct CaseCustomer: Sendable, Hashable, Codable {
    /// What `refunds.case_notes` calls one.
    package static let kind = "customer"

    /// Nil: what was chosen was taken back.
    package let customer: String?
    package let note: String?
    /// Whoever did it, as they were called then.
    package let name: String

    init(customer: String?, note: String?, name: String) {
        self.customer = customer
        self.note = note
        self.name = name
    }

    /// Nil for a remark that is none.
    package init?(_ remark: CaseStory.Remark) {
        guard remark.kind == Self.kind,
            let read = try? JSONDecoder().decode(Self.self, from: Data(remark.detail.utf8))
        else { return nil }
        self = read
    }

    var json: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }
}

/// Whose purchase it is, where neither it nor anything near it says so.
extension DecidingDesk {
    /// Somebody else chose a customer for the same purchase meanwhile, or took back what stood.
    package struct CustomerOvertaken: Error {
        /// What stands by now; nil: nothing.
        package let current: CustomerNaming?
    }

    /// Chooses the customer of the purchase of a case: for this case and every later one of the purchase. Audited, without
    /// the customer.
    ///
    /// Requests that were withheld and have time left are decided anew. Consent that was given after a request does not
    /// count for it, whoever gave it.
    ///
    /// - Parameters:
    ///   - customer: a UUID, or what another purchase of the app names its customer by.
    ///   - app: where only this app's cases may be worked on: another's is as absent as none.
    ///   - role: of the person; a token with its scope counts as support.
    /// - Returns: false where the tenant has no such case.
    /// - Throws: `Refused`: `field` "customer", "customerNote" or "namedBy"; `CustomerOvertaken`.
    package func chooseCustomer(
        _ customer: String, of id: UUID, tenant: TenantID, app only: AppID? = nil, note: String, by who: CaseActor,
        role: Tenants.Role, address: String?
    ) async throws -> Bool {
        guard role >= .support else { throw Refused.forbidden }
        guard !customer.isEmpty, Text.isKept(customer, bytesMax: 200), Text.isPlain(customer) else {
            throw Refused.field("customer", "Choose one, or write the appAccountToken that the app gave.")
        }
        let note = note.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !Text.isBlank(note) else { throw Refused.field("customerNote", "Say why: it stays with the case.") }
        guard Text.isKept(note, bytesMax: 1000) else {
            throw Refused.field("customerNote", "The note has at most 1,000 bytes.")
        }
        guard Text.isPlain(note) else { throw Refused.field("customerNote", "The note \(Text.notPlain).") }
        try who.check("namedBy")
        let isDone = try await database.transaction(tenant.scope) { tx in
            guard let purchase = try await unnamedPurchase(of: id, tenant, only, in: tx) else { return false }
            let (transaction, app, environment) = (purchase.transaction, purchase.app, purchase.environment)
            guard transaction.customer == nil else {
                throw Refused.field("customer", "The purchase itself names its customer.")
            }
            let match = try CustomerMatch(
                try await tx.rows(CustomerMatch.candidates(of: transaction, environment, app: app, tenant: tenant)))
            switch match?.by {
            case nil: break
            case .person?: throw CustomerOvertaken(current: try await purchase.chosen(in: tx))
            case .purchase?, .appTransaction?, .callback?:
                throw Refused.field(
                    "customer", "Nothing is to be chosen: the customer is \(match?.by.text ?? "known") already.")
            }
            guard try await isOfApp(customer, app, tenant, in: tx) else {
                throw Refused.field(
                    "customer", "No purchase of the app names a customer so, and an appAccountToken is a UUID.")
            }
            let now = clock.now
            let naming = CustomerNaming(
                id: Random.uuid(), customer: ConsentLedger.Key.spelled(customer), note: note, person: who.person,
                token: who.token, name: who.name, at: now)
            guard
                try await tx.execute(
                    NamingStore.add(naming, transaction.original, environment, of: app, tenant: tenant)) > 0
            else { throw CustomerOvertaken(current: try await purchase.chosen(in: tx)) }
            try await tell(
                CaseCustomer(customer: naming.customer, note: note, name: who.name), "case.customer-chosen", purchase,
                who, address, at: now, in: tx)
            return true
        }
        if isDone { bell.ring() }
        return isDone
    }

    /// Takes back what a person chose; what was sent stays as it is. Audited.
    ///
    /// - Parameter naming: what stood when whoever takes it back looked; nil: whatever a person chose.
    /// - Returns: false where the tenant has no such case.
    /// - Throws: `Refused.forbidden`, `Refused.field` "namedBy", and `CustomerOvertaken` where it does not stand any more.
    package func takeBackCustomer(
        _ naming: UUID?, of id: UUID, tenant: TenantID, app only: AppID? = nil, by who: CaseActor, role: Tenants.Role,
        address: String?
    ) async throws -> Bool {
        guard role >= .support else { throw Refused.forbidden }
        try who.check("namedBy")
        let isDone = try await database.transaction(tenant.scope) { tx in
            guard let purchase = try await unnamedPurchase(of: id, tenant, only, in: tx) else { return false }
            let now = clock.now
            let chosen = try await purchase.chosen(in: tx)
            guard let chosen, naming == nil || naming == chosen.id else { throw CustomerOvertaken(current: chosen) }
            try await tx.execute(
                NamingStore.withdraw(chosen.id, by: who.name, of: purchase.app, tenant: tenant, at: now))
            try await tell(
                CaseCustomer(customer: nil, note: nil, name: who.name), "case.customer-taken-back", purchase, who,
                address, at: now, in: tx)
            return true
        }
        if isDone { bell.ring() }
        return isDone
    }

    // MARK: small things

    /// A case's purchase, held until the end of the transaction.
    private struct HeldPurchase: Sendable {
        let caseID: UUID
        let tenant: TenantID
        let app: AppID
        let environment: Environment
        let transaction: StoredTransaction

        /// What a person chose and nobody took back.
        func chosen(in tx: Transaction) async throws -> CustomerNaming? {
            try await tx.rows(NamingStore.all(transaction.original, environment, of: app, tenant: tenant))
                .map { try CustomerNaming($0) }.first { $0.by == .person && $0.withdrawnAt == nil }
        }
    }

    /// The case before the purchase, as whoever decides locks them.
    private func unnamedPurchase(
        of id: UUID, _ tenant: TenantID, _ only: AppID?, in tx: Transaction
    ) async throws -> HeldPurchase? {
        guard let locked = try await CaseStore.lock(id, tenant: tenant, in: tx), only == nil || locked.app == only,
            let transaction = try await TransactionStore.find(
                locked.transactionID, environment: locked.environment, app: locked.app, tenant: tenant, in: tx)
        else { return nil }
        let key = ConsentLedger.Key(tenant: tenant, app: locked.app, purchase: transaction.original)
        try await tx.execute(key.lock(exclusively: true))
        return HeldPurchase(
            caseID: id, tenant: tenant, app: locked.app, environment: locked.environment, transaction: transaction)
    }

    private func isOfApp(
        _ customer: String, _ app: AppID, _ tenant: TenantID, in tx: Transaction
    ) async throws -> Bool {
        if Text.isUUID(customer) { return true }
        let row = try await tx.row(
            """
            select exists (
              select from refunds.transactions
              where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and customer = \(customer)) as is_known
            """)
        return try row?("is_known") ?? false
    }

    /// Into the story, the audit log, and to what was withheld.
    private func tell(
        _ remark: CaseCustomer, _ action: String, _ purchase: HeldPurchase, _ who: CaseActor, _ address: String?,
        at now: Moment, in tx: Transaction
    ) async throws {
        try await tx.execute(
            CaseStore.noting(
                CaseCustomer.kind, detail: try remark.json, by: who.person?.rawValue, of: purchase.caseID,
                tenant: purchase.tenant, at: now))
        try await CaseReopening.customerNamed(
            purchase.transaction.original, purchase.environment, tenant: purchase.tenant, app: purchase.app, in: tx,
            now: now)
        try await Audit.write(
            AuditEntry(
                tenant: purchase.tenant, at: now, actor: who.actor, address: address, action: action,
                subject: "case \(purchase.caseID.text)"), in: tx)
    }
}
