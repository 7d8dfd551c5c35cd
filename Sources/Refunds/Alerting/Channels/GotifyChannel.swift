import AppStore
import HTTP
import Time

/// Gotify: a message to one application of a server of one's own.
struct GotifyChannel: ChannelService {
    let channel: OpenedChannel
    let bases: ChannelBases

    func requests(for notice: Notice, at now: Moment) -> [ChannelRequest] {
        let words = NoticeWords(notice: notice, bases: bases)
        var lines = words.paragraphs + words.facts.map { "\($0.name): \($0.value)" } + words.cases
        lines += [words.url, words.runbook].compactMap(\.self)
        let click = words.url.map { url in
            JSONOut.object([("client::notification", .object([("click", .object([("url", .text(url))]))]))])
        }
        let body = JSONOut.object([
            ("title", .text(ChannelText.bounded("[\(notice.tenant)] \(words.headline)", 250))),
            ("message", .text(ChannelText.bounded(lines.joined(separator: "\n"), 8000))),
            ("priority", .number(priority(words))), ("extras", click),
        ])
        let token = PercentCoding.encode(channel.secretText)
        return [ChannelRequest("\(channel.targetBase)/message?token=\(token)", at: .tenant, body)]
    }

    func answer(to request: ChannelRequest, _ response: ClientResponse) -> ChannelAnswer {
        let body = ServiceAnswer.json(response)
        let id = body?["id"]?.int.map(String.init)
        return ServiceAnswer.read(
            response, goneAt: [401, 403],
            words: id ?? body?["errorDescription"]?.string ?? ServiceAnswer.text(response))
    }

    private func priority(_ words: NoticeWords) -> Int64 {
        guard words.isOpen, words.notice.event != .test else { return 4 }
        return switch words.notice.severity {
        case .critical: 10
        case .error: 7
        case .warning: 5
        case .info: 2
        }
    }
}
