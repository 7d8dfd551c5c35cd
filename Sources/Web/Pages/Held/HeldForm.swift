import Refunds
import Time

/// Asks a person what is answered: on the page of a case that waits.
struct HeldForm {
    let slug: String
    let story: CaseStory
    let round: CaseStory.Round
    let now: Moment
    let canAnswer: Bool
    /// What was typed in a form that was not taken, by its field.
    var typed: [String: String] = [:]
    var wrong: [String: String] = [:]

    var html: HTML {
        section(.class("panel step"), .id("answer"), .ariaLabelledBy("answer-title")) {
            h2(.id("answer-title")) { "This request waits for somebody" }
            if let until = round.holdUntil {
                p(.class("step-lead")) {
                    "Prepared is to \(round.decision.map { Words.answer($0) } ?? "send the facts"). If nobody answers, that goes out by itself \(TimeText(until).relative(to: now)), "
                    TimeText(until).shortHTML
                    "."
                }
            }
            if canAnswer {
                form
            } else {
                p(.class("quiet")) { "Your role can look, and not answer." }
            }
        }
    }

    private var form: HTML {
        Web.form(.class("step-form"), .post, .action(.heldAnswer(slug, story.line.id))) {
            // What was typed for a request stays an answer to it, also where it is shown again with what is wrong.
            input(.type("hidden"), .name("round"), .value(typed["round"] ?? round.id.text))
            Choices(
                legend: "What Apple is told", name: "choice",
                choices: HeldAnswer.Choice.allCases.map { choice in
                    Choices.Choice(value: choice.rawValue, text: Words.sentence(Words.choice(choice)))
                }, chosen: typed["choice"] ?? prepared, error: wrong["choice"]
            ).html
            div(.class("field-row")) {
                Field(
                    "Delivery", name: "delivery",
                    choices: [("", "As reported: \(seen("deliveryStatus") ?? "nothing")")]
                        + HeldAnswer.deliveries.map { ($0, $0) }, selected: typed["delivery"],
                    help: "Only if you know better than what was reported.", error: wrong["delivery"]
                ).html
                Field(
                    "Use, in percent", name: "use",
                    help: "As reported: \(share ?? "unknown"). Not for auto-renewable subscriptions.",
                    error: wrong["use"], .type("text"), .inputmode("decimal"), .maxlength(8), .autocomplete("off"),
                    .value(typed["use"] ?? "")
                ).html
            }
            TextArea(
                label: "Why", name: "reason", text: typed["reason"] ?? "", rows: 3,
                help: "Stays with the case. It is not sent to Apple.", error: wrong["reason"]
            ).html
            button(.class("button button-main"), .type("submit")) { "Answer now" }
        }
    }

    private var prepared: String? {
        switch round.decision?.answer {
        case .refundInFull: HeldAnswer.Choice.grantFull.rawValue
        case .refundInPart: HeldAnswer.Choice.grantProrated.rawValue
        case .decline: HeldAnswer.Choice.decline.rawValue
        case .factsOnly: HeldAnswer.Choice.factsOnly.rawValue
        case .nothing: HeldAnswer.Choice.nothing.rawValue
        case nil: nil
        }
    }

    private func seen(_ name: String) -> String? { round.decision?.saw.first { $0.name == name }?.value }

    private var share: String? {
        seen("consumptionPercentage").flatMap { Int($0) }.map { ShareText.text($0) }
    }
}
