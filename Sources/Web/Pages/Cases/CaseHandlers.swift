import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// Loads what the pages of cases draw.
struct CaseHandlers: Sendable {
    let console: Console

    func list(_ visit: TenantVisit) async throws -> Response {
        guard case .cases(let slug, let asked) = visit.site else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        if asked.ignored.isEmpty, let tidy = console.tidyAddress(visit.visit) { return tidy }
        let apps = try await console.records.apps(of: visit.tenant)
        let query = asked.known(among: apps)
        if let text = query.lookUp {
            let found = try await console.records.lookUp(text, of: visit.tenant)
            // Who looks up one thing and finds one case wants to see it.
            if found.cases.count == 1, found.notifications.isEmpty {
                return .seeOther(Site.refundCase(slug, found.cases[0].id).url)
            }
            return console.page(
                CaseListPage(
                    frame: console.frame(visit), slug: slug, query: query,
                    page: CasePage(cases: found.cases, next: nil), apps: apps,
                    people: try await names(of: found.cases.compactMap(\.assignee), visit),
                    notifications: found.notifications,
                    now: console.clock.now
                ).html)
        }
        let shown = apps.filter { $0.isListed(app: query.app, environment: query.environment) }.map(\.id)
        let page = try await console.records.cases(
            of: visit.tenant, apps: shown, filter: CaseFilter(query, of: visit), after: query.after)
        return console.page(
            CaseListPage(
                frame: console.frame(visit), slug: slug, query: query, page: page, apps: apps,
                people: try await names(of: page.cases.compactMap(\.assignee), visit), now: console.clock.now
            ).html)
    }

    /// Addresses of people whose ids stand in the tenant's own rows.
    func names(of ids: [UUID], _ visit: TenantVisit) async throws -> [UUID: String] {
        if ids.isEmpty { return [:] }
        return try await console.administration.names(
            people: Set(ids).map { PersonID(rawValue: $0) }, tokens: [], of: visit.tenant
        ).people
    }

    func story(_ visit: TenantVisit) async throws -> Response {
        guard case .refundCase(_, let id) = visit.site else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        return try await page(id, visit)
    }

    /// The page of a case; with what was wrong in its form, where one was sent.
    func page(
        _ id: UUID, _ visit: TenantVisit, notice: Notice? = nil, typed: [String: String] = [:],
        wrong: [String: String] = [:], status: Status = .ok
    ) async throws -> Response {
        guard let story = try await console.records.story(of: visit.tenant, case: id) else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        let now = console.clock.now
        var page = CaseStoryPage(frame: console.frame(visit), slug: visit.slug, story: story, now: now)
        page.notice = notice
        page.commerce = try await commerce(of: story, id, visit)
        page.work = try await work(on: story, visit, typed: typed, wrong: wrong)
        let consent = try await console.deciding.consent(of: id, tenant: visit.tenant)
        page.consent = consent.map { consent in
            ConsentSection(
                slug: visit.slug, story: story, consent: consent, canChoose: visit.membership.role >= .support,
                typed: typed, wrong: wrong)
        }
        let customer = story.line.customer ?? consent?.match?.customer
        page.beside = CaseBesidePanel(
            slug: visit.slug, bundleID: story.bundleID, customer: customer,
            beside: try await console.deciding.beside(id, customer: customer, app: story.line.app, of: visit.tenant),
            canChange: visit.membership.role >= .support, now: now)
        if let round = story.rounds.first, round.state == .held {
            page.held = HeldForm(
                slug: visit.slug, story: story, round: round, now: now, canAnswer: visit.membership.role >= .support,
                typed: typed, wrong: wrong)
        }
        return console.page(page.html, status: status)
    }

    /// Who looks after it, what was written about it, and whom it can be given to.
    private func work(
        on story: CaseStory, _ visit: TenantVisit, typed: [String: String], wrong: [String: String]
    ) async throws -> CaseWork {
        let canWork = visit.membership.role >= .support
        let members = canWork ? try await console.administration.memberNames(of: visit.tenant) : []
        var people = try await names(
            of: story.remarks.compactMap { CaseAssignment($0)?.to } + story.remarks.compactMap(\.person)
                + [story.line.assignee].compactMap { $0 }, visit)
        for member in members { people[member.id.rawValue] = member.email }
        return CaseWork(
            slug: visit.slug, story: story, people: people, members: members, me: visit.visit.session.person,
            canWork: canWork, letter: CustomerText(story, at: console.clock.now), typed: typed, wrong: wrong)
    }

    /// Nil for purchases that were not made with the Advanced Commerce API.
    private func commerce(of story: CaseStory, _ id: UUID, _ visit: TenantVisit) async throws -> CaseCommerce? {
        guard let purchase = story.purchase, !purchase.items.isEmpty else { return nil }
        let app = try await console.records.apps(of: visit.tenant).first { $0.id == story.line.app }
        let mayAsk = console.frame(visit).canAsk && app?.isRemoved == false
        return CaseCommerce(
            requests: try await console.records.commerceRequests(of: visit.tenant, case: id),
            ask: mayAsk
                ? PurchaseQuery(
                    app: story.bundleID, environment: story.line.isSandbox ? .sandbox : .production,
                    transaction: story.line.transactionID) : nil)
    }
}

extension CaseFilter.Assignment {
    /// What an address says, for whoever looks.
    init(_ assigned: CaseListQuery.Assigned, of visit: TenantVisit) {
        switch assigned {
        case .mine: self = .person(visit.visit.session.person.rawValue)
        case .nobody: self = .nobody
        }
    }
}

extension CaseFilter {
    init(_ query: CaseListQuery, of visit: TenantVisit) {
        self.init()
        assignment = query.assigned.map { Assignment($0, of: visit) }
        states = query.state.map { [$0] } ?? []
        outcomes = query.outcome.map { [$0] } ?? []
        reason = query.reason.map { $0 == "none" ? .notGiven : .given($0) }
        isSandbox = query.isSandbox
        told = query.preference
        stateReason = query.why?.rawValue
        from = query.from.flatMap { CalendarMonth(text: $0) }?.begin
        to = query.to.flatMap { CalendarMonth(text: $0) }?.advanced(by: 1).begin
    }
}

extension Console {
    /// A form with empty choices makes a long address; the short one is the one to keep.
    func tidyAddress(_ visit: Visit) -> Response? {
        visit.request.query.pairs.contains { $0.value.isEmpty } ? .seeOther(visit.site.url) : nil
    }
}
