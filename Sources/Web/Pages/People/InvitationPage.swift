import Tenants
import Time

/// What an invitation's link shows. Programs that look at links in mails change nothing by that; the button does.
struct InvitationPage {
    enum Standing {
        /// Unknown, used, withdrawn or ended.
        case dead
        /// For somebody who is signed in, with their address.
        case accept(InvitationStanding, as: String)
        /// The invitation's address has an account.
        case signIn(InvitationStanding)
        /// Nobody has that address yet.
        case join(InvitationStanding)
    }

    let frame: Frame
    let token: String
    let standing: Standing
    var error: String?
    var isBusy = false

    var html: HTML {
        Layout(frame, title: "Invitation").lone {
            article(.class("card")) {
                if isBusy { Notice(.attention, "Try again in a few seconds.").html }
                switch standing {
                case .dead: dead
                case .accept(let invitation, let email): accept(invitation, email)
                case .signIn(let invitation): signIn(invitation)
                case .join(let invitation): join(invitation)
                }
            }
        }
    }

    @HTMLBuilder private var dead: HTML {
        h1 { "This invitation does nothing" }
        p {
            "It is unknown, was used or withdrawn, or has ended: an invitation works once and for a week. An owner or an admin of the tenant that invited you makes a new link on its page of people."
        }
        p { a(.class("button"), .href(.home)) { "Go to your desk" } }
    }

    private func lead(_ invitation: InvitationStanding) -> HTML {
        p {
            "You are invited to "
            strong { invitation.tenantName }
            " as \(invitation.role.rawValue): \(invitation.role.meaning)."
        }
    }

    @HTMLBuilder private func accept(_ invitation: InvitationStanding, _ email: String) -> HTML {
        h1 { "Invitation" }
        if let error { Notice(.bad, error).html }
        lead(invitation)
        p { "You are signed in as \(email); that person becomes a member." }
        form(.class("stack"), .post, .action(.invitation(token: token))) {
            button(.class("button button-main"), .type("submit")) { "Accept" }
        }
    }

    @HTMLBuilder private func signIn(_ invitation: InvitationStanding) -> HTML {
        h1 { "Invitation" }
        lead(invitation)
        p { "There is an account with the address \(invitation.email). Sign in with it, then accept." }
        p {
            a(.class("button button-main"), .href(.signIn(next: Site.invitation(token: token).url))) {
                "Sign in and come back"
            }
        }
    }

    @HTMLBuilder private func join(_ invitation: InvitationStanding) -> HTML {
        h1 { "Invitation" }
        lead(invitation)
        form(.class("stack"), .post, .action(.invitation(token: token))) {
            input(
                .type("hidden"), .name("email"), .value(invitation.email), .autocomplete("username"))
            Field(
                "Choose a password for \(invitation.email)", name: "password", help: PasswordPage.rule, error: error,
                .type("password"), .autocomplete("new-password"), .required, .minlength(SignIn.passwordCharactersMin)
            ).html
            button(.class("button button-main"), .type("submit")) { "Accept and sign in" }
        }
        p(.class("quiet")) {
            "You have an account under another address? "
            a(.href(.signIn(next: Site.invitation(token: token).url))) { "Sign in with it first" }
            "."
        }
    }
}
