/// A sentence that must be seen, and where it helps a second one that says what to do.
struct Notice {
    let tone: Tone
    let text: String
    var more: String?

    init(_ tone: Tone, _ text: String, more: String? = nil) {
        self.tone = tone
        self.text = text
        self.more = more
    }

    var html: HTML {
        div(.class("notice", tone), .role(tone == .bad ? "alert" : "note")) {
            p { strong { text } }
            if let more { p { more } }
        }
    }
}

/// What stands where a list is empty: why, and what to do next.
struct EmptyState {
    let icon: Icon
    let text: String
    let next: HTML

    init(_ icon: Icon, _ text: String, @HTMLBuilder next: Content) {
        self.icon = icon
        self.text = text
        self.next = next()
    }

    var html: HTML {
        div(.class("empty")) {
            icon.html
            h2 { text }
            next
        }
    }
}
