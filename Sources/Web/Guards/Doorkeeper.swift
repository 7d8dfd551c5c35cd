import HTTP
import Journal
import Refunds
import Tenants
import Time

/// Who asks, as a handler sees them.
struct Visit: Sendable {
    let request: Request
    let context: Context
    let site: Site
    let session: Session
    let cookie: String
}

/// Who asks, and in which of their tenants.
struct TenantVisit: Sendable {
    let visit: Visit
    let membership: Membership

    var tenant: TenantID { membership.tenant }
    var slug: String { membership.slug }
    var site: Site { visit.site }
}

/// Stands before every handler: where a change comes from, who asks, whether it is theirs to see; and
/// behind it: what every answer must carry, and a page for whatever goes wrong.
struct Doorkeeper: Sendable {
    let own: PublicAddress
    let signIn: SignIn
    let assets: AssetLinks

    private var headers: SecurityHeaders { SecurityHeaders(isSecure: own.isSecure) }
    var cookie: SessionCookie { SessionCookie(isSecure: own.isSecure) }

    /// For everybody.
    func open(_ answer: @escaping @Sendable (Request, Context) async throws -> Response) -> Handler {
        { request, context in
            var response: Response
            do {
                response = try await admit(request, context, answer)
            } catch let error as HTTPError {
                throw error
            } catch let error as BodyError {
                response = .text("\(error)\n", status: error.status)
            } catch {
                response = trouble(error, context)
            }
            headers.add(to: &response)
            return response
        }
    }

    /// For people who are signed in; others are sent to the sign-in and come back afterwards.
    func signedIn(_ answer: @escaping @Sendable (Visit) async throws -> Response) -> Handler {
        open { request, context in
            guard let site = Site(request) else { return problem(.notFound, .notFound) }
            guard let token = cookie.token(of: request), let session = try await signIn.session(cookie: token) else {
                return .seeOther(Site.signIn(next: request.method == .post ? nil : site.next).url)
            }
            return try await answer(
                Visit(request: request, context: context, site: site, session: session, cookie: token))
        }
    }

    /// For members of the tenant in the address. A foreign tenant is answered like one that never was.
    func member(_ answer: @escaping @Sendable (TenantVisit) async throws -> Response) -> Handler {
        signedIn { visit in
            guard let slug = visit.site.slug, let membership = visit.session.membership(slug: slug) else {
                return problem(.notFound, .notFound)
            }
            return try await answer(TenantVisit(visit: visit, membership: membership))
        }
    }

    func problem(_ problem: ProblemPage.Problem, _ status: Status) -> Response {
        .html(ProblemPage(frame: Frame(assets: assets), problem: problem).html.bytes, status: status)
    }

    private func admit(
        _ request: Request, _ context: Context, _ answer: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if request.method != .get, request.method != .head,
            !SameOrigin(own: own).allows(request, hasSession: cookie.token(of: request) != nil)
        {
            return problem(.foreignOrigin(own: own.origin), .forbidden)
        }
        return try await answer(request, context)
    }

    private func trouble(_ error: any Error, _ context: Context) -> Response {
        if Records.isPassingTrouble(error) {
            context.journal.warning(
                "a page waits for the database", ["route": .string(context.route), "error": JournalValue(error)])
            var response = problem(.unavailable, .serviceUnavailable)
            response.headers.set("Retry-After", "5")
            return response
        }
        context.journal.error("a page failed", ["route": .string(context.route), "error": JournalValue(error)])
        return problem(.ourTrouble, .internalServerError)
    }
}

extension Site {
    /// Where to come back to after signing in; nil for places that are no place to be.
    var next: String? {
        switch self {
        case .home, .signIn, .signInLink, .signOut: nil
        default: url
        }
    }
}
