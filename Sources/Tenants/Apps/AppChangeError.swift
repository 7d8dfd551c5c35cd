/// Why a setting of an app is not taken; names the member, and never repeats a secret.
package struct AppChangeError: Error, Hashable, CustomStringConvertible {
    /// As the member is called in `AppChanges`: `name`, `relayURL`, ….
    package let member: String
    /// For people, after the member's name: "must begin with https://".
    package let text: String

    package init(_ member: String, _ text: String) {
        self.member = member
        self.text = text
    }

    /// Somebody else changed the same settings since the form was drawn.
    package static let overtaken = AppChangeError(
        "seen",
        "were changed by somebody else meanwhile: look at what stands there now, and send the form again if it is still right"
    )

    package var description: String { "\(member) \(text)" }
}
