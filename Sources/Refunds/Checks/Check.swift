/// One thing that was looked at, by `refund-desk doctor` or by an owner's page.
package struct Check: Sendable, Hashable {
    package enum State: String, Sendable, CaseIterable { case ok, warn, fail }

    /// What was looked at, such as `app acme/com.example.app key`: stable, so that a monitor may name it.
    package let name: String
    package let state: State
    /// What was found. Shows no secret.
    package let text: String
    /// What to do, where the text does not say it.
    package let remedy: Remedy?

    package init(name: String, state: State, text: String, remedy: Remedy? = nil) {
        self.name = name
        self.state = state
        self.text = text
        self.remedy = remedy
    }

    package static func ok(_ name: String, _ text: String) -> Check { Check(name: name, state: .ok, text: text) }

    package static func warn(_ name: String, _ text: String, _ remedy: Remedy? = nil) -> Check {
        Check(name: name, state: .warn, text: text, remedy: remedy)
    }

    package static func fail(_ name: String, _ text: String, _ remedy: Remedy? = nil) -> Check {
        Check(name: name, state: .fail, text: text, remedy: remedy)
    }

    /// For whoever sits at a shell: what was found, and the command that mends it.
    package var line: String {
        guard let remedy else { return text }
        let end = text.last.map { ".!?".contains($0) } ?? true
        return text + (end ? " " : ". ") + (remedy.command.map { "Run \"\($0)\"" } ?? remedy.text)
    }

    /// The same, and no worse than a warning: of what pages nobody.
    var asWarning: Check { Check(name: name, state: state == .fail ? .warn : state, text: text, remedy: remedy) }
}
