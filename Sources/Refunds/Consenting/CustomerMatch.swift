import AppStore
import Postgres
import Tenants
import Time

/// Whose purchase it is, where the purchase itself does not say so.
///
/// The app's word for its customer stands in the transaction, or in another one of the same purchase, or in another one
/// of whoever got the app; else the app's server says it when it is asked, else a person does. Two different words of the
/// same kind are no answer: nobody is chosen alone.
package struct CustomerMatch: Sendable, Hashable {
    package enum By: String, Sendable, Hashable {
        /// The same `originalTransactionId`.
        case purchase
        /// The same `appTransactionId`.
        case appTransaction
        /// The app's server, when it was asked about the purchase.
        case callback
        /// Somebody who may answer cases, where nobody else named one.
        ///
        /// Weaker than the app's own word about this very purchase, signed or told, from whenever it is known: whoever chose
        /// may be wrong, and the app knows its customers. Stronger than another purchase of the same Apple account: an
        /// account may serve several customers of an app, and a person who looked at the purchase is not overruled by a
        /// guess that turns up later.
        case person

        /// For people, after the customer's name.
        package var text: String {
            switch self {
            case .purchase: "named by another transaction of the same purchase"
            case .appTransaction: "named by another purchase of the same Apple account"
            case .callback: "named by the app's server when it was asked"
            case .person: "chosen by a person"
            }
        }
    }

    package let customer: String
    package let by: By

    package init(customer: String, by: By) {
        self.customer = customer
        self.by = by
    }

    /// Customers that each kind of kinship names, two at most of each: more than one is as good as none.
    static func candidates(
        of transaction: StoredTransaction, _ environment: Environment, app: AppID, tenant: TenantID
    ) -> SQL {
        let mine: SQL = """
            t.tenant_id = \(tenant.rawValue) and t.app_id = \(app.rawValue)
                and t.environment = \(environment.rawValue) and t.customer is not null
            """
        return """
            (select distinct 'purchase' as kin, t.customer
             from refunds.transactions t
             where \(mine) and t.original_transaction_id = \(transaction.original)
             order by t.customer
             limit 2)
            union all
            (select distinct 'appTransaction', t.customer
             from refunds.transactions t
             where \(mine) and t.app_transaction_id = \(transaction.appTransaction ?? "")
             order by t.customer
             limit 2)
            union all
            (select n.source, n.customer
             from refunds.named_customers n
             where n.tenant_id = \(tenant.rawValue) and n.app_id = \(app.rawValue)
                and n.environment = \(environment.rawValue)
                and n.original_transaction_id = \(transaction.original) and n.withdrawn_at is null
             limit 2)
            """
    }

    /// From the answer to `candidates`; nil where nobody is named, or several are.
    init?(_ rows: [Row]) throws {
        var named: [By: [String]] = [:]
        for row in rows {
            let kin: String = try row("kin")
            if let by = By(rawValue: kin) { named[by, default: []].append(try row("customer")) }
        }
        func only(_ by: By) -> CustomerMatch? {
            guard let customers = named[by], customers.count == 1 else { return nil }
            return CustomerMatch(customer: customers[0], by: by)
        }
        let told = only(.callback) ?? only(.person)
        let account = named[.purchase] == nil && named[.person] == nil ? only(.appTransaction) : nil
        // Two customers of one purchase contradict each other: then the account, which is less near, is not believed
        // either; who was asked about the purchase itself is.
        guard let match = only(.purchase) ?? account ?? told else { return nil }
        self = match
    }

    /// Customers who bought the same product at about the same time, nearest first: for a person to look at, and never
    /// chosen alone.
    static func guesses(
        at transaction: StoredTransaction, boughtAt: Moment, _ environment: Environment, app: AppID, tenant: TenantID
    ) -> SQL {
        """
        select x.customer, min(x.purchased_at) as purchased_at
        from (
          select t.customer, t.purchased_at
          from refunds.transactions t
          where t.tenant_id = \(tenant.rawValue) and t.app_id = \(app.rawValue) and t.environment = \(environment.rawValue)
            and t.customer is not null and t.product_id = \(transaction.product)
            and t.purchased_at between \(boughtAt - .days(1)) and \(boughtAt + .days(1))
          order by t.purchased_at
          limit 1000) x
        group by x.customer
        order by min(abs(extract(epoch from x.purchased_at - \(boughtAt)))), x.customer
        limit 5
        """
    }
}
