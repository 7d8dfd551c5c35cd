import Crypto
import HTTP
import Time

/// A webhook to a tenant's own server, signed (Standard Webhooks).
struct WebhookChannel: ChannelService {
    let channel: OpenedChannel
    let bases: ChannelBases

    /// A receiver has fifteen seconds.
    var patience: Duration { .seconds(15) }

    func requests(for notice: Notice, at now: Moment) -> [ChannelRequest] {
        let json = body(notice)
        let signer = WebhookSigner(secrets: WebhookSecret.list(channel.secretText) ?? [])
        return [
            ChannelRequest(
                channel.targetText, at: .tenant, json,
                headers: signer.fields(id: id(notice), at: now, body: json.bytes))
        ]
    }

    func answer(to request: ChannelRequest, _ response: ClientResponse) -> ChannelAnswer {
        switch WebhookVerdict(response) {
        case .taken: .accepted("\(response.status)")
        case .again:
            (300...399).contains(response.status)
                ? .again("answered \(response.status), a redirect, which is not followed", after: nil)
                : .again("answered \(response.status)", after: ServiceAnswer.retryAfter(response))
        case .abandoned: .refused("answered \(response.status) and asked not to be sent this one again")
        case .endpointGone: .gone("answered \(response.status) and asked to be sent nothing any more")
        }
    }

    /// The same for the same notice, however often it is sent.
    private func id(_ notice: Notice) -> String {
        // Tests have no sequence, and none is sent twice.
        let number = notice.event == .test ? notice.at.milliseconds : Int64(notice.sequence)
        let name = "\(channel.id.text)/\(notice.incidentID.text)/\(eventType(notice))/\(number)"
        return "msg_" + Hex.encode(Digest.sha256(Array(name.utf8)).prefix(16))
    }

    private func eventType(_ notice: Notice) -> String {
        switch notice.event {
        case .trigger: "incident.opened"
        case .reminder: "incident.reminder"
        case .acknowledged: "incident.acknowledged"
        case .resolved: "incident.resolved"
        case .test, .confirm: "channel.test"
        }
    }

    private func body(_ notice: Notice) -> JSONOut {
        let words = NoticeWords(notice: notice, bases: bases)
        func text(_ text: String) -> JSONOut { .text(ChannelText.bounded(text, 4000)) }
        var acknowledgedBy: String?
        if case .acknowledged(let person) = notice.event { acknowledgedBy = person }
        let facts = words.facts.map { JSONOut.object([("name", text($0.name)), ("value", text($0.value))]) }
        return .object([
            ("type", .text(eventType(notice))), ("timestamp", .text(notice.at.iso8601)),
            (
                "data",
                .object([
                    ("incidentId", .text(notice.incidentID.text)), ("tenant", .text(notice.tenant)),
                    ("rule", .text(notice.rule)), ("dedupKey", .text(notice.dedupKey)),
                    ("severity", .text(notice.severity.rawValue)), ("title", text(notice.title)),
                    ("effect", text(notice.effect)), ("firstStep", text(notice.firstStep)),
                    ("url", words.url.map(JSONOut.text)), ("runbook", words.runbook.map(JSONOut.text)),
                    ("openedAt", .time(notice.openedAt)), ("at", .time(notice.at)),
                    ("count", .number(Int64(notice.count))), ("sequence", .number(Int64(notice.sequence))),
                    ("acknowledgedBy", acknowledgedBy.map(text)), ("cases", .list(words.cases.map(text))),
                    ("facts", .list(facts)),
                ])
            ),
        ])
    }
}
