import HTTP
import Tenants
import Time

/// Coming, going, and the password.
struct SignInHandlers: Sendable {
    let console: Console

    private var frame: Frame { console.strangersFrame }

    func show(_ request: Request, _ context: Context) async throws -> Response {
        let next = next(request.query.first("next"))
        var page = page(next)
        if let token = console.door.cookie.token(of: request),
            let session = try await console.signIn.session(cookie: token)
        {
            // To one's own account one may come again: what lets one in is changed soon after signing in only.
            guard next == Site.account.url, !session.isFresh(at: console.clock.now) else {
                return .seeOther(next ?? Site.home.url)
            }
            page.message = .again
        }
        if let name = console.door.proxyName(request, context),
            let session = try await console.signIn.withProxy(email: name, from: console.door.arrival(request, context))
        {
            return console.entered(session, next: next)
        }
        return console.page(page.html)
    }

    private func page(_ next: String?, email: String = "") -> SignInPage {
        SignInPage(frame: frame, next: next, passkeys: console.own.passkeys, email: email)
    }

    func enter(_ request: Request, _ context: Context) async throws -> Response {
        let form = try request.form()
        let email = EmailAddress.typed(form.first("email") ?? "")
        let password = Array((form.first("password") ?? "").utf8)
        var page = page(next(form.first("next")), email: String(email.prefix(EmailAddress.bytesMax)))
        // Nobody can have such an address, and no database text such a character.
        if email.contains("\0") || email.utf8.count > EmailAddress.bytesMax { return wrong(page) }
        do {
            let entry = try await console.signIn.withPassword(
                email: email, password: password, from: console.door.arrival(request, context))
            switch entry {
            case .entered(let session): return console.entered(session, next: page.next)
            case .secondFactor(let token):
                var response = Response.seeOther(Site.secondFactor(next: page.next).url)
                response.set(console.door.cookie.set(step: token))
                return response
            }
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

    // MARK: The second factor

    func showSecondFactor(_ request: Request, _ context: Context) async throws -> Response {
        let next = next(request.query.first("next"))
        guard let token = console.door.cookie.step(of: request),
            let standing = try await console.signIn.secondFactor(token: token)
        else { return .seeOther(Site.signIn(next: next).url) }
        return console.page(
            SecondFactorPage(frame: frame, standing: standing, next: next, passkeys: console.own.passkeys).html)
    }

    func enterSecondFactor(_ request: Request, _ context: Context) async throws -> Response {
        let form = try request.form()
        let next = next(form.first("next"))
        guard let token = console.door.cookie.step(of: request) else { return stepEnded(next) }
        do {
            let session = try await console.signIn.withCode(
                String((form.first("code") ?? "").prefix(100)), token: token,
                from: console.door.arrival(request, context))
            return console.entered(session, next: next)
        } catch SignInError.throttled(let wait) {
            guard var page = try await secondFactorPage(token, next) else { return stepEnded(next) }
            page.message = .throttled(seconds: wait.components.seconds)
            return throttled(page.html, after: wait)
        } catch SignInError.wrong {
            guard var page = try await secondFactorPage(token, next) else { return stepEnded(next) }
            page.message = .wrong
            return console.page(page.html, status: .forbidden)
        } catch is SignInError {
            return stepEnded(next)
        }
    }

    private func secondFactorPage(_ token: String, _ next: String?) async throws -> SecondFactorPage? {
        try await console.signIn.secondFactor(token: token).map {
            SecondFactorPage(frame: frame, standing: $0, next: next, passkeys: console.own.passkeys)
        }
    }

    private func stepEnded(_ next: String?) -> Response {
        var page = page(next)
        page.message = .stepEnded
        var response = console.page(page.html, status: .forbidden)
        response.set(console.door.cookie.forgetStep)
        return response
    }

    // MARK: One-time links

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
                token, settingPassword: password, from: console.door.arrival(request, context))
            return console.entered(session, next: nil)
        } catch SignInError.linkEnded {
            return deadLink(token)
        } catch SignInError.badPassword(let trouble) {
            let standing = try await console.signIn.look(at: token)
            let page = SignInLinkPage(
                frame: frame, token: token, standing: .alive(hasPassword: standing?.hasPassword ?? false),
                error: "\(trouble)")
            return console.page(page.html, status: .unprocessableContent)
        } catch SignInError.busy {
            var page = page(nil)
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
                from: visit.arrival(console.door))
            return console.entered(session, next: Site.account.url)
        } catch SignInError.throttled(let wait) {
            page.problem = .throttled
            return throttled(page.html, after: wait)
        } catch SignInError.busy {
            page.problem = .busy
            return throttled(page.html, after: .seconds(5), status: .serviceUnavailable)
        } catch SignInError.badPassword(let trouble) {
            page.problem = .bad("\(trouble)")
            return console.page(page.html, status: .unprocessableContent)
        } catch SignInError.stale {
            return .seeOther(Site.signIn(next: Site.account.url).url)
        } catch SignInError.wrong {
            page.problem = .wrong
            return console.page(page.html, status: .forbidden)
        }
    }

    private func throttled(_ html: HTML, after wait: Duration, status: Status = .tooManyRequests) -> Response {
        var response = console.page(html, status: status)
        response.headers.set("Retry-After", "\(max(1, wait.components.seconds))")
        return response
    }

    /// Only an address of our own is believed; anything else is as good as none.
    private func next(_ text: String?) -> String? { text.flatMap(Site.init(url:))?.next }
}
