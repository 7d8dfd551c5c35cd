/// Sells Advanced Commerce purchases and tells the app of them.
struct CommerceShop: Sendable {
    let works: Works
    let office: PostOffice

    func sell(
        _ sale: CommerceSale, of bundleID: String, in environment: StoreEnvironment, isTold: Bool
    ) throws -> [StoreTransaction] {
        guard let app = works.shelves.app(bundleID) else { throw OrderFault("no app \(bundleID) is registered") }
        var chance = works.chance.stream("commerce purchase", String(works.count("commerce purchase")))
        let made = try CommerceTill(app: app, environment: environment, now: works.now).sell(sale, chance: &chance)
        for transaction in made { works.shelves.put(transaction) }
        guard isTold else { return made }
        for (place, transaction) in made.enumerated() {
            let (type, subtype) =
                !sale.isSubscription
                ? ("ONE_TIME_CHARGE", nil) : place == 0 ? ("SUBSCRIBED", "INITIAL_BUY") : ("DID_RENEW", nil)
            try office.release(
                NotificationOrder(
                    type, subtype: subtype, environment: environment, bundleID: bundleID, transactionID: transaction.id)
            )
        }
        return made
    }
}
