import HTTP
import Journal
import Tenants
import Time

/// The cookie that holds a session's token.
struct SessionCookie: Sendable {
    let isSecure: Bool

    /// With the prefix a browser takes it only over TLS, for this host and all of it: a neighbour
    /// under the same domain cannot plant one.
    var name: String { isSecure ? "__Host-refund_desk" : "refund_desk" }

    func token(of request: Request) -> String? { request.cookies.first(name) }

    func set(_ session: NewSession) -> SetCookie {
        SetCookie(name, session.token.reveal(), maxAge: SignIn.sessionLife, isSecure: isSecure, sameSite: .lax)
    }

    /// The cookie of a step that waits: after the password, or for a passkey's answer.
    var stepName: String { name + "_step" }

    func step(of request: Request) -> String? { request.cookies.first(stepName) }

    func set(step token: Redacted<String>) -> SetCookie {
        SetCookie(stepName, token.reveal(), maxAge: .minutes(5), isSecure: isSecure, sameSite: .strict)
    }

    var forgetStep: SetCookie { SetCookie(stepName, "", maxAge: .zero, isSecure: isSecure, sameSite: .strict) }

    var forget: SetCookie { SetCookie(name, "", maxAge: .zero, isSecure: isSecure, sameSite: .lax) }
}
