import Journal
import Tenants

/// An invitation's link, shown once.
struct LinkOnce {
    let invitation: NewInvitation
    /// The desk's own address.
    let origin: String
    let now: TimeText

    var html: HTML {
        section(.class("panel"), .ariaLabelledBy("link-once")) {
            h2(.id("link-once")) { "The invitation's link" }
            p {
                "Give it to "
                strong { invitation.email }
                " by a way that only they read: whoever opens it becomes \(article) \(invitation.role.rawValue). It works once, until "
                now.shortHTML
                ", and is shown this once."
            }
            CodeBlock(origin + Site.invitation(token: invitation.token.reveal()).url, label: "Link").html
        }
    }

    private var article: String { invitation.role == .admin || invitation.role == .owner ? "an" : "a" }
}
