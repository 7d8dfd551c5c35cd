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
            let (app, tenant) = (page.app.id, page.app.tenant)
            if let known = try await console.deciding.override(of: customer, in: app, of: tenant) {
                page.typed["action"] = known.action.rawValue
                page.typed["reason"] = known.reason
                page.typed["until"] = known.lastDay
                page.basedOn = known.id.text
            }
        }
        return console.page(page.html)
    }

    func take(_ visit: TenantVisit) async throws -> Response {
        guard case .customers(let slug, let bundleID, _) = visit.site, var page = try await page(bundleID, visit)
        else { return console.door.problem(.notFound, .notFound, for: visit) }
        let form = try SetupForm(visit.visit.request)
        let session = visit.visit.session
        let who = CaseActor.person(session.person, name: session.name ?? session.email)
        let address = visit.visit.context.client.address
        do {
            if form.text("do") == "remove" {
                guard let id = UUID(uuidString: form.text("override")) else {
                    return console.door.problem(.notFound, .notFound, for: visit)
                }
                let isDone = try await console.deciding.removeOverride(
                    id, of: page.app, by: who, role: visit.membership.role, address: address)
                if !isDone {
                    page.notice = Notice(
                        .attention, "Nothing was removed: \(page.app.name) has no such answer.",
                        more: "Somebody removed or changed it meanwhile, or it is another app's.")
                    return console.page(page.html, status: .conflict)
                }
            } else {
                page.basedOn = form.text("basedOn")
                guard let action = CustomerOverride.Action(rawValue: form.text("action")) else {
                    throw DecidingDesk.Refused.field("action", "Choose what Apple is told.")
                }
                try await console.deciding.setOverride(
                    action, for: try await customer(form, page.app), reason: form.text("reason"),
                    until: try Self.until(form), basedOn: UUID(uuidString: page.basedOn), of: page.app,
                    by: who, role: visit.membership.role, address: address)
            }
            return .seeOther(Site.customers(slug, bundleID: page.app.bundleID, customer: nil).url)
        } catch DecidingDesk.Refused.field(let name, let why) {
            page.wrong[name] = why
            page.typed = form.shown
            page.notice = Notice(.bad, "Nothing was changed.")
            return console.page(page.html, status: .unprocessableContent)
        } catch let overtaken as DecidingDesk.OverrideOvertaken {
            page.overrides = try await console.deciding.overrides(of: page.app)
            page.typed = form.shown
            page.basedOn = overtaken.current?.id.text ?? ""
            page.wrong["customer"] = Self.words(overtaken.current)
            page.notice = Notice(
                .attention, "Nothing was changed: what is answered to this customer was changed meanwhile.",
                more: "What you wrote still stands in the form: look at what is fixed now, then fix it again.")
            return console.page(page.html, status: .conflict)
        } catch DecidingDesk.Refused.forbidden {
            return console.door.problem(.forbidden, .forbidden, for: visit)
        }
    }

    private static func words(_ current: CustomerOverride?) -> String {
        guard let current else { return "Nothing is fixed for this customer now." }
        let (name, day) = (current.authorName, TimeText(current.madeAt).short)
        return "\(name) fixed an answer, \(day): \(Words.override(current.action))."
    }

    /// The customer that was written: a UUID, or another text that a purchase of the app names its customer by.
    private func customer(_ form: SetupForm, _ app: App) async throws -> String {
        let text = form.text("customer")
        if text.utf8.count == 36, UUID(uuidString: text) != nil { return text }
        guard try await console.deciding.isCustomer(text, of: app) else {
            throw DecidingDesk.Refused.field(
                "customer", "An appAccountToken is a UUID, such as \(NobodysPurchase.customer).")
        }
        return text
    }

    /// The end of the day that was written; nil where none was.
    private static func until(_ form: SetupForm) throws -> Moment? {
        let text = form.text("until")
        if text.isEmpty { return nil }
        guard text.utf8.count == 10, let day = Moment(date: text) else {
            throw DecidingDesk.Refused.field("until", "A day is written as 2027-03-31.")
        }
        guard text.prefix(4) <= "2100" else {
            throw DecidingDesk.Refused.field("until", "The last day is 2100-12-31; leave it empty for ever.")
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
