import Refunds
import Time

/// A request in a few sentences that a support agent can read to a customer.
struct CommerceVerdict {
    let story: CommerceStory

    private var request: CommerceRequest { story.request }

    var html: HTML {
        div(.class("verdict", CommerceWords.tone(request.state))) {
            for sentence in sentences { p(.class("verdict-text")) { sentence } }
            if let access { p(.class("quiet")) { access } }
        }
    }

    private var sentences: [String] {
        switch request.state {
        case .draft: ["This is a draft. Nothing is sent until somebody hands it in."]
        case .awaitingApproval where story.needsNobody:
            [
                "It waited for a second person, because of its amount. The limit was removed or raised since: nobody has to approve it any more.",
                "It goes out as soon as somebody hands it in. A change of limits sends nothing by itself.",
            ]
        case .awaitingApproval:
            [
                "It waits for a second person, because of its amount. Somebody other than who asked has to approve it; nothing is sent before."
            ]
        case .queued: queued
        case .sending: ["It is on its way to Apple at this moment."]
        case .accepted: accepted
        case .refunded: refunded
        case .declined:
            request.stateReason == .customersRequest
                ? [
                    "Apple declined the customer's own request, which it had before ours. The customer keeps what was bought."
                ]
                : ["Apple declined the refund. The customer keeps what was bought, and the money stays paid."]
        case .failed: failed
        case .pendingAtApple:
            [
                "Apple already has a refund of this purchase pending, usually because the customer asked Apple first. Nothing is sent again: Apple's decision comes by notification, and shows here."
            ]
        case .cancelled:
            request.answer == nil
                ? ["It was taken back before anything was sent. Apple knows nothing of it."]
                : ["It was taken back after Apple had refused the call. Nothing was refunded or ended by it."]
        }
    }

    private var queued: [String] {
        if request.stateReason == .doubted || story.stoppedAt != nil {
            return [
                "It waits, because the queue stands: Apple refused a call in a way that its documentation does not explain. Perhaps the addendum is not accepted.",
                "Nothing is lost. It goes out by itself once somebody has looked.",
            ]
        }
        switch request.stateReason {
        case .retrying:
            return [
                "Apple, or the way to Apple, failed for now. It is tried again by itself, as the same request: nothing can happen twice."
            ]
        case .credentials:
            return ["Apple does not accept the app's signing key. It goes out by itself once the key is right."]
        default:
            let turn = story.turn.map { " It is number \($0.place) of \($0.depth)." } ?? ""
            return ["It waits for its turn and goes out by itself.\(turn)"]
        }
    }

    private var accepted: [String] {
        if request.kind == .cancel {
            return ["Apple took the cancellation. The subscription does not renew any more; no money goes back."]
        }
        if request.stateReason == .partly {
            return ["Apple refunded some of the items. The others are not decided yet; see below."]
        }
        let first =
            request.stateReason == .arrivedEarlier
            ? "Apple has the request: no answer to the first call came, but the next one showed that it had arrived."
            : "Apple took it."
        return [
            "\(first) It is no refund yet. Apple decides, and its decision comes by notification; this page shows it then."
        ]
    }

    private var refunded: [String] {
        switch request.stateReason {
        case .reversed: ["Apple had refunded it, and took the refund back. The purchase counts again."]
        case .partly: ["Apple refunded some of the items and declined the others; see below."]
        case .customersRequest: ["Apple refunded the purchase, upon the customer's own request."]
        default: ["Apple refunded it. The money goes back to the customer by Apple."]
        }
    }

    private var failed: [String] {
        switch request.stateReason {
        case .unknownResult:
            [
                "It was given up after many tries. Apple may have received it: look at the purchase before you ask again."
            ]
        case .notReached: ["It was given up after many tries. Apple never received it: you may ask again."]
        default: [request.words?.sentence ?? "Apple refused the request for good."]
        }
    }

    /// When access ends, which is never ours to say before Apple has.
    private var access: String? {
        let revokes = request.kind == .revoke || request.items.contains(where: \.asked.revoke)
        switch request.state {
        case .accepted where request.kind == .cancel: return "Access stays to the end of the period."
        case .refunded where request.stateReason == .reversed: return nil
        case .accepted where revokes, .pendingAtApple:
            return
                "Access ends only with Apple's REFUND notification, from the revocationDate in it. Do not end it before."
        case .refunded:
            let ends = request.items.compactMap(\.revokedAt) + story.facts.compactMap(\.revokedAt)
            if let end = ends.max() { return "Access ended \(TimeText(end).full), which is Apple's revocationDate." }
            return revokes ? nil : "Access stays: nothing was asked to be revoked."
        default: return nil
        }
    }
}
