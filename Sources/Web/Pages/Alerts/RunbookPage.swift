/// What to do about one kind of incident: the text that stands in `ops/runbooks`.
struct RunbookPage {
    let frame: Frame
    let name: String
    let text: String

    var html: HTML {
        let blocks = RunbookText.blocks(text)
        return Layout(frame, title: name).console {
            PageHeader(name) { "What to do." }.html
            section(.class("panel")) { for block in blocks { block.html } }
        }
    }
}

/// The little of Markdown that runbooks are written in.
enum RunbookText {
    enum Block: Equatable {
        case heading(String)
        case paragraph(String)
        case list([String])
        case code(String)

        var html: HTML {
            switch self {
            case .heading(let text): h2 { RunbookText.inline(text) }
            case .paragraph(let text): p { RunbookText.inline(text) }
            case .list(let items): ul(.class("plain-list")) { for item in items { li { RunbookText.inline(item) } } }
            case .code(let text): CodeBlock(text, label: "Commands").html
            }
        }
    }

    static func blocks(_ text: String) -> [Block] {
        var blocks: [Block] = []
        var lines: [Substring] = []
        var code: [Substring]?
        func flush() {
            guard !lines.isEmpty else { return }
            blocks.append(
                lines.allSatisfy { $0.hasPrefix("- ") || $0.hasPrefix("  ") }
                    ? .list(items(lines)) : .paragraph(lines.joined(separator: " ")))
            lines = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if let done = code {
                    blocks.append(.code(done.joined(separator: "\n")))
                    code = nil
                } else {
                    flush()
                    code = []
                }
            } else if code != nil {
                code?.append(line)
            } else if line.hasPrefix("#") {
                flush()
                blocks.append(.heading(String(line.drop { $0 == "#" || $0 == " " })))
            } else if line.allSatisfy(\.isWhitespace) {
                flush()
            } else {
                if line.hasPrefix("- "), let first = lines.first, !first.hasPrefix("- ") { flush() }
                lines.append(line)
            }
        }
        flush()
        return blocks
    }

    private static func items(_ lines: [Substring]) -> [String] {
        var items: [String] = []
        for line in lines {
            if line.hasPrefix("- ") {
                items.append(String(line.dropFirst(2)))
            } else if !items.isEmpty {
                items[items.count - 1] += " " + line.drop { $0 == " " }
            }
        }
        return items
    }

    /// `code` and **strong**; links are shown by their words.
    static func inline(_ text: String) -> HTML {
        var html = HTML.empty
        let plain = text.replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.1) }
        for (index, part) in plain.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
            if !index.isMultiple(of: 2) {
                html.append(code { String(part) })
                continue
            }
            for (index, piece) in part.split(separator: "**", omittingEmptySubsequences: false).enumerated() {
                html.append(index.isMultiple(of: 2) ? span { String(piece) } : strong { String(piece) })
            }
        }
        return html
    }
}
