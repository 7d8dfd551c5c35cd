import HTTP
import Journal
import Tenants

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

    var forget: SetCookie { SetCookie(name, "", maxAge: .zero, isSecure: isSecure, sameSite: .lax) }
}
