import Crypto
import Time

// What outlives a start: requests, references and refunds. Switches do not.
extension CommerceBook {
    var memory: JSON {
        let (references, requests, refunds) = parts
        return [
            "references": .array(
                references.map { reference in
                    var members: JSONObject = [
                        "id": .string(reference.id), "environment": .string(reference.environment.rawValue),
                        "digest": .string(Hex.encode(reference.digest)), "answered": .bool(reference.isAnswered),
                    ]
                    switch reference.outcome {
                    case .success(let place): members["request"] = .int(place)
                    case .failure(let error): members["refusal"] = error.json
                    }
                    return .object(members)
                }),
            "requests": .array(requests.map(Self.json)), "refunds": .array(refunds.map(\.json)),
        ]
    }

    /// - Throws: `OrderFault` for what `memory` did not write; nothing is taken from it then.
    func recall(_ json: JSON?) throws(OrderFault) {
        guard let json else { return }
        var requests: [CommerceRequest] = []
        for value in json["requests"]?.array ?? [] { requests.append(try Self.request(value)) }
        var refunds: [CommerceRefund] = []
        for value in json["refunds"]?.array ?? [] { refunds.append(try Self.refund(value)) }
        var references: [KeptReference] = []
        for value in json["references"]?.array ?? [] {
            references.append(try Self.reference(value, requests: requests.count))
        }
        take(references, requests, refunds)
    }

    private static func reference(_ value: JSON, requests: Int) throws(OrderFault) -> KeptReference {
        guard let id = value["id"]?.string, let environment = environment(value),
            let digest = value["digest"]?.string.flatMap({ Hex.decode($0) })
        else { throw OrderFault("a reference cannot be read") }
        let outcome: Result<Int, AppleError>
        if let place = value["request"]?.int.map({ Int($0) }), (0..<requests).contains(place) {
            outcome = .success(place)
        } else if let code = value["refusal"]?["errorCode"]?.int {
            outcome = .failure(AppleError(code, value["refusal"]?["errorMessage"]?.string ?? ""))
        } else {
            throw OrderFault("a reference leads nowhere")
        }
        return KeptReference(
            id: id, environment: environment, digest: digest, outcome: outcome,
            isAnswered: value["answered"]?.bool ?? true)
    }

    private static func json(_ request: CommerceRequest) -> JSON {
        var members = request.json.object ?? [:]
        members["items"] = .array(
            request.asked.items.map { item in
                var members: JSONObject = [
                    "SKU": .string(item.sku), "refundReason": .string(item.reason), "refundType": .string(item.type),
                    "revoke": .bool(item.revokes),
                ]
                members["refundAmount"] = item.amount.map { .int($0) }
                return .object(members)
            })
        members["refundReason"] = .optional(request.asked.reason)
        members["refundType"] = .optional(request.asked.type)
        return .object(members)
    }

    private static func request(_ value: JSON) throws(OrderFault) -> CommerceRequest {
        guard let reference = value["requestReferenceId"]?.string, let environment = environment(value),
            let kind = value["kind"]?.string.flatMap(CommerceKind.init), let bundleID = value["bundleId"]?.string,
            let transactionID = value["transactionId"]?.string, let at = moment(value["at"]),
            let state = value["state"]?.string.flatMap(CommerceRequest.State.init)
        else { throw OrderFault("a commerce request cannot be read") }
        var asked = CommerceAsked(kind: kind)
        for item in value["items"]?.array ?? [] {
            guard let sku = item["SKU"]?.string, let reason = item["refundReason"]?.string,
                let type = item["refundType"]?.string, let revokes = item["revoke"]?.bool
            else { throw OrderFault("an item cannot be read") }
            asked.items.append(
                CommerceAsked.Item(
                    sku: sku, reason: reason, type: type, amount: item["refundAmount"]?.int, revokes: revokes))
        }
        asked.reason = value["refundReason"]?.string
        asked.type = value["refundType"]?.string
        asked.riskingPreference = value["refundRiskingPreference"]?.bool
        return CommerceRequest(
            requestReferenceID: reference, kind: kind, environment: environment, bundleID: bundleID,
            transactionID: transactionID, at: at, asked: asked, state: state, decidedAt: moment(value["decidedAt"]),
            consumptionAskedAt: moment(value["consumptionAskedAt"]),
            repeats: Int(value["repeats"]?.int ?? 0))
    }

    private static func refund(_ value: JSON) throws(OrderFault) -> CommerceRefund {
        guard let environment = environment(value), let bundleID = value["bundleId"]?.string,
            let transactionID = value["transactionId"]?.string, let sku = value["SKU"]?.string,
            let reference = value["requestReferenceId"]?.string, let amount = value["refundAmount"]?.int,
            let reason = value["refundReason"]?.string, let type = value["refundType"]?.string,
            let isRevoked = value["revoke"]?.bool, let at = moment(value["refundDate"])
        else { throw OrderFault("a refund cannot be read") }
        return CommerceRefund(
            environment: environment, bundleID: bundleID, transactionID: transactionID, sku: sku,
            requestReferenceID: reference, amount: amount, reason: reason, type: type, isRevoked: isRevoked, at: at)
    }

    private static func environment(_ value: JSON) -> StoreEnvironment? {
        value["environment"]?.string.flatMap(StoreEnvironment.init)
    }

    private static func moment(_ value: JSON?) -> Moment? { value?.int.map { Moment(milliseconds: $0) } }
}
