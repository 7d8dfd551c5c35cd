import Refunds
import Time

/// What the newest decision of a case rests on: each item with its source and its age, what was missing, and what it would
/// have changed.
struct EvidenceSection {
    let story: CaseStory
    let now: Moment

    static let id = "evidence"

    private var round: CaseStory.Round? { story.rounds.first }

    /// What a rule looked at repeats what was known.
    private func items(_ decision: Decision) -> [Decision.Observation] {
        decision.saw.filter { !$0.isOfRule }
    }

    var html: HTML {
        guard let round, round.decision != nil || ask != nil else { return .empty }
        return section(.class("panel"), .ariaLabelledBy(Self.id)) {
            h2(.id(Self.id)) { "Evidence" }
            if let ask { question(ask) }
            if let decision = round.decision {
                DataTable(
                    caption: "What the decision rests on",
                    columns: [
                        .init("What") { item in span { NameText(item.name).html } },
                        .init("Value") { item in
                            if let value = item.value {
                                span(.class("known-value")) { NameText(Self.value(item.name, value)).html }
                            } else {
                                span(.class("quiet")) { "unknown" }
                            }
                        },
                        .init("Source") { item in span(.class("quiet")) { item.source ?? "–" } },
                        .init("Observed") { item in
                            if let at = item.at { TimeText(at).shortHTML } else { span(.class("quiet")) { "–" } }
                        },
                        .init("Age then") { item in
                            if let at = item.at, let decidedAt = round.decidedAt, decidedAt >= at {
                                span { DurationText.text(decidedAt - at) }
                            } else {
                                span(.class("quiet")) { "–" }
                            }
                        },
                    ], rows: items(decision)
                ).html
                if let missing = decision.missing, !missing.isEmpty { gaps(missing, decision) }
            }
        }
    }

    static func value(_ name: String, _ value: String) -> String {
        let isShare = name == "consumptionPercentage" || name == "elapsed period"
        return isShare ? Int(value).map { ShareText.text($0) } ?? value : value
    }

    // MARK: The question

    private var ask: CaseStory.Ask? { story.asks.first { $0.round == round?.id } }

    /// So many tries are shown at once.
    private static let triesShown = 3

    private func question(_ ask: CaseStory.Ask) -> HTML {
        var html = outcome(of: ask)
        if ask.each.isEmpty { return html }
        if ask.each.count <= Self.triesShown {
            html.append(tries(ask))
        } else {
            html.append(
                details(.class("opening")) {
                    summary { "Each of the \(ask.each.count) times" }
                    tries(ask)
                })
        }
        return html
    }

    private func tries(_ ask: CaseStory.Ask) -> HTML {
        DataTable(
            caption: "Each time the app's server was asked",
            columns: [
                .init("Asked") { one in TimeText(one.begunAt).fullHTML },
                .init("What came of it") { one in
                    span { NameText(Words.sentence(CallbackWords.result(one, isLost: ask.isLost(one)))).html }
                },
                .init("After") { one in
                    if let endedAt = one.endedAt {
                        span { DurationText.text(endedAt - one.begunAt) }
                    } else {
                        span(.class("quiet")) { "–" }
                    }
                },
            ], rows: ask.each
        ).html
    }

    private func outcome(of ask: CaseStory.Ask) -> HTML {
        let tries = ask.tries == 1 ? "one try" : "\(ask.tries) tries"
        return p {
            switch ask.state {
            case .waiting:
                "The app's server is asked: \(tries) so far. The reply waits for it until \(TimeText(ask.waitUntil).full) at most."
            case .answered:
                "The app's server was asked, and answered at the \(ask.tries == 1 ? "first try" : "\(ask.tries). try")."
            case .refused: "The app's server was asked, and gave no answer that could be used."
            case .silent:
                "The app's server was asked, \(tries), and did not answer in time: it was decided with what was known."
            case .ended: "The app's server was not asked any more."
            }
            if ask.state != .answered, ask.each.isEmpty, let error = ask.error {
                span(.class("subtext")) { NameText(error).html }
            }
        }
    }

    // MARK: What was missing

    private struct Gap {
        let name: String
        let value: String
        let answer: Decision.Answer
        let asks: Bool
    }

    private func gaps(_ missing: [Decision.Missing], _ decision: Decision) -> HTML {
        section(.class("part"), .ariaLabelledBy("evidence-missing")) {
            h3(.id("evidence-missing")) { "What was missing" }
            DataTable(
                caption: "What was not known, and what it would have changed",
                columns: [
                    .init("Not known") { gap in span { NameText(gap.name).html } },
                    .init("Had it been") { gap in span { gap.value } },
                    .init("The answer") { gap in
                        if gap.asks {
                            span {
                                round?.askedUntil == nil
                                    ? "A person would have been asked" : "A person would have been asked all the same"
                            }
                        } else if gap.answer == decision.answer {
                            span(.class("quiet")) { "would have been the same" }
                        } else {
                            span { Words.sentence(Words.answer(gap.answer)) }
                        }
                    },
                ],
                rows: missing.flatMap { one in
                    one.others.map { Gap(name: one.name, value: $0.value, answer: $0.answer, asks: $0.asks ?? false) }
                }
            ).html
        }
    }
}
