import AppStore
import Time

extension Policy {
    /// What is not known of a purchase, and what these rules would have answered if it were. Pure.
    ///
    /// Consent comes first: without it nothing else matters. What is never sent is not missing.
    func missing(in facts: PurchaseFacts) -> [Decision.Missing] {
        switch facts.ownership?.known {
        case .familyShared, .assigned: return []
        case .purchased, nil: break
        }
        func one(_ name: String, _ others: [(String, (inout PurchaseFacts) -> Void)]) -> Decision.Missing {
            Decision.Missing(
                name: name,
                others: others.map { value, change in
                    var changed = facts
                    change(&changed)
                    let other = decide(changed)
                    return Decision.Missing.Other(
                        value: value, answer: other.answer, asks: other.hold == nil ? nil : true)
                })
        }
        guard facts.consent.stands else {
            let given = ConsentStanding.given(at: facts.requestSignedAt - .milliseconds(1), changeNo: 0)
            return [one("consent", [("given before the request", { $0.consent = given })])]
        }
        var missing: [Decision.Missing] = []
        if facts.delivery == nil {
            let source = EvidenceSource.reported(observedAt: facts.requestSignedAt)
            missing.append(
                one(
                    "deliveryStatus",
                    [DeliveryStatus.delivered, .undeliveredOther].map { status in
                        (status.rawValue, { $0.delivery = Evidence(status, source) })
                    }))
        }
        if facts.share == nil, facts.type?.known != .autoRenewableSubscription,
            facts.effectiveDelivery?.value.isDelivered ?? true
        {
            let source = EvidenceSource.reported(observedAt: facts.requestSignedAt)
            missing.append(
                one(
                    "consumptionPercentage",
                    [0, 50_000, 100_000].map { share in
                        (ShareWords.text(share), { $0.share = Evidence(share, source) })
                    }))
        }
        return missing
    }
}
