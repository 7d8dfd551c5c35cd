import HTTP
import Tenants

/// The page behind an invitation: for strangers and for people who are signed in.
struct InvitationHandlers: Sendable {
    let console: Console

    private var frame: Frame { console.strangersFrame }

    func show(_ request: Request, _ context: Context) async throws -> Response {
        let visitor = try await console.door.visitor(request, context)
        let page = try await page(context, for: visitor?.session)
        var response = console.page(page.html)
        if case .dead = page.standing { response = console.page(page.html, status: .notFound) }
        // Whom a trusted proxy names is signed in by looking here too, and accepts with that session.
        if let new = visitor?.new { response.set(console.door.cookie.set(new)) }
        return response
    }

    private func page(_ context: Context, for session: Session?) async throws -> InvitationPage {
        let token = context.parameter("token")
        guard let standing = try await console.signIn.invitation(token) else {
            return InvitationPage(frame: frame, token: token, standing: .dead)
        }
        if let session {
            return InvitationPage(frame: frame, token: token, standing: .accept(standing, as: session.email))
        }
        return InvitationPage(
            frame: frame, token: token, standing: standing.hasAccount ? .signIn(standing) : .join(standing))
    }

    func accept(_ request: Request, _ context: Context) async throws -> Response {
        let token = context.parameter("token")
        let session = try await console.door.visitor(request, context)?.session
        do {
            if let session {
                let tenant = try await console.signIn.accept(
                    invitation: token, as: session, address: context.client.address)
                return .seeOther(Site.overview(tenant.slug).url)
            }
            let password = Array((try request.form().first("password") ?? "").utf8)
            return console.entered(
                try await console.signIn.join(
                    invitation: token, password: password, from: console.door.arrival(request, context)), next: nil)
        } catch MemberError.invitationEnded {
            return console.page(
                InvitationPage(frame: frame, token: token, standing: .dead).html, status: .notFound)
        } catch MemberError.hasAccount {
            return .seeOther(Site.signIn(next: Site.invitation(token: token).url).url)
        } catch let error as MemberError {
            var page = try await page(context, for: session)
            page.error = Words.sentence("\(error)") + "."
            return console.page(page.html, status: .conflict)
        } catch SignInError.busy {
            var page = try await page(context, for: session)
            page.isBusy = true
            var response = console.page(page.html, status: .serviceUnavailable)
            response.headers.set("Retry-After", "5")
            return response
        } catch SignInError.badPassword(let trouble) {
            var page = try await page(context, for: session)
            page.error = "\(trouble)"
            return console.page(page.html, status: .unprocessableContent)
        }
    }
}
