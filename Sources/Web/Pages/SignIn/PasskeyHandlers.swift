import FoundationEssentials
import HTTP
import Journal
import Tenants
import Time

/// What `passkeys.js` asks for, and the forms it fills in.
struct PasskeyHandlers: Sendable {
    let console: Console

    /// base64url, as the browser's side decodes it.
    private struct Offer: Encodable {
        let site: String
        let challenge: String
        var user = ""
        var email = ""
        var name = ""
        var known: [String] = []
    }

    private struct Trouble: Encodable {
        let error: String
    }

    // MARK: Signing in

    func challenge(_ request: Request, _ context: Context) async throws -> Response {
        guard case .works(let site) = console.own.passkeys else { return trouble(Self.elsewhere, .forbidden) }
        do {
            let made = try await console.signIn.challengePasskey(from: console.door.arrival(request, context))
            var response = try json(Offer(site: site.id, challenge: made.challenge.base64URL))
            response.set(console.door.cookie.set(step: made.token))
            return response
        } catch let error as SignInError {
            return trouble("\(error)", .tooManyRequests)
        }
    }

    func enter(_ request: Request, _ context: Context) async throws -> Response {
        let form = try request.form()
        let next = form.first("next").flatMap(Site.init(url:))?.next
        guard case .works(let site) = console.own.passkeys, let token = console.door.cookie.step(of: request),
            let credential = bytes(form, "credential"), !credential.isEmpty,
            let clientData = bytes(form, "clientData"), let data = bytes(form, "authenticatorData"),
            let signature = bytes(form, "signature"), let handle = bytes(form, "userHandle", otherwise: "")
        else { return refused(next, .passkey) }
        do {
            let session = try await console.signIn.withPasskey(
                PasskeyAnswer(
                    credentialID: credential, clientData: clientData, authenticatorData: data, signature: signature,
                    userHandle: handle), token: token, on: site, from: console.door.arrival(request, context))
            return console.entered(session, next: next)
        } catch let error as SignInError {
            context.journal.info("a passkey was not taken", ["reason": .string("\(error)")])
            return refused(next, error == .stepEnded ? .stepEnded : .passkey)
        }
    }

    private func refused(_ next: String?, _ message: SignInPage.Message) -> Response {
        var page = SignInPage(frame: console.strangersFrame, next: next, passkeys: console.own.passkeys)
        page.message = message
        return console.page(page.html, status: .forbidden)
    }

    // MARK: One's own

    func offer(_ visit: Visit) async throws -> Response {
        guard case .works(let site) = console.own.passkeys else { return trouble(Self.elsewhere, .forbidden) }
        do {
            let offer = try await console.signIn.offerPasskey(to: visit.session)
            var response = try json(
                Offer(
                    site: site.id, challenge: offer.challenge.base64URL, user: offer.userHandle.base64URL,
                    email: offer.email, name: offer.name ?? offer.email, known: offer.known.map(\.base64URL)))
            response.set(console.door.cookie.set(step: offer.token))
            return response
        } catch let error as SignInError {
            return trouble(Words.sentence("\(error)") + ".", .forbidden)
        }
    }

    func add(_ visit: Visit) async throws -> Response {
        let form = try visit.request.form()
        let account = AccountHandlers(console: console)
        guard case .works(let site) = console.own.passkeys, let token = console.door.cookie.step(of: visit.request),
            let clientData = bytes(form, "clientData"), let attestation = bytes(form, "attestation")
        else { return try await account.page(visit, problem: .refused(SignInError.stepEnded)) }
        do {
            try await console.signIn.addPasskey(
                named: account.name(form, otherwise: "Passkey"), clientData: clientData, attestation: attestation,
                token: token, on: site, for: visit.session, from: visit.arrival(console.door))
            var response = Response.seeOther(Site.account.url)
            response.set(console.door.cookie.forgetStep)
            return response
        } catch let error as SignInError {
            return try await account.page(visit, problem: .refused(error))
        }
    }

    // MARK: Parts

    private static let elsewhere = "Passkeys do not work at this desk's address."

    private func bytes(_ form: FormBody, _ name: String, otherwise: String? = nil) -> [UInt8]? {
        (form.first(name) ?? otherwise).flatMap([UInt8].init(base64URL:))
    }

    private func json(_ offer: some Encodable, status: Status = .ok) throws -> Response {
        .json([UInt8](try JSONEncoder().encode(offer)), status: status)
    }

    private func trouble(_ text: String, _ status: Status) -> Response {
        (try? json(Trouble(error: text), status: status)) ?? .text(text + "\n", status: status)
    }
}
