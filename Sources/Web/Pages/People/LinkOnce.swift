import Journal
import Refunds
import Tenants

/// An invitation's link, shown once, and whether it was mailed.
struct LinkOnce {
    let invitation: NewInvitation
    let mailed: InvitationPost.Outcome
    /// The desk's own address.
    let origin: String
    let now: TimeText

    var html: HTML {
        section(.class("panel"), .ariaLabelledBy("link-once")) {
            h2(.id("link-once")) { "The invitation's link" }
            notice.html
            p {
                "\(mailed == .sent ? "If it does not arrive, give" : "Give") it to "
                strong { invitation.email }
                " by a way that only they read: whoever opens it becomes a member with the role \(invitation.role.rawValue). It works once, until "
                now.shortHTML
                ", and is shown this once."
            }
            CodeBlock(origin + Site.invitation(token: invitation.token.reveal()).url, label: "Link").html
        }
    }

    private var notice: Notice {
        switch mailed {
        case .sent: Notice(.good, "It was mailed to \(invitation.email).")
        case .noServer:
            Notice(
                .attention, "It was not mailed: this installation has no mail server.",
                more: "Whoever runs it sets one with REFUND_DESK_SMTP_URL and REFUND_DESK_MAIL_FROM.")
        case .refused(let why): Notice(.bad, "It was not mailed.", more: Words.sentence(why) + ".")
        case .unclear(let why):
            Notice(
                .attention, "It is not known whether it was mailed.",
                more: Words.sentence(why) + ". The mail server may have taken it all the same.")
        }
    }

}
