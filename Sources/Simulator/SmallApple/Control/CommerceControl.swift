import HTTP
import Time

/// Advanced Commerce through the control API: switches, purchases, decisions, the ledger of refunds.
struct CommerceControl: Sendable {
    let works: Works
    let office: PostOffice
    let clerk: CommerceClerk

    func routes(_ route: ControlRoom.MakeRoute) -> [Route] {
        [
            route(.get, "/control/commerce") { _, _ in .json(status.bytes) },
            route(.put, "/control/commerce", set), route(.put, "/control/commerce/apps/{bundleId}", setApp),
            route(.post, "/control/commerce/purchases", sell),
            route(.put, "/control/commerce/transactions/{transactionId}", setTransaction),
            route(.get, "/control/commerce/requests", requests),
            route(.post, "/control/commerce/requests/{requestReferenceId}/decision", decide),
            route(.get, "/control/commerce/refunds", refunds),
            route(.get, "/control/commerce/rates", rates),
            route(.delete, "/control/commerce/rates") { _, _ in
                works.commerce.meter.forget()
                return .status(.noContent)
            },
        ]
    }

    // MARK: Switches

    private var status: JSON {
        let settings = works.commerce.settings
        var members: JSONObject = [
            "outcome": settings.outcome.map { .string($0.rawValue) } ?? .null,
            "repeats": .string(settings.repeats.rawValue), "jsonUnauthorized": .bool(settings.refusesTokensInJSON),
            "newHosts": .bool(settings.areOnNewHosts), "countsSeconds": .bool(settings.countsSeconds),
            "jitterMilliseconds": .int(settings.jitterMilliseconds), "decidesAtOnce": .bool(settings.decidesAtOnce),
            "answersAfterDecision": .bool(settings.answersAfterDecision),
            "asksForConsumption": .bool(settings.asksForConsumption),
        ]
        members["addendumRefusal"] = works.commerce.addendum.refusal.json
        members["apps"] = .array(
            works.shelves.apps.flatMap { app in
                StoreEnvironment.allCases.map { environment in
                    let standing = works.commerce.standing(app.bundleID, in: environment)
                    return [
                        "bundleId": .string(app.bundleID), "environment": .string(environment.rawValue),
                        "approved": .bool(standing.isApproved), "addendum": .bool(standing.hasAddendum),
                        "outcome": standing.outcome.map { .string($0.rawValue) } ?? .null,
                    ]
                }
            })
        return .object(members)
    }

    private func set(_ request: Request, _ context: Context) async throws -> Response {
        let body = try ControlBody(
            request,
            allowed: [
                "outcome", "repeats", "jsonUnauthorized", "newHosts", "countsSeconds", "jitterMilliseconds",
                "decidesAtOnce", "answersAfterDecision", "asksForConsumption",
            ])
        var settings = works.commerce.settings
        if let value = body.value("outcome") { settings.outcome = try outcome(value) }
        if let name = try body.string("repeats") {
            guard let repeats = CommerceSettings.Repeats(rawValue: name) else {
                throw HTTPError(.badRequest, "repeats is untilAnswered, refused or same\n")
            }
            settings.repeats = repeats
        }
        settings.refusesTokensInJSON = try body.bool("jsonUnauthorized") ?? settings.refusesTokensInJSON
        settings.areOnNewHosts = try body.bool("newHosts") ?? settings.areOnNewHosts
        settings.countsSeconds = try body.bool("countsSeconds") ?? settings.countsSeconds
        settings.jitterMilliseconds = try body.int("jitterMilliseconds", 0...900) ?? settings.jitterMilliseconds
        settings.decidesAtOnce = try body.bool("decidesAtOnce") ?? settings.decidesAtOnce
        settings.answersAfterDecision = try body.bool("answersAfterDecision") ?? settings.answersAfterDecision
        settings.asksForConsumption = try body.bool("asksForConsumption") ?? settings.asksForConsumption
        works.commerce.settings = settings
        return .json(status.bytes)
    }

