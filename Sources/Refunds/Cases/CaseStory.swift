package import FoundationEssentials
package import Time

/// Everything about one case, as its page and the API tell it.
package struct CaseStory: Sendable {
    package let line: CaseLine
    package let bundleID: String
    package let appName: String
    /// Of an app made to rehearse with: in no total.
    package let isRehearsal: Bool
    /// The newest signed form of the transaction, where one was verified.
    package let purchase: Purchase?
    /// Requests of the transaction, newest first.
    package let rounds: [Round]
    /// What Apple signed, oldest first.
    package let facts: [Fact]
    /// What the customer agreed to, oldest first.
    package let consents: [Consent]
    /// Reports of delivery and use, in the order they were learned.
    package let usage: [UsageReport]
    package let remarks: [Remark]
    /// Verified notifications about this transaction, by `signedDate`.
    package let notifications: [NotificationLine]
    /// Other cases of the same customer or purchase, newest first; at most `CaseQueries.othersMax`.
    package let others: [CaseLine]
    /// What the app's server was asked, a question for each request.
    package var asks: [Ask] = []
    /// Who was named as the customer of a purchase that names none, and counts.
    package var naming: CustomerNaming?

    package init(
        line: CaseLine, bundleID: String, appName: String, isRehearsal: Bool = false, purchase: Purchase?,
        rounds: [Round], facts: [Fact], consents: [Consent], usage: [UsageReport], remarks: [Remark],
        notifications: [NotificationLine], others: [CaseLine] = []
    ) {
        self.line = line
        self.bundleID = bundleID
        self.appName = appName
        self.isRehearsal = isRehearsal
        self.purchase = purchase
        self.rounds = rounds
        self.facts = facts
        self.consents = consents
        self.usage = usage
        self.remarks = remarks
        self.notifications = notifications
        self.others = others
    }

    /// How often Apple sent the newest request; 0 for a case without one.
    package var deliveries: Int { rounds.first?.deliveries ?? 0 }

    /// The newest refund that was signed, unless a reversal is newer.
    package var revocation: Fact? {
        guard line.outcome == .refunded else { return nil }
        return facts.last { $0.kind == .refund }
    }
}

extension CaseStory {
    /// What the transaction's signed form says of the purchase.
    package struct Purchase: Sendable {
        package let type: String?
        package let purchasedAt: Moment?
        package let expiresAt: Moment?
        package let storefront: String?
        /// `inAppOwnershipType`
        package let ownership: String?
        package let signedAt: Moment
        package let revokedAt: Moment?
        package let revocationType: String?
        /// Thousandths of a percent of the price.
        package let revocationShare: Int?
        package let revocationReason: Int?
        /// An authenticated look-up gave it without a bundle ID.
        package let isBundleIDMissing: Bool
        /// Advanced Commerce purchases carry their refunds per item.
        package let items: [Item]
        /// The verified payload, to the byte.
        package let fields: [UInt8]

        package init(
            type: String? = nil, purchasedAt: Moment? = nil, expiresAt: Moment? = nil, storefront: String? = nil,
            ownership: String? = nil, signedAt: Moment, revokedAt: Moment? = nil, revocationType: String? = nil,
            revocationShare: Int? = nil, revocationReason: Int? = nil, isBundleIDMissing: Bool = false,
            items: [Item] = [], fields: [UInt8] = []
        ) {
            self.type = type
            self.purchasedAt = purchasedAt
            self.expiresAt = expiresAt
            self.storefront = storefront
            self.ownership = ownership
            self.signedAt = signedAt
            self.revokedAt = revokedAt
            self.revocationType = revocationType
            self.revocationShare = revocationShare
            self.revocationReason = revocationReason
            self.isBundleIDMissing = isBundleIDMissing
            self.items = items
            self.fields = fields
        }
    }

    /// An item of an Advanced Commerce purchase.
    package struct Item: Sendable {
        package let sku: String
        package let name: String?
        package let price: Int64?
        /// The sum of the item's refunds.
        package let refundedAmount: Int64?
        /// This item alone lost its entitlement.
        package let revokedAt: Moment?

        package init(
            sku: String, name: String? = nil, price: Int64? = nil, refundedAmount: Int64? = nil,
            revokedAt: Moment? = nil
        ) {
            self.sku = sku
            self.name = name
            self.price = price
            self.refundedAmount = refundedAmount
            self.revokedAt = revokedAt
        }
    }

    /// One CONSUMPTION_REQUEST and what became of it.
    package struct Round: Sendable, Identifiable {
        /// The request's `notificationUUID`.
        package let id: UUID
        package let requestedAt: Moment
        package let deadline: Moment
        package let state: RoundState
        package let stateReason: String?
        /// Apple first delivered it after its deadline.
        package let isLate: Bool
        package let firstReceivedAt: Moment
        package let reason: String?
        package let deliveries: Int
        package let decision: Decision?
        package let decidedAt: Moment?
        package let holdUntil: Moment?
        /// Until when a person is or was asked; nil: nobody was.
        package let askedUntil: Moment?
        /// What the person said.
        package let answer: HeldAnswer?
        package let reply: Reply?

        package init(
            id: UUID, requestedAt: Moment, deadline: Moment, state: RoundState, stateReason: String? = nil,
            isLate: Bool = false, firstReceivedAt: Moment, reason: String? = nil, deliveries: Int = 1,
            decision: Decision? = nil, decidedAt: Moment? = nil, holdUntil: Moment? = nil,
            askedUntil: Moment? = nil, answer: HeldAnswer? = nil, reply: Reply? = nil
        ) {
            self.id = id
            self.requestedAt = requestedAt
            self.deadline = deadline
            self.state = state
            self.stateReason = stateReason
            self.isLate = isLate
            self.firstReceivedAt = firstReceivedAt
            self.reason = reason
            self.deliveries = deliveries
            self.decision = decision
            self.decidedAt = decidedAt
            self.holdUntil = holdUntil
            self.askedUntil = askedUntil
            self.answer = answer
            self.reply = reply
        }
    }

