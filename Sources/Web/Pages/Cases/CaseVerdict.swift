import Refunds
import Time

/// The case in one or two sentences, for somebody with thirty seconds.
struct CaseVerdict {
    let story: CaseStory
    let now: Moment
    /// A request of ours brought the refund about.
    let isOurs: Bool

    var html: HTML {
        div(.class("verdict", Words.tone(story.line.state))) {
            p(.class("verdict-text")) { ours }
            if let apples { p(.class("verdict-text")) { apples } }
            if let help = story.line.stateReason.flatMap(Words.stateReasonHelp) { p(.class("quiet")) { help } }
        }
    }

    private var ours: String {
        guard let round = story.rounds.first else {
            return isOurs ? "We asked Apple for this refund." : Words.meaning(story.line.state)
        }
        switch round.state {
        case .answered:
            var text = "Apple accepted our reply"
            if let attempt = round.reply?.decisive, let ended = attempt.endedAt {
                text += " \(DurationText.text(ended - round.firstReceivedAt)) after the request reached us"
            }
            if let decision = round.decision { text += ". We chose to \(Words.answer(decision))" }
            return text + "." + (round.isLate ? " The request itself came after its deadline." : "")
        case .open, .held:
            return
                "\(Words.meaning(story.line.state)) There is time until \(TimeText(round.deadline).short), \(TimeText(round.deadline).relative(to: now))."
        case .withheld:
            return "Nothing is sent, on purpose: \(Words.stateReason(round.stateReason ?? "policy"))."
        case .refused:
            let code = round.reply?.decisive.flatMap(\.appleCode).map { " (\($0))" } ?? ""
            return "Apple refused our reply for good\(code)."
        case .missed:
            let why = round.stateReason.map { ": \(Words.stateReason($0))" } ?? ""
            return "The deadline, \(TimeText(round.deadline).short), passed before a reply was accepted\(why)."
        case .overtaken, .imported, .superseded: return Words.meaning(story.line.state)
        }
    }

    private var apples: String? {
        let asked = story.rounds.first?.state == .answered ? story.rounds.first?.decision?.answer : nil
        switch story.line.outcome {
        case .pending:
            return story.rounds.isEmpty ? nil : "Apple has not decided yet."
        case .refunded:
            return switch asked {
            case .refundInFull, .refundInPart: "Apple refunded, as we had asked."
            case .decline: "Apple refunded, although we had asked to decline."
            case .factsOnly, .nothing, nil: isOurs ? "Apple refunded, as we had asked." : "Apple refunded."
            }
        case .declined:
            return switch asked {
            case .decline: "Apple declined the refund, as we had asked."
            case .refundInFull, .refundInPart: "Apple declined the refund, although we had asked to grant it."
            case .factsOnly, .nothing, nil: "Apple declined the refund."
            }
        case .reversed: return "Apple took the refund back. The purchase counts again."
        case .unheard:
            return
                "No decision was heard for 14 days. Apple tells of a decline only where the customer asked in the app, and its refund history names no refund: the purchase counts."
        }
    }
}
