package import Tenants
package import Time

/// Which cases are counted.
package struct OutcomeFilter: Sendable, Hashable {
    package var apps: [AppID]
    /// Nil: both.
    package var environment: AppEnvironment?
    /// On the newest request's `signedDate`, and on the day of a purchase.
    package var from: Moment
    package var to: Moment

    package init(apps: [AppID], environment: AppEnvironment?, from: Moment, to: Moment) {
        self.apps = apps
        self.environment = environment
        self.from = from
        self.to = to
    }
}

/// What was asked for, what Apple was told, and what Apple did.
package struct Outcomes: Sendable {
    /// Cases that share all of this.
    package struct Cell: Sendable, Hashable {
        package let state: CaseState
        package let stateReason: String?
        /// Set where Apple took our reply.
        package let told: Decision.Answer?
        package let outcome: CaseOutcome
        /// `consumptionRequestReason`
        package let reason: String?
        package let cases: Int

        package init(
            state: CaseState, stateReason: String? = nil, told: Decision.Answer? = nil, outcome: CaseOutcome,
            reason: String? = nil, cases: Int
        ) {
            self.state = state
            self.stateReason = stateReason
            self.told = told
            self.outcome = outcome
            self.reason = reason
            self.cases = cases
        }
    }

    /// Purchases of one month, and how many of them were refunded since.
    package struct Month: Sendable, Hashable {
        /// `2026-03`, in UTC.
        package let month: String
        package let bought: Int
        package let refunded: Int

        package init(month: String, bought: Int, refunded: Int) {
            self.month = month
            self.bought = bought
            self.refunded = refunded
        }
    }

    /// What refunds of one product cost.
    package struct Product: Sendable {
        package let app: AppID
        package let product: String
        package let refunds: Int
        /// What customers got back at most, in milliunits by currency.
        package let prices: [String: Int64]
        /// What was spent beyond that, in milliunits by currency; nil: no cost is filled in.
        package let costs: [String: Int64]?
        /// Of how many the use is known: a cost by use counts for those alone.
        package let usesKnown: Int
        package let hasCostByUse: Bool

        package init(
            app: AppID, product: String, refunds: Int, prices: [String: Int64], costs: [String: Int64]?,
            usesKnown: Int, hasCostByUse: Bool
        ) {
            self.app = app
            self.product = product
            self.refunds = refunds
            self.prices = prices
            self.costs = costs
            self.usesKnown = usesKnown
            self.hasCostByUse = hasCostByUse
        }
    }

    package let cells: [Cell]
    /// What customers paid for where nothing was sent for lack of consent, in milliunits by currency.
    package let moneyWithoutConsent: [String: Int64]
    /// From a request's arrival to Apple's 202, over the newest answered ones.
    package let medianToAnswer: Duration?
    package let nineInTenToAnswer: Duration?
    package let months: [Month]
    package let products: [Product]
    /// More than are counted lie in this time: the newest were.
    package let isCutOff: Bool

    package init(
        cells: [Cell], moneyWithoutConsent: [String: Int64] = [:], medianToAnswer: Duration? = nil,
        nineInTenToAnswer: Duration? = nil, months: [Month] = [], products: [Product] = [], isCutOff: Bool = false
    ) {
        self.cells = cells
        self.moneyWithoutConsent = moneyWithoutConsent
        self.medianToAnswer = medianToAnswer
        self.nineInTenToAnswer = nineInTenToAnswer
        self.months = months
        self.products = products
        self.isCutOff = isCutOff
    }

    /// Cases of all apps together that are counted, the newest ones; and purchases.
    package static let casesMax = 100_000
    /// A rate of fewer is not told.
    package static let casesMin = 20
    package static let productsMax = 200
}

extension Outcomes {
    /// Hits among those that could have been.
    package struct Rate: Sendable, Hashable {
        package let hits: Int
        package let of: Int

        package init(hits: Int, of: Int) {
            self.hits = hits
            self.of = of
        }

        /// Thousandths of a percent; nil: not enough cases yet.
        package var share: Int? { of >= Outcomes.casesMin ? hits * 100_000 / of : nil }
    }

    package var cases: Int { cells.reduce(0) { $0 + $1.cases } }

    package func count(_ isMeant: (Cell) -> Bool) -> Int { cells.reduce(0) { $0 + (isMeant($1) ? $1.cases : 0) } }

    /// Apple did what we had asked for, of all with a preference that Apple decided.
    package var agreement: Rate {
        let decided: (Cell) -> Bool = {
            $0.told?.isPreference == true && ($0.outcome == .refunded || $0.outcome == .declined)
        }
        return Rate(
            hits: count { decided($0) && ($0.told == .decline) == ($0.outcome == .declined) }, of: count(decided))
    }

    /// Apple took our reply, of all to which one was to go.
    package var answered: Rate {
        Rate(
            hits: count { $0.state == .answered },
            of: count { [.answered, .refused, .missed, .overtaken].contains($0.state) })
    }

    /// Nothing was sent for lack of consent, of all that Apple asked about.
    package var withoutConsent: Rate {
        Rate(
            hits: count { $0.state == .withheld && $0.stateReason == Withholding.noConsent.rawValue },
            of: count { $0.state != .unasked && $0.state != .imported })
    }
}
