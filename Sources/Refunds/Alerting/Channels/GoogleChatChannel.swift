import AppStore
import HTTP
import Time

/// Google Chat, webhook of a space: one card.
struct GoogleChatChannel: ChannelService {
    private static let factsMax = 10

    let channel: OpenedChannel
    let bases: ChannelBases

    func requests(for notice: Notice, at now: Moment) -> [ChannelRequest] {
        let hook = HookURL.placed(
            channel.secretText, standard: "https://chat.googleapis.com", base: bases.googleChat)
        let card = JSONOut.object([("cardId", .text("incident")), ("card", card(notice))])
        return [ChannelRequest(hook.url, at: hook.host, .object([("cardsV2", .list([card]))]))]
    }

    func answer(to request: ChannelRequest, _ response: ClientResponse) -> ChannelAnswer {
        let body = ServiceAnswer.json(response)
        let words = body?["name"]?.string ?? body?["error"]?["message"]?.string ?? ServiceAnswer.text(response)
        return ServiceAnswer.read(response, goneAt: [401, 403, 404, 410], words: words)
    }

    private func card(_ notice: Notice) -> JSONOut {
        let words = NoticeWords(notice: notice, bases: bases)
        var widgets = words.paragraphs.map { paragraph in
            JSONOut.object([("textParagraph", .object([("text", text(paragraph, 2000))]))])
        }
        widgets += words.facts.prefix(Self.factsMax).map { fact in
            JSONOut.object([
                (
                    "decoratedText",
                    .object([
                        ("topLabel", text(fact.name, 100)), ("text", text(fact.value, 500)), ("wrapText", .flag(true)),
                    ])
                )
            ])
        }
        if !words.cases.isEmpty {
            let cases = "\(words.label(.cases)): \(words.cases.joined(separator: " "))"
            widgets.append(.object([("textParagraph", .object([("text", text(cases, 2000))]))]))
        }
        let buttons = words.links.map { link in
            JSONOut.object([
                ("text", .text(link.label)),
                ("onClick", .object([("openLink", .object([("url", .text(link.url))]))])),
            ])
        }
        if !buttons.isEmpty { widgets.append(.object([("buttonList", .object([("buttons", .list(buttons))]))])) }
        // A card's header is plain text, its paragraphs are a small HTML.
        return .object([
            (
                "header",
                .object([
                    ("title", .text(ChannelText.bounded(words.headline, 200))),
                    ("subtitle", .text(ChannelText.bounded("\(words.tenantLine) · \(words.stateWord)", 200))),
                ])
            ), ("sections", .list([.object([("widgets", .list(widgets))])])),
        ])
    }

    private func text(_ text: String, _ limit: Int) -> JSONOut {
        .text(ChannelText.bounded(text, limit, escape: ChannelMarkup.html))
    }
}
