import HTTP
import Refunds
import Tenants
import Time

/// Shows how far the time before an app was added is read; begins and stops it.
struct ImportHandlers: Sendable {
    let console: Console

    func show(_ visit: TenantVisit) async throws -> Response {
        guard case .pastImport(_, let bundleID) = visit.site, let page = try await page(bundleID, visit) else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        return console.page(page.html)
    }

    func take(_ visit: TenantVisit) async throws -> Response {
        guard case .pastImport(let slug, let bundleID) = visit.site, var page = try await page(bundleID, visit) else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        let form = try SetupForm(visit.visit.request)
        let act = form.text("do")
        guard let environment = AppEnvironment(rawValue: form.text("environment")), !page.app.isRehearsal,
            act == "start" || act == "stop"
        else { return console.door.problem(.notFound, .notFound, for: visit) }
        let (person, role) = (visit.visit.session.person, visit.membership.role)
        let address = visit.visit.context.client.address
        do {
            if act == "start" {
                try await console.deciding.startImport(
                    of: page.app, environment, by: person, role: role, address: address)
            } else {
                try await console.deciding.stopImport(
                    of: page.app, environment, by: person, role: role, address: address)
            }
            return .seeOther(Site.pastImport(slug, bundleID: page.app.bundleID).url)
        } catch DecidingDesk.Refused.field(_, let why) {
            page.notice = Notice(.attention, "It was not begun.", more: why)
            return console.page(page.html, status: .conflict)
        } catch DecidingDesk.Refused.forbidden {
            return console.door.problem(.forbidden, .forbidden, for: visit)
        }
    }

    private func page(_ bundleID: String, _ visit: TenantVisit) async throws -> ImportPage? {
        guard let app = try await console.setup.app(of: visit.tenant, bundleID: bundleID) else { return nil }
        return ImportPage(
            frame: console.frame(visit), slug: visit.slug, app: app,
            imports: try await console.deciding.imports(of: app), now: console.clock.now,
            canChange: visit.membership.role >= .admin)
    }
}
