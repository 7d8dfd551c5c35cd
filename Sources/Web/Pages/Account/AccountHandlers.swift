import FoundationEssentials
import HTTP
import Tenants
import Time

/// What one changes about oneself.
struct AccountHandlers: Sendable {
    let console: Console

    private var signIn: SignIn { console.signIn }

    func show(_ visit: Visit) async throws -> Response { try await page(visit) }

    func page(_ visit: Visit, problem: AccountPage.Problem? = nil) async throws -> Response {
        let page = AccountPage(
            frame: console.frame(visit), session: visit.session, factors: try await signIn.factors(of: visit.session),
            sessions: try await signIn.sessions(of: visit.session), passkeys: console.own.passkeys,
            origin: console.own.origin, now: console.clock.now, problem: problem)
        return console.page(page.html, status: problem == nil ? .ok : .unprocessableContent)
    }

    func rename(_ visit: Visit) async throws -> Response {
        let name = try visit.request.form().first("name") ?? ""
        do {
            try await signIn.rename(visit.session, to: name)
        } catch SignInError.badName(let trouble) {
            return try await page(visit, problem: .name(trouble))
        }
        return .seeOther(Site.account.url)
    }

    // MARK: Code generators

    func beginGenerator(_ visit: Visit) async throws -> Response {
        let form = try visit.request.form()
        return try await refusing(visit) {
            let id = try await signIn.beginGenerator(named: name(form, otherwise: "Telephone"), for: visit.session)
            return .seeOther(Site.generator(id).url)
        }
    }

    func showGenerator(_ visit: Visit) async throws -> Response {
        guard let generator = try await generator(visit) else { return .seeOther(Site.account.url) }
        return console.page(GeneratorPage(frame: console.frame(visit), generator: generator).html)
    }

    func confirmGenerator(_ visit: Visit) async throws -> Response {
        guard case .generator(let id) = visit.site else { return notFound(visit) }
        let code = try visit.request.form().first("code") ?? ""
        do {
            let codes = try await signIn.confirmGenerator(
                id, code: String(code.prefix(20)), of: visit.session, from: visit.arrival(console.door))
            guard !codes.isEmpty else { return .seeOther(Site.account.url) }
            return console.page(
                RecoveryCodesPage(frame: console.frame(visit), codes: codes, done: "Codes from your app are on.").html)
        } catch SignInError.wrong {
            guard let generator = try await generator(visit) else { return .seeOther(Site.account.url) }
            return console.page(
                GeneratorPage(frame: console.frame(visit), generator: generator, isWrong: true).html,
                status: .unprocessableContent)
        } catch let error as SignInError {
            return try await page(visit, problem: .refused(error))
        }
    }

    private func generator(_ visit: Visit) async throws -> NewGenerator? {
        guard case .generator(let id) = visit.site else { return nil }
        return try await signIn.newGenerator(id, of: visit.session)
    }

    // MARK: All factors

    func makeRecoveryCodes(_ visit: Visit) async throws -> Response {
        try await refusing(visit) {
            let codes = try await signIn.newRecoveryCodes(for: visit.session, from: visit.arrival(console.door))
            return console.page(RecoveryCodesPage(frame: console.frame(visit), codes: codes).html)
        }
    }

    func removeFactor(_ visit: Visit) async throws -> Response {
        guard case .factorRemoval(let id) = visit.site else { return notFound(visit) }
        return try await refusing(visit) {
            try await signIn.removeFactor(id, of: visit.session, from: visit.arrival(console.door))
            return .seeOther(Site.account.url)
        }
    }

    // MARK: Sessions

    func endSession(_ visit: Visit) async throws -> Response {
        guard case .sessionEnd(let id) = visit.site,
            try await signIn.end(id, of: visit.session, from: visit.arrival(console.door))
        else { return notFound(visit) }
        return .seeOther(Site.account.url)
    }

    func endOtherSessions(_ visit: Visit) async throws -> Response {
        try await signIn.endOthers(of: visit.session, from: visit.arrival(console.door))
        return .seeOther(Site.account.url)
    }

    // MARK: Parts

    /// What somebody calls a thing of theirs; the usual name where they do not say.
    func name(_ form: FormBody, otherwise usual: String) -> String {
        let name = (form.first("name") ?? "").withoutOuterBlanks
        return name.isEmpty ? usual : name
    }

    private func refusing(_ visit: Visit, _ body: () async throws -> Response) async throws -> Response {
        do {
            return try await body()
        } catch SignInError.gone {
            return notFound(visit)
        } catch let error as SignInError {
            return try await page(visit, problem: .refused(error))
        }
    }

    private func notFound(_ visit: Visit) -> Response { console.door.problem(.notFound, .notFound, for: visit) }
}
