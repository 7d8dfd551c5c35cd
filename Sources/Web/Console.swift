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

    /// - Parameter publicAddress: what browsers see; decides Secure cookies and what is the same origin.
    package init(
        records: Records, signIn: SignIn, publicAddress: PublicAddress, assets: Assets, setup: SetupDesk,
        clock: WallClock
    ) {
        self.records = records
        self.signIn = signIn
        own = publicAddress
        self.assets = assets
        self.setup = setup
        self.clock = clock
    }

    var door: Doorkeeper { Doorkeeper(own: own, signIn: signIn, assets: assets.links) }

    /// What is looked at with GET changes nothing; what changes something answers to POST alone.
    package var routes: [Route] {
        let entrance = SignInHandlers(console: self)
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
            sensitive: pattern == .signInLink, secretBody: method == .post, handler)
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
