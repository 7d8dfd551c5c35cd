import Time

/// What Apple makes of a refund request.
///
/// Source: Testing refund requests for the sandbox, where the developer's preference decides; for
/// production only that many inputs are weighed (apple sheets 3.3, 5.8).
struct Decision: Hashable {
    enum Outcome: Hashable {
        /// - Parameter percentage: milliunits of the price given back.
        case refunded(type: String, percentage: Int64)
        case declined
    }

    var outcome: Outcome
    /// A refund that is undone again after a dispute.
    var isReversed: Bool

    /// - Parameters:
    ///   - answer: nil when nothing was sent in time: Apple then decides without it.
    ///   - isWilful: whether Apple sometimes decides otherwise than it was asked to.
    static func make(
        answer: ConsumptionAnswer?, payload: JSONObject, environment: StoreEnvironment, isWilful: Bool, now: Moment,
        chance: inout Chance.Stream
    ) -> Decision {
        // Draws happen in one order whatever is decided, so that a seed gives one run.
        let isOtherwise = chance.happens(0.15)
        let isReversed = chance.happens(0.12)
        let declinesUnasked = chance.happens(0.35)
        var outcome = asked(answer, payload, now)
        if environment == .production, isWilful {
            if answer?.preference == nil, declinesUnasked { outcome = .declined }
            if answer?.preference != nil, isOtherwise {
                outcome = outcome == .declined ? .refunded(type: "REFUND_FULL", percentage: 100_000) : .declined
            }
        }
        return Decision(outcome: outcome, isReversed: isWilful && isReversed && outcome != .declined)
    }

    private static func asked(_ answer: ConsumptionAnswer?, _ payload: JSONObject, _ now: Moment) -> Outcome {
        switch answer?.preference {
        case .decline: return .declined
        case .grantFull, nil: return .refunded(type: "REFUND_FULL", percentage: 100_000)
        case .grantProrated:
            let percentage = unusedShare(answer, payload, now)
            return .refunded(type: "REFUND_PRORATED", percentage: percentage)
        }
    }

    /// The share of unused time of an auto-renewable subscription; for other types what the developer said
    /// was not consumed, or half.
    private static func unusedShare(_ answer: ConsumptionAnswer?, _ payload: JSONObject, _ now: Moment) -> Int64 {
        if payload["type"]?.string == Product.autoRenewable, let start = payload["purchaseDate"]?.int,
            let end = payload["expiresDate"]?.int, end > start
        {
            let rest = max(0, min(end - start, end - now.milliseconds))
            return rest * 100_000 / (end - start)
        }
        return answer?.consumptionPercentage.map { 100_000 - $0 } ?? 50_000
    }

    /// 1 where the customer complained of the app, 0 otherwise (apple sheet 3.3).
    static func revocationReason(for reason: String?) -> Int64 {
        ["FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE"].contains(reason) ? 1 : 0
    }
}
