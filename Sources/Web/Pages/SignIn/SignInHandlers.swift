import HTTP
import Tenants
import Time

/// Coming, going, and the password.
struct SignInHandlers: Sendable {
    let console: Console

    private var frame: Frame { console.strangersFrame }

    func show(_ request: Request, _ context: Context) async throws -> Response {
        if let token = console.door.cookie.token(of: request), try await console.signIn.session(cookie: token) != nil {
            return .seeOther(Site.home.url)
        }
        return console.page(SignInPage(frame: frame, next: next(request.query.first("next"))).html)
    }

    func enter(_ request: Request, _ context: Context) async throws -> Response {
        let form = try request.form()
        let email = String((form.first("email") ?? "").prefix(254))
        let password = Array((form.first("password") ?? "").utf8)
        var page = SignInPage(frame: frame, next: next(form.first("next")), email: email)
        if email.contains("\0") { return wrong(page) }
        do {
            let session = try await console.signIn.withPassword(
                email: email, password: password, address: context.client.address,
                replacing: console.door.cookie.token(of: request))
            return entered(session, next: page.next)
        } catch SignInError.throttled(let wait) {
            page.message = .throttled(seconds: wait.components.seconds)
            return throttled(page.html, after: wait)
        } catch SignInError.busy {
            page.message = .busy
            return throttled(page.html, after: .seconds(5), status: .serviceUnavailable)
        } catch is SignInError {
            return wrong(page)
        }
    }

    private func wrong(_ page: SignInPage) -> Response {
        var page = page
        page.message = .wrong
        return console.page(page.html, status: .forbidden)
    }

    func showLink(_ request: Request, _ context: Context) async throws -> Response {
        let token = context.parameter("token")
        guard let standing = try await console.signIn.look(at: token) else { return deadLink(token) }
        return console.page(
            SignInLinkPage(frame: frame, token: token, standing: .alive(hasPassword: standing.hasPassword)).html)
    }

    func useLink(_ request: Request, _ context: Context) async throws -> Response {
        let token = context.parameter("token")
        let form = try request.form()
        let password = form.first("password").flatMap { $0.isEmpty ? nil : Array($0.utf8) }
        do {
            let session = try await console.signIn.withLink(
                token, settingPassword: password, replacing: console.door.cookie.token(of: request))
            return entered(session, next: nil)
        } catch SignInError.linkEnded {
            return deadLink(token)
        } catch SignInError.badPassword {
            let standing = try await console.signIn.look(at: token)
            let page = SignInLinkPage(
                frame: frame, token: token, standing: .alive(hasPassword: standing?.hasPassword ?? false),
                error: PasswordPage.objection(to: form.first("password") ?? ""))
            return console.page(page.html, status: .unprocessableContent)
        } catch SignInError.busy {
            var page = SignInPage(frame: frame, next: nil)
            page.message = .busy
            return throttled(page.html, after: .seconds(5), status: .serviceUnavailable)
        }
    }

    private func deadLink(_ token: String) -> Response {
        console.page(SignInLinkPage(frame: frame, token: token, standing: .dead).html, status: .notFound)
    }

    func leave(_ request: Request, _ context: Context) async throws -> Response {
        if let token = console.door.cookie.token(of: request) { try await console.signIn.signOut(cookie: token) }
        var response = Response.seeOther(Site.signIn(next: nil).url)
        response.set(console.door.cookie.forget)
        return response
    }

    func showPassword(_ visit: Visit) async throws -> Response {
        console.page(PasswordPage(frame: console.frame(visit)).html)
    }

    func changePassword(_ visit: Visit) async throws -> Response {
        let form = try visit.request.form()
        var page = PasswordPage(frame: console.frame(visit))
        let new = form.first("new") ?? ""
        guard new == form.first("again") else {
            page.problem = .different
            return console.page(page.html, status: .unprocessableContent)
        }
        do {
            let session = try await console.signIn.changePassword(
                of: visit.session, from: Array((form.first("present") ?? "").utf8), to: Array(new.utf8),
                address: visit.context.client.address)
            return entered(session, next: nil)
        } catch SignInError.throttled(let wait) {
            page.problem = .throttled
            return throttled(page.html, after: wait)
        } catch SignInError.busy {
            page.problem = .busy
            return throttled(page.html, after: .seconds(5), status: .serviceUnavailable)
        } catch SignInError.badPassword {
            page.problem = .bad(PasswordPage.objection(to: new))
            return console.page(page.html, status: .unprocessableContent)
        } catch SignInError.wrong {
            page.problem = .wrong
            return console.page(page.html, status: .forbidden)
        }
    }

    /// Signed in under a new session; whatever the browser held before is dead.
    private func entered(_ session: NewSession, next: String?) -> Response {
        var response = Response.seeOther(next ?? Site.home.url)
        response.set(console.door.cookie.set(session))
        return response
    }

    private func throttled(_ html: HTML, after wait: Duration, status: Status = .tooManyRequests) -> Response {
        var response = console.page(html, status: status)
        response.headers.set("Retry-After", "\(max(1, wait.components.seconds))")
        return response
    }

    /// Only an address of our own is believed; anything else is as good as none.
    private func next(_ text: String?) -> String? { text.flatMap(Site.init(url:))?.next }
}
