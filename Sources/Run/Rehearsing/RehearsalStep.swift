import AppStore
import Refunds
import Time

/// One step of a rehearsal, in order.
///
/// Source: StoreKit, Testing refund requests (read 2026-08). No mail is sent in the Sandbox.
enum RehearsalStep: String, CaseIterable, Sendable {
    case ready, granted, declined, prorated, asked

    var title: String {
        switch self {
        case .ready: "ready"
        case .granted: "a refund that Apple grants"
        case .declined: "a refund that Apple declines"
        case .prorated: "a refund of a part"
        case .asked: "a request that we answer"
        }
    }

    /// What a person does at a device.
    var instructions: [String] {
        switch self {
        case .ready: []
        case .granted:
            [
                "On a device that is signed in to a Sandbox account, buy something in the app.",
                "Open the refund sheet (beginRefundRequest), choose any issue but \"Other\", and send it.",
            ]
        case .declined:
            [
                "Buy something else, and open the refund sheet for it.",
                "Choose the issue \"Other\", type DECLINE in capitals, and send it.",
            ]
        case .prorated:
            [
                "Buy something else, and open the refund sheet for it.",
                "Choose the issue \"Other\", type GRANT_PRORATED in capitals, and send it.",
            ]
        case .asked:
            [
                "Buy a consumable as a customer who agreed that data goes to Apple, and open the refund sheet for it.",
                "Choose any issue and send it. Apple asks for consumption information, which must be answered within five minutes.",
            ]
        }
    }

    /// What a case says about the step; nil while it says nothing yet.
    func judge(_ story: CaseStory) -> (isPassed: Bool, text: String)? {
        switch self {
        case .ready: nil
        case .granted:
            switch story.line.outcome {
            case .refunded: (true, "REFUND arrived\(kind(story))")
            case .declined: (false, "Apple declined: REFUND_DECLINED arrived")
            case .pending, .reversed: nil
            }
        case .declined:
            switch story.line.outcome {
            case .declined: (true, "REFUND_DECLINED arrived")
            case .refunded: (false, "Apple refunded\(kind(story))")
            case .pending, .reversed: nil
            }
        case .prorated:
            switch story.line.outcome {
            case .refunded where story.revocation?.revocationType == "REFUND_PRORATED":
                (true, "REFUND arrived\(kind(story))")
            case .refunded: (false, "Apple refunded, but not a part\(kind(story))")
            case .declined: (false, "Apple declined: REFUND_DECLINED arrived")
            case .pending, .reversed: nil
            }
        case .asked: asked(story)
        }
    }

    private func kind(_ story: CaseStory) -> String {
        let fact = story.revocation
        let parts = [fact?.revocationType, fact?.revocationShare.map { "\(Double($0) / 1000) %" }].compactMap { $0 }
        return parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
    }

    private func asked(_ story: CaseStory) -> (isPassed: Bool, text: String)? {
        guard let round = story.rounds.first else { return nil }
        let why = round.stateReason.map { " (\($0))" } ?? ""
        switch round.state {
        case .open, .held: return nil
        case .withheld: return (false, "nothing was sent, on purpose\(why)")
        case .refused, .missed, .overtaken, .imported, .superseded:
            return (false, "\(round.state.rawValue)\(why)\(round.reply?.decisive.map { ": \(Self.said($0))" } ?? "")")
        case .answered: break
        }
        guard let reply = round.reply, let attempt = reply.decisive, let ended = attempt.endedAt else { return nil }
        guard attempt.status == 202 else { return (false, "Apple answered \(Self.said(attempt)), and not 202") }
        guard ended < round.deadline else { return (false, "the answer came after the deadline") }
        let broken = BodyRules.broken(reply, productType: story.purchase?.type)
        guard broken.isEmpty else { return (false, "the body breaks a rule of Apple's: \(broken[0])") }
        let answered = "202 after \((ended - round.requestedAt).wholeMilliseconds / 1000) s"
        switch (story.line.outcome, round.decision?.preference) {
        case (.pending, _), (.reversed, _): return nil
        case (.declined, .decline): return (true, "\(answered); declined, as asked")
        case (.refunded, .grantProrated):
            let isPart = story.revocation?.revocationType == "REFUND_PRORATED"
            return (
                isPart, "\(answered); refunded\(kind(story))\(isPart ? ", as asked" : ", though a part was asked for")"
            )
        case (.refunded, .grantFull): return (true, "\(answered); refunded, as asked")
        case (.refunded, nil), (.declined, nil):
            return (true, "\(answered); \(story.line.outcome.rawValue), no preference was stated")
        case (.declined, .grantFull), (.declined, .grantProrated):
            return (false, "\(answered); declined, though a refund was asked for")
        case (.refunded, .decline): return (false, "\(answered); refunded, though a decline was asked for")
        }
    }

    private static func said(_ attempt: CaseStory.Attempt) -> String {
        ([attempt.status.map { "HTTP \($0)" }, attempt.appleCode.map { "\($0)" }, attempt.appleMessage, attempt.error]
            as [String?]).compactMap { $0 }.joined(separator: " ")
    }
}

/// How a step went.
struct RehearsalVerdict: Sendable {
    let step: RehearsalStep
    let isPassed: Bool
    let text: String
    let seconds: Int64
}
