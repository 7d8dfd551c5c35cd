import Refunds
import Tenants
import Time

/// One environment: the two facts beside each other, the queue, and the ways on where it is stopped.
struct EnvironmentAccess {
    let page: CommerceAccessPage
    let access: CommerceAccess

    var environment: AppEnvironment { access.environment }
    private var label: String { page.app.environmentLabel(environment) }
    /// For ids.
    private var word: String { environment.rawValue.lowercased() }
    private var queue: CommerceQueue? { page.model.queue(of: environment) }

    var html: HTML {
        section(.class("panel step"), .id(word), .ariaLabelledBy("title-\(word)")) {
            div(.class("panel-head")) {
                h2(.id("title-\(word)")) { label }
                if access.isStopped { Badge(text: "Stopped", tone: .bad).html }
            }
            page.answer(to: .approval, .addendum, .release, .check, of: environment)
            if access.isStopped { stop }
            div(.class("pair")) {
                approval
                addendum
            }
            if access.addendum == .refused || access.isStopped {
                div(.class("step-part")) {
                    h3 { "Text for the Account Holder" }
                    letter
                }
            } else {
                details(.class("opening")) {
                    summary { "Text for the Account Holder" }
                    letter
                }
            }
            if let queue { state(of: queue) }
        }
    }

    // MARK: The queue is stopped

    private var waiting: String { WaitingText.text(queue?.depth ?? 0) }

    private var stop: HTML {
        div(.class("step-part")) {
            Notice(
                .bad, "Nothing is sent: Apple refused in a way that its documentation does not explain.",
                more:
                    "\(waiting); none is lost. Most likely the Account Holder has not accepted the newest addendum, or the app is not approved."
            ).html
            if let refusal = access.refusal { told(refusal) }
            if page.canChange { waysOn }
        }
    }

    private func told(_ refusal: CommerceAccess.Refusal) -> HTML {
        var html = Facts([
            ("Refused call", HTML(text: refusal.call.callName)),
            (
                "Request",
                refusal.request.map { id in a(.class("mono"), .href(.commerceRequest(page.slug, id))) { id.text } }
                    ?? HTML(text: "none: a check from this page")
            ),
            ("Status", HTML(text: "\(refusal.status)")),
            ("Code", HTML(text: refusal.code.map { "\($0)" } ?? "none")),
            ("Message", HTML(text: refusal.message ?? "none")),
            ("When", TimeText(refusal.at).fullHTML),
        ]).html
        html.append(p(.class("field-label")) { "What Apple said, to the byte" })
        html.append(
            refusal.body.isEmpty
                ? p(.class("quiet")) { "Nothing: the answer had no body." }
                : CodeBlock(BytesText.text(refusal.body), label: "What Apple said in \(label)").html)
        return html
    }

    private var waysOn: HTML {
        div(.class("pair")) {
            div(.class("side-card")) {
                h3 { "Ask Apple whether the door is open" }
                checkForm
            }
            div(.class("side-card")) {
                h3 { "Let the queue run" }
                p {
                    "When you have looked at what Apple said and know that it is settled. \(waiting): they go out, oldest first. If Apple refuses the first of them in the same way, the queue stops again."
                }
                form(.post, page.action(.release)) {
                    hiddenEnvironment
                    button(.class("button"), .type("submit")) { "I have looked: let it run" }
                }
            }
        }
    }

    private var checkForm: HTML {
        var html = p {
            "Makes one call that harms nobody: it asks Apple to cancel the subscription of a transaction that cannot exist. If Apple answers 404, not found, the door is open, and a stopped queue runs again."
        }
        html.append(
            form(.post, page.action(.check)) {
                hiddenEnvironment
                button(.class("button"), .type("submit")) { "Check now" }
            })
        return html
    }

    private var hiddenEnvironment: HTML { input(.type("hidden"), .name("environment"), .value(environment.rawValue)) }

    // MARK: Two facts

    private var approval: HTML {
        div(.class("side-card")) {
            div(.class("side-card-head")) {
                h3 { "Approved by Apple" }
                Badge(
                    text: access.approvedAs == nil ? "Not recorded" : "Approved",
                    tone: access.approvedAs == nil ? .plain : .good
                ).html
            }
            p { access.approvedAs?.text ?? "Nobody has said as what Apple approved the app." }
            if let at = access.approvedAt {
                p(.class("subtext")) {
                    "Said by \(page.model.name(of: access.approvedBy) ?? "a person"), "
                    TimeText(at).shortHTML
                }
            }
            if page.canChange { approvalForm }
        }
    }

