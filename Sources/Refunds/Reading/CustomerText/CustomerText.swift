package import Time

/// What a customer may be told about a refund that they asked Apple for.
package enum CustomerSituation: Sendable, Hashable, CaseIterable {
    /// Apple has not decided.
    case waiting
    /// Apple should have decided by now, and nothing was heard of it.
    case unheard
    case refunded
    case refundedInPart
    case declined
    /// A refund that was taken back.
    case reversed
}

extension CaseStory {
    /// After this time without a decision the customer knows more than we do.
    static let decisionHeardWithin = Duration.days(14)

    /// As the customer sees it: nothing of what was decided or sent here.
    package func customerSituation(at now: Moment) -> CustomerSituation {
        switch line.outcome {
        case .pending: now - line.listedAt > Self.decisionHeardWithin ? .unheard : .waiting
        case .unheard: .unheard
        case .declined: .declined
        case .reversed: .reversed
        case .refunded: isRefundPartial ? .refundedInPart : .refunded
        }
    }

    private var isRefundPartial: Bool {
        let type = revocation?.revocationType ?? purchase?.revocationType
        let share = revocation?.revocationShare ?? purchase?.revocationShare
        if let share, (1..<100_000).contains(share) { return true }
        let items = purchase?.items ?? []
        if items.contains(where: { $0.refundedAmount != nil }) {
            return items.contains { $0.refundedAmount != $0.price }
        }
        return type == "REFUND_PRORATED"
    }
}

/// A letter to the customer of a case: ready to be copied, in the languages that messages have.
///
/// It says what the customer knows or may know: the app, the day of the purchase, what Apple did. No rule, preference,
/// evidence or id of ours is in it, nor what others think of the request.
package struct CustomerText: Sendable, Hashable {
    let situation: CustomerSituation
    let app: String
    let boughtAt: Moment?

    package init(_ situation: CustomerSituation, app: String, boughtAt: Moment?) {
        self.situation = situation
        self.app = app
        self.boughtAt = boughtAt
    }

    package init(_ story: CaseStory, at now: Moment) {
        self.init(story.customerSituation(at: now), app: story.appName, boughtAt: story.purchase?.purchasedAt)
    }

    package func text(in language: AlertLanguage) -> String {
        let day = boughtAt.map { LocalForms(language: language, zone: "UTC").day($0) }
        return switch language {
        case .english: EnglishLetter.text(situation, app: app, day: day)
        case .german: GermanLetter.text(situation, app: app, day: day)
        case .french: FrenchLetter.text(situation, app: app, day: day)
        case .spanish: SpanishLetter.text(situation, app: app, day: day)
        case .japanese: JapaneseLetter.text(situation, app: app, day: day)
        }
    }

    /// Where customers see what became of their requests.
    static let place = "https://reportaproblem.apple.com"
}
