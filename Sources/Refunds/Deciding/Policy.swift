import AppStore

/// An ordered list of situations and answers; the first that fits decides.
package struct Policy: Sendable {
    package enum Answer: Sendable, Hashable {
        case prefer(Decision.Preference)
        /// The facts, without a preference.
        case factsOnly
        case withhold(Withholding)
    }

    /// One line of the list.
    package struct Row: Sendable {
        /// From 1; what people cite.
        package let number: Int
        package let situation: String
        package let answer: Answer
        let fits: @Sendable (PurchaseFacts) -> Bool

        package init(
            _ number: Int, _ situation: String, _ answer: Answer, fits: @escaping @Sendable (PurchaseFacts) -> Bool
        ) {
            self.number = number
            self.situation = situation
            self.answer = answer
            self.fits = fits
        }
    }

    package let rows: [Row]

    package init(rows: [Row]) { self.rows = rows }

    /// What is answered where an app has no rules of its own.
    package static let standard = Policy(rows: [
        Row(1, "delivery reported as failed", .prefer(.grantFull)) { $0.delivery?.value.isDelivered == false },
        Row(2, "legal ground", .prefer(.grantFull)) { $0.reason?.known == .legal },
        // The app's setting is not enough against the customer's word.
        Row(3, "said not to have come, and delivery not reported", .withhold(.deliveryUnreported)) {
            $0.reason?.known == .fulfillmentIssue && $0.delivery == nil
        },
        Row(4, "use unknown", .factsOnly) { $0.use == .unknown },
        Row(5, "said not to have come or not to have been meant, and not used at all", .prefer(.grantFull)) {
            ($0.reason?.known == .fulfillmentIssue || $0.reason?.known == .unintendedPurchase) && $0.use == .notAtAll
        },
        Row(6, "said not to have come, and used in part", .factsOnly) {
            $0.reason?.known == .fulfillmentIssue && $0.use == .inPart
        },
        Row(7, "used up", .prefer(.decline)) { $0.use == .usedUp },
        Row(8, "used in part", .prefer(.grantProrated)) { $0.use == .inPart },
        Row(9, "not used at all", .factsOnly) { $0.use == .notAtAll },
    ])

    /// What is answered to a request. Pure.
    ///
    /// What forbids an answer altogether is looked at before any rule: a family member's copy or a
    /// seat, then consent, then a delivery that nobody reported where the app does not speak for it.
    package func decide(_ facts: PurchaseFacts) -> Decision {
        let saw = observations(facts)
        switch facts.ownership?.known {
        case .familyShared:
            return Decision(
                row: nil, situation: "a family member's copy is never answered", withheld: .familyShared, saw: saw)
        case .assigned:
            return Decision(
                row: nil, situation: "an assigned seat is never answered", withheld: .familyShared, saw: saw,
                remarks: ["Apple does not take consumption data about assigned seats."])
        case .purchased, nil: break
        }
        guard facts.consent.stands else {
            return Decision(
                row: nil, situation: "without consent nothing is sent", withheld: .noConsent, saw: saw,
                remarks: consentRemarks(facts.consent))
        }
        guard facts.effectiveDelivery != nil else {
            return Decision(
                row: nil, situation: "delivery not reported, and the app's setting is to send nothing then",
                withheld: .deliveryUnreported, saw: saw)
        }
        if facts.isOwnRequest {
            return Decision(
                row: nil, situation: "we asked Apple for this refund ourselves", preference: .grantFull, saw: saw,
                remarks: ["Our own request goes before the rules: what we answer does not oppose it."])
        }
        guard let row = rows.first(where: { $0.fits(facts) }) else {
            return Decision(row: nil, situation: "no rule fits", saw: saw)
        }
        switch row.answer {
        case .prefer(let preference):
            return Decision(row: row.number, situation: row.situation, preference: preference, saw: saw)
        case .factsOnly:
            return Decision(row: row.number, situation: row.situation, saw: saw)
        case .withhold(let reason):
            return Decision(row: row.number, situation: row.situation, withheld: reason, saw: saw)
        }
    }

    private func consentRemarks(_ consent: ConsentStanding) -> [String] {
        switch consent {
        case .tooLate: ["The customer agreed only after this request was signed: that counts for the next one."]
        case .withdrawn: ["The customer withdrew."]
        case .given, .allFrom, .missing: []
        }
    }

    private func observations(_ facts: PurchaseFacts) -> [Decision.Observation] {
        let delivery = facts.effectiveDelivery
        return [
            .init("type", facts.type?.raw, source: "signed by Apple"),
            .init(
                "consumptionRequestReason", facts.reason?.raw, source: "said by the customer", at: facts.requestSignedAt
            ),
            .init("consent", facts.consent.text, source: "consent ledger", at: facts.consent.at),
            .init("deliveryStatus", delivery?.value.rawValue, source: delivery?.source.text, at: delivery?.source.at),
            .init(
                "consumptionPercentage", facts.share.map { String($0.value) }, source: facts.share?.source.text,
                at: facts.share?.source.at),
            .init(
                "sampleContentProvided", facts.sampleContent.value ? "yes" : "no",
                source: facts.sampleContent.source.text, at: facts.sampleContent.source.at),
        ]
    }
}
