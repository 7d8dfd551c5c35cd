import AppStore
import Crypto
package import FoundationEssentials
import Postgres
package import Tenants
package import Time

/// That somebody named the customer of a purchase which names none.
package struct CustomerNaming: Sendable, Hashable, Identifiable {
    package let id: UUID
    /// `appAccountToken`, as it is stored.
    package let customer: String
    /// `.callback` or `.person`.
    package let by: CustomerMatch.By
    /// Why a person believes it; empty for the app's server.
    package let note: String
    /// Nil: the app's server did, or the tenant's own server for somebody.
    package let person: PersonID?
    package let token: UUID?
    /// The name of whoever named, as it was then.
    package let name: String
    package let at: Moment
    /// From then on it counts no more.
    package let withdrawnAt: Moment?
    package let withdrawnName: String?

    package init(
        id: UUID, customer: String, by: CustomerMatch.By = .person, note: String = "", person: PersonID? = nil,
        token: UUID? = nil, name: String, at: Moment, withdrawnAt: Moment? = nil, withdrawnName: String? = nil
    ) {
        self.id = id
        self.customer = customer
        self.by = by
        self.note = note
        self.person = person
        self.token = token
        self.name = name
        self.at = at
        self.withdrawnAt = withdrawnAt
        self.withdrawnName = withdrawnName
    }
}

/// The SQL of customers who were named.
enum NamingStore {
    /// Those of one purchase that are read: people seldom change their minds so often.
    private static let listMax = 50

    /// Newest first, those that were taken back among them.
    static func all(_ original: String, _ environment: Environment, of app: AppID, tenant: TenantID) -> SQL {
        """
        select naming_id, customer, source, note, person_id, token_id, name, named_at, withdrawn_at, withdrawn_name
        from refunds.named_customers
        where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and environment = \(environment.rawValue)
          and original_transaction_id = \(original)
        order by named_at desc, naming_id
        limit \(listMax)
        """
    }

    /// Touches no row where one of the same source stands.
    static func add(
        _ naming: CustomerNaming, _ original: String, _ environment: Environment, of app: AppID, tenant: TenantID
    ) -> SQL {
        """
        insert into refunds.named_customers
          (tenant_id, app_id, environment, original_transaction_id, naming_id, customer, source, note, person_id, token_id,
           name, named_at)
        values (\(tenant.rawValue), \(app.rawValue), \(environment.rawValue), \(original), \(naming.id),
          \(naming.customer), \(naming.by.rawValue), \(naming.note), \(naming.person?.rawValue), \(naming.token),
          \(naming.name), \(naming.at))
        on conflict (tenant_id, app_id, environment, original_transaction_id, source) where withdrawn_at is null
          do nothing
        """
    }

    static func withdraw(_ id: UUID, by name: String, of app: AppID, tenant: TenantID, at now: Moment) -> SQL {
        """
        update refunds.named_customers
        set withdrawn_at = \(now), withdrawn_name = \(name)
        where tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and naming_id = \(id) and withdrawn_at is null
        """
    }

    /// Takes in what the app's server said when it was asked; the newest word of it counts. A purchase that names its
    /// customer itself is not asked for one.
    static func told(
        _ customer: String, of original: String, _ environment: Environment, app: App, at now: Moment,
        in tx: Transaction
    ) async throws {
        let key = ConsentLedger.Key(tenant: app.tenant, app: app.id, purchase: original)
        try await tx.execute(key.lock(exclusively: true))
        let customer = ConsentLedger.Key.spelled(customer)
        let before = try await tx.rows(all(original, environment, of: app.id, tenant: app.tenant))
            .map { try CustomerNaming($0) }.first { $0.by == .callback && $0.withdrawnAt == nil }
        if before?.customer == customer { return }
        let server = "the app's server"
        if let before {
            try await tx.execute(withdraw(before.id, by: server, of: app.id, tenant: app.tenant, at: now))
        }
        let naming = CustomerNaming(id: Random.uuid(), customer: customer, by: .callback, name: server, at: now)
        try await tx.execute(add(naming, original, environment, of: app.id, tenant: app.tenant))
        try await CaseReopening.customerNamed(
            original, environment, tenant: app.tenant, app: app.id, in: tx, now: now)
    }
}

extension CustomerNaming {
    init(_ row: Row) throws {
        let source: String = try row("source")
        let person: UUID? = try row("person_id")
        self.init(
            id: try row("naming_id"), customer: try row("customer"), by: source == "callback" ? .callback : .person,
            note: try row("note"), person: person.map(PersonID.init), token: try row("token_id"),
            name: try row("name"), at: try row("named_at"), withdrawnAt: try row("withdrawn_at"),
            withdrawnName: try row("withdrawn_name"))
    }
}
