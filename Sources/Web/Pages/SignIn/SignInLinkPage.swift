/// What a one-time link shows. Programs that look at links in mails change nothing by that; the
/// button does.
struct SignInLinkPage {
    enum Standing {
        case alive(hasPassword: Bool)
        /// Unknown, used, or ended.
        case dead
    }

    let frame: Frame
    let token: String
    let standing: Standing
    var error: String?

    var html: HTML {
        Layout(frame, title: "Sign in by link").lone {
            article(.class("card")) {
                switch standing {
                case .dead: dead
                case .alive(let hasPassword): alive(hasPassword)
                }
            }
        }
    }

    @HTMLBuilder private var dead: HTML {
        h1 { "This link does nothing" }
        p { "It is unknown, was used or has ended: a sign-in link works once and for a day." }
        p {
            "Whoever runs this desk makes a new one: "
            code { "refund-desk operator reset --email …" }
        }
        p { a(.class("button"), .href(.signIn(next: nil))) { "Sign in with a password" } }
    }

    @HTMLBuilder private func alive(_ hasPassword: Bool) -> HTML {
        h1 { "Welcome" }
        p { "This link signs you in once. It is used up when you press the button." }
        form(.class("stack"), .post, .action(.signInLink(token: token))) {
            Field(
                "New password", name: "password",
                help: hasPassword
                    ? "Leave it empty to keep the one you have." : "For the next time. \(PasswordPage.rule)",
                error: error, .type("password"), .autocomplete("new-password")
            ).html
            button(.class("button button-main"), .type("submit")) { "Sign in" }
        }
    }
}
