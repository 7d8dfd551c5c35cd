import Refunds
import Tenants

extension CommerceAccess.Approval {
    var text: String {
        switch self {
        case .catalogue: "A very large catalogue of one-time purchases"
        case .creators: "A very large catalogue of creators' subscriptions"
        case .addOns: "A subscription with optional add-ons"
        case .programme: "A programme that brings it along"
        }
    }

    var more: String? {
        switch self {
        case .catalogue, .creators: nil
        case .addOns: "All of them renew together."
        case .programme: "Such as the Mini Apps Partner Program."
        }
    }
}

extension CommerceAccess {
    /// The addendum, in a word.
    var badge: Badge {
        switch addendum {
        case .unknown: Badge(text: "Unknown", tone: .attention)
        case .accepted: Badge(text: "Accepted", tone: .good)
        case .refused: Badge(text: "Refused", tone: .bad)
        }
    }

    /// All of it in a few words, for lists.
    var brief: String {
        if isStopped { return "stopped: Apple refuses" }
        let approval = approvedAs == nil ? "approval not recorded" : "approved"
        switch addendum {
        case .unknown: return "\(approval), addendum unknown"
        case .accepted: return "\(approval), addendum accepted"
        case .refused: return "\(approval), addendum refused"
        }
    }

    var tone: Tone {
        if isStopped || addendum == .refused { return .bad }
        return addendum == .accepted && approvedAs != nil ? .good : .attention
    }
}

extension CommerceReadiness.Line {
    /// The same, with the requests that wait.
    var brief: String { waiting > 0 ? "\(access.brief); \(WaitingText.text(waiting))" : access.brief }
}

extension CommerceKind {
    /// Apple's name of the call.
    var callName: String {
        switch self {
        case .refund: "Request Transaction Refund"
        case .revoke: "Revoke Subscription"
        case .cancel: "Cancel a Subscription"
        }
    }
}

extension SKUCost.Kind {
    var text: String {
        switch self {
        case .payout: "Payout"
        case .royalty: "Royalty"
        case .licence: "Licence"
        case .compute: "Compute"
        case .calls: "Calls"
        case .other: "Other"
        }
    }

    /// What it is, for somebody who has to choose.
    var more: String {
        switch self {
        case .payout: "to a creator or partner"
        case .royalty: "for what others hold rights in"
        case .licence: "for what was delivered"
        case .compute: "machines that ran for it"
        case .calls: "of other services"
        case .other: "whatever else"
        }
    }
}

extension SKUCost.Basis {
    var text: String {
        switch self {
        case .sale: "each sale"
        case .use: "all of its use"
        }
    }

    /// What it is, for somebody who has to choose.
    var more: String {
        switch self {
        case .sale: "spent as soon as it is sold"
        case .use: "half used, half of it is spent"
        }
    }
}

/// Requests in words: `1 request waits`, `7 requests wait`.
enum WaitingText {
    static func text(_ count: Int) -> String {
        switch count {
        case 0: "No request waits"
        case 1: "1 request waits"
        default: "\(count) requests wait"
        }
    }
}