    private func setApp(_ request: Request, _ context: Context) async throws -> Response {
        let body = try ControlBody(request, allowed: ["environment", "approved", "addendum", "outcome"])
        let bundleID = context.parameter("bundleId")
        guard works.shelves.app(bundleID) != nil else { throw OrderFault("no app \(bundleID) is registered") }
        for environment in try environments(body) {
            var standing = works.commerce.standing(bundleID, in: environment)
            standing.isApproved = try body.bool("approved") ?? standing.isApproved
            standing.hasAddendum = try body.bool("addendum") ?? standing.hasAddendum
            if let value = body.value("outcome") { standing.outcome = try outcome(value) }
            works.commerce.set(standing, of: bundleID, in: environment)
        }
        return .json(status.bytes)
    }

    private func environments(_ body: ControlBody) throws(HTTPError) -> [StoreEnvironment] {
        body.value("environment") == nil ? StoreEnvironment.allCases : [try body.environment()]
    }

    private func outcome(_ value: JSON) throws(HTTPError) -> CommerceOutcome? {
        if value == .null { return nil }
        guard let outcome = value.string.flatMap(CommerceOutcome.init) else {
            throw HTTPError(
                .badRequest,
                "outcome is null or \(CommerceOutcome.allCases.map(\.rawValue).joined(separator: ", "))\n")
        }
        return outcome
    }

    // MARK: Purchases

    private func sell(_ request: Request, _ context: Context) async throws -> Response {
        let body = try ControlBody(
            request,
            allowed: [
                "bundleId", "environment", "kind", "items", "storefront", "period", "earlierPeriods", "ageSeconds",
                "familyShared", "transactionId", "appAccountToken", "consistencyToken", "tells", "count",
            ])
        let kind = try body.required("kind")
        guard ["subscription", "oneTime"].contains(kind) else {
            throw HTTPError(.badRequest, "kind is subscription or oneTime\n")
        }
        var items: [CommerceSale.Item] = []
        for value in try body.array("items") ?? [] {
            let item = try ControlBody(value, allowed: ["SKU", "price", "displayName", "description"])
            guard let price = try item.int("price", 0...Int64(Int32.max)) else {
                throw HTTPError(.badRequest, "price is missing\n")
            }
            items.append(
                CommerceSale.Item(
                    sku: try item.required("SKU"), price: price, displayName: try item.string("displayName"),
                    description: try item.string("description") ?? ""))
        }
        var sale = CommerceSale(items, isSubscription: kind == "subscription")
        sale.storefront = try body.string("storefront") ?? sale.storefront
        sale.period = try body.string("period") ?? sale.period
        sale.earlierPeriods = Int(try body.int("earlierPeriods", 0...120) ?? 0)
        sale.age = .seconds(try body.int("ageSeconds", 0...315_360_000) ?? 86_400)
        sale.isFamilyShared = try body.bool("familyShared") ?? false
        sale.transactionID = try body.string("transactionId")
        sale.appAccountToken = try body.string("appAccountToken")
        sale.consistencyToken = try body.string("consistencyToken")
        let environment = try body.environment()
        let bundleID = try body.required("bundleId")
        let count = try body.int("count", 1...10_000) ?? 1
        guard count == 1 || sale.transactionID == nil else {
            throw HTTPError(.badRequest, "transactionId and count exclude each other\n")
        }
        let shop = CommerceShop(works: works, office: office)
        var made: [StoreTransaction] = []
        for _ in 0..<count {
            made += try shop.sell(sale, of: bundleID, in: environment, isTold: try body.bool("tells") ?? false)
        }
        return .json(JSON.object(["transactions": .array(made.map(\.json))]).bytes, status: .created)
    }

    private func setTransaction(_ request: Request, _ context: Context) async throws -> Response {
        let body = try ControlBody(request, allowed: ["environment", "refusal", "expires"])
        let id = context.parameter("transactionId")
        let environment = try body.environment()
        guard works.shelves.transaction(id, in: environment) != nil else {
            throw OrderFault("no transaction \(id) in \(environment.rawValue)")
        }
        if body.value("refusal") != nil {
            works.commerce.refuse(id, in: environment, with: try body.int("refusal", 4_000_000...4_999_999))
        }
        if try body.bool("expires") ?? false { clerk.expire(id, in: environment, cuttingAt: works.now) }
        return .json((works.shelves.transaction(id, in: environment)?.json ?? .null).bytes)
    }

    // MARK: Requests and refunds

    private func requests(_ request: Request, _ context: Context) async throws -> Response {
        let filter = Filter(request)
        let wanted = works.commerce.requests.filter {
            filter.wants($0.environment, $0.bundleID, $0.transactionID, $0.requestReferenceID)
        }
        return .json(JSON.object(["requests": .array(wanted.suffix(filter.limit).map(\.json))]).bytes)
    }

