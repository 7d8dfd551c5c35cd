import Crypto
import HTTP
import Time

/// Prometheus Alertmanager, API v2: labels say which alert it is, annotations what is said about it.
struct AlertmanagerChannel: ChannelService {
    /// An alert that is not sent again ends by itself: it is told again as often as this.
    static let resendEvery: Duration = .minutes(1)
    /// So long an alert stays open without being told again: several rounds may be missed.
    static let openFor: Duration = .minutes(10)

    let channel: OpenedChannel
    let bases: ChannelBases

    func requests(for notice: Notice, at now: Moment) -> [ChannelRequest] {
        return [
            ChannelRequest(
                "\(channel.targetBase)/api/v2/alerts", at: .tenant, .list([alert(notice, at: now)]),
                headers: authorization)
        ]
    }

    func answer(to request: ChannelRequest, _ response: ClientResponse) -> ChannelAnswer {
        // Behind the address stands a tenant's own proxy: a 401 or 404 of today may be right again tomorrow.
        switch response.status {
        case 401, 403, 404: .again("answered \(response.status): \(ServiceAnswer.text(response))", after: nil)
        default: ServiceAnswer.read(response, goneAt: [], words: ServiceAnswer.text(response))
        }
    }

    private var authorization: [(name: String, value: String)] {
        let secret = channel.secretText
        if secret.isEmpty { return [] }
        let value = secret.contains(":") ? "Basic \(Base64.encode(Array(secret.utf8)))" : "Bearer \(secret)"
        return [("Authorization", value)]
    }

    private func alert(_ notice: Notice, at now: Moment) -> JSONOut {
        let words = NoticeWords(notice: notice, bases: bases)
        func text(_ text: String) -> JSONOut { .text(ChannelText.bounded(text, 2000)) }
        let ends = words.isOpen ? max(notice.at, now) + Self.openFor : notice.at
        // What stays the same while the incident is open: another label is another alert. The severity may rise, and
        // routes are made of it; the alert of the lower one is then not told again, and ends.
        let labels: [(String, JSONOut?)] = [
            ("alertname", .text(notice.rule)), ("service", .text("refund-desk")), ("tenant", .text(notice.tenant)),
            ("severity", .text(notice.severity.rawValue)),
            ("cause", .text(notice.event == .test ? "test" : notice.dedupKey)),
        ]
        let annotations: [(String, JSONOut?)] = [
            ("summary", text(words.headline)), ("description", text(notice.effect)),
            ("first_step", text(notice.firstStep)),
            ("runbook_url", words.runbook.map(JSONOut.text)), ("count", .text(String(notice.count))),
            ("incident", .text(notice.incidentID.text)),
            (
                "facts",
                words.facts.isEmpty ? nil : text(words.facts.map { "\($0.name): \($0.value)" }.joined(separator: "\n"))
            ),
            ("cases", words.cases.isEmpty ? nil : text(words.cases.joined(separator: "\n"))),
        ]
        return .object([
            ("labels", .object(labels)), ("annotations", .object(annotations)),
            ("startsAt", .text(notice.openedAt.iso8601)), ("endsAt", .text(ends.iso8601)),
            ("generatorURL", .text(words.url ?? bases.publicURL)),
        ])
    }
}
