import Mail
import Time

/// E-mail: each incident is a thread, which its first notice over this channel begins.
struct EmailChannel: Sendable {
    private static let paragraphMax = 4000

    let channel: OpenedChannel
    let bases: ChannelBases

    /// Nil where the address is none.
    func message(for notice: Notice) -> MailMessage? {
        guard let to = MailAddress(channel.targetText), let id = messageID(notice, notice.sequence) else { return nil }
        let words = NoticeWords(notice: notice, bases: bases)
        var message = MailMessage(
            to: to, subject: HeaderText(ChannelText.bounded(words.subject, 400)), text: text(words),
            html: html(words), messageID: id)
        if notice.sequence > 1, notice.event != .test, notice.event != .confirm, let first = messageID(notice, 1) {
            message.inReplyTo = first
            message.references = [first]
        }
        return message
    }

    /// What came of it: a reader that the server does not know is no channel any more.
    static func answer(_ error: MailError?) -> ChannelAnswer {
        guard let error else { return .accepted("taken by the mail server") }
        guard error.isPermanent else { return .again(error.text, after: nil) }
        // X.7.X is about what we may do there (RFC 3463), not about the reader: relaying denied, a sender refused.
        let isPolicy = error.text.contains(" 5.7.")
        return error.kind == .recipientRefused && !isPolicy ? .gone(error.text) : .refused(error.text)
    }

    /// Made of the incident and the sequence alone, so that a mail that is sent again is known as the same.
    private func messageID(_ notice: Notice, _ sequence: Int) -> MessageID? {
        let number =
            switch notice.event {
            case .test: "test-\(notice.at.milliseconds)"
            case .confirm: "confirm-\(notice.at.milliseconds)"
            default: "\(sequence)"
            }
        let left = "\(notice.incidentID.text).\(number).\(channel.id.text.prefix(8))"
        return MessageID(left, at: bases.publicHost) ?? MessageID(left, at: "refund-desk.invalid")
    }

    private func text(_ words: NoticeWords) -> String {
        var lines = [cut(words.headline), "", standing(words), ""]
        for paragraph in words.paragraphs { lines += [cut(paragraph), ""] }
        lines += words.facts.map { "\(cut($0.name)): \(cut($0.value))" }
        if !words.cases.isEmpty { lines += ["", "\(words.label(.cases)):"] + words.cases.map { "  \(cut($0))" } }
        if let url = words.url { lines += ["", "\(words.linkLabel): \(url)"] }
        if let runbook = words.runbook { lines += ["\(words.label(.runbook)): \(runbook)"] }
        lines += ["", "-- ", "Refund Desk, \(bases.publicURL)"]
        return lines.joined(separator: "\n")
    }

    private func html(_ words: NoticeWords) -> String {
        func element(_ name: String, _ content: String) -> String { ChannelMarkup.element(name, content) }
        var body = element("h2", safe(words.headline))
        body += element("p", safe(standing(words)))
        for paragraph in words.paragraphs { body += element("p", safe(paragraph)) }
        if !words.facts.isEmpty {
            body += element(
                "ul", words.facts.map { element("li", "\(safe($0.name)): \(safe($0.value))") }.joined())
        }
        if !words.cases.isEmpty {
            let items = words.cases.map { one in
                element("li", bases.link(one).map { ChannelMarkup.link($0, safe($0)) } ?? safe(one))
            }
            body += element("p", words.label(.cases)) + element("ul", items.joined())
        }
        let links = [
            words.url.map { ChannelMarkup.link($0, words.linkLabel) },
            words.runbook.map { ChannelMarkup.link($0, words.label(.runbook)) },
        ]
        .compactMap(\.self)
        if !links.isEmpty { body += element("p", links.joined(separator: " · ")) }
        return element("html", element("body", body))
    }

    private func standing(_ words: NoticeWords) -> String {
        words.notice.event == .confirm ? words.tenantLine : "\(words.tenantLine) · \(words.stateWord)"
    }

    private func cut(_ text: String) -> String { ChannelText.bounded(text, Self.paragraphMax) }

    private func safe(_ text: String) -> String {
        ChannelText.bounded(text, Self.paragraphMax, escape: ChannelMarkup.html)
    }
}
