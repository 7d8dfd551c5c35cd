import HTTP
import Time

/// Purchases through the control API.
struct StoreControl: Sendable {
    let works: Works

    func routes(_ route: ControlRoom.MakeRoute) -> [Route] {
        [route(.post, "/control/transactions", make), route(.get, "/control/transactions", list)]
    }

    private func make(_ request: Request, _ context: Context) async throws -> Response {
        let body = try ControlBody(
            request,
            allowed: [
                "bundleId", "environment", "productType", "count", "transaction", "familyShared", "advancedCommerce",
                "ageSeconds",
            ])
        guard let app = works.shelves.app(try body.required("bundleId")) else {
            throw OrderFault("no such app is registered")
        }
        let environment = try body.environment()
        var wish = Till.Wish()
        let type = try body.string("productType")
        if try body.bool("advancedCommerce") ?? false {
            wish.product = Product.all.first { $0.sku != nil && (type == nil || $0.type == type) }
        } else if let type {
            guard let product = Product.all.first(where: { $0.type == type && $0.sku == nil }) else {
                throw HTTPError(.badRequest, "productType is one of the payload's spellings, such as Consumable\n")
            }
            wish.product = product
        }
        wish.isFamilyShared = try body.bool("familyShared") ?? false
        wish.age = .seconds(try body.int("ageSeconds", 0...315_360_000) ?? 86_400)
        let changes = try body.object("transaction") ?? [:]
        var made: [JSON] = []
        for _ in 0..<(try body.int("count", 1...1000) ?? 1) {
            var chance = works.chance.stream("purchase", String(works.count("purchase")))
            var transaction = Till.purchase(wish, of: app, in: environment, now: works.now, chance: &chance)
            transaction.payload = transaction.payload.changed(by: changes)
            if changes["transactionId"] != nil, changes["originalTransactionId"] == nil {
                transaction.payload["originalTransactionId"] = changes["transactionId"]
            }
            transaction.customer = transaction.payload["originalTransactionId"]?.string ?? transaction.customer
            works.shelves.put(transaction)
            made.append(transaction.json)
        }
        return .json(JSON.object(["transactions": .array(made)]).bytes, status: .created)
    }

    private func list(_ request: Request, _ context: Context) async throws -> Response {
        guard let environment = StoreEnvironment(rawValue: request.query.first("environment") ?? "Production") else {
            throw HTTPError(.badRequest, "environment is Production or Sandbox\n")
        }
        let newest = works.shelves.transactions(in: environment).suffix(1000)
        return .json(JSON.object(["transactions": .array(newest.map(\.json))]).bytes)
    }
}

extension StoreTransaction {
    var json: JSON {
        var members: JSONObject = [
            "environment": .string(environment.rawValue), "orderId": .string(orderID), "transaction": .object(payload),
        ]
        members["renewal"] = renewal.map(JSON.object)
        members["requestedAt"] = requestedAt.map { .int($0.milliseconds) }
        return .object(members)
    }
}