    private func refunds(_ request: Request, _ context: Context) async throws -> Response {
        let filter = Filter(request)
        let sku = request.query.first("SKU")
        let wanted = works.commerce.refunds.filter {
            filter.wants($0.environment, $0.bundleID, $0.transactionID, $0.requestReferenceID)
                && (sku == nil || sku == $0.sku)
        }
        return .json(
            JSON.object([
                "count": .int(wanted.count), "refunds": .array(wanted.suffix(filter.limit).map(\.json)),
            ]).bytes)
    }

    private struct Filter {
        let environment: String?
        let bundleID: String?
        let transactionID: String?
        let reference: String?
        let limit: Int

        init(_ request: Request) {
            environment = request.query.first("environment")
            bundleID = request.query.first("bundleId")
            transactionID = request.query.first("transactionId")
            reference = request.query.first("requestReferenceId")?.lowercased()
            limit = max(1, min(100_000, request.query.first("limit").flatMap { Int($0) } ?? 1000))
        }

        func wants(_ environment: StoreEnvironment, _ bundleID: String, _ transactionID: String, _ reference: String)
            -> Bool
        {
            (self.environment ?? environment.rawValue) == environment.rawValue
                && (self.bundleID ?? bundleID) == bundleID && (self.transactionID ?? transactionID) == transactionID
                && (self.reference ?? reference) == reference
        }
    }

    private func decide(_ request: Request, _ context: Context) async throws -> Response {
        let body = try ControlBody(request, allowed: ["environment", "outcome"])
        let reference = context.parameter("requestReferenceId").lowercased()
        guard let wanted = try outcome(body.value("outcome") ?? .null) else {
            throw HTTPError(.badRequest, "outcome is missing\n")
        }
        for environment in try environments(body) {
            guard let waiting = works.commerce.request(reference, in: environment) else { continue }
            guard waiting.state == .waiting else {
                throw OrderFault("the request is \(waiting.state.rawValue): it no longer waits")
            }
            clerk.decide(waiting, as: wanted)
            return .json((works.commerce.request(reference, in: environment)?.json ?? .null).bytes)
        }
        return .text("no such request\n", status: .notFound)
    }

    // MARK: Rates

    private func rates(_ request: Request, _ context: Context) async throws -> Response {
        let bundleID = request.query.first("bundleId")
        let counts = works.commerce.meter.counts.filter { bundleID == nil || $0.bundleID == bundleID }
        return .json(JSON.object(["rates": .array(counts.map(\.json))]).bytes)
    }
}

extension CommerceRequest {
    var json: JSON {
        var members: JSONObject = [
            "requestReferenceId": .string(requestReferenceID), "kind": .string(kind.rawValue),
            "environment": .string(environment.rawValue), "bundleId": .string(bundleID),
            "transactionId": .string(transactionID), "at": .int(at.milliseconds), "state": .string(state.rawValue),
            "repeats": .int(repeats),
        ]
        if kind == .refund { members["SKUs"] = .array(asked.items.map { .string($0.sku) }) }
        members["refundRiskingPreference"] = asked.riskingPreference.map { .bool($0) }
        members["consumptionAskedAt"] = consumptionAskedAt.map { .int($0.milliseconds) }
        members["decidedAt"] = decidedAt.map { .int($0.milliseconds) }
        return .object(members)
    }
}

extension CommerceRefund {
    var json: JSON {
        [
            "environment": .string(environment.rawValue), "bundleId": .string(bundleID),
            "transactionId": .string(transactionID), "SKU": .string(sku),
            "requestReferenceId": .string(requestReferenceID), "refundAmount": .int(amount),
            "refundReason": .string(reason), "refundType": .string(type), "revoke": .bool(isRevoked),
            "refundDate": .int(at.milliseconds),
        ]
    }
}

extension CommerceMeter.Count {
    var json: JSON {
        [
            "bundleId": .string(bundleID), "environment": .string(environment.rawValue), "calls": .int(calls),
            "refused": .int(refused), "first": .int(first.milliseconds), "last": .int(last.milliseconds),
            "busiest": .object(
                JSONObject(CommerceMeter.spans.map { (String($0), .int(busiest[$0] ?? 0)) })),
        ]
    }
}
