import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// Shows what stands between an app and Advanced Commerce, and takes what people say of it.
struct CommerceAccessHandlers: Sendable {
    let console: Console

    /// A field that is wrong, by its name, and why.
    struct Wrong: Error {
        let fields: [String: String]

        init(_ field: String, _ why: String) { fields = [field: why] }
        init(_ fields: [String: String]) { self.fields = fields }
    }

    // MARK: Looking

    func show(_ visit: TenantVisit) async throws -> Response {
        guard case .commerceAccess(_, let bundleID, let done) = visit.site,
            let app = try await console.setup.app(of: visit.tenant, bundleID: bundleID)
        else { return console.door.problem(.notFound, .notFound, for: visit) }
        var page = try await page(of: app, visit)
        page.answer = done.map { CommerceAnswer.done($0.part, $0.environment, page.model) }
        return console.page(page.html)
    }

    private func page(of app: App, _ visit: TenantVisit) async throws -> CommerceAccessPage {
        let (records, now) = (console.records, console.clock.now)
        let shown = Self.environments(of: app)
        var model = CommerceAccessModel(
            app: app, access: try await records.commerceAccess(of: app).filter { shown.contains($0.environment) },
            queues: try await records.commerceQueues(of: app, at: now),
            isUsed: try await records.commerceReadiness(of: app).isUsed)
        model.checklist = try await records.commerceChecklist(of: app)
        model.limits = try await records.approvalLimits(of: app)
        model.costs = try await records.skuCosts(of: app)
        model.members = try await console.administration.people(of: visit.tenant).members
        return CommerceAccessPage(
            frame: console.frame(visit), slug: visit.slug, model: model, canChange: visit.membership.role >= .admin,
            now: now)
    }

    /// One simulator stands behind a rehearsal; its two environments are one for people.
    static func environments(of app: App) -> [AppEnvironment] {
        let all = AppEnvironment.allCases.filter(app.environments.contains)
        return app.isRehearsal ? Array(all.prefix(1)) : all
    }

    // MARK: Changing

    func take(_ visit: TenantVisit) async throws -> Response {
        guard case .commerceAccessPart(_, let bundleID, let part) = visit.site,
            let app = try await console.setup.app(of: visit.tenant, bundleID: bundleID)
        else { return console.door.problem(.notFound, .notFound, for: visit) }
        let form = try SetupForm(visit.visit.request)
        let environment = AppEnvironment(rawValue: form.text("environment"))
        let place =
            part.section == nil ? environment.flatMap { Self.environments(of: app).contains($0) ? $0 : nil } : nil
        do {
            try await set(part, place, form, app, visit)
        } catch let wrong as Wrong {
            return try await refused(part, place, wrong.fields, form, app, visit)
        } catch let refusal as CommerceRefused {
            switch refusal {
            case .troubles(let troubles):
                let fields = Dictionary(troubles.map { ($0.member, $0.text) }) { first, _ in first }
                return try await refused(part, place, fields, form, app, visit)
            case .forbidden: return console.door.problem(.forbidden, .forbidden, for: visit)
            default:
                return try await answer(
                    CommerceAnswer(
                        part: part, environment: place, tone: .attention, text: "Nothing was changed.",
                        more: Words.sentence("\(refusal).")), app, visit, .conflict)
            }
        }
        let done = CommerceAccessDone(part: part, environment: place)
        let site = Site.commerceAccess(visit.slug, bundleID: app.bundleID, done: done)
        // Back to the page, at the section; a reload then repeats nothing.
        return .seeOther(site.url + "#" + (part.section ?? place?.rawValue.lowercased() ?? ""))
    }

    private func refused(
        _ part: CommerceAccessPart, _ environment: AppEnvironment?, _ wrong: [String: String], _ form: SetupForm,
        _ app: App, _ visit: TenantVisit
    ) async throws -> Response {
        try await answer(
            CommerceAnswer(
                part: part, environment: environment, tone: .bad, text: "Nothing was changed.",
                more: wrong.sorted { $0.key < $1.key }.map(\.value).joined(separator: " "), fields: form.shown,
                wrong: wrong), app, visit, .unprocessableContent)
    }

    private func answer(
        _ answer: CommerceAnswer, _ app: App, _ visit: TenantVisit, _ status: Status
    ) async throws -> Response {
        var page = try await page(of: app, visit)
        page.answer = answer
        return console.page(page.html, status: status)
    }

    private func set(
        _ part: CommerceAccessPart, _ environment: AppEnvironment?, _ form: SetupForm, _ app: App, _ visit: TenantVisit
    ) async throws {
        let (desk, who) = (console.commerce, visit.commerceActor)
        if part.section == nil, environment == nil { throw Wrong("environment", "Choose an environment of this app.") }
        let place = environment ?? .production
        switch part {
        case .approval:
            let chosen = form.text("approval")
            let approval = CommerceAccess.Approval(rawValue: chosen)
            guard approval != nil || chosen == "none" else { throw Wrong("approval", "Choose from what is offered.") }
            _ = try await desk.setApproval(approval, app: app, environment: place, by: who)
        case .addendum:
            _ = try await desk.setAddendum(
                version: form.text("version"), on: form.text("on"), app: app, environment: place, by: who)
        case .release: _ = try await desk.release(app: app, environment: place, by: who)
        case .check: _ = try await desk.checkAddendum(app: app, environment: place, by: who)
        case .checklist:
            try await desk.setChecklist(
                refundPath: form.text("refundPath"), approvalsOwner: try await owner(form, visit), app: app, by: who)
        case .limit:
            let (currency, amount) = try Self.money(form)
            try await desk.setLimit(amount, currency: currency, app: app, by: who)
        case .limitRemoval:
            try await desk.setLimit(nil, currency: form.text("currency"), app: app, by: who)
        case .cost:
            guard let kind = SKUCost.Kind(rawValue: form.text("kind")) else {
                throw Wrong("kind", "Choose what it is for.")
            }
            let (currency, amount) = try Self.money(form)
            try await desk.setCost(
                SKUCost(
                    sku: form.text("sku"), kind: kind, milliunits: amount, currency: currency, note: form.text("note")),
                app: app, by: who)
        case .costRemoval:
            guard let kind = SKUCost.Kind(rawValue: form.text("kind")) else {
                throw Wrong("kind", "There is no such cost.")
            }
            try await desk.removeCost(sku: form.text("sku"), kind: kind, app: app, by: who)
        }
    }

    /// Nobody, or somebody of this tenant who may approve.
    private func owner(_ form: SetupForm, _ visit: TenantVisit) async throws -> PersonID? {
        let text = form.text("owner")
        if text.isEmpty { return nil }
        let members = try await console.administration.people(of: visit.tenant).members
        guard let found = members.first(where: { $0.person.id.rawValue.text == text && $0.role >= .support }) else {
            throw Wrong("owner", "Choose somebody of your tenant who may approve.")
        }
        return found.person.id
    }

    /// A currency that Apple sells in, and an amount in its decimals.
    static func money(_ form: SetupForm) throws -> (currency: String, milliunits: Int64) {
        let currency = form.text("currency").uppercased()
        guard CurrencyDecimals.decimals(of: currency) != nil else {
            throw Wrong("currency", "Apple sells in no such currency. It has three letters, such as EUR or JPY.")
        }
        switch AmountText(form.text("amount"), currency).reading {
        case .milliunits(let amount): return (currency, amount)
        case .wrong(let why): throw Wrong("amount", why)
        }
    }
}
