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
    let commerce: CommerceDesk
    let alerts: AlertDesk
    let deciding: DecidingDesk
    let evidence: EvidenceDesk
    let post: InvitationPost
    let clock: WallClock
    let signInHeader: String?
    let administration: Administration
    let checks: CheckDesk

    /// - Parameters:
    ///   - publicAddress: what browsers see; decides Secure cookies, what is the same origin, and whose passkeys are ours.
    ///   - signInHeader: the field in which a trusted proxy names who asks; nil where none does.
    package init(
        records: Records, signIn: SignIn, administration: Administration, checks: CheckDesk,
        publicAddress: PublicAddress, assets: Assets, setup: SetupDesk, commerce: CommerceDesk, alerts: AlertDesk,
        deciding: DecidingDesk, evidence: EvidenceDesk, post: InvitationPost, clock: WallClock,
        signInHeader: String? = nil
    ) {
        self.signInHeader = signInHeader
        self.administration = administration
        self.checks = checks
        self.records = records
        self.signIn = signIn
        own = publicAddress
        self.assets = assets
        self.setup = setup
        self.commerce = commerce
        self.alerts = alerts
        self.deciding = deciding
        self.evidence = evidence
        self.post = post
        self.clock = clock
    }

    var door: Doorkeeper {
        Doorkeeper(own: own, signIn: signIn, assets: assets.links, header: signInHeader, alerts: alerts)
    }

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
        let tenants = TenantHandlers(console: self)
        let people = PeopleHandlers(console: self)
        let invitation = InvitationHandlers(console: self)
        let tokens = TokenHandlers(console: self)
        let audit = AuditHandlers(console: self)
        let checking = CheckHandlers(console: self)
        let alerting = AlertHandlers(console: self)
        let channels = ChannelHandlers(console: self)
        let confirming = ConfirmationHandlers(console: self)
        let commerceAccess = CommerceAccessHandlers(console: self)
        let policies = PolicyHandlers(console: self)
        let consents = ConsentHandlers(console: self)
        let orders = OrderHandlers(console: self)
        let imports = ImportHandlers(console: self)
        let held = HeldHandlers(console: self)
        let evidence = EvidenceHandlers(console: self)
        let working = CaseWorkHandlers(console: self)
        let customers = CustomerHandlers(console: self)
        let costs = ProductCostHandlers(console: self)
        let outcomes = OutcomeHandlers(console: self)
        let register = RegisterHandlers(console: self)
        let commerce = CommerceHandlers(console: self)
        let asking = CommerceFormHandlers(console: self)
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
            route(.get, .invitation, door.open(invitation.show)),
            route(.post, .invitation, door.open(invitation.accept)),
            route(.get, .tenants, door.installation(tenants.show)),
            route(.post, .tenants, door.installation(tenants.add)),
            route(.post, .tenantName, door.installation(tenants.rename)),
            route(.post, .tenantClosure, door.installation(tenants.close)),
            route(.post, .tenantReopening, door.installation(tenants.reopen)),
            route(.post, .firstOwner, door.installation(tenants.inviteFirstOwner)),
            route(.get, .overview, door.member(desk.overview)),
            route(.get, .cases, door.member(cases.list)),
            route(.get, .refundCase, door.member(cases.story)),
            route(.post, .caseNote, door.member(working.note)),
            route(.post, .caseAssignment, door.member(working.assign)),
            route(.post, .caseCustomer, door.member(working.customer)),
            route(.post, .caseBundle, door.member(working.bundle)),
            route(.get, .held, door.member(held.list)),
            route(.post, .heldAnswer, door.member(held.answer)),
            route(.get, .notifications, door.member(desk.notifications)),
            route(.get, .notification, door.member(desk.notification)),
            route(.get, .quarantine, door.member(desk.quarantine)),
            route(.get, .apps, door.member(desk.apps)),
            route(.get, .newApp, door.member(newApp.show)),
            route(.post, .newApp, bodyMax: 128 * 1024, door.member(newApp.add)),
            route(.get, .setup, door.member(setup.show)),
            route(.get, .setupState, door.member(setup.state)),
            route(.post, .setupPart, bodyMax: 128 * 1024, door.member(setup.take)),
            route(.get, .policy, door.member(policies.show)),
            route(.post, .policy, bodyMax: 128 * 1024, door.member(policies.take)),
            route(.get, .evidence, door.member(evidence.show)),
            route(.post, .evidence, bodyMax: UsageFile.bytesMax + 64 * 1024, door.member(evidence.take)),
            route(.get, .consent, door.member(consents.show)),
            route(.post, .consent, bodyMax: ConsentFile.bytesMax + 64 * 1024, door.member(consents.take)),
            route(.get, .consentExport, door.member(consents.export)),
            route(.get, .pastImport, door.member(imports.show)),
            route(.post, .pastImport, door.member(imports.take)),
            route(.get, .orders, door.member(orders.show)),
            route(.post, .orders, door.member(orders.lookUp)),
            route(.get, .policyState, door.member(policies.state)),
            route(.get, .customers, door.member(customers.show)),
            route(.post, .customers, door.member(customers.take)),
            route(.get, .productCosts, door.member(costs.show)),
            route(.post, .productCosts, door.member(costs.take)),
            route(.get, .outcomes, door.member(outcomes.show)),
            route(.get, .outcomesExport, door.member(outcomes.export)),
            route(.get, .commerceAccess, door.member(commerceAccess.show)),
            route(.post, .commerceAccessPart, door.member(commerceAccess.take)),
            route(.get, .register, door.member(register.show)),
            route(.get, .registerExport, door.member(register.export)),
            route(.get, .caseExport, door.member(cases.export)),
            route(.get, .people, door.member(people.show)),
            route(.post, .memberRole, door.member(people.changeRole)),
            route(.post, .memberRemoval, door.member(people.remove)),
            route(.post, .invitations, door.member(people.invite)),
            route(.post, .invitationRenewal, door.member(people.renew)),
            route(.post, .invitationWithdrawal, door.member(people.withdraw)),
            route(.get, .tokens, door.member(tokens.show)),
            route(.post, .tokens, door.member(tokens.add)),
            route(.post, .tokenRemoval, door.member(tokens.remove)),
            route(.get, .audit, door.member(audit.show)),
            route(.get, .auditExport, door.member(audit.export)),
            route(.get, .checks, door.member(checking.show)),
            route(.get, .alerts, door.member(alerting.show)),
            route(.get, .runbook, door.signedIn(alerting.runbook)),
            route(.get, .alertHistory, door.member(alerting.history)),
            route(.get, .incident, door.member(alerting.incident)),
            route(.post, .incidentAct, door.member(alerting.act)),
            route(.get, .channels, door.member(channels.show)),
            route(.post, .channels, door.member(channels.add)),
            route(.get, .channel, door.member(channels.showOne)),
            route(.post, .channel, door.member(channels.change)),
            route(.get, .channelState, door.member(channels.state)),
            route(.post, .channelTest, door.member(channels.test)),
            route(.post, .channelRemoval, door.member(channels.remove)),
            route(.get, .channelConfirmation, door.open(confirming.show)),
            route(.post, .channelConfirmation, door.open(confirming.confirm)),
            route(.get, .commerceRequests, door.member(commerce.list)),
            route(.post, .commerceRequests, bodyMax: 128 * 1024, door.member(asking.make)),
            route(.get, .newCommerceRequest, door.member(asking.show)),
            route(.post, .purchaseLookUp, door.member(asking.lookUp)),
            route(.post, .commercePreview, bodyMax: 128 * 1024, door.member(asking.preview)),
            route(.get, .commerceRequest, door.member(commerce.story)),
            route(.get, .commerceRequestState, door.member(commerce.state)),
            route(.post, .commerceSubmission, door.member(commerce.submit)),
            route(.post, .commerceApproval, door.member(commerce.approve)),
            route(.post, .commerceWithdrawal, door.member(commerce.withdraw)),
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

    /// Answers what never reaches a handler: a form larger than its page takes, a path that cannot be decoded. A page, like
    /// every other answer here; who is signed in cannot be found out for it. What machines ask for, and what is no
    /// request at all, is answered by the router as before.
    package func answerRefusals(in router: inout Router) {
        let (otherwise, assets, headers) = (router.refused, assets.links, SecurityHeaders(isSecure: own.isSecure))
        router.refused = { status, text, path in
            let first = path?.split(separator: "/").first
            guard path != nil, first != "health", first != "metrics" else { return otherwise(status, text, path) }
            let problem: ProblemPage.Problem =
                switch status {
                case .contentTooLarge, .uriTooLong, .headerFieldsTooLarge: .tooLarge
                case .requestTimeout, .serviceUnavailable: .notNow
                case .internalServerError: .ourTrouble
                default: .unreadable(text)
                }
            var response = Response.html(
                ProblemPage(frame: Frame(assets: assets), problem: problem).html.bytes, status: status)
            headers.add(to: &response)
            return response
        }
    }

    private func route(
        _ method: Method, _ pattern: Site.Pattern, bodyMax: Int = 16 * 1024, _ handler: @escaping Handler
    ) -> Route {
        Route(
            method, pattern.rawValue, bodyMax: bodyMax, trailingSlash: pattern != .home,
            sensitive: [.signInLink, .firstStart, .invitation, .channelConfirmation].contains(pattern),
            secretBody: method == .post, handler)
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
        let tenant = visit.site.pattern == .tenants ? nil : Onlooker(session: visit.session, visit.request).tenant
        var frame = Frame(assets: assets.links, session: visit.session, tenant: tenant, here: visit.site)
        frame.alert = visit.alert
        return frame
    }

    func frame(_ visit: TenantVisit) -> Frame {
        var frame = Frame(
            assets: assets.links, session: visit.visit.session,
            tenant: visit.tenant == .installation ? nil : visit.membership, here: visit.site)
        frame.alert = visit.alert
        return frame
    }

    var strangersFrame: Frame { Frame(assets: assets.links) }
}
