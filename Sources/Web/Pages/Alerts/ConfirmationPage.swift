import Refunds

/// Asks whether alerts may be sent to a mail address. Programs that look at links in mails change nothing by that; the button
/// does.
struct ConfirmationPage {
    let frame: Frame
    let token: String
    /// Nil: the link is unknown, was used, or has ended.
    let confirmation: ChannelConfirmation?
    let isDone: Bool

    var html: HTML {
        Layout(frame, title: "Alerts by mail").lone {
            article(.class("card")) {
                if let confirmation {
                    isDone ? done(confirmation) : question(confirmation)
                } else {
                    h1 { "This link does nothing" }
                    p {
                        "It is unknown, was used, or has ended: a link counts for a week. Who looks after the channel sends a new one from its page."
                    }
                }
            }
        }
    }

    @HTMLBuilder private func question(_ confirmation: ChannelConfirmation) -> HTML {
        h1 { "May alerts come to this address?" }
        p {
            strong { confirmation.tenantName }
            " wants to tell \(confirmation.address) when replies to refund requests fail."
        }
        form(.class("stack"), .post, .action(.channelConfirmation(token: token))) {
            button(.class("button button-main"), .type("submit")) { "Yes, I read there" }
        }
        p(.class("quiet")) { "If you know nothing of it, close this page: nothing is sent." }
    }

    @HTMLBuilder private func done(_ confirmation: ChannelConfirmation) -> HTML {
        h1 { "Thank you" }
        p { "From now on \(confirmation.address) hears of what \(confirmation.tenantName) must look at." }
    }
}
