/// What to do about something that a check found: at the console, or at a shell.
package struct Remedy: Sendable, Hashable {
    /// The page on which it is done.
    package enum Place: Sendable, Hashable {
        case setUp(bundleID: String)
        case newApp
        case tokens
        case channels
    }

    /// For people at the console: a sentence.
    package let text: String
    package let place: Place?
    /// The same at a shell; nil where only the console or Apple's can do it.
    package let command: String?

    package init(_ text: String, at place: Place? = nil, command: String? = nil) {
        self.text = text
        self.place = place
        self.command = command
    }
}
