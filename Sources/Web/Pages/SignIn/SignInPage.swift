/// The door: e-mail address and password.
struct SignInPage {
    enum Message {
        case none
        case wrong
        /// Too many attempts; seconds to wait.
        case throttled(seconds: Int64)
        case busy
    }

    let frame: Frame
    /// Where to go afterwards.
    let next: String?
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
        case .busy: Notice(.attention, "Many people sign in just now.", more: "Try again in a few seconds.").html
        }
    }
}
