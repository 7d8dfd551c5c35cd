import AppStore
import HTTP
import Time

/// ntfy: JSON to the server's root, with the topic inside.
struct NtfyChannel: ChannelService {
    private static let titleMax = 250
    /// The server makes an attachment of what is longer than 4096 bytes.
    private static let messageBytesMax = 3900

    let channel: OpenedChannel
    let bases: ChannelBases

    /// `https://ntfy.sh/our-refunds` in server and topic. Nil where it is not of that form.
    static func parts(of target: String) -> (server: String, topic: String)? {
        guard let slash = target.lastIndex(of: "/"), let scheme = target.firstRange(of: "://"),
            slash > scheme.upperBound
        else { return nil }
        let topic = String(target[target.index(after: slash)...])
        guard topic.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil else { return nil }
        return (String(target[..<slash]), topic)
    }

    func requests(for notice: Notice, at now: Moment) -> [ChannelRequest] {
        let words = NoticeWords(notice: notice, bases: bases)
        let (server, topic) = Self.parts(of: channel.targetText) ?? (channel.targetText, "")
        var lines = words.paragraphs + words.facts.map { "\($0.name): \($0.value)" }
        lines.append(words.tenantLine)
        let actions = words.links.map { link in
            JSONOut.object([("action", .text("view")), ("label", .text(link.label)), ("url", .text(link.url))])
        }
        let body = JSONOut.object([
            ("topic", .text(topic)), ("title", .text(ChannelText.bounded(words.headline, Self.titleMax))),
            (
                "message",
                .text(ChannelText.bounded(lines.joined(separator: "\n"), Self.messageBytesMax, in: .bytes))
            ),
            ("priority", .number(priority(words))), ("tags", .list([.text(tag(words)), .text(notice.rule)])),
            ("markdown", .flag(false)), ("click", words.url.map(JSONOut.text)),
            ("actions", actions.isEmpty ? nil : .list(actions)),
        ])
        let secret = channel.secretText
        return [
            ChannelRequest(
                server, at: .tenant, body,
                headers: secret.isEmpty ? [] : [("Authorization", "Bearer \(secret)")])
        ]
    }

    func answer(to request: ChannelRequest, _ response: ClientResponse) -> ChannelAnswer {
        let body = ServiceAnswer.json(response)
        return ServiceAnswer.read(
            response, goneAt: [401, 403, 404, 410],
            words: body?["error"]?.string ?? body?["id"]?.string ?? ServiceAnswer.text(response))
    }

    private func priority(_ words: NoticeWords) -> Int64 {
        guard words.isOpen, words.notice.event != .test else { return 3 }
        return switch words.notice.severity {
        case .critical: 5
        case .error: 4
        case .warning: 3
        case .info: 2
        }
    }

    /// Names of emoji.
    private func tag(_ words: NoticeWords) -> String {
        guard words.isOpen else { return "white_check_mark" }
        return words.notice.severity >= .error ? "rotating_light" : "warning"
    }
}
