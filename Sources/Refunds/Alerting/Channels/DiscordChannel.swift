import AppStore
import HTTP
import Time

/// Discord, webhook: one embed, which mentions nobody whatever stands in it.
struct DiscordChannel: ChannelService {
    private static let factsMax = 10

    let channel: OpenedChannel
    let bases: ChannelBases

    func requests(for notice: Notice, at now: Moment) -> [ChannelRequest] {
        let hook = HookURL.placed(channel.secretText, standard: "https://discord.com", base: bases.discord)
        // With `wait` Discord answers when the message is kept, and says which one it is.
        let url = hook.url + (hook.url.contains("?") ? "&wait=true" : "?wait=true")
        let body = JSONOut.object([
            ("username", .text("Refund Desk")), ("embeds", .list([embed(notice)])),
            ("allowed_mentions", .object([("parse", .list([]))])),
        ])
        return [ChannelRequest(url, at: hook.host, body)]
    }

    func answer(to request: ChannelRequest, _ response: ClientResponse) -> ChannelAnswer {
        let body = ServiceAnswer.json(response)
        if (200...299).contains(response.status) { return .accepted(body?["id"]?.string ?? "\(response.status)") }
        // Ten thousand refused requests within ten minutes bar the whole address: 401 and 403 are not tried again.
        let answer = ServiceAnswer.read(
            response, goneAt: [401, 403, 404, 410],
            words: body?["message"]?.string ?? ServiceAnswer.text(response))
        if case .again(let words, after: nil) = answer, let pause = body?["retry_after"] {
            let whole = String(decoding: pause.raw, as: UTF8.self).prefix { $0.isNumber }
            return .again(words, after: ServiceAnswer.seconds(String(whole)).map { $0 + .seconds(1) })
        }
        return answer
    }

    /// Discord counts all texts of an embed together too: 6000 at most, which these limits keep below.
    private func embed(_ notice: Notice) -> JSONOut {
        let words = NoticeWords(notice: notice, bases: bases)
        var fields = words.facts.prefix(Self.factsMax).map { field($0.name, $0.value, 200) }
        if !words.cases.isEmpty { fields.append(field(words.label(.cases), words.cases.joined(separator: "\n"), 700)) }
        if let runbook = words.runbook {
            // A link of ours, which escaping would break.
            fields.append(
                .object([("name", .text(words.label(.runbook))), ("value", .text(ChannelText.bounded(runbook, 300)))]))
        }
        return .object([
            ("title", text(words.headline, 256)), ("url", words.url.map(JSONOut.text)),
            ("description", text(words.paragraphs.joined(separator: "\n"), 1500)),
            ("color", .number(colour(words))), ("fields", fields.isEmpty ? nil : .list(fields)),
            (
                "footer",
                .object([("text", .text(ChannelText.bounded("\(words.tenantLine) · \(words.stateWord)", 200)))])
            ), ("timestamp", .text(notice.at.iso8601)),
        ])
    }

    private func field(_ name: String, _ value: String, _ limit: Int) -> JSONOut {
        // An empty name or value makes Discord refuse the whole message.
        .object([
            ("name", text(name.isEmpty ? "–" : name, 60)), ("value", text(value.isEmpty ? "–" : value, limit)),
        ])
    }

    private func text(_ text: String, _ limit: Int) -> JSONOut {
        .text(ChannelText.bounded(text, limit, escape: ChannelMarkup.markdown))
    }

    private func colour(_ words: NoticeWords) -> Int64 {
        guard words.isOpen else { return 0x2E8B57 }
        switch words.notice.severity {
        case .critical: return 0xC0152F
        case .error: return 0xD9531E
        case .warning: return 0xE0A100
        case .info: return 0x4A7DB5
        }
    }
}
