import Tenants

/// The step after the password.
struct SecondFactorPage {
    enum Message: Equatable {
        case none, wrong
        case throttled(seconds: Int64)
    }

    let frame: Frame
    let standing: SecondFactorStanding
    let next: String?
    let passkeys: PasskeyPlace
    var message = Message.none

    private var label: String {
        switch (standing.hasGenerator, standing.hasRecoveryCodes) {
        case (true, true): "Code from your app, or a recovery code"
        case (true, false): "Code from your app"
        default: "Recovery code"
        }
    }

    var html: HTML {
        Layout(frame, title: "One more step").lone {
            article(.class("card")) {
                h1 { "One more step" }
                notice
                if standing.hasGenerator || standing.hasRecoveryCodes {
                    form(.class("stack"), .post, .action(.secondFactor(next: nil))) {
                        if let next { input(.type("hidden"), .name("next"), .value(next)) }
                        Field(
                            label, name: "code", help: "Signing in as \(standing.email).", .type("text"),
                            .autocomplete("one-time-code"), .noSpellcheck, .required, .autofocus, .maxlength(40)
                        ).html
                        button(.class("button button-main"), .type("submit")) { "Sign in" }
                    }
                }
                if standing.hasPasskey, case .works = passkeys {
                    PasskeyForm(
                        kind: .signIn, button: "Use a passkey", hidden: next.map { [("next", $0)] } ?? []
                    ).html()
                }
            }
            p(.class("lone-note")) {
                "Nothing of this at hand? Whoever runs this desk makes a one-time link for you: "
                code { "refund-desk operator reset --email …" }
            }
        }
    }

    private var notice: HTML {
        switch message {
        case .none: .empty
        case .wrong:
            Notice(.bad, "That did not fit.", more: "A code works once and for half a minute; take the next one.").html
        case .throttled(let seconds):
            Notice(
                .attention, "Too many wrong codes.",
                more: "Nothing was checked. Try again in \((max(1, seconds) + 59) / 60) minutes."
            ).html
        }
    }
}
