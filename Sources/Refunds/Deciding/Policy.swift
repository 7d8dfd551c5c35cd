import AppStore

/// An ordered list of rules; the first that fits decides.
package struct Policy: Sendable, Hashable {
    package let rules: [PolicyRule]

    package init(rules: [PolicyRule]) { self.rules = rules }

    /// What is answered where an app has no rules of its own.
    package static let standard = Policy(template: .fair)

    /// - Precondition: the template's text can be read; a test reads each.
    package init(template: PolicyTemplate) {
        switch PolicyText.read(template.text) {
        case .success(let policy): self = policy
        case .failure(let troubles): preconditionFailure("the template \(template) cannot be read: \(troubles.all)")
        }
    }

    /// As it is written, without its comments.
    package var text: String { rules.map(\.text).joined(separator: "\n") }

    /// The first rule that fits; nil where none does, which a policy that was read cannot come to.
    package func rule(for facts: PurchaseFacts) -> PolicyRule? { rules.first { $0.fits(facts) } }

    /// What is answered to a request. Pure.
    ///
    /// What forbids an answer altogether is looked at before any rule: a family member's copy or a
    /// seat, then consent, then a delivery that nobody reported where the app does not speak for it. Our own request
    /// and what is fixed for the customer go before the rules too.
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
        if let override = facts.override {
            var decision = Decision(
                override.action.action.fallback, row: nil, situation: "somebody fixed what this customer is answered",
                saw: saw, remarks: ["Fixed by \(override.authorName): \(override.reason)"])
            if case .hold(let otherwise) = override.action.action {
                decision.hold = Decision.Hold(otherwise: otherwise.text)
            }
            decision.override = Decision.Override(reason: override.reason, author: override.authorName)
            return decision
        }
        guard let rule = rule(for: facts) else {
            return Decision(row: nil, situation: "no rule fits", saw: saw)
        }
        let looked = rule.conditions.map {
            Decision.Observation($0.text, $0.seen(facts), source: Decision.Observation.ofRule)
        }
        var decision = Decision(rule.action.fallback, row: rule.number, situation: rule.situation, saw: saw + looked)
        switch rule.action {
        case .hold(let otherwise): decision.hold = Decision.Hold(otherwise: otherwise.text)
        case .prefer(let preference) where facts.isHeldOut == true:
            decision = decision.withoutPreference(
                "The lot kept the preference \(preference.rawValue) back: this case shows what Apple does without it.")
            decision.heldOut = preference
        case .prefer, .factsOnly, .withhold: break
        }
        return decision
    }

    private func consentRemarks(_ consent: ConsentStanding) -> [String] {
        switch consent {
        case .tooLate: ["The customer agreed only after this request was signed: that counts for the next one."]
        case .withdrawn: ["The customer withdrew."]
        case .rescinded:
            [
                "Apple told that a parent withdrew consent for this customer. Nothing is sent until somebody decides so on the app's consent page."
            ]
        case .unclear:
            [
                "The app's server said something of consent when it was asked about this request, and it cannot be read: nothing is sent on what was known before."
            ]
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
        ] + facts.circumstances.observations + facts.elapsedObservation
    }
}