    /// The one body of a round and each time it was sent.
    package struct Reply: Sendable {
        /// 1 or 2: the version of Send Consumption Information.
        package let api: Int
        package let body: [UInt8]
        package let frozenAt: Moment
        package let attempts: [Attempt]

        package init(api: Int, body: [UInt8], frozenAt: Moment, attempts: [Attempt]) {
            self.api = api
            self.body = body
            self.frozenAt = frozenAt
            self.attempts = attempts
        }

        /// The attempt that Apple accepted, else the last one.
        package var decisive: Attempt? { attempts.first { $0.result == .accepted } ?? attempts.last }
    }

    package struct Attempt: Sendable {
        package typealias Result = Refunds.Attempt.Result
        package let number: Int
        package let startedAt: Moment
        package let endedAt: Moment?
        /// Nil while it is in flight.
        package let result: Result?
        package let status: Int?
        package let appleCode: Int64?
        package let appleMessage: String?
        package let appleRequestID: String?
        package let error: String?
        package let retryAt: Moment?

        package init(
            number: Int, startedAt: Moment, endedAt: Moment? = nil, result: Result? = nil, status: Int? = nil,
            appleCode: Int64? = nil, appleMessage: String? = nil, appleRequestID: String? = nil, error: String? = nil,
            retryAt: Moment? = nil
        ) {
            self.number = number
            self.startedAt = startedAt
            self.endedAt = endedAt
            self.result = result
            self.status = status
            self.appleCode = appleCode
            self.appleMessage = appleMessage
            self.appleRequestID = appleRequestID
            self.error = error
            self.retryAt = retryAt
        }
    }

    /// Something Apple signed about the transaction.
    package struct Fact: Sendable, Identifiable {
        package let id: UUID
        package let kind: CaseFact.Kind
        package let signedAt: Moment
        package let learnedAt: Moment
        package let source: CaseFact.Source
        package let reason: String?
        package let revokedAt: Moment?
        package let revocationType: String?
        package let revocationShare: Int?
        package let revocationReason: Int?

        package init(
            id: UUID, kind: CaseFact.Kind, signedAt: Moment, learnedAt: Moment, source: CaseFact.Source = .notification,
            reason: String? = nil, revokedAt: Moment? = nil, revocationType: String? = nil,
            revocationShare: Int? = nil, revocationReason: Int? = nil
        ) {
            self.id = id
            self.kind = kind
            self.signedAt = signedAt
            self.learnedAt = learnedAt
            self.source = source
            self.reason = reason
            self.revokedAt = revokedAt
            self.revocationType = revocationType
            self.revocationShare = revocationShare
            self.revocationReason = revocationReason
        }
    }

    package struct Consent: Sendable {
        package enum Subject: String, Sendable {
            case customer, purchase
        }
        package let subject: Subject
        package let consented: Bool
        package let givenAt: Moment
        package let learnedAt: Moment
        package let wording: String?
        package let source: String?

        package init(
            subject: Subject, consented: Bool, givenAt: Moment, learnedAt: Moment, wording: String? = nil,
            source: String? = nil
        ) {
            self.subject = subject
            self.consented = consented
            self.givenAt = givenAt
            self.learnedAt = learnedAt
            self.wording = wording
            self.source = source
        }
    }

    package struct UsageReport: Sendable {
        package let deliveryStatus: String?
        /// Thousandths of a percent.
        package let share: Int?
        package let sampleContent: Bool?
        package var credits: UsageCount?
        package var items: UsageCount?
        package let observedAt: Moment
        package let learnedAt: Moment
        package let source: String

        package init(
            deliveryStatus: String? = nil, share: Int? = nil, sampleContent: Bool? = nil, observedAt: Moment,
            learnedAt: Moment, source: String = "pushed"
        ) {
            self.deliveryStatus = deliveryStatus
            self.share = share
            self.sampleContent = sampleContent
            self.observedAt = observedAt
            self.learnedAt = learnedAt
            self.source = source
        }
    }

    /// A note, an assignment, a reopening: what has no row of its own.
    package struct Remark: Sendable {
        package let at: Moment
        package let kind: String
        /// JSON of our own.
        package let detail: String
        /// Who wrote or did it; nil: the program by itself.
        package let person: UUID?

        package init(at: Moment, kind: String, detail: String, person: UUID? = nil) {
            self.at = at
            self.kind = kind
            self.detail = detail
            self.person = person
        }
    }
}
