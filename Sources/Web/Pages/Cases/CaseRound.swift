import Refunds
import Time

/// One request: what we knew, what we decided, what we sent, what Apple answered.
struct CaseRound {
    let slug: String
    let round: CaseStory.Round
    /// Counted from 1, oldest first.
    let number: Int
    let of: Int
    /// The product's, as the transaction has it.
    var type: String?
    /// What was known stands under this heading already, with more about it.
    var evidence: String?
    let now: Moment

    private var id: String { "request-\(number)" }

    var html: HTML {
        section(.class("panel"), .ariaLabelledBy(id)) {
            div(.class("panel-head")) {
                h2(.id(id)) { of == 1 ? "The request" : "Request \(number) of \(of)" }
                Badge(round.state).html
            }
            Facts([
                ("Reason", reason),
                ("Signed", TimeText(round.requestedAt).fullHTML),
                ("Received", TimeText(round.firstReceivedAt).fullHTML),
                ("Deadline", deadline),
                ("Deliveries", HTML(text: "\(round.deliveries)")),
                ("State", state),
                (
                    "notificationUUID",
                    a(.class("mono"), .href(.notification(slug, round.id))) { round.id.text }
                ),
            ]).html
            if let decision = round.decision { decided(decision) }
            if let reply = round.reply { sent(reply) }
        }
    }

    private var reason: HTML {
        guard let reason = round.reason else { return HTML(text: "not given") }
        var html = HTML(text: Words.reason(reason))
        if Words.reasons.contains(reason) {
            html.append(HTML(text: " "))
            html.append(code { NameText(reason).html })
        }
        return html
    }

    private var deadline: HTML {
        var html = TimeText(round.deadline).fullHTML
        if round.state == .open || round.state == .held {
            html.append(span(.class("quiet")) { ", \(TimeText(round.deadline).relative(to: now))" })
        }
        return html
    }

    private var state: HTML {
        var text = Words.meaning(round.state)
        if let reason = round.stateReason { text += " Why: \(Words.stateReason(reason))." }
        if round.isLate { text += " Late: Apple first delivered the request after its deadline." }
        if let hold = round.holdUntil { text += " Held until \(TimeText(hold).full)." }
        return HTML(text: text)
    }

    private func decided(_ decision: Decision) -> HTML {
        section(.class("part"), .ariaLabelledBy("\(id)-decision")) {
            h3(.id("\(id)-decision")) { "What we decided" }
            p(.class("decision")) {
                strong { Words.sentence(Words.answer(decision)) }
                span(.class("quiet")) {
                    decision.row.map { " by rule \($0) of \(policy(decision)): " } ?? " before any rule: "
                    decision.situation
                }
                if let at = round.decidedAt {
                    span(.class("subtext")) { TimeText(at).fullHTML }
                }
            }
            for remark in decision.remarks { p(.class("quiet")) { remark } }
            if let evidence {
                looked(decision)
                if decision.saw.contains(where: { !$0.isOfRule }) {
                    p {
                        a(.href(fragment: evidence)) { "What we knew" }
                        span(.class("quiet")) { ", where it came from and how old it was" }
                    }
                }
            } else if !decision.saw.isEmpty {
                knew(decision)
            }
        }
    }

    /// What the conditions of the rule that matched asked for, with the value that each of them saw.
    private func looked(_ decision: Decision) -> HTML {
        let seen = decision.saw.filter(\.isOfRule)
        if seen.isEmpty { return .empty }
        var html = h3 { "What the rule looked at" }
        html.append(
            Facts(
                seen.map {
                    ($0.name, $0.value.map { value in HTML(text: value) } ?? span(.class("quiet")) { "unknown" })
                }
            ).html)
        return html
    }

    private func knew(_ decision: Decision) -> HTML {
        var html = h3 { "What we knew" }
        html.append(
            DataTable(
                caption: "What was known when it was decided",
                columns: [
                    .init("What") { known in span { NameText(known.name).html } },
                    .init("Value") { known in
                        if let value = known.value {
                            span(.class("known-value")) { NameText(EvidenceSection.value(known.name, value)).html }
                        } else {
                            span(.class("quiet")) { "unknown" }
                        }
                    },
                    .init("Source") { known in
                        span(.class("quiet")) { known.source ?? "–" }
                    },
                    .init("When") { known in
                        if let at = known.at { TimeText(at).fullHTML } else { span(.class("quiet")) { "–" } }
                    },
                ], rows: decision.saw
            ).html)
        return html
    }

    private func policy(_ decision: Decision) -> String {
        decision.policyVersion.map { "the policy, version \($0)" } ?? "the policy"
    }

    private func sent(_ reply: CaseStory.Reply) -> HTML {
        section(.class("part"), .ariaLabelledBy("\(id)-sent")) {
            h3(.id("\(id)-sent")) { "What we sent" }
            p(.class("quiet")) {
                "Send Consumption Information, version \(reply.api). \(reply.body.count) bytes, fixed "
                TimeText(reply.frozenAt).fullHTML
                "; every attempt sends these same bytes."
            }
            let fields = reply.fields(productType: type)
            if !fields.isEmpty {
                DataTable(
                    caption: "What was sent, field by field, and Apple's rule for each",
                    columns: [
                        .init("Field") { field in span(.class("mono")) { NameText(field.name).html } },
                        .init("Sent") { field in
                            if let value = field.value {
                                span(.class("known-value")) { value.isEmpty ? "\"\"" : value }
                            } else {
                                span(.class("quiet")) { "left out" }
                            }
                        },
                        .init("Apple's rule") { field in span(.class("quiet")) { field.rule } },
                    ], rows: fields
                ).html
            }
            CodeBlock(String(decoding: reply.body, as: UTF8.self), label: "The reply's body").html
            h3 { "What Apple answered" }
            DataTable(
                caption: "Attempts, in order",
                columns: [
                    .init("Attempt") { attempt in span { "\(attempt.number)" } },
                    .init("Begun") { attempt in TimeText(attempt.startedAt).fullHTML },
                    .init("Result") { attempt in
                        Badge(text: Words.result(attempt.result), tone: Words.tone(attempt.result)).html
                    },
                    .init("Answer") { attempt in CaseAttemptAnswer(attempt: attempt).html },
                ], rows: reply.attempts
            ).html
        }
    }
}

/// What came back from one attempt.
struct CaseAttemptAnswer {
    let attempt: CaseStory.Attempt

    var html: HTML {
        div(.class("answer")) {
            if let status = attempt.status { span { "HTTP \(status)" } }
            if let code = attempt.appleCode { span { "code \(code)" } }
            if let message = attempt.appleMessage { span(.class("answer-text")) { message } }
            if let error = attempt.error { span(.class("answer-text")) { error } }
            if let id = attempt.appleRequestID {
                span(.class("subtext")) { "Apple's request ID \(id)" }
            }
            if let ended = attempt.endedAt {
                span(.class("subtext")) { "after \(DurationText.text(ended - attempt.startedAt))" }
            }
            if let retry = attempt.retryAt, attempt.result != .accepted {
                span(.class("subtext")) { "next not before \(TimeText(retry).full)" }
            }
        }
    }
}
