import Refunds
import Tenants
import Time

/// Our words for requests to Apple, for people who support customers.
enum CommerceWords {
    static func label(_ state: CommerceRequestState) -> String {
        switch state {
        case .draft: "Draft"
        case .awaitingApproval: "Awaiting approval"
        case .queued: "Queued"
        case .sending: "Sending"
        case .accepted: "Accepted"
        case .refunded: "Refunded"
        case .declined: "Declined"
        case .failed: "Failed"
        case .pendingAtApple: "Pending at Apple"
        case .cancelled: "Taken back"
        }
    }

    static func tone(_ state: CommerceRequestState) -> Tone {
        switch state {
        case .draft, .cancelled: .plain
        case .awaitingApproval: .attention
        case .queued, .sending, .accepted, .pendingAtApple: .active
        case .refunded: .good
        case .declined: .attention
        case .failed: .bad
        }
    }

    static func label(_ kind: CommerceKind) -> String {
        switch kind {
        case .refund: "Refund items"
        case .revoke: "Revoke the subscription"
        case .cancel: "Cancel the subscription"
        }
    }

    /// What a kind does, for somebody who has to choose.
    static func meaning(_ kind: CommerceKind) -> String {
        switch kind {
        case .refund: "Money back for the items that you name. Access to each ends or stays, as you say."
        case .revoke: "Money back for everything, and all access ends with Apple's refund. It does not renew any more."
        case .cancel: "No money back. Access stays to the end of the period, and it does not renew any more."
        }
    }

    static func label(_ type: CommerceRefundType) -> String {
        switch type {
        case .full: "The full price"
        case .prorated: "By the time that is left"
        case .custom: "An amount of your own"
        }
    }

    static func label(_ reason: CommerceReason) -> String {
        switch reason {
        case .unintendedPurchase: "Unintended purchase"
        case .fulfillmentIssue: "Fulfillment issue"
        case .unsatisfiedWithPurchase: "Unsatisfied with purchase"
        case .legal: "Legal"
        case .other: "Other"
        case .modifyItemsRefund: "Items of the subscription changed"
        case .simulateRefundDecline: "Test: simulate a decline"
        }
    }

    /// Reasons that a form offers: the one that tells Apple to decline is for tests.
    static func reasons(in environment: AppEnvironment) -> [CommerceReason] {
        CommerceReason.allCases.filter { $0 != .simulateRefundDecline || environment == .sandbox }
    }

    static func attempt(_ attempt: CommerceAttempt) -> String {
        switch attempt.result {
        case .accepted: "Apple took the request"
        case .refused: "Apple refused the request"
        case .doubted: "Apple refused in a way that nothing explains: perhaps the addendum"
        case .retry: "Apple, or the way to Apple, failed for now"
        case .credentials: "Apple did not accept the signing key"
        case .unknown: "Sent, and no answer came: Apple may have received it"
        case .notSent: "Begun, but not handed to the network"
        case nil: "Being sent"
        }
    }

    static func tone(_ result: CommerceAttempt.Result?) -> Tone {
        switch result {
        case .accepted: .good
        case .refused, .credentials, .doubted: .bad
        case .retry, .unknown, .notSent: .attention
        case nil: .active
        }
    }
}

extension Badge {
    init(_ state: CommerceRequestState) {
        self.init(text: CommerceWords.label(state), tone: CommerceWords.tone(state))
    }
}
