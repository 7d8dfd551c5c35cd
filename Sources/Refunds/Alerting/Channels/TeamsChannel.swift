import AppStore
import HTTP
import Time

/// Microsoft Teams, by a workflow that takes an adaptive card.
struct TeamsChannel: ChannelService {
    private static let factsMax = 10

    let channel: OpenedChannel
    let bases: ChannelBases

    func requests(for notice: Notice, at now: Moment) -> [ChannelRequest] {
        let attachment = JSONOut.object([
            ("contentType", .text("application/vnd.microsoft.card.adaptive")), ("contentUrl", .null),
            ("content", card(notice)),
        ])
        let body = JSONOut.object([("type", .text("message")), ("attachments", .list([attachment]))])
        // Each region has hosts of its own.
        return [ChannelRequest(channel.secretText, at: .tenant, body)]
    }

    func answer(to request: ChannelRequest, _ response: ClientResponse) -> ChannelAnswer {
        let error = ServiceAnswer.json(response)?["error"]
        let words = [error?["code"]?.string, error?["message"]?.string].compactMap(\.self).joined(separator: ": ")
        return ServiceAnswer.read(
            response, goneAt: [401, 403, 404, 410], words: words.isEmpty ? ServiceAnswer.text(response) : words)
    }

    /// Teams takes messages of 28 KB: texts are counted in bytes here.
    private func card(_ notice: Notice) -> JSONOut {
        let words = NoticeWords(notice: notice, bases: bases)
        var body = [
            JSONOut.object([
                ("type", .text("TextBlock")), ("text", text(words.headline, 1000)), ("weight", .text("bolder")),
                ("wrap", .flag(true)),
            ])
        ]
        body += words.paragraphs.map {
            JSONOut.object([("type", .text("TextBlock")), ("text", text($0, 2000)), ("wrap", .flag(true))])
        }
        var facts = [
            (words.label(.tenant), words.tenantLine), (words.label(.state), words.stateWord),
            (words.label(.rule), notice.rule),
        ]
        facts += words.facts.prefix(Self.factsMax).map { ($0.name, $0.value) }
        if !words.cases.isEmpty { facts.append((words.label(.cases), words.cases.joined(separator: " "))) }
        body.append(
            .object([
                ("type", .text("FactSet")),
                (
                    "facts",
                    .list(facts.map { JSONOut.object([("title", text($0.0, 100)), ("value", text($0.1, 500))]) })
                ),
            ]))
        let actions = words.links.map { link in
            JSONOut.object([
                ("type", .text("Action.OpenUrl")), ("title", .text(link.label)), ("url", .text(link.url)),
            ])
        }
        return .object([
            ("$schema", .text("http://adaptivecards.io/schemas/adaptive-card.json")), ("type", .text("AdaptiveCard")),
            ("version", .text("1.2")), ("fallbackText", .text(ChannelText.bounded(words.subject, 500, in: .bytes))),
            ("body", .list(body)), ("actions", actions.isEmpty ? nil : .list(actions)),
        ])
    }

    private func text(_ text: String, _ bytesMax: Int) -> JSONOut {
        .text(ChannelText.bounded(text, bytesMax, in: .bytes, escape: ChannelMarkup.markdown))
    }
}
