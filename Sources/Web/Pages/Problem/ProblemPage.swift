/// What is shown instead of a page. It says nothing of what exists elsewhere, and is the same, to the
/// byte, for what is another tenant's and for what never was.
struct ProblemPage {
    enum Problem {
        case notFound
        case forbidden
        /// A trusted proxy names somebody whom nobody let in.
        case stranger
        /// The form came from another address than the desk's own.
        case foreignOrigin(own: String)
        /// A page asked for where there is only a form's target.
        case formsOnly
        /// A form, or worse, sent to a page.
        case pageOnly
        /// More was sent than the address takes.
        case tooLarge
        /// A form that is none or is damaged, or an address that cannot be decoded: with what is wrong with it.
        case unreadable(String)
        /// What was sent took too long, or too much is being received.
        case notNow
        case ourTrouble
        case unavailable
    }

    let frame: Frame
    let problem: Problem

    var html: HTML {
        if frame.visitor != nil {
            return Layout(frame, title: heading).console {
                PageHeader(heading) { text }.html
                p { a(.class("button"), .href(.home)) { "Go to your desk" } }
            }
        }
        return Layout(frame, title: heading).lone {
            article(.class("card")) {
                h1 { heading }
                p { text }
                p { a(.class("button"), .href(.home)) { "Go to your desk" } }
            }
        }
    }

    private var heading: String {
        switch problem {
        case .notFound: "Nothing here"
        case .forbidden: "Not for your role"
        case .stranger: "Nobody let you in yet"
        case .foreignOrigin: "Refused for your safety"
        case .formsOnly, .pageOnly: "Not this way"
        case .tooLarge: "Too large"
        case .unreadable: "This cannot be read"
        case .ourTrouble: "Our mistake"
        case .notNow, .unavailable: "Back in a moment"
        }
    }

    private var text: String {
        switch problem {
        case .notFound: "This page does not exist, or it is not yours to see."
        case .forbidden: "Your role in this tenant does not allow this. Ask an owner or an admin."
        case .stranger:
            "You are signed in elsewhere, and this desk knows nobody with your e-mail address. Ask an owner of your tenant for an invitation."
        case .foreignOrigin(let own):
            "This form was sent from another address than the desk's own, so nothing was done. Open the desk at \(own) and try again there."
        case .formsOnly: "This address takes forms only. Nothing was changed."
        case .pageOnly: "This page cannot be posted to. Nothing was changed."
        case .tooLarge:
            "What was sent is larger than this page takes, so nothing was changed. Go back and send less: a long file of rows can be sent in parts of at most 1 MiB, each with its first line, and a key file has less than 2 KB."
        case .unreadable(let why):
            "What arrived is no form and no address of this desk: \(why). Nothing was changed. Go back, load the page again, and send its form once more. Programs call the API (/api/v1/openapi.json), not these pages."
        case .notNow:
            "What was sent did not arrive in time, or too much arrives at once. Nothing was changed; try again in a few seconds."
        case .ourTrouble:
            "Something went wrong on our side. It is in the log, with the number that stands in this answer's X-Request-Id."
        case .unavailable: "The desk cannot reach its database just now. Nothing is lost; try again in a few seconds."
        }
    }
}
