import Tenants

/// The first start: makes the first owner and the first tenant. Looking at it changes nothing.
struct FirstStartPage {
    let frame: Frame
    let token: String
    var entered = Entered()
    /// Names of fields, and what is wrong with them.
    var errors: [String: String] = [:]
    var isBusy = false

    struct Entered {
        var email = ""
        var name = ""
        var tenant = ""
        var slug = ""
    }

    var html: HTML {
        Layout(frame, title: "Set up").lone {
            article(.class("card")) {
                h1 { "Set up Refund Desk" }
                p {
                    "Nobody can sign in yet. You become the owner of its first tenant: the company or team whose apps these are."
                }
                if isBusy { Notice(.attention, "Try again in a few seconds.").html }
                form(.class("stack"), .post, .action(.firstStart(token: token))) {
                    Field(
                        "Your e-mail address", name: "email", error: errors["email"], .type("email"),
                        .value(entered.email), .autocomplete("username"), .required, .autofocus, .maxlength(254)
                    ).html
                    Field(
                        "Your name", name: "name", help: "Colleagues see it. May stay empty.", error: errors["name"],
                        .type("text"), .value(entered.name), .autocomplete("name"), .maxlength(100)
                    ).html
                    Field(
                        "Password", name: "password", help: PasswordPage.rule, error: errors["password"],
                        .type("password"), .autocomplete("new-password"), .required,
                        .minlength(SignIn.passwordCharactersMin)
                    ).html
                    Field(
                        "Tenant", name: "tenant", help: "The name of the company or team.",
                        error: errors["tenant"], .type("text"), .value(entered.tenant), .autocomplete("organization"),
                        .required, .maxlength(100)
                    ).html
                    Field(
                        "Short name in addresses", name: "slug",
                        help: "Small letters, digits and hyphens. Empty: made from the tenant's name.",
                        error: errors["slug"], .type("text"), .value(entered.slug), .autocomplete("off"),
                        .noSpellcheck, .maxlength(63)
                    ).html
                    button(.class("button button-main"), .type("submit")) { "Create and sign in" }
                }
            }
        }
    }
}

/// What a set-up link shows that was used, is too old, or never was one.
struct FirstStartEndedPage {
    let frame: Frame

    var html: HTML {
        Layout(frame, title: "Set up").lone {
            article(.class("card")) {
                h1 { "This link does nothing" }
                p {
                    "It is unknown, was used or has ended. A set-up link works once, for a day, until the next start, and while nobody can sign in; as long as nobody can, each start of the service prints a new one."
                }
                p { a(.class("button"), .href(.signIn(next: nil))) { "Sign in" } }
            }
        }
    }
}
