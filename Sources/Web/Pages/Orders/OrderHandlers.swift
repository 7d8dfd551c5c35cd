import HTTP
import Refunds
import Tenants

/// Looks up the order number of a customer's receipt.
struct OrderHandlers: Sendable {
    let console: Console

    func show(_ visit: TenantVisit) async throws -> Response {
        console.page(try await page(visit).html)
    }

    func lookUp(_ visit: TenantVisit) async throws -> Response {
        let form = try SetupForm(visit.visit.request)
        var page = try await page(visit)
        page.typed = form.text("order")
        page.bundleID = form.text("app")
        guard let app = page.apps.first(where: { $0.bundleID == page.bundleID }) else {
            page.wrong = "Choose an app."
            return console.page(page.html, status: .unprocessableContent)
        }
        do {
            page.order = try await console.commerce.order(page.typed, app: app)
            return console.page(page.html)
        } catch CommerceRefused.noSuchTransaction(let why) {
            page.wrong = Words.sentence("\(why).")
            return console.page(page.html, status: .unprocessableContent)
        } catch CommerceRefused.notNow(let why) {
            page.notice = Notice(.attention, "The order could not be looked up.", more: Words.sentence("\(why)."))
            return console.page(page.html, status: .conflict)
        }
    }

    private func page(_ visit: TenantVisit) async throws -> OrderPage {
        // Only Production has orders; a rehearsal's are its simulator's.
        let apps = try await console.records.apps(of: visit.tenant).filter {
            !$0.isRemoved && $0.environments.contains(.production)
        }
        return OrderPage(frame: console.frame(visit), slug: visit.slug, apps: apps)
    }
}
