import HTTP
import Journal
import Refunds
import Tenants
import Time

/// Shows and changes who may do what in a tenant.
struct PeopleHandlers: Sendable {
    let console: Console

    private var desk: Administration { console.administration }

    func show(_ visit: TenantVisit) async throws -> Response { console.page(try await page(visit).html) }

    func changeRole(_ visit: TenantVisit) async throws -> Response {
        guard case .memberRole(let slug, let id) = visit.site else { return nothing(visit) }
        guard let role = try visit.visit.request.form().first("role").flatMap(Role.init(rawValue:)) else {
            return try await refused("Choose one of the roles.", visit, .unprocessableContent)
        }
        return try await changing(visit) {
            try await desk.changeRole(of: PersonID(rawValue: id), in: visit.tenant, to: role, by: visit.administrator)
            return .seeOther(Site.people(slug).url)
        }
    }

    func remove(_ visit: TenantVisit) async throws -> Response {
        guard case .memberRemoval(let slug, let id) = visit.site else { return nothing(visit) }
        return try await changing(visit) {
            try await desk.remove(PersonID(rawValue: id), from: visit.tenant, by: visit.administrator)
            // Who left has no page here any more.
            return .seeOther((id == visit.visit.session.person.rawValue ? Site.home : .people(slug)).url)
        }
    }

    func invite(_ visit: TenantVisit) async throws -> Response {
        let form = try visit.visit.request.form()
        let email = String((form.first("email") ?? "").prefix(1000))
        guard let role = form.first("role").flatMap(Role.init(rawValue:)) else {
            return try await refused("Choose one of the roles.", visit, .unprocessableContent)
        }
        do {
            return try await shown(
                try await desk.invite(email, as: role, to: visit.tenant, by: visit.administrator), visit)
        } catch let error as MemberError where error != .notAllowed && error != .ownersOnly {
            var page = try await page(visit)
            page.invited = .init(email: email, role: role, error: Words.sentence("\(error)") + ".")
            return console.page(page.html, status: .unprocessableContent)
        } catch let error as MemberError {
            return try await refused(error, visit)
        }
    }

    func renew(_ visit: TenantVisit) async throws -> Response {
        guard case .invitationRenewal(_, let id) = visit.site else { return nothing(visit) }
        return try await changing(visit) {
            try await shown(
                try await desk.renew(invitation: id, of: visit.tenant, by: visit.administrator), visit)
        }
    }

    func withdraw(_ visit: TenantVisit) async throws -> Response {
        guard case .invitationWithdrawal(let slug, let id) = visit.site else { return nothing(visit) }
        return try await changing(visit) {
            try await desk.withdraw(invitation: id, of: visit.tenant, by: visit.administrator)
            return .seeOther(Site.people(slug).url)
        }
    }

    // MARK: Parts

    private func page(_ visit: TenantVisit) async throws -> PeoplePage {
        let people = try await desk.people(of: visit.tenant)
        return PeoplePage(
            frame: console.frame(visit), slug: visit.slug, me: visit.visit.session.person,
            role: visit.membership.role, members: people.members, invitations: people.invitations,
            origin: console.own.origin, hasMail: console.post.hasMail, now: console.clock.now)
    }

    /// The link is in this answer and nowhere else: to load the page again does not bring it back.
    private func shown(_ made: NewInvitation, _ visit: TenantVisit) async throws -> Response {
        var page = try await page(visit)
        page.made = made
        page.mailed = await console.mail(made, of: visit.tenant, named: visit.membership.name, by: visit.visit)
        return console.page(page.html, status: .created)
    }

    private func changing(_ visit: TenantVisit, _ body: () async throws -> Response) async throws -> Response {
        do {
            return try await body()
        } catch let error as MemberError {
            return try await refused(error, visit)
        }
    }

    /// What is not here is answered as anything that never was.
    private func refused(_ error: MemberError, _ visit: TenantVisit) async throws -> Response {
        switch error {
        case .noMember, .noInvitation: nothing(visit)
        case .notAllowed: console.door.problem(.forbidden, .forbidden, for: visit)
        default:
            try await refused(
                Words.sentence("\(error)") + ".", visit, error == .ownersOnly ? .forbidden : .conflict)
        }
    }

    private func refused(_ text: String, _ visit: TenantVisit, _ status: Status) async throws -> Response {
        var page = try await page(visit)
        page.trouble = text
        return console.page(page.html, status: status)
    }

    private func nothing(_ visit: TenantVisit) -> Response { console.door.problem(.notFound, .notFound, for: visit) }
}

extension Console {
    /// Mails a link that was just made. It is made whatever comes of this.
    func mail(
        _ made: NewInvitation, of tenant: TenantID, named name: String, by visit: Visit
    ) async -> InvitationPost.Outcome {
        let link = own.origin + Site.invitation(token: made.token.reveal()).url
        return await post.send(made, link: Redacted(link), of: tenant, named: name, by: visit.session.email)
    }
}

extension Visit {
    /// Who changes something, for the audit log.
    var administrator: Administrator { Administrator(session.person, address: context.client.address) }
}

extension TenantVisit {
    var administrator: Administrator { visit.administrator }
}