    private var approvalForm: HTML {
        details(.class("opening"), page.isAnswered(.approval, environment) ? .open : .id("change-approval-\(word)")) {
            summary { "Change" }
            form(.class("step-form"), .post, page.action(.approval)) {
                hiddenEnvironment
                Choices(
                    legend: "As what Apple approved it", name: "approval",
                    choices: CommerceAccess.Approval.allCases.map {
                        .init(value: $0.rawValue, text: $0.text, more: $0.more)
                    } + [.init(value: "none", text: "It is not approved")],
                    chosen: page.typed(
                        "approval", in: .approval, of: environment, else: access.approvedAs?.rawValue ?? ""),
                    id: "approval-\(word)", error: page.wrong("approval", in: .approval, of: environment)
                ).html
                button(.class("button"), .type("submit")) { "Save" }
            }
        }
    }

    private var addendum: HTML {
        div(.class("side-card")) {
            div(.class("side-card-head")) {
                h3 { "Addendum accepted by the Account Holder" }
                access.badge.html
            }
            standing
            if access.addendum != .refused, !access.isStopped, let refusal = access.refusal {
                details(.class("opening")) {
                    summary { "The last refusal" }
                    told(refusal)
                }
            }
            if page.canChange {
                if !access.isStopped {
                    details(.class("opening")) {
                        summary { "Ask Apple whether the door is open" }
                        checkForm
                    }
                }
                addendumForm
            }
        }
    }

    private var standing: HTML {
        switch access.addendum {
        case .unknown: return p { "No call has gone through yet, and nobody has said that it is accepted." }
        case .refused:
            guard let refusal = access.refusal, !access.isStopped else {
                return p { "Apple refused, as told above." }
            }
            var html = p { "Apple refused a call, and the queue was let run since. The next call tells." }
            html.append(told(refusal))
            return html
        case .accepted:
            var html = HTML.empty
            if let at = access.wentThroughAt {
                html.append(
                    p {
                        "The last call that went through: "
                        TimeText(at).relativeHTML(to: page.now)
                    })
            }
            if let version = access.addendumVersion {
                html.append(p { "Version \(version), accepted on \(access.addendumOn ?? "an unknown day")." })
                if let decidedBy = page.model.name(of: access.decidedBy) {
                    html.append(p(.class("subtext")) { "Said by \(decidedBy)" })
                }
            }
            return html
        }
    }

    private var addendumForm: HTML {
        details(.class("opening"), page.isAnswered(.addendum, environment) ? .open : .id("change-addendum-\(word)")) {
            summary { "The Account Holder has accepted it" }
            form(.class("step-form"), .post, page.action(.addendum)) {
                hiddenEnvironment
                Field(
                    "Version", name: "version", id: "version-\(word)", help: "As it stands under Agreements.",
                    error: page.wrong("version", in: .addendum, of: environment), .type("text"), .required,
                    .maxlength(100), .autocomplete("off"),
                    .value(page.typed("version", in: .addendum, of: environment, else: access.addendumVersion ?? ""))
                ).html
                Field(
                    "Accepted on", name: "on", id: "on-\(word)",
                    error: page.wrong("on", in: .addendum, of: environment), .type("date"), .required,
                    .value(page.typed("on", in: .addendum, of: environment, else: access.addendumOn ?? ""))
                ).html
                button(.class("button"), .type("submit")) { "Save" }
            }
        }
    }

    private var letter: HTML {
        div(.class("stack")) {
            p(.class("quiet")) { "Only the Account Holder of your membership can accept the addendum. Forward this." }
            div {
                button(.class("button"), .type("button"), .copies("letter-\(word)"), .hidden) { "Copy" }
            }
            pre(
                .class("code-block"), .id("letter-\(word)"), .tabindex(0), .role("region"),
                .ariaLabel("Text for the Account Holder, \(label)")
            ) {
                code { access.letter(app: page.app) }
            }
        }
    }

    // MARK: The queue

    private var waitingList: CommerceListQuery {
        var query = CommerceListQuery()
        query.state = .queued
        query.app = page.app.bundleID
        query.environment = label
        return query
    }

    private func state(of queue: CommerceQueue) -> HTML {
        div(.class("step-part")) {
            h3 { "The queue" }
            Facts([
                (
                    "Waiting",
                    queue.depth == 0
                        ? HTML(text: "nothing")
                        : a(.href(.commerceRequests(page.slug, waitingList))) { WaitingText.text(queue.depth) }
                ),
                ("Longest", queue.oldestAt.map { TimeText($0).relativeHTML(to: page.now) }),
                (
                    "Calls in the last hour",
                    HTML(text: "\(queue.callsInLastHour) of \(queue.callsPerHour) that Apple allows")
                ),
                (
                    "Paused",
                    queue.pausedUntil.map { until in
                        span {
                            "until "
                            TimeText(until).shortHTML
                            if let why = queue.why { span(.class("subtext")) { why } }
                        }
                    }
                ),
            ]).html
        }
    }
}
