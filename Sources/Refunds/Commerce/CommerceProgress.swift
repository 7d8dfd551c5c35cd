package import FoundationEssentials
package import Time

/// Something that Apple signed about a request after its first call. Facts are only ever added.
///
/// Ordered by `signedDate`, then kind, then id: by what Apple says about time, never by the order of arrival.
package struct CommerceFact: Sendable, Hashable, Comparable {
    package enum Kind: String, Sendable, CaseIterable {
        /// REFUND, of one item or of all.
        case refunded
        /// REFUND_DECLINED
        case declined
        /// REFUND_REVERSED
        case reversed

        var rank: Int { self == .reversed ? 1 : 0 }
    }

    /// The `notificationUUID`.
    package let id: UUID
    package let kind: Kind
    /// Nil: Apple spoke of the whole transaction.
    package let sku: String?
    package let signedAt: Moment
    /// Milliunits.
    package let amount: Int64?
    package let refundedAt: Moment?
    /// When the access ended.
    package let revokedAt: Moment?

    package init(
        id: UUID, kind: Kind, sku: String? = nil, signedAt: Moment, amount: Int64? = nil, refundedAt: Moment? = nil,
        revokedAt: Moment? = nil
    ) {
        self.id = id
        self.kind = kind
        self.sku = sku
        self.signedAt = signedAt
        self.amount = amount
        self.refundedAt = refundedAt
        self.revokedAt = revokedAt
    }

    package static func < (a: CommerceFact, b: CommerceFact) -> Bool {
        if a.signedAt != b.signedAt { return a.signedAt < b.signedAt }
        if a.kind.rank != b.kind.rank { return a.kind.rank < b.kind.rank }
        if a.id != b.id { return a.id < b.id }
        return (a.sku ?? "") < (b.sku ?? "")
    }
}

/// A request as a pure value: what we did and what Apple signed. Its state is what these amount to, in whatever
/// order and however often they arrived (docs/state-machines.md).
package struct CommerceProgress: Sendable, Hashable {
    package var kind: CommerceKind
    /// Of a refund; empty for the other kinds, which are about all that was bought.
    package var skus: [String]
    package var isSubmitted: Bool
    package var needsApproval: Bool
    package var isApproved: Bool
    package var isCancelled: Bool
    /// No call begins after it; nil while nothing failed.
    package var giveUpAt: Moment?
    package var attempts: [CommerceAttempt]
    package var facts: Set<CommerceFact>

    package init(
        kind: CommerceKind, skus: [String] = [], isSubmitted: Bool = true, needsApproval: Bool = false,
        isApproved: Bool = false, isCancelled: Bool = false, giveUpAt: Moment? = nil,
        attempts: [CommerceAttempt] = [], facts: Set<CommerceFact> = []
    ) {
        self.kind = kind
        self.skus = skus
        self.isSubmitted = isSubmitted
        self.needsApproval = needsApproval
        self.isApproved = isApproved
        self.isCancelled = isCancelled
        self.giveUpAt = giveUpAt
        self.attempts = attempts
        self.facts = facts
    }

    package struct Standing: Sendable, Hashable {
        package let state: CommerceRequestState
        package let reason: CommerceStateReason?

        package init(_ state: CommerceRequestState, _ reason: CommerceStateReason? = nil) {
            self.state = state
            self.reason = reason
        }
    }

    /// What the request came to at Apple's door, whichever attempt it was.
    private enum Taken { case no, accepted, arrivedEarlier, pending, refused }

    /// The first line that holds (docs/state-machines.md, "A commerce request").
    package func standing(at now: Moment) -> Standing {
        let refunded = refunds
        let wasCalled = attempts.contains { $0.result != .notSent }
        let taken = taken
        // 1 and 2: Apple's word, once all of it is there, counts before anything of ours.
        // A request that Apple certainly refused has no part in what a customer is given back later.
        let mayBeOurs = taken != .refused || attempts.contains(where: \.mayHaveArrived)
        if wasCalled, mayBeOurs, refunded == .all { return Standing(.refunded, reason(taken)) }
        if attempts.contains(where: { $0.result == nil }) { return Standing(.sending) }
        if wasCalled, kind != .cancel, taken == .accepted || taken == .arrivedEarlier || taken == .pending {
            if isDeclined {
                return refunded == .some ? Standing(.refunded, .partly) : Standing(.declined, reason(taken))
            }
            if refunded == .some { return Standing(.accepted, .partly) }
        }
        switch taken {
        case .accepted: return Standing(.accepted)
        case .arrivedEarlier: return Standing(.accepted, .arrivedEarlier)
        case .pending: return Standing(.pendingAtApple)
        case .refused: return Standing(.failed, .refused)
        case .no: break
        }
        if isCancelled { return Standing(.cancelled) }
        if !isSubmitted { return Standing(.draft) }
        if needsApproval, !isApproved { return Standing(.awaitingApproval) }
        if let giveUpAt, now >= giveUpAt {
            return Standing(.failed, attempts.contains(where: \.mayHaveArrived) ? .unknownResult : .notReached)
        }
        switch attempts.last?.result {
        case .doubted: return Standing(.queued, .doubted)
        case .retry, .unknown: return Standing(.queued, .retrying)
        case .credentials: return Standing(.queued, .credentials)
        case nil, .accepted, .refused, .notSent: return Standing(.queued)
        }
    }

    /// Whether a call may begin.
    package func maySend(at now: Moment) -> Bool { standing(at: now).state == .queued }

    /// Whether it can be taken back: nothing has been sent that Apple may know of.
    package func mayCancel(at now: Moment) -> Bool {
        let state = standing(at: now).state
        return (state == .draft || state == .awaitingApproval || state == .queued)
            && !attempts.contains(where: \.mayHaveArrived)
    }

    // MARK: Apple's answers

    /// Answers that say no to a repeat may say yes to the call before it, whose answer never came.
    private var taken: Taken {
        var mayHaveArrived = false
        var found = Taken.no
        for attempt in attempts.sorted(by: { $0.number < $1.number }) {
            switch attempt.result {
            case .accepted: return .accepted
            case .refused:
                switch attempt.code {
                case CommerceErrorWords.repeatedReference where mayHaveArrived,
                    CommerceErrorWords.alreadyRefunded where mayHaveArrived,
                    CommerceErrorWords.pendingRefund where mayHaveArrived:
                    found = .arrivedEarlier
                case CommerceErrorWords.pendingRefund: found = .pending
                default: found = .refused
                }
            default: break
            }
            if attempt.mayHaveArrived { mayHaveArrived = true }
        }
        return found
    }

    private func reason(_ taken: Taken) -> CommerceStateReason? {
        if isReversed { return .reversed }
        return taken == .pending ? .customersRequest : nil
    }

    // MARK: Apple's facts

    private enum Refunds { case none, some, all }

    private var refunds: Refunds {
        guard kind != .cancel else { return .none }
        let refunded = facts.filter { $0.kind == .refunded }
        if refunded.isEmpty { return .none }
        if skus.isEmpty || refunded.contains(where: { $0.sku == nil }) { return .all }
        let named = Set(refunded.compactMap(\.sku))
        let ours = skus.filter { named.contains($0) }.count
        if ours == 0 { return .none }
        return ours == skus.count ? .all : .some
    }

    private var isDeclined: Bool { facts.contains { $0.kind == .declined } }

    private var isReversed: Bool { facts.filter { $0.kind != .declined }.max()?.kind == .reversed }
}
