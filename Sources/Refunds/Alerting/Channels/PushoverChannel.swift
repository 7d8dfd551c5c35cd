import AppStore
import HTTP
import Time

/// Pushover: what is critical rings until somebody confirms it on the telephone.
struct PushoverChannel: ChannelService {
    private static let titleMax = 250
    private static let messageMax = 1024
    private static let urlMax = 512
    /// Seconds between two rings, and until it stops by itself.
    private static let retrySeconds: Int64 = 60
    private static let expireSeconds: Int64 = 3600

    let channel: OpenedChannel
    let bases: ChannelBases

    func requests(for notice: Notice, at now: Moment) -> [ChannelRequest] {
        let words = NoticeWords(notice: notice, bases: bases)
        let priority = priority(words)
        let url = words.url.flatMap { $0.utf16.count <= Self.urlMax ? $0 : nil }
        let lines = words.paragraphs + words.facts.map { "\($0.name): \($0.value)" }
        let body = JSONOut.object([
            ("token", .text(channel.secretText)), ("user", .text(channel.targetText)),
            ("title", .text(ChannelText.bounded("[\(notice.tenant)] \(words.headline)", Self.titleMax))),
            // An empty message would be refused.
            (
                "message",
                .text(ChannelText.bounded(([words.headline] + lines).joined(separator: "\n"), Self.messageMax))
            ),
            ("url", url.map(JSONOut.text)), ("url_title", url.map { _ in .text(words.linkLabel) }),
            ("priority", .number(priority)), ("retry", priority == 2 ? .number(Self.retrySeconds) : nil),
            ("expire", priority == 2 ? .number(Self.expireSeconds) : nil), ("timestamp", .number(notice.at.seconds)),
        ])
        return [ChannelRequest("\(bases.pushover)/1/messages.json", at: .service, body)]
    }

    func answer(to request: ChannelRequest, _ response: ClientResponse) -> ChannelAnswer {
        let body = ServiceAnswer.json(response)
        let errors = (body?["errors"]?.elements ?? []).compactMap(\.string).joined(separator: "; ")
        let words = errors.isEmpty ? body?["request"]?.string ?? ServiceAnswer.text(response) : errors
        // It names the field that is wrong: of ours these two say who sends and who is reached.
        let isUnknown = body?["token"]?.string == "invalid" || body?["user"]?.string == "invalid"
        if response.status == 400, isUnknown { return .gone("answered 400: \(words)") }
        return ServiceAnswer.read(response, goneAt: [401, 403, 410], words: words)
    }

    private func priority(_ words: NoticeWords) -> Int64 {
        switch words.notice.event {
        case .acknowledged, .resolved, .test, .confirm: return 0
        case .trigger, .reminder: break
        }
        return switch words.notice.severity {
        case .critical: 2
        case .error: 1
        case .warning: 0
        case .info: -1
        }
    }
}
