import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// Loads what the list and the page of requests draw, and does what is done to one: hand in, approve, take back.
struct CommerceHandlers: Sendable {
    let console: Console

    // MARK: Looking

    func list(_ visit: TenantVisit) async throws -> Response {
        guard case .commerceRequests(let slug, let asked) = visit.site else { return notFound(visit) }
        if asked.ignored.isEmpty, let tidy = console.tidyAddress(visit.visit) { return tidy }
        let (records, now) = (console.records, console.clock.now)
        let apps = try await records.apps(of: visit.tenant)
        let query = asked.known(among: apps)
        let shown = apps.filter { $0.isListed(app: query.app, environment: query.environment) }
        let page = try await records.commerceRequests(
            of: visit.tenant, apps: shown.map(\.id), filter: query.filter, after: query.after)
        let queues = try await records.commerceQueues(
            of: visit.tenant, apps: shown.filter { !$0.isRemoved }, at: now)
        return console.page(
            CommerceListPage(
                frame: console.frame(visit), slug: slug, query: query, page: page, apps: apps, queues: queues, now: now
            ).html)
    }

    func story(_ visit: TenantVisit) async throws -> Response {
        guard case .commerceRequest(_, let id) = visit.site, let page = try await page(id, visit) else {
            return notFound(visit)
        }
        return console.page(page.html)
    }

    func state(_ visit: TenantVisit) async throws -> Response {
        guard case .commerceRequestState(_, let id) = visit.site, let page = try await page(id, visit) else {
            return notFound(visit)
        }
        return console.page(page.fragment)
    }

    private func notFound(_ visit: TenantVisit) -> Response { console.door.problem(.notFound, .notFound, for: visit) }

    private func page(_ id: UUID, _ visit: TenantVisit) async throws -> CommerceRequestPage? {
        guard let story = try await console.records.commerceStory(of: visit.tenant, id: id) else { return nil }
        let request = story.request
        let names = try await console.administration.names(
            people: [request.askedBy, request.submittedBy, request.approvedBy, request.cancelledBy].compactMap { $0 },
            tokens: [request.askedByToken, request.submittedByToken].compactMap { $0 }, of: visit.tenant)
        let app = try await console.records.apps(of: visit.tenant).first { $0.id == request.app }
        return CommerceRequestPage(
            frame: console.frame(visit), slug: visit.slug, story: story, app: app, names: names,
            me: visit.visit.session.person, now: console.clock.now)
    }

    // MARK: Changing

    func submit(_ visit: TenantVisit) async throws -> Response {
        guard case .commerceSubmission(_, let id) = visit.site else { return notFound(visit) }
        let seen = Set(try visit.visit.request.form().pairs.filter { $0.name == "seen" }.map(\.value))
        return try await change(id, visit) { desk, actor in
            do {
                _ = try await desk.submit(id, of: visit.tenant, by: actor)
            } catch CommerceRefused.troubles(let troubles) where troubles.areSeen(seen) {
                _ = try await desk.submit(id, of: visit.tenant, by: actor, acceptsWarnings: true)
            }
        }
    }

    func approve(_ visit: TenantVisit) async throws -> Response {
        guard case .commerceApproval(_, let id) = visit.site else { return notFound(visit) }
        return try await change(id, visit) { desk, actor in
            _ = try await desk.approve(id, of: visit.tenant, by: actor)
        }
    }

    func withdraw(_ visit: TenantVisit) async throws -> Response {
        guard case .commerceWithdrawal(_, let id) = visit.site else { return notFound(visit) }
        return try await change(id, visit) { desk, actor in
            _ = try await desk.cancel(id, of: visit.tenant, by: actor)
        }
    }

    private func change(
        _ id: UUID, _ visit: TenantVisit, _ act: (CommerceDesk, CommerceActor) async throws -> Void
    ) async throws -> Response {
        let status: Status
        var refusal: Notice?
        var warnings: [String] = []
        do {
            try await act(console.commerce, visit.commerceActor)
            return .seeOther(Site.commerceRequest(visit.slug, id).url)
        } catch CommerceRefused.tooLate(let state) {
            status = .conflict
            refusal = Notice(
                .attention, "Nothing was changed: the request has gone on meanwhile.",
                more: "It is \(CommerceWords.label(state).lowercased()) by now.")
        } catch CommerceRefused.forbidden(let why) {
            status = .forbidden
            refusal = Notice(.bad, "Nothing was changed.", more: Words.sentence("\(why)."))
        } catch CommerceRefused.troubles(let troubles) {
            status = .unprocessableContent
            let refused = troubles.filter { $0.severity == .refused }
            if refused.isEmpty {
                warnings = troubles.map(\.text)
            } else {
                refusal = Notice(
                    .bad, "It cannot be handed in as it is.", more: refused.map(\.text).joined(separator: " "))
            }
        } catch CommerceRefused.noSuchRequest {
            return notFound(visit)
        } catch CommerceRefused.noSuchTransaction(let why), CommerceRefused.notNow(let why) {
            status = .conflict
            refusal = Notice(.attention, "Nothing was changed.", more: Words.sentence("\(why)."))
        }
        guard var page = try await page(id, visit) else { return notFound(visit) }
        page.notice = refusal
        page.warnings = warnings
        return console.page(page.html, status: status)
    }
}
