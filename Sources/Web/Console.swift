package import HTTP
import Journal
package import Refunds
package import Tenants
package import Time

/// The console's entrance: every page and form, ready to mount.
package struct Console: Sendable {
    let records: Records
    let signIn: SignIn
    let own: PublicAddress
    let assets: Assets
    let setup: SetupDesk
    let clock: WallClock
    let signInHeader: String?

    /// - Parameters:
    ///   - publicAddress: what browsers see; decides Secure cookies, what is the same origin, and whose passkeys are ours.
    ///   - signInHeader: the field in which a trusted proxy names who asks; nil where none does.
    package init(
        records: Records, signIn: SignIn, publicAddress: PublicAddress, assets: Assets, setup: SetupDesk,
        clock: WallClock, signInHeader: String? = nil
    ) {
        self.signInHeader = signInHeader
        self.records = records
        self.signIn = signIn
        own = publicAddress
        self.assets = assets
        self.setup = setup
        self.clock = clock
    }

    var door: Doorkeeper { Doorkeeper(own: own, signIn: signIn, assets: assets.links, header: signInHeader) }

    /// What is looked at with GET changes nothing; what changes something answers to POST alone.
    package var routes: [Route] {
        let entrance = SignInHandlers(console: self)
        let passkeys = PasskeyHandlers(console: self)
        let account = AccountHandlers(console: self)
        let firstStart = FirstStartHandlers(console: self)
        let cases = CaseHandlers(console: self)
        let desk = DeskHandlers(console: self)
        let newApp = NewAppHandlers(console: self)
        let setup = SetupHandlers(console: self)
        return [
            route(.get, .home, door.signedIn(desk.home)),
            route(.get, .signIn, door.open(entrance.show)),
            route(.post, .signIn, door.open(entrance.enter)),
            route(.get, .signInLink, door.open(entrance.showLink)),
            route(.post, .signInLink, door.open(entrance.useLink)),
            route(.post, .signOut, door.open(entrance.leave)),
            route(.get, .password, door.signedIn(entrance.showPassword)),
            route(.post, .password, door.signedIn(entrance.changePassword)),
            route(.get, .secondFactor, door.open(entrance.showSecondFactor)),
            route(.post, .secondFactor, door.open(entrance.enterSecondFactor)),
            route(.post, .passkeyChallenge, door.open(passkeys.challenge)),
            route(.post, .passkeySignIn, door.open(passkeys.enter)),
            route(.get, .firstStart, door.open(firstStart.show)),
            route(.post, .firstStart, door.open(firstStart.use)),
            route(.get, .account, door.signedIn(account.show)),
            route(.post, .accountName, door.signedIn(account.rename)),
            route(.post, .generators, door.signedIn(account.beginGenerator)),
            route(.get, .generator, door.signedIn(account.showGenerator)),
            route(.post, .generator, door.signedIn(account.confirmGenerator)),
            route(.post, .passkeyOffer, door.signedIn(passkeys.offer)),
            route(.post, .passkeys, door.signedIn(passkeys.add)),
            route(.post, .recoveryCodes, door.signedIn(account.makeRecoveryCodes)),
            route(.post, .factorRemoval, door.signedIn(account.removeFactor)),
            route(.post, .sessionEnd, door.signedIn(account.endSession)),
            route(.post, .otherSessionsEnd, door.signedIn(account.endOtherSessions)),
            route(.get, .tenants, door.signedIn(desk.tenants)),
            route(.get, .overview, door.member(desk.overview)),
            route(.get, .cases, door.member(cases.list)),
            route(.get, .refundCase, door.member(cases.story)),
            route(.get, .notifications, door.member(desk.notifications)),
            route(.get, .notification, door.member(desk.notification)),
            route(.get, .quarantine, door.member(desk.quarantine)),
            route(.get, .apps, door.member(desk.apps)),
            route(.get, .newApp, door.member(newApp.show)),
            route(.post, .newApp, bodyMax: 128 * 1024, door.member(newApp.add)),
            route(.get, .setup, door.member(setup.show)),
            route(.get, .setupState, door.member(setup.state)),
            route(.post, .setupPart, bodyMax: 128 * 1024, door.member(setup.take)),
        ] + assets.routes
    }

    /// For addresses that no route knows: the same page as for what is not one's own.
    package var notFound: Handler { door.problemPage(.notFound, .notFound) }

    /// For looking at an address that takes forms only, and for forms sent to a page.
    package var methodNotAllowed: Handler {
        let looking: Handler = door.problemPage(.formsOnly, .methodNotAllowed)
        let posting: Handler = door.problemPage(.pageOnly, .methodNotAllowed)
        return { request, context in
            let isLooking = request.method == .get || request.method == .head
            return try await (isLooking ? looking : posting)(request, context)
        }
    }

    private func route(
        _ method: Method, _ pattern: Site.Pattern, bodyMax: Int = 16 * 1024, _ handler: @escaping Handler
    ) -> Route {
        Route(
            method, pattern.rawValue, bodyMax: bodyMax, trailingSlash: pattern != .home,
            sensitive: pattern == .signInLink || pattern == .firstStart, secretBody: method == .post, handler)
    }

    /// Signed in under a new session; whatever the browser held before is dead.
    func entered(_ session: NewSession, next: String?) -> Response {
        var response = Response.seeOther(next ?? Site.home.url)
        response.set(door.cookie.set(session))
        response.set(door.cookie.forgetStep)
        return response
    }

    /// A page, drawn.
    func page(_ html: HTML, status: Status = .ok) -> Response { .html(html.bytes, status: status) }

    func frame(_ visit: Visit) -> Frame {
        // The installation's own page is no tenant's.
        let tenant = visit.site == .tenants ? nil : Onlooker(session: visit.session, visit.request).tenant
        return Frame(assets: assets.links, session: visit.session, tenant: tenant, here: visit.site)
    }

    func frame(_ visit: TenantVisit) -> Frame {
        Frame(assets: assets.links, session: visit.visit.session, tenant: visit.membership, here: visit.site)
    }

    var strangersFrame: Frame { Frame(assets: assets.links) }
}
