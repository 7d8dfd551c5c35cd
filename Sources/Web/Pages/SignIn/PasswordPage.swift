import Tenants

/// Choosing a new password. All other sessions of the person end with it.
struct PasswordPage {
    enum Problem: Equatable {
        case wrong, different, throttled, busy
        /// The new one; why.
        case bad(String)
    }

    let frame: Frame
    var problem: Problem?

    static let rule = "At least \(SignIn.passwordCharactersMin) characters; a sentence is good."

    private var objection: String? {
        guard case .bad(let text) = problem else { return nil }
        return text
    }

    var html: HTML {
        Layout(frame, title: "Change password").console {
            PageHeader("Password") { "Every other place where you are signed in is signed out by a change." }.html
            if problem == .throttled {
                Notice(.attention, "Too many attempts.", more: "Nothing was checked. Try again in some minutes.").html
            }
            if problem == .busy {
                Notice(.attention, "Many people sign in just now.", more: "Try again in a few seconds.").html
            }
            form(.class("stack form-narrow"), .post, .action(.password)) {
                Field(
                    "Present password", name: "present", help: "Leave it empty if you have none yet.",
                    error: problem == .wrong ? "That is not your password." : nil,
                    .type("password"), .autocomplete("current-password"), .maxlength(1024)
                ).html
                Field(
                    "New password", name: "new", help: Self.rule, error: objection,
                    .type("password"), .autocomplete("new-password"), .required,
                    .minlength(SignIn.passwordCharactersMin)
                ).html
                Field(
                    "New password again", name: "again",
                    error: problem == .different ? "The two are not the same." : nil,
                    .type("password"), .autocomplete("new-password"), .required
                ).html
                button(.class("button button-main"), .type("submit")) { "Change password" }
            }
        }
    }
}
