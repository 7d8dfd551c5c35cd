import HTTP
import Refunds
import Tenants

/// Lists, sets and removes what a sale of an app's products costs.
struct ProductCostHandlers: Sendable {
    let console: Console

    private struct Wrong: Error {
        let field: String
        let why: String
    }

    func show(_ visit: TenantVisit) async throws -> Response {
        guard case .productCosts(_, let bundleID) = visit.site, let page = try await page(bundleID, visit) else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        return console.page(page.html)
    }

    func take(_ visit: TenantVisit) async throws -> Response {
        guard case .productCosts(let slug, let bundleID) = visit.site, var page = try await page(bundleID, visit)
        else { return console.door.problem(.notFound, .notFound, for: visit) }
        let form = try SetupForm(visit.visit.request)
        do {
            guard let kind = SKUCost.Kind(rawValue: form.text("kind")) else {
                throw Wrong(field: "kind", why: "Choose what it is for.")
            }
            if form.text("do") == "remove" {
                try await console.commerce.removeCost(
                    sku: form.text("sku"), kind: kind, app: page.app, by: visit.commerceActor)
            } else {
                try await console.commerce.setCost(try read(form, kind), app: page.app, by: visit.commerceActor)
            }
            return .seeOther(Site.productCosts(slug, bundleID: page.app.bundleID).url)
        } catch let wrong as Wrong {
            page.wrong[wrong.field] = wrong.why
        } catch CommerceRefused.troubles(let troubles) {
            page.wrong = Dictionary(troubles.map { ($0.member, $0.text) }, uniquingKeysWith: { first, _ in first })
        } catch CommerceRefused.forbidden {
            return console.door.problem(.forbidden, .forbidden, for: visit)
        }
        page.typed = form.shown
        return console.page(page.html, status: .unprocessableContent)
    }

    private func read(_ form: SetupForm, _ kind: SKUCost.Kind) throws -> SKUCost {
        guard let basis = SKUCost.Basis(rawValue: form.text("basis")) else {
            throw Wrong(field: "basis", why: "Choose what the amount is for.")
        }
        let currency = form.text("currency").uppercased()
        guard CurrencyDecimals.decimals(of: currency) != nil else {
            throw Wrong(
                field: "currency", why: "Apple sells in no such currency. It has three letters, such as EUR or JPY.")
        }
        switch AmountText(form.text("amount"), currency).reading {
        case .milliunits(let amount):
            return SKUCost(
                sku: form.text("sku"), kind: kind, milliunits: amount, currency: currency, note: form.text("note"),
                basis: basis)
        case .wrong(let why): throw Wrong(field: "amount", why: why)
        }
    }

    private func page(_ bundleID: String, _ visit: TenantVisit) async throws -> ProductCostsPage? {
        guard let app = try await console.setup.app(of: visit.tenant, bundleID: bundleID) else { return nil }
        return ProductCostsPage(
            frame: console.frame(visit), slug: visit.slug, app: app, costs: try await console.records.skuCosts(of: app),
            canChange: visit.membership.role >= .admin)
    }
}
