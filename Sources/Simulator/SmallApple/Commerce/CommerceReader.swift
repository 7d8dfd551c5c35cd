/// Reads the bodies of the three calls, refusing what their pages refuse.
///
/// Source: RequestRefundRequest, RequestRefundItem, SubscriptionRevokeRequest, SubscriptionCancelRequest, RequestInfo,
/// RefundReason (apple sheets 6.4–6.9). Where a rule has no number in a call's own list of errors, 4000173 is answered.
struct CommerceReader {
    static let simulatedDecline = "SIMULATE_REFUND_DECLINE"
    static let reasons: Set<String> = [
        "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL", "OTHER",
        "MODIFY_ITEMS_REFUND", simulatedDecline,
    ]
    /// Characters (apple sheet 6.5).
    static let skuCharactersMax = 128

    let kind: CommerceKind

    /// A body as it was understood: its reference is known even where the rest breaks a rule.
    struct Reading {
        var reference: String?
        var asked: Result<CommerceAsked, AppleError>
    }

    func read(_ body: [UInt8]) -> Reading {
        var reading = Reading(reference: nil, asked: .failure(CommerceError.malformed("nothing was read")))
        do throws(AppleError) {
            let members = try object(body)
            reading.reference = try reference(members)
            reading.asked = .success(try asked(members))
        } catch {
            reading.asked = .failure(error)
        }
        return reading
    }

    private func object(_ body: [UInt8]) throws(AppleError) -> JSONObject {
        switch Result(catching: { () throws(JSONReader.Fault) in try JSONReader.read(body) }) {
        case .success(.object(let object)): return object
        case .success: throw CommerceError.malformed("it is no object")
        case .failure(let fault): throw CommerceError.malformed("\(fault)")
        }
    }

    private func reference(_ members: JSONObject) throws(AppleError) -> String {
        guard let value = given("requestInfo", members) else { throw CommerceError.nullRequestInfo }
        guard let info = value.object else { throw CommerceError.malformed("requestInfo is no object") }
        guard let stated = given("requestReferenceId", info) else { throw CommerceError.nullRequestReferenceID }
        guard let reference = stated.string, isUUID(reference) else { throw CommerceError.invalidRequestReferenceID }
        return reference.lowercased()
    }

    private func asked(_ members: JSONObject) throws(AppleError) -> CommerceAsked {
        let info = members["requestInfo"]?.object ?? [:]
        if let token = given("appAccountToken", info) {
            guard let text = token.string, text.isEmpty || isUUID(text) else {
                throw CommerceError.invalidAppAccountToken
            }
        }
        if let token = given("consistencyToken", info) {
            guard let text = token.string, !text.isEmpty else { throw CommerceError.invalidConsistencyToken }
        }
        try refuseStrangers(info, allowed: ["requestReferenceId", "appAccountToken", "consistencyToken"])
        var asked = CommerceAsked(kind: kind)
        if let storefront = given("storefront", members) {
            guard let text = storefront.string, Countries.all.contains(text) else {
                throw CommerceError.invalidStorefront
            }
            asked.storefront = text
        }
        switch kind {
        case .refund: try readRefund(members, &asked)
        case .revoke: try readRevocation(members, &asked)
        case .cancel: break
        }
        try refuseStrangers(members, allowed: kind.members)
        return asked
    }

    private func readRefund(_ members: JSONObject, _ asked: inout CommerceAsked) throws(AppleError) {
        asked.riskingPreference = try riskingPreference(members)
        if let currency = given("currency", members) {
            guard let text = currency.string, text.utf8.count == 3, text.utf8.allSatisfy({ (0x41...0x5A).contains($0) })
            else { throw CommerceError.malformed("currency is no ISO 4217 code") }
            asked.currency = text
        }
        guard let items = given("items", members)?.array, !items.isEmpty else {
            throw CommerceError.malformed("items is missing, empty or no array")
        }
        for item in items { asked.items.append(try self.item(item)) }
        if Set(asked.items.map(\.sku)).count < asked.items.count { throw CommerceError.itemSpecifiedMultipleTimes }
        let declines = asked.items.count { $0.reason == Self.simulatedDecline }
        if declines > 0, declines < asked.items.count { throw CommerceError.partialSimulateRefundDecline }
    }

    private func item(_ value: JSON) throws(AppleError) -> CommerceAsked.Item {
        guard let item = value.object else { throw CommerceError.malformed("an item is no object") }
        guard let sku = given("SKU", item)?.string, (1...Self.skuCharactersMax).contains(sku.count) else {
            throw CommerceError.malformed("SKU is missing or longer than 128 characters")
        }
        let reason = try reason(item)
        let type = try type(item, allowed: ["FULL", "PRORATED", "CUSTOM"])
        let amount = try amount(item, type: type)
        guard let revokes = given("revoke", item)?.bool else {
            throw CommerceError.malformed("revoke is missing or no boolean")
        }
        try refuseStrangers(item, allowed: ["SKU", "refundReason", "refundType", "refundAmount", "revoke"])
        return CommerceAsked.Item(sku: sku, reason: reason, type: type, amount: amount, revokes: revokes)
    }

    private func readRevocation(_ members: JSONObject, _ asked: inout CommerceAsked) throws(AppleError) {
        asked.reason = try reason(members)
        asked.type = try type(members, allowed: ["FULL", "PRORATED"])
        if given("refundAmount", members) != nil { throw CommerceError.refundAmountWithoutCustom }
        asked.riskingPreference = try riskingPreference(members)
    }

    // MARK: Members that both have

    private func reason(_ members: JSONObject) throws(AppleError) -> String {
        guard let value = given("refundReason", members) else { throw CommerceError.nullRefundReason }
        guard let reason = value.string, Self.reasons.contains(reason) else { throw CommerceError.invalidRefundReason }
        return reason
    }

    private func type(_ members: JSONObject, allowed: Set<String>) throws(AppleError) -> String {
        guard let value = given("refundType", members) else { throw CommerceError.nullRefundType }
        guard let type = value.string, allowed.contains(type) else { throw CommerceError.invalidRefundType }
        return type
    }

    private func amount(_ item: JSONObject, type: String) throws(AppleError) -> Int64? {
        let value = given("refundAmount", item)
        guard type == "CUSTOM" else {
            if value != nil { throw CommerceError.refundAmountWithoutCustom }
            return nil
        }
        guard let amount = value?.int else { throw CommerceError.nullRefundAmount }
        guard amount > 0 else { throw CommerceError.negativeRefundAmount }
        guard amount <= Int64(Int32.max) else { throw CommerceError.malformed("refundAmount is no 32-bit integer") }
        return amount
    }

    private func riskingPreference(_ members: JSONObject) throws(AppleError) -> Bool {
        guard let value = given("refundRiskingPreference", members) else { throw CommerceError.nullRefundRisking }
        guard let preference = value.bool else {
            throw CommerceError.malformed("refundRiskingPreference is no boolean")
        }
        return preference
    }

    /// A null is as good as nothing.
    private func given(_ name: String, _ members: JSONObject) -> JSON? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    private func refuseStrangers(_ members: JSONObject, allowed: Set<String>) throws(AppleError) {
        if let stranger = members.names.first(where: { !allowed.contains($0) }) {
            throw CommerceError.malformed("unknown member \(stranger)")
        }
    }
}
