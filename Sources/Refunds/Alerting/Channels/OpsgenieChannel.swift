import AppStore
import HTTP
import Time

/// Opsgenie, Alert API v2: one alert for each alias. The service ends on 5 April 2027.
struct OpsgenieChannel: ChannelService {
    let channel: OpenedChannel
    let bases: ChannelBases

    func requests(for notice: Notice, at now: Moment) -> [ChannelRequest] {
        switch notice.event {
        case .trigger, .reminder: [open(notice)]
        case .acknowledged: [act("acknowledge", notice)]
        case .resolved: [act("close", notice)]
        case .test, .confirm: [open(notice), act("close", notice)]
        }
    }

    func answer(to request: ChannelRequest, _ response: ClientResponse) -> ChannelAnswer {
        let body = ServiceAnswer.json(response)
        let words = body?["message"]?.string ?? body?["requestId"]?.string ?? ServiceAnswer.text(response)
        // An alert that is not there needs no closing.
        if response.status == 404, !request.url.hasSuffix("/v2/alerts") { return .accepted("no alert was open there") }
        return ServiceAnswer.read(response, goneAt: [401, 403, 410], words: words)
    }

    private var base: String { bases.opsgenie(isEurope: channel.target == "eu") }
    private var authorization: [(name: String, value: String)] {
        [("Authorization", "GenieKey \(channel.secretText)")]
    }

    private func open(_ notice: Notice) -> ChannelRequest {
        ChannelRequest(
            "\(base)/v2/alerts", at: .service, AtlassianAlert.body(NoticeWords(notice: notice, bases: bases)),
            headers: authorization)
    }

    private func act(_ action: String, _ notice: Notice) -> ChannelRequest {
        let alias = PercentCoding.encode(AtlassianAlert.alias(notice))
        return ChannelRequest(
            "\(base)/v2/alerts/\(alias)/\(action)?identifierType=alias", at: .service, AtlassianAlert.closing(bases),
            headers: authorization)
    }
}
