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
        case .ourTrouble: "Our mistake"
        case .unavailable: "Back in a moment"
        }
    }

    private var text: String {
        switch problem {
        case .notFound: "This page does not exist, or it is not yours to see."
        case .forbidden: "Your role in this organisation does not allow this. Ask an owner or an admin."
        case .stranger:
            "You are signed in elsewhere, and this desk knows nobody with your e-mail address. Ask an owner of your organisation for an invitation."
        case .foreignOrigin(let own):
            "This form was sent from another address than the desk's own, so nothing was done. Open the desk at \(own) and try again there."
        case .formsOnly: "This address takes forms only. Nothing was changed."
        case .pageOnly: "This page cannot be posted to. Nothing was changed."
        case .ourTrouble:
            "Something went wrong on our side. It is in the log, with the number that stands in this answer's X-Request-Id."
        case .unavailable: "The desk cannot reach its database just now. Nothing is lost; try again in a few seconds."
        }
    }
}
