/// A form that a passkey's answer is sent with. Without JavaScript it says so; every other way in works without.
struct PasskeyForm {
    let kind: Kind
    let button: String
    var hidden: [(String, String)] = []

    enum Kind {
        case signIn
        case create
    }

    private static let signInFields = ["credential", "clientData", "authenticatorData", "signature", "userHandle"]
    private static let createFields = ["clientData", "attestation"]

    func html(@HTMLBuilder _ more: Content = { .empty }) -> HTML {
        let isCreating = kind == .create
        return form(
            .class("stack form-narrow"), .post, .action(isCreating ? .passkeys : .passkeySignIn),
            .passkey(isCreating ? "create" : "get"), .offer(isCreating ? .passkeyOffer : .passkeyChallenge)
        ) {
            more()
            for (name, value) in hidden { input(.type("hidden"), .name(name), .value(value)) }
            for name in isCreating ? Self.createFields : Self.signInFields {
                input(.type("hidden"), .name(name), .value(""))
            }
            Web.button(.class("button"), .type("submit"), .disabled) { button }
            p(.class("field-help", .plain), .role("status")) { "Passkeys need JavaScript." }
        }
    }
}
