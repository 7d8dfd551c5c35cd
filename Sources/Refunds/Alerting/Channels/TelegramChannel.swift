import AppStore
import HTTP
import Time

/// Telegram, Bot API: a message in its small HTML.
struct TelegramChannel: ChannelService {
    /// Telegram takes 4096 characters; the limits of the parts below add up to less.
    private static let factsMax = 8

    let channel: OpenedChannel
    let bases: ChannelBases

    func requests(for notice: Notice, at now: Moment) -> [ChannelRequest] {
        let parts = channel.targetText.split(separator: "/")
        let body = JSONOut.object([
            ("chat_id", .text(parts.first.map(String.init) ?? "")),
            ("message_thread_id", parts.count > 1 ? Int64(parts[1]).map(JSONOut.number) : nil),
            ("text", .text(text(NoticeWords(notice: notice, bases: bases)))), ("parse_mode", .text("html")),
            ("disable_web_page_preview", .flag(true)),
        ])
        return [ChannelRequest("\(bases.telegram)/bot\(channel.secretText)/sendMessage", at: .service, body)]
    }

    func answer(to request: ChannelRequest, _ response: ClientResponse) -> ChannelAnswer {
        let body = ServiceAnswer.json(response)
        let words = body?["description"]?.string ?? ServiceAnswer.text(response)
        let parameters = body?["parameters"]
        if response.status == 200 {
            let id = body?["result"]?["message_id"]?.int.map(String.init) ?? "200"
            return body?["ok"]?.bool == true ? .accepted(id) : .refused("answered 200: \(words)")
        }
        if let moved = parameters?["migrate_to_chat_id"]?.int {
            return .gone("the group has become a supergroup: its chat ID is \(moved) now")
        }
        // Telegram says 400 both for a chat that is not there and for a message that is wrong.
        if response.status == 400, words.lowercased().contains("chat not found") {
            return .gone("answered 400: \(words)")
        }
        let answer = ServiceAnswer.read(response, goneAt: [401, 403, 404], words: words)
        if case .again(let said, after: nil) = answer, let pause = parameters?["retry_after"]?.int {
            return .again(said, after: ServiceAnswer.seconds(String(pause)))
        }
        return answer
    }

    private func text(_ words: NoticeWords) -> String {
        func safe(_ text: String, _ limit: Int) -> String {
            ChannelText.bounded(text, limit, escape: ChannelMarkup.html)
        }
        let state = "\(words.tenantLine) · \(words.stateWord)"
        var lines = [ChannelMarkup.element("b", safe(words.headline, 700)), safe(state, 200)]
        lines += words.paragraphs.map { safe($0, 600) }
        lines += words.facts.prefix(Self.factsMax).map { "\(safe($0.name, 30)): \(safe($0.value, 90))" }
        for one in words.cases {
            // What is shown counts, the address behind it does not.
            let label = safe(one.split(separator: "/").last.map(String.init) ?? one, 40)
            lines.append(words.label(.oneCase) + " " + (bases.link(one).map { ChannelMarkup.link($0, label) } ?? label))
        }
        let links = [
            words.url.map { ChannelMarkup.link($0, words.linkLabel) },
            words.runbook.map { ChannelMarkup.link($0, words.label(.runbook)) },
        ]
        lines.append(links.compactMap(\.self).joined(separator: " · "))
        return lines.filter { !$0.isEmpty }.joined(separator: "\n")
    }
}
