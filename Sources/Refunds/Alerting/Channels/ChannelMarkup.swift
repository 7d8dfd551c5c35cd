/// How a text is written in each service's markup so that it is read as it is: no mention, no link, no format.
enum ChannelMarkup {
    /// HTML, of mail, Telegram and Google Chat.
    static func html(_ character: Character) -> String {
        switch character {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        default: String(character)
        }
    }

    /// Slack's mrkdwn: three characters begin everything that acts (links, mentions, dates).
    static func slack(_ character: Character) -> String {
        switch character {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        default: String(character)
        }
    }

    /// Markdown as Discord and Teams read it.
    static func markdown(_ character: Character) -> String {
        markdownMarks.contains(character) ? "\\\(character)" : String(character)
    }

    private static let markdownMarks = Set<Character>("\\*_~`|>#[]()<@")

    /// An element of HTML around content that is escaped already.
    static func element(_ name: String, _ content: String) -> String { "<\(name)>\(content)</\(name)>" }

    /// A link in HTML.
    ///
    /// - Parameters:
    ///   - url: as `ChannelBases.link` made it: `https` or `http`, and nothing else.
    ///   - label: escaped already.
    static func link(_ url: String, _ label: String) -> String {
        let name = "a"
        return "<\(name) href=\"\(url.map(html).joined())\">\(label)</\(name)>"
    }
}
