import AppStore
import HTTP
import Time

/// PagerDuty, Events API v2: one alert for each `dedup_key`, which triggers and reminders join.
struct PagerDutyChannel: ChannelService {
    /// PagerDuty takes no larger event; the details are what can be missed.
    static let eventBytesMax = 512_000
    static let summaryMax = 1024
    private static let detailMax = 8000

    let channel: OpenedChannel
    let bases: ChannelBases

    func requests(for notice: Notice, at now: Moment) -> [ChannelRequest] {
        switch notice.event {
        case .trigger, .reminder: [request(trigger(notice))]
        case .acknowledged: [request(bare("acknowledge", notice))]
        case .resolved: [request(bare("resolve", notice))]
        // Seen by whoever tests, and gone by itself.
        case .test, .confirm: [request(trigger(notice)), request(bare("resolve", notice))]
        }
    }

    func answer(to request: ChannelRequest, _ response: ClientResponse) -> ChannelAnswer {
        let body = ServiceAnswer.json(response)
        let errors = (body?["errors"]?.elements ?? []).compactMap(\.string)
        let words = ([body?["message"]?.string].compactMap(\.self) + errors).joined(separator: "; ")
        // A key that PagerDuty does not know is a 400 like any other: it says nothing about the channel.
        let answer = ServiceAnswer.read(
            response, goneAt: [], words: words.isEmpty ? ServiceAnswer.text(response) : words)
        switch answer {
        case .accepted: return .accepted(body?["dedup_key"]?.string ?? words)
        case .again(let said, after: nil) where response.status == 429: return .again(said, after: .seconds(30))
        default: return answer
        }
    }

    private func request(_ event: JSONOut) -> ChannelRequest {
        ChannelRequest("\(bases.pagerDuty)/v2/enqueue", at: .service, event)
    }

    private func key(_ notice: Notice) -> String { String(notice.dedupKey.prefix(255)) }

    private func bare(_ action: String, _ notice: Notice) -> JSONOut {
        .object([
            ("routing_key", .text(channel.secretText)), ("event_action", .text(action)),
            ("dedup_key", .text(key(notice))),
        ])
    }

    private func trigger(_ notice: Notice) -> JSONOut {
        let whole = trigger(notice, details: details(notice))
        return whole.bytes.count <= Self.eventBytesMax ? whole : trigger(notice, details: nil)
    }

    private func trigger(_ notice: Notice, details: JSONOut?) -> JSONOut {
        let words = NoticeWords(notice: notice, bases: bases)
        return .object([
            ("routing_key", .text(channel.secretText)), ("event_action", .text("trigger")),
            ("dedup_key", .text(key(notice))), ("client", .text("Refund Desk")),
            ("client_url", .text(words.url ?? bases.publicURL)), ("links", links(words)),
            (
                "payload",
                .object([
                    (
                        "summary",
                        .text(ChannelText.bounded("\(notice.tenant): \(words.headline)", Self.summaryMax))
                    ),
                    ("source", .text(bases.publicHost)),
                    ("severity", .text(notice.event == .test ? "info" : notice.severity.rawValue)),
                    ("timestamp", .text(notice.at.iso8601)), ("component", .text("refund-desk")),
                    ("group", .text(notice.tenant)), ("class", .text(notice.rule)), ("custom_details", details),
                ])
            ),
        ])
    }

    private func links(_ words: NoticeWords) -> JSONOut? {
        let links = words.links.map { link in
            JSONOut.object([("href", .text(link.url)), ("text", .text(link.label))])
        }
        return links.isEmpty ? nil : .list(links)
    }

    private func details(_ notice: Notice) -> JSONOut {
        let words = NoticeWords(notice: notice, bases: bases)
        func text(_ text: String) -> JSONOut { .text(ChannelText.bounded(text, Self.detailMax)) }
        return .object([
            ("effect", text(notice.effect)), ("first_step", text(notice.firstStep)),
            ("since", .text(notice.openedAt.iso8601)), ("count", .number(Int64(notice.count))),
            ("tenant", text(words.tenantLine)), ("incident", .text(notice.incidentID.text)),
            // A list, because two facts may have one name and an object may not.
            ("facts", words.facts.isEmpty ? nil : .list(words.facts.map { text("\($0.name): \($0.value)") })),
            ("cases", words.cases.isEmpty ? nil : .list(words.cases.map(text))),
        ])
    }
}
