import FoundationEssentials
import Refunds
import Time

/// One line of what happened.
struct CaseTimelineItem {
    let entry: TimelineEntry
    let slug: String
    /// Those about the purchase: they name what a fact came from.
    let notifications: [NotificationLine]
    /// Addresses of those who wrote or did something.
    var people: [UUID: String] = [:]

    var html: HTML {
        li(.class("timeline-item", tone)) {
            TimeText(entry.at).fullHTML
            div(.class("timeline-text")) {
                p { strong { heading } }
                if let detail { p(.class("quiet")) { detail } }
            }
        }
    }

    private var tone: Tone {
        switch entry.event {
        case .requested: .active
        case .asked, .unanswered: .attention
        case .answered, .decided, .usage, .remark, .superseded: .plain
        case .callback(let stretch): stretch.last.result == .answered ? .plain : .attention
        case .withheld: .attention
        case .missed: .bad
        case .consent(let consent): consent.consented ? .plain : .attention
        case .sent(let attempt, _):
            switch attempt.result {
            case .accepted: .good
            case .refused, .credentials: .bad
            case .retry, .unknown, .notSent: .attention
            case nil: .active
            }
        case .apple(let fact):
            switch fact.kind {
            case .refund: .attention
            case .declined: .good
            case .reversed: .active
            case .request, .seen: .plain
            }
        }
    }

    private var heading: String {
        switch entry.event {
        case .requested(let round): "Apple asked: \(Words.reason(round.reason))"
        case .asked(let round): "A person was asked\(until(round))"
        case .unanswered: "Nobody answered in time"
        case .callback(let stretch): CallbackWords.heading(stretch)
        case .answered(let answer, _): "\(answer.name) answered: \(Words.choice(answer.choice))"
        case .decided(let round): "Decided: \(round.decision.map(Words.answer) ?? "see below")"
        case .withheld(let round): "Withheld: \(Words.stateReason(round.stateReason ?? "policy"))"
        case .superseded: "Superseded by a newer request"
        case .missed(let round):
            "Missed" + (round.stateReason.map { ": \(Words.stateReason($0))" } ?? "")
        case .sent(let attempt, _): Words.attempt(attempt)
        case .apple(let fact):
            switch fact.kind {
            case .refund: "Apple refunded"
            case .declined: "Apple declined the refund"
            case .reversed: "Apple took the refund back"
            case .seen: seen(fact)
            case .request: "Apple asked"
            }
        case .consent(let consent):
            consent.consented ? "The customer's consent was reported" : "Consent was withdrawn"
        case .usage(let report): CallbackWords.usage(report.source)
        case .remark(let remark):
            CallbackRemark(remark).map(CallbackWords.heading) ?? remarked(remark)
        }
    }

    private func until(_ round: CaseStory.Round) -> String {
        round.askedUntil.map { " until \(TimeText($0).short)" } ?? ""
    }

    /// Who or what decided: where a person did, the rule is what asked them.
    private func decider(_ round: CaseStory.Round) -> String? {
        let rule = round.decision?.row.map { "rule \($0)" }
        guard round.isByPerson, let name = round.answer?.name else { return rule }
        return "by \(name), asked by \(rule ?? "what was fixed for the customer")"
    }

    private func remarked(_ remark: CaseStory.Remark) -> String {
        if CaseNote.text(of: remark) != nil { return "Note by \(name(remark.person))" }
        if let assignment = CaseAssignment(remark) {
            if assignment.left == true { return "It fell to nobody: who looked after it left the tenant" }
            if assignment.to == remark.person { return "\(Words.sentence(name(remark.person))) took it" }
            return "\(Words.sentence(name(remark.person))) gave it to \(assignment.to.map { name($0) } ?? "nobody")"
        }
        if let named = CaseCustomer(remark) {
            return named.customer == nil
                ? "\(named.name) took back who the customer is" : "\(named.name) chose the customer"
        }
        return "Remark: \(remark.kind)"
    }

    private func name(_ person: UUID?) -> String { person.flatMap { people[$0] } ?? "somebody who is gone" }

    /// A notification that says nothing of a refund, by its type; or what Apple told when it was asked.
    private func seen(_ fact: CaseStory.Fact) -> String {
        if let line = notifications.first(where: { $0.id == fact.id }) { return "Apple notified: \(line.type)" }
        return fact.source == .notification || fact.source == .history
            ? "Apple notified about the purchase" : "Apple showed the transaction"
    }

    private var detail: HTML? {
        switch entry.event {
        case .requested(let round):
            return joined([
                "reached us \(DurationText.text(round.firstReceivedAt - round.requestedAt)) after it was signed",
                round.deliveries > 1 ? "delivered \(round.deliveries) times" : nil,
                "time until \(TimeText(round.deadline).short)",
            ])
        case .decided(let round), .withheld(let round):
            return joined([decider(round), round.decision?.situation])
        case .asked(let round):
            return joined([
                round.decision?.row.map { "rule \($0)" }, round.decision?.situation,
                round.decision?.hold.map { "if nobody answers: \($0.otherwise)" },
            ])
        case .callback(let stretch): return joined(CallbackWords.detail(stretch))
        case .unanswered(let round):
            return joined([
                "a person was asked until then", round.decision?.hold.map { "so it was: \($0.otherwise)" },
            ])
        case .answered(let answer, let round):
            return joined([
                answer.reason, answer.deliveryStatus,
                answer.consumptionPercentage.map { "\(ShareText.text($0)) used" },
                answer.person == nil ? "through the API" : nil,
                round.askedUntil.map { "was asked until \(TimeText($0).short)" },
            ])
        case .superseded, .missed: return nil
        case .sent(let attempt, _):
            return joined([
                attempt.status.map { "HTTP \($0)" }, attempt.appleCode.map { "code \($0)" }, attempt.appleMessage,
                attempt.error, attempt.endedAt.map { "took \(DurationText.text($0 - attempt.startedAt))" },
            ])
        case .apple(let fact):
            return joined([
                fact.revocationType, fact.revocationShare.map(ShareText.text),
                fact.source == .notification ? nil : "from \(Words.source(fact.source.rawValue))",
                "learned \(TimeText(fact.learnedAt).short)",
            ])
        case .consent(let consent):
            return joined([
                consent.subject == .customer ? "for the customer" : "for this purchase",
                "given \(TimeText(consent.givenAt).full)", consent.wording.map { "wording \($0)" }, consent.source,
            ])
        case .usage(let report):
            return joined([
                report.deliveryStatus, report.share.map { "\(ShareText.text($0)) used" },
                CallbackWords.count(report.credits, "credits"), CallbackWords.count(report.items, "items"),
                report.sampleContent.map { $0 ? "sample content was offered" : "no sample content" },
                "observed \(TimeText(report.observedAt).full)",
            ])
        case .remark(let remark):
            if let text = CaseNote.text(of: remark) { return HTML(text: text) }
            if CaseAssignment(remark) != nil { return nil }
            if let named = CaseCustomer(remark) { return joined([named.customer, named.note]) }
            if let callback = CallbackRemark(remark) { return joined(CallbackWords.detail(callback)) }
            return remark.detail == "{}" ? nil : code { remark.detail }
        }
    }

    private func joined(_ parts: [String?]) -> HTML? {
        let said = parts.compactMap { $0 }
        return said.isEmpty ? nil : HTML(text: said.joined(separator: " · "))
    }
}
