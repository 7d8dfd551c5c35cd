import FoundationEssentials
import Refunds
import Tenants
import Time

/// The whole of one request: where it stands in words, what came of each item, every call with Apple's answer, and
/// what can be done now.
struct CommerceRequestPage {
    let frame: Frame
    let slug: String
    let story: CommerceStory
    /// Nil: it is gone with everything of it.
    let app: App?
    let names: AuditNames
    /// Who looks.
    let me: PersonID
    let now: Moment
    /// What came of the form that was just sent.
    var notice: Notice?
    /// What has to be looked at before a draft is handed in.
    var warnings: [String] = []

    private var request: CommerceRequest { story.request }

    var html: HTML {
        Layout(frame, title: "\(CommerceWords.label(request.kind)), \(request.transactionID)").console {
            nav(.class("crumbs"), .ariaLabel("Way back")) {
                a(.href(.commerceRequests(slug, CommerceListQuery()))) { "Requests to Apple" }
            }
            PageHeader(
                CommerceWords.label(request.kind),
                lead: {
                    span(.class("mono")) { request.transactionID }
                    " · \(app?.name ?? "removed app")"
                    if let badge = Badge.environment(
                        isRehearsal: app?.isRehearsal ?? false, isSandbox: request.environment == .sandbox)
                    {
                        " "
                        badge.html
                    }
                }
            ).html
            if let notice { notice.html }
            div(.class("stack"), .source(.commerceRequestState(slug, request.id))) {
                verdict
                actions
                div(.class("split")) {
                    div(.class("split-main")) {
                        if !request.items.isEmpty { items }
                        timeline
                        answer
                    }
                    aside(.class("split-side"), .ariaLabel("The request")) { facts }
                }
            }
        }
    }

    /// The parts that change by themselves, without the rest of the page.
    var fragment: HTML {
        document {
            Web.head { Web.title("State of the request") }
            body {
                verdict
                actions
                if !request.items.isEmpty { items }
                timeline
                answer
                facts
            }
        }
    }

    // MARK: Where it stands

    /// Whether something comes by itself: our call, Apple's decision, a second person.
    private var isAwaiting: Bool {
        switch request.state {
        case .awaitingApproval, .queued, .sending, .pendingAtApple: true
        case .accepted: request.kind != .cancel
        case .draft, .refunded, .declined, .failed, .cancelled: false
        }
    }

    private var verdict: HTML {
        let content = p { Badge(request.state).html }.and(CommerceVerdict(story: story).html).and(stop)
        return isAwaiting
            ? div(.class("stack"), .live("verdict"), .role("status"), .awaits) { content }
            : div(.class("stack"), .live("verdict"), .role("status")) { content }
    }

    /// Where the queue stands, somebody has to go and look.
    private var stop: HTML {
        guard let app, let since = story.stoppedAt, !request.state.isOver else { return .empty }
        return Notice(
            .bad, "The queue of \(app.name) (\(app.environmentLabel(request.environment))) stands.",
            more: "Since \(TimeText(since).short) nothing is sent, until somebody has looked.",
            link: (CommerceLinks.access(slug, app), "What Apple said, and what to do")
        ).html
    }

    private var actions: HTML { div(.class("stack"), .live("actions")) { CommerceActions(page: self).html } }

    // MARK: What was asked

    private var items: HTML {
        section(.class("panel"), .live("items"), .ariaLabelledBy("items")) {
            h2(.id("items")) { "Items" }
            DataTable(
                caption: "What was asked for each item, and what came of it",
                columns: [
                    .init("Item") { item in
                        strong { story.names[item.asked.sku] ?? item.asked.sku }
                        if story.names[item.asked.sku] != nil {
                            span(.class("subtext mono")) { item.asked.sku }
                        }
                    },
                    .init("Asked") { item in
                        span { asked(item) }
                        span(.class("subtext")) { CommerceWords.label(item.asked.refundReason) }
                    },
                    .init("Access") { item in item.asked.revoke ? "ends with the refund" : "stays" },
                    .init("Outcome") { item in outcome(item) },
                ], rows: request.items
            ).html
        }
    }

