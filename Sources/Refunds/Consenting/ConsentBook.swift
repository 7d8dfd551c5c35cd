package import Tenants
package import Time

/// What an app's page about consent shows.
package struct ConsentBook: Sendable {
    /// Newest first.
    package let wordings: [ConsentWording]
    /// Wording versions that reports named and whose text is not kept, with how often.
    package let unknownWordings: [(version: String, count: Int)]
    /// Consent that Apple took back, newest first.
    package let rescissions: [Rescission]
    package let cost: ConsentCost

    package init(
        wordings: [ConsentWording], unknownWordings: [(version: String, count: Int)] = [],
        rescissions: [Rescission] = [],
        cost: ConsentCost = ConsentCost()
    ) {
        self.wordings = wordings
        self.unknownWordings = unknownWordings
        self.rescissions = rescissions
        self.cost = cost
    }
}

/// One customer's consent, or that of the buyer of one purchase.
package struct ConsentHistory: Sendable {
    package let subject: ConsentLedger.Subject
    /// Nil: nothing was ever reported.
    package let state: ConsentLedger.State?
    /// The customer's cases, newest first.
    package let cases: [CaseLine]
    /// Consent that Apple took back for what this customer bought.
    package let rescissions: [Rescission]

    package init(
        subject: ConsentLedger.Subject, state: ConsentLedger.State?, cases: [CaseLine] = [],
        rescissions: [Rescission] = []
    ) {
        self.subject = subject
        self.state = state
        self.cases = cases
        self.rescissions = rescissions
    }
}

/// On what consent the replies of one case rest.
package struct CaseConsent: Sendable {
    package let app: App
    /// What was reported about the customer and about the purchase, oldest first by the customer's own time.
    package let entries: [Entry]
    /// What stood behind each reply that was made.
    package let replies: [Reply]
    package let rescissions: [Rescission]
    /// Who the customer is where the purchase does not say so.
    package let match: CustomerMatch?
    /// Customers who bought the same at about the same time; for a person to look at.
    package let guesses: [Guess]
    /// Who was named as the customer by whom, newest first, those that were taken back among them.
    package let namings: [CustomerNaming]
    /// Whether the purchase says itself who its customer is.
    package let namesCustomer: Bool

    /// Whether a person may choose the customer: nobody names one.
    package var isForAPerson: Bool { !namesCustomer && match == nil }
    /// What a person chose, nobody took back, and nothing nearer overrules.
    package var chosen: CustomerNaming? {
        match?.by == .person ? namings.first { $0.by == .person && $0.withdrawnAt == nil } : nil
    }

    package struct Entry: Sendable {
        package let subject: CaseStory.Consent.Subject
        package let change: ConsentChange

        package init(subject: CaseStory.Consent.Subject, change: ConsentChange) {
            self.subject = subject
            self.change = change
        }
    }

    package struct Reply: Sendable {
        package let requestedAt: Moment
        /// The entry that allowed it; nil: the app's consent of all.
        package let changeNo: Int64?

        package init(requestedAt: Moment, changeNo: Int64?) {
            self.requestedAt = requestedAt
            self.changeNo = changeNo
        }
    }

    package struct Guess: Sendable {
        package let customer: String
        package let boughtAt: Moment

        package init(customer: String, boughtAt: Moment) {
            self.customer = customer
            self.boughtAt = boughtAt
        }
    }

    package init(
        app: App, entries: [Entry], replies: [Reply] = [], rescissions: [Rescission] = [], match: CustomerMatch? = nil,
        guesses: [Guess] = [], namings: [CustomerNaming] = [], namesCustomer: Bool = true
    ) {
        self.app = app
        self.entries = entries
        self.replies = replies
        self.rescissions = rescissions
        self.match = match
        self.guesses = guesses
        self.namings = namings
        self.namesCustomer = namesCustomer
    }
}
