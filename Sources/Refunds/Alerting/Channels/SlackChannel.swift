import AppStore
import HTTP
import Time

/// Slack, incoming webhook; also for others that take Slack's form.
struct SlackChannel: ChannelService {
    private static let headerMax = 150
    private static let sectionMax = 3000
    private static let fieldMax = 2000
    private static let fieldsMax = 10

    let channel: OpenedChannel
    let bases: ChannelBases

    func requests(for notice: Notice, at now: Moment) -> [ChannelRequest] {
        let hook = HookURL.placed(channel.secretText, standard: "https://hooks.slack.com", base: bases.slack)
        let words = NoticeWords(notice: notice, bases: bases)
        let summary = ChannelText.bounded(words.subject, Self.sectionMax, escape: ChannelMarkup.slack)
        let body = JSONOut.object([("text", .text(summary)), ("blocks", .list(blocks(words)))])
        return [ChannelRequest(hook.url, at: hook.host, body)]
    }

    func answer(to request: ChannelRequest, _ response: ClientResponse) -> ChannelAnswer {
        let text = ServiceAnswer.text(response)
        switch (response.status, text) {
        case (200, "ok"): return .accepted("ok")
        case (200...299, _) where ServiceAnswer.json(response)?["ok"]?.bool == true: return .accepted("ok")
        case (200...299, _): return .refused("answered \(response.status): \(text)")
        case (400, "invalid_token"), (403, "invalid_token"), (410, _):
            return .gone("answered \(response.status): \(text)")
        default: return ServiceAnswer.read(response, words: text)
        }
    }

    private func blocks(_ words: NoticeWords) -> [JSONOut] {
        var blocks = [
            block("header", ("text", plain(words.headline, Self.headerMax))),
            block("section", ("text", marked(words.paragraphs.joined(separator: "\n"), Self.sectionMax))),
        ]
        let fields = words.facts.prefix(Self.fieldsMax).map { fact in
            JSONOut.object([
                ("type", .text("mrkdwn")),
                (
                    "text",
                    .text(
                        "*\(ChannelText.bounded(fact.name, 200, escape: ChannelMarkup.slack))*\n"
                            + ChannelText.bounded(fact.value, Self.fieldMax - 300, escape: ChannelMarkup.slack))
                ),
            ])
        }
        if !fields.isEmpty { blocks.append(block("section", ("fields", .list(fields)))) }
        if !words.cases.isEmpty {
            let cases = "\(words.label(.cases)): \(words.cases.joined(separator: " "))"
            blocks.append(block("section", ("text", marked(cases, Self.sectionMax))))
        }
        let buttons = words.links.map { link in
            block("button", ("text", plain(link.label, 75)), ("url", .text(link.url)))
        }
        if !buttons.isEmpty { blocks.append(block("actions", ("elements", .list(buttons)))) }
        let foot = "\(words.tenantLine) · \(words.stateWord) · \(words.notice.rule)"
        blocks.append(block("context", ("elements", .list([marked(foot, Self.fieldMax)]))))
        return blocks
    }

    private func block(_ type: String, _ members: (String, JSONOut?)...) -> JSONOut {
        let head: [(String, JSONOut?)] = [("type", .text(type))]
        return .object(head + members)
    }

    private func plain(_ text: String, _ limit: Int) -> JSONOut {
        .object([
            ("type", .text("plain_text")), ("text", .text(ChannelText.bounded(ChannelText.line(text), limit))),
            ("emoji", .flag(false)),
        ])
    }

    private func marked(_ text: String, _ limit: Int) -> JSONOut {
        .object([
            ("type", .text("mrkdwn")), ("text", .text(ChannelText.bounded(text, limit, escape: ChannelMarkup.slack))),
        ])
    }
}