    private func asked(_ item: CommerceRequest.Item) -> String {
        switch item.asked.refundType {
        case .custom: money(item.asked.refundAmount) ?? CommerceWords.label(item.asked.refundType)
        case .full: "the full price" + (money(item.price).map { ", \($0)" } ?? "")
        case .prorated: "by the time that is left"
        }
    }

    private func outcome(_ item: CommerceRequest.Item) -> HTML {
        guard let at = item.refundedAt else {
            return span(.class("quiet")) { notRefunded }
        }
        return span {
            "refunded"
            if let amount = money(item.refundedAmount) { " \(amount)" }
            span(.class("subtext")) { TimeText(at).short }
        }
        .and(
            item.revokedAt.map { end in span(.class("subtext")) { "access ended \(TimeText(end).short)" } } ?? .empty)
    }

    private var notRefunded: String {
        switch request.state {
        case .declined: "declined"
        case .failed, .cancelled: "none"
        // Apple has decided about all of it: what it did not refund it declined.
        case .refunded: "declined"
        case .draft, .awaitingApproval, .queued, .sending, .accepted, .pendingAtApple: "none yet"
        }
    }

    private func money(_ milliunits: Int64?) -> String? {
        milliunits.map { MoneyText(milliunits: $0, currency: story.currency).text }
    }

    private var timeline: HTML {
        section(.class("panel"), .live("timeline"), .ariaLabelledBy("what-happened")) {
            h2(.id("what-happened")) { "What happened" }
            CommerceTimeline(story: story, names: names).html
        }
    }

    /// Apple's newest refusal: what it means, and the words themselves.
    private var answer: HTML {
        div(.class("stack"), .live("answer")) {
            if let answer = request.answer, let words = request.words {
                section(.class("panel"), .ariaLabelledBy("answer")) {
                    h2(.id("answer")) { "Apple's answer" }
                    p { words.sentence }
                    Facts([
                        ("To do", HTML(text: words.verdict.text)),
                        ("Status", HTML(text: "\(answer.status)")),
                        ("Code", answer.code.map { HTML(text: "\($0)") }),
                        ("Name", words.name.map { NameText($0).html }),
                        ("Apple's words", answer.message.map { HTML(text: $0) }),
                        ("Answered", TimeText(answer.at).fullHTML),
                    ]).html
                    if words.isDoubted, !answer.body.isEmpty {
                        CodeBlock(BytesText.text(answer.body), label: "Apple's answer, to the byte")
                            .html
                    }
                }
            }
        }
    }

    private var facts: HTML {
        let timeline = CommerceTimeline(story: story, names: names)
        let most = request.kind == .cancel ? nil : money(request.amountEstimate)
        let risking = request.refundRiskingPreference.map {
            $0 ? "Apple may ask for it" : "Apple decides without asking"
        }
        return section(.class("panel"), .live("facts"), .ariaLabelledBy("facts")) {
            h2(.id("facts")) { "The request" }
            Facts([
                ("requestReferenceId", mono(request.requestReferenceID.text)),
                ("transactionId", mono(request.transactionID)),
                ("At most", text(most)),
                ("Reason", text(request.refundReason.map { CommerceWords.label($0) })),
                ("How much", text(request.refundType.map { CommerceWords.label($0) })),
                ("Consumption data", text(risking)),
                ("Asked by", text(timeline.asker)),
                ("Approved by", text(request.approvedBy.map { timeline.name($0) })),
                ("Note", text(request.note)),
                ("Case", caseLink),
                ("Consumption request", roundLink),
            ]).html
        }
    }

    private var caseLink: HTML? {
        request.caseID.map { id in a(.href(.refundCase(slug, id))) { "The case of this purchase" } }
    }

    private var roundLink: HTML? {
        request.roundID.map { id in a(.class("mono"), .href(.notification(slug, id))) { id.text } }
    }

    private func text(_ text: String?) -> HTML? { text.map { HTML(text: $0) } }

    private func mono(_ text: String) -> HTML { span(.class("mono")) { text } }
}
