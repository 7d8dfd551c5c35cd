/// The door: e-mail address and password.
struct SignInPage {
    enum Message {
        case none
        case wrong
        /// Too many attempts; seconds to wait.
        case throttled(seconds: Int64)
        case busy
        /// The passkey's answer was not taken.
        case passkey
        /// The step after the password, or before the passkey, took too long.
        case stepEnded
        /// To change how one signs in, one signs in anew.
        case again
    }

    let frame: Frame
    /// Where to go afterwards.
    let next: String?
    let passkeys: PasskeyPlace
    var email = ""
    var message = Message.none

    var html: HTML {
        Layout(frame, title: "Sign in").lone {
            article(.class("card")) {
                h1 { "Sign in" }
                notice
                form(.class("stack"), .post, .action(.signIn(next: nil))) {
                    if let next { input(.type("hidden"), .name("next"), .value(next)) }
                    Field(
                        "E-mail address", name: "email", .type("email"), .value(email), .autocomplete("username"),
                        .required, .autofocus, .maxlength(254)
                    ).html
                    Field(
                        "Password", name: "password", .type("password"), .autocomplete("current-password"), .required,
                        .maxlength(1024)
                    ).html
                    button(.class("button button-main"), .type("submit")) { "Sign in" }
                }
                if case .works = passkeys {
                    PasskeyForm(
                        kind: .signIn, button: "Sign in with a passkey", hidden: next.map { [("next", $0)] } ?? []
                    ).html()
                }
            }
            p(.class("lone-note")) {
                "Lost your password? Whoever runs this desk makes a one-time link for you: "
                code { "refund-desk operator reset --email …" }
            }
        }
    }

    private var notice: HTML {
        switch message {
        case .none: .empty
        case .wrong:
            Notice(
                .bad, "That did not fit.", more: "The e-mail address or the password is not the right one."
            ).html
        case .throttled(let seconds):
            Notice(
                .attention, "Too many attempts.",
                more:
                    "Nothing was checked. Try again in \(seconds < 90 ? "\(max(1, seconds)) seconds" : "\((seconds + 59) / 60) minutes")."
            ).html
        case .passkey:
            Notice(.bad, "That passkey was not taken.", more: "It is not registered here, or its answer did not fit.")
                .html
        case .stepEnded:
            Notice(.attention, "That took too long, or too many codes were wrong.", more: "Begin again.").html
        case .again: Notice(.plain, "Sign in again to change how you sign in.").html
        case .busy: Notice(.attention, "Many people sign in just now.", more: "Try again in a few seconds.").html
        }
    }
}
