/// One thing that was looked at, by `refund-desk doctor` or by an owner's page.
package struct Check: Sendable, Hashable {
    package enum State: String, Sendable, CaseIterable { case ok, warn, fail }

    /// What was looked at, such as `app acme/com.example.app key`: stable, so that a monitor may name it.
    package let name: String
    package let state: State
    /// What was found, and where it is bad what to do. Shows no secret.
    package let text: String

    package init(name: String, state: State, text: String) {
        self.name = name
        self.state = state
        self.text = text
    }

    package static func ok(_ name: String, _ text: String) -> Check { Check(name: name, state: .ok, text: text) }
    package static func warn(_ name: String, _ text: String) -> Check { Check(name: name, state: .warn, text: text) }
    package static func fail(_ name: String, _ text: String) -> Check { Check(name: name, state: .fail, text: text) }
}
