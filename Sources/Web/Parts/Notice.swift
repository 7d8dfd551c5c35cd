/// A sentence that must be seen, and where it helps a second one that says what to do.
struct Notice {
    let tone: Tone
    let text: String
    var more: String?
    /// Where what to do is done, and what the link to it says.
    var link: (place: Site, text: String)?

    init(_ tone: Tone, _ text: String, more: String? = nil, link: (place: Site, text: String)? = nil) {
        self.tone = tone
        self.text = text
        self.more = more
        self.link = link
    }

    var html: HTML {
        div(.class("notice", tone), .role(tone == .bad ? "alert" : "note")) {
            p { strong { text } }
            if let more { p { more } }
            if let link { p { a(.href(link.place)) { link.text } } }
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
