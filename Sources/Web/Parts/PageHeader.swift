/// The head of a page's content: its one `h1`, a line below, and what stands at the right.
struct PageHeader {
    let title: String
    var lead: HTML = .empty
    var beside: HTML = .empty

    init(_ title: String, @HTMLBuilder lead: Content = { .empty }, @HTMLBuilder beside: Content = { .empty }) {
        self.title = title
        self.lead = lead()
        self.beside = beside()
    }

    var html: HTML {
        header(.class("page-header")) {
            div(.class("page-title")) {
                h1 { NameText(title).html }
                if !lead.isEmpty { p(.class("lead")) { lead } }
            }
            if !beside.isEmpty { div(.class("page-beside")) { beside } }
        }
    }
}

/// Names and values beside each other.
struct Facts {
    let rows: [(name: String, value: HTML)]

    init(_ rows: [(String, HTML?)]) {
        self.rows = rows.compactMap { name, value in value.map { (name, $0) } }
    }

    var html: HTML {
        dl(.class("facts")) {
            for row in rows {
                div(.class("fact")) {
                    dt { NameText(row.name).html }
                    dd { row.value }
                }
            }
        }
    }
}

/// Bytes as they are: what was sent, what was signed.
struct CodeBlock {
    let text: String
    let label: String

    init(_ text: String, label: String) {
        self.text = text
        self.label = label
    }

    var html: HTML {
        // Focusable, because it scrolls: a keyboard must reach what a mouse can.
        pre(.class("code-block"), .tabindex(0), .role("region"), .ariaLabel(label)) { code { text } }
    }
}
