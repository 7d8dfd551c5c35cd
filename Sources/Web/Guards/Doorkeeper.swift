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
    /// What the head of the installation's pages says; of a tenant's, `TenantVisit` knows.
    var alert = AlertLine.calm

    func arrival(_ door: Doorkeeper) -> Arrival { door.arrival(request, context) }
}

/// Who asks, and in which of their tenants.
struct TenantVisit: Sendable {
    let visit: Visit
    let membership: Membership
    /// What the head of the page says.
    var alert = AlertLine.calm

    var tenant: TenantID { membership.tenant }
    var slug: String { membership.slug }
    var site: Site { visit.site }
}

/// Somebody signed in who is shown a problem, with the navigation that still serves them.
struct Onlooker: Sendable {
    let session: Session
    /// The tenant of the address where it is theirs, else their only one: what is shown never depends on
    /// whether somebody else's exists.
    let tenant: Membership?

    init(session: Session, _ request: Request) {
        self.session = session
        let segments = request.segments
        let named = segments.count > 1 && segments[0] == "t" ? session.membership(slug: segments[1]) : nil
        tenant = named ?? (session.memberships.count == 1 ? session.memberships[0] : nil)
    }
}

/// Stands before every handler: where a change comes from, who asks, whether it is theirs to see; and
/// behind it: what every answer must carry, and a page for whatever goes wrong.
struct Doorkeeper: Sendable {
    let own: PublicAddress
    let signIn: SignIn
    let assets: AssetLinks
    /// The field in which a trusted proxy names who asks.
    var header: String?
    /// Tells whether something critical is open.
    var alerts: AlertDesk?

    private var headers: SecurityHeaders { SecurityHeaders(isSecure: own.isSecure) }
    var cookie: SessionCookie { SessionCookie(isSecure: own.isSecure) }

    /// For everybody.
    ///
    /// - Parameter checksOrigin: false for answers that do nothing.
    func open(
        checksOrigin: Bool = true, _ answer: @escaping @Sendable (Request, Context) async throws -> Response
    ) -> Handler {
        { request, context in
            var response: Response
            do {
                response =
                    checksOrigin
                    ? try await admit(request, context, answer) : try await answer(request, context)
            } catch let error as HTTPError {
                throw error
            } catch {
                response = trouble(error, context, for: nil)
            }
            headers.add(to: &response)
            return response
        }
    }

    /// For people who are signed in; others are sent to the sign-in and come back afterwards.
    func signedIn(_ answer: @escaping @Sendable (Visit) async throws -> Response) -> Handler {
        open { request, context in
            let found = try await find(request, context)
            guard let (session, token, isNew) = found.visitor else {
                guard let site = Site(request) else { return problem(.notFound, .notFound) }
                if found.isStranger { return problem(.stranger, .forbidden) }
                return .seeOther(Site.signIn(next: request.method == .post ? nil : site.next).url)
            }
            guard let site = Site(request) else {
                return problem(.notFound, .notFound, for: Onlooker(session: session, request))
            }
            do {
                var response = try await answer(
                    Visit(request: request, context: context, site: site, session: session, cookie: token))
                if let isNew, !response.headers.contains("Set-Cookie") { response.set(cookie.set(isNew)) }
                return response
            } catch let error where !(error is HTTPError) {
                // Somebody who is signed in keeps their way around, whatever went wrong on one page.
                return trouble(error, context, for: Onlooker(session: session, request))
            }
        }
    }

    // MARK: Who asks

    /// Who asks, for pages that strangers see as well; signs in whom a trusted proxy names.
    func visitor(_ request: Request, _ context: Context) async throws -> (session: Session, new: NewSession?)? {
        try await find(request, context).visitor.map { ($0.session, $0.new) }
    }

    private struct Found {
        var visitor: (session: Session, token: String, new: NewSession?)?
        /// The proxy names somebody whom nobody let in.
        var isStranger = false
    }

    /// The person of the session cookie; where a trusted proxy names people, the one it names now.
    private func find(_ request: Request, _ context: Context) async throws -> Found {
        if let (session, token) = try await standing(request, context) {
            return Found(visitor: (session, token, nil))
        }
        guard let named = proxyName(request, context) else { return Found() }
        // A form from before needs the session it was filled in with.
        guard request.method == .get || request.method == .head else { return Found() }
        guard let new = try await signIn.withProxy(email: named, from: arrival(request, context)) else {
            return Found(isStranger: true)
        }
        return Found(visitor: (new.session, new.token.reveal(), new))
    }

    /// The session of the cookie, as long as a trusted proxy that names people names the same person.
    private func standing(_ request: Request, _ context: Context) async throws -> (session: Session, token: String)? {
        guard let token = cookie.token(of: request), let session = try await signIn.session(cookie: token) else {
            return nil
        }
        let isNamed = proxyName(request, context).map { $0.lowercased() == session.email.lowercased() }
        // A session that the proxy vouched for lasts as long as it does.
        return isNamed ?? (session.method != .proxy) ? (session, token) : nil
    }

    /// Whom a trusted proxy names; nil where none is trusted, it names nobody, or the field stands there twice: one of the
    /// two is then the visitor's own.
    func proxyName(_ request: Request, _ context: Context) -> String? {
        guard let header, context.client.isBehindTrustedProxy else { return nil }
        let values = request.headers.all(header)
        guard values.count == 1, let value = values.first else { return nil }
        let name = EmailAddress.typed(value)
        return name.isEmpty ? nil : name
    }

    func arrival(_ request: Request, _ context: Context) -> Arrival {
        Arrival(
            address: context.client.address, userAgent: request.headers["User-Agent"], cookie: cookie.token(of: request)
        )
    }

