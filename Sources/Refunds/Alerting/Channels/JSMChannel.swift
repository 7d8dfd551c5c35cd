import AppStore
import Crypto
import HTTP
import Time

/// Jira Service Management, operations API: as Opsgenie, but an alert is acted on by its id, which is asked for first.
struct JSMChannel: ChannelService {
    let channel: OpenedChannel
    let bases: ChannelBases

    func requests(for notice: Notice, at now: Moment) -> [ChannelRequest] {
        switch notice.event {
        case .trigger, .reminder: [open(notice)]
        case .acknowledged, .resolved: [find(notice)]
        case .test, .confirm: [open(notice), find(notice)]
        }
    }

    func following(_ request: ChannelRequest, _ response: ClientResponse, for notice: Notice) -> ChannelRequest? {
        guard request.method == .get, (200...299).contains(response.status),
            let id = ServiceAnswer.json(response)?["id"]?.string, !id.isEmpty
        else { return nil }
        let action = if case .acknowledged = notice.event { "acknowledge" } else { "close" }
        return ChannelRequest(
            "\(base)/alerts/\(PercentCoding.encode(id))/\(action)", at: .service, AtlassianAlert.closing(bases),
            headers: authorization)
    }

    func answer(to request: ChannelRequest, _ response: ClientResponse) -> ChannelAnswer {
        let body = ServiceAnswer.json(response)
        let words =
            body?["message"]?.string ?? body?["requestId"]?.string ?? body?["id"]?.string
            ?? ServiceAnswer.text(response)
        // An alert that is not there needs no closing.
        if response.status == 404, !request.url.hasSuffix("/v1/alerts") { return .accepted("no alert was open there") }
        if request.method == .get, response.status == 200, body?["id"]?.string == nil {
            return .refused("answered 200 without the alert's id")
        }
        // Where even the list is not found, the cloud ID is wrong.
        return ServiceAnswer.read(response, goneAt: [401, 403, 404, 410], words: words)
    }

    private var base: String { "\(bases.jsm)/jsm/ops/api/\(channel.targetText)/v1" }
    private var authorization: [(name: String, value: String)] {
        [("Authorization", "Basic \(Base64.encode(Array(channel.secretText.utf8)))")]
    }

    private func open(_ notice: Notice) -> ChannelRequest {
        ChannelRequest(
            "\(base)/alerts", at: .service, AtlassianAlert.body(NoticeWords(notice: notice, bases: bases)),
            headers: authorization)
    }

    private func find(_ notice: Notice) -> ChannelRequest {
        let alias = PercentCoding.encode(AtlassianAlert.alias(notice))
        return ChannelRequest(asking: "\(base)/alerts/alias?alias=\(alias)", at: .service, headers: authorization)
    }
}
