import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// Lists, fixes and removes what is answered to single customers.
struct CustomerHandlers: Sendable {
    let console: Console

    func show(_ visit: TenantVisit) async throws -> Response {
        guard case .customers(_, let bundleID, let customer) = visit.site, var page = try await page(bundleID, visit)
        else { return console.door.problem(.notFound, .notFound, for: visit) }
        if let customer {
            page.typed["customer"] = customer
            if let known = page.overrides.first(where: { $0.customer == customer }) {
                page.typed["action"] = known.action.rawValue
                page.typed["reason"] = known.reason
            }
        }
        return console.page(page.html)
    }

    func take(_ visit: TenantVisit) async throws -> Response {
        guard case .customers(let slug, let bundleID, _) = visit.site, var page = try await page(bundleID, visit)
        else { return console.door.problem(.notFound, .notFound, for: visit) }
        let form = try SetupForm(visit.visit.request)
        let session = visit.visit.session
        let address = visit.visit.context.client.address
        do {
            if form.text("do") == "remove" {
                guard let id = UUID(uuidString: form.text("override")) else {
                    return console.door.problem(.notFound, .notFound, for: visit)
                }
                _ = try await console.deciding.removeOverride(
                    id, of: page.app, by: session.person, role: visit.membership.role, address: address)
            } else {
                guard let action = CustomerOverride.Action(rawValue: form.text("action")) else {
                    throw DecidingDesk.Refused.field("action", "Choose what Apple is told.")
                }
                try await console.deciding.setOverride(
                    action, for: form.text("customer"), reason: form.text("reason"), until: try Self.until(form),
                    of: page.app, by: session.person, name: session.name ?? session.email,
                    role: visit.membership.role, address: address)
            }
            return .seeOther(Site.customers(slug, bundleID: page.app.bundleID, customer: nil).url)
        } catch DecidingDesk.Refused.field(let name, let why) {
            page.wrong[name] = why
            page.typed = form.shown
            page.notice = Notice(.bad, "Nothing was changed.")
            return console.page(page.html, status: .unprocessableContent)
        } catch DecidingDesk.Refused.forbidden {
            return console.door.problem(.forbidden, .forbidden, for: visit)
        }
    }

    /// The end of the day that was written; nil where none was.
    private static func until(_ form: SetupForm) throws -> Moment? {
        let text = form.text("until")
        if text.isEmpty { return nil }
        guard text.utf8.count == 10, let day = Moment(date: text) else {
            throw DecidingDesk.Refused.field("until", "A day is written as 2027-03-31.")
        }
        return day + .days(1)
    }

    private func page(_ bundleID: String, _ visit: TenantVisit) async throws -> CustomersPage? {
        guard let app = try await console.setup.app(of: visit.tenant, bundleID: bundleID) else { return nil }
        return CustomersPage(
            frame: console.frame(visit), slug: visit.slug, app: app,
            overrides: try await console.deciding.overrides(of: app), canChange: visit.membership.role >= .support,
            now: console.clock.now)
    }
}