    /// A problem for whoever asks: with their navigation where they are signed in.
    func problemPage(_ problem: ProblemPage.Problem, _ status: Status) -> Handler {
        open(checksOrigin: false) { request, context in
            self.problem(problem, status, for: await onlooker(request, context))
        }
    }

    /// For people who run the installation; to everybody else their pages are as absent as any that never was.
    func installation(_ answer: @escaping @Sendable (Visit) async throws -> Response) -> Handler {
        signedIn { visit in
            guard visit.session.isInstallation else { return problem(.notFound, .notFound, for: visit) }
            var visit = visit
            visit.alert = await line(of: .installation)
            return try await answer(visit)
        }
    }

    /// For members of the tenant in the address whose role `Access` lets do this. A foreign tenant is answered like one
    /// that never was.
    func member(_ answer: @escaping @Sendable (TenantVisit) async throws -> Response) -> Handler {
        signedIn { visit in
            guard let slug = visit.site.slug,
                let membership = visit.session.membership(slug: slug) ?? Self.caretaker(slug, visit)
            else { return problem(.notFound, .notFound, for: visit) }
            // Before anything is looked up: what exists behind a door is no business of those who may not pass it.
            guard Access.allows(membership.role, visit.request.method, visit.context.route) else {
                return problem(.forbidden, .forbidden, for: visit)
            }
            return try await answer(
                TenantVisit(visit: visit, membership: membership, alert: await line(of: membership.tenant)))
        }
    }

    /// A page is worth more than its head: without the line it is shown all the same.
    private func line(of tenant: TenantID) async -> AlertLine {
        let line = try? await alerts?.line(of: tenant)
        return line ?? .calm
    }

    /// Who runs the installation looks after its own alerts and channels on the pages that tenants have, and sees nothing
    /// else of it there: it has nothing else.
    private static func caretaker(_ slug: String, _ visit: Visit) -> Membership? {
        guard visit.session.isInstallation, slug == Membership.installation.slug, visit.site.isAboutAlerts else {
            return nil
        }
        return .installation
    }

    func problem(_ problem: ProblemPage.Problem, _ status: Status, for onlooker: Onlooker? = nil) -> Response {
        let frame = Frame(assets: assets, session: onlooker?.session, tenant: onlooker?.tenant)
        return .html(ProblemPage(frame: frame, problem: problem).html.bytes, status: status)
    }

    func problem(_ problem: ProblemPage.Problem, _ status: Status, for visit: Visit) -> Response {
        self.problem(problem, status, for: Onlooker(session: visit.session, visit.request))
    }

    func problem(_ problem: ProblemPage.Problem, _ status: Status, for visit: TenantVisit) -> Response {
        self.problem(problem, status, for: visit.visit)
    }

    /// Who is signed in; nobody where that cannot be found out just now.
    private func onlooker(_ request: Request, _ context: Context) async -> Onlooker? {
        guard let session = try? await standing(request, context)?.session else { return nil }
        return Onlooker(session: session, request)
    }

    private func admit(
        _ request: Request, _ context: Context, _ answer: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if request.method != .get, request.method != .head,
            !SameOrigin(own: own).allows(request, hasSession: cookie.token(of: request) != nil)
        {
            return problem(.foreignOrigin(own: own.origin), .forbidden, for: await onlooker(request, context))
        }
        return try await answer(request, context)
    }

    private func trouble(_ error: any Error, _ context: Context, for onlooker: Onlooker?) -> Response {
        if let error = error as? BodyError {
            return problem(
                error.reason == .tooLarge ? .tooLarge : .unreadable("\(error)"), error.status, for: onlooker)
        }
        if Records.isPassingTrouble(error) {
            context.journal.warning(
                "a page waits for the database", ["route": .string(context.route), "error": JournalValue(error)])
            var response = problem(.unavailable, .serviceUnavailable, for: onlooker)
            response.headers.set("Retry-After", "5")
            return response
        }
        context.journal.error("a page failed", ["route": .string(context.route), "error": JournalValue(error)])
        return problem(.ourTrouble, .internalServerError, for: onlooker)
    }
}

extension Membership {
    /// The installation's own incidents and channels, for people who run it.
    static let installation = Membership(
        tenant: .installation, slug: "installation", name: "This installation", role: .admin)
}

extension Site {
    var isAboutAlerts: Bool {
        switch self {
        case .alerts, .alertHistory, .incident, .incidentAct, .channels, .channel, .channelState, .channelTest,
            .channelRemoval:
            true
        default: false
        }
    }

    /// Where to come back to after signing in; nil for places that are no place to be.
    var next: String? {
        switch self {
        case .home, .signIn, .signInLink, .signOut, .secondFactor, .passkeyChallenge, .passkeySignIn, .firstStart,
            .accountName, .generators, .generator, .passkeyOffer, .passkeys, .recoveryCodes, .factorRemoval,
            .sessionEnd, .otherSessionsEnd, .tenantName, .tenantClosure, .tenantReopening, .firstOwner, .caseExport,
            .memberRole, .memberRemoval, .invitations, .invitationRenewal, .invitationWithdrawal, .tokenRemoval,
            .auditExport, .incidentAct, .channelState, .channelTest, .channelRemoval,
            .channelConfirmation, .registerExport,
            .commerceAccessPart, .heldAnswer, .caseNote, .caseAssignment, .caseBundle,
            .purchaseLookUp, .commercePreview, .commerceRequestState, .commerceSubmission, .commerceApproval,
            .commerceWithdrawal:
            nil
        default: url
        }
    }
}
