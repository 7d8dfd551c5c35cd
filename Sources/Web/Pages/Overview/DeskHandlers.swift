import HTTP
import Refunds
import Tenants
import Time

/// Loads what the other pages draw: the overview, what arrived, what was refused, apps.
struct DeskHandlers: Sendable {
    let console: Console

    /// Where somebody begins: their one desk, a choice, or the installation.
    func home(_ visit: Visit) async throws -> Response {
        let session = visit.session
        if session.memberships.count == 1 { return .seeOther(Site.overview(session.memberships[0].slug).url) }
        if session.memberships.isEmpty, session.isInstallation { return .seeOther(Site.tenants.url) }
        return console.page(ChooseTenantPage(frame: console.frame(visit)).html)
    }

    func overview(_ visit: TenantVisit) async throws -> Response {
        let now = console.clock.now
        return console.page(
            OverviewPage(
                frame: console.frame(visit), slug: visit.slug, name: visit.membership.name,
                overview: try await console.records.overview(of: visit.tenant, at: now), now: now
            ).html)
    }

    func notifications(_ visit: TenantVisit) async throws -> Response {
        guard case .notifications(let slug, let asked) = visit.site else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        if asked.ignored.isEmpty, let tidy = console.tidyAddress(visit.visit) { return tidy }
        let apps = try await console.records.apps(of: visit.tenant)
        let query = asked.known(among: apps)
        let shown = apps.filter { $0.isListed(app: query.app, environment: query.environment) }.map(\.id)
        let page = try await console.records.notifications(
            of: visit.tenant, apps: shown, isSandbox: query.isSandbox, after: query.after)
        return console.page(
            NotificationListPage(
                frame: console.frame(visit), slug: slug, query: query, page: page, apps: apps,
                now: console.clock.now
            ).html)
    }

    func notification(_ visit: TenantVisit) async throws -> Response {
        guard case .notification(let slug, let id) = visit.site,
            let story = try await console.records.notification(of: visit.tenant, id: id)
        else { return console.door.problem(.notFound, .notFound, for: visit) }
        let app = try await console.records.apps(of: visit.tenant).first { $0.id == story.line.app }
        return console.page(
            NotificationStoryPage(frame: console.frame(visit), slug: slug, story: story, app: app).html)
    }

    func quarantine(_ visit: TenantVisit) async throws -> Response {
        guard case .quarantine(let slug, let asked) = visit.site else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        let now = console.clock.now
        let apps = try await console.records.apps(of: visit.tenant)
        let query = asked.known(among: apps)
        let shown = apps.filter { $0.isListed(app: query.app) }.map(\.id)
        return console.page(
            QuarantinePage(
                frame: console.frame(visit), slug: slug, query: query,
                page: try await console.records.refusals(of: visit.tenant, apps: shown, after: query.after),
                counts: try await console.records.refusalCounts(of: visit.tenant, apps: shown, since: now - .days(1)),
                apps: apps, now: now
            ).html)
    }

    func apps(_ visit: TenantVisit) async throws -> Response {
        console.page(
            AppsPage(
                frame: console.frame(visit), slug: visit.slug,
                apps: try await console.records.appStandings(of: visit.tenant, at: console.clock.now),
                publicURL: console.own.origin, now: console.clock.now
            ).html)
    }
}
