import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// From the look-up of a purchase to a request: each step is a form, and only the last one makes anything.
struct CommerceFormHandlers: Sendable {
    let console: Console

    private var desk: CommerceDesk { console.commerce }

    // MARK: Which purchase, and what for

    func show(_ visit: TenantVisit) async throws -> Response {
        guard case .newCommerceRequest(_, let query) = visit.site else { return notFound(visit) }
        var page = try await page(visit, query)
        guard let transaction = query.transaction, let environment = query.environment else {
            return console.page(page.html)
        }
        // What is not this tenant's is as absent as what never was: the page says the same of both.
        guard let app = page.apps.first(where: { $0.bundleID == query.app }),
            let purchase = try await console.records.commercePurchase(
                of: app, environment: environment, transactionID: transaction)
        else {
            page.notFound = "This purchase is not held here. Look it up: Apple is asked then."
            return console.page(page.html)
        }
        page.app = app
        page.purchase = purchase
        if let kind = query.kind, purchase.isAdvancedCommerce {
            let form = CommerceForm(kind, for: purchase, of: app)
            page.form = form
            page.troubles = KindChoice.blockers(kind, purchase, at: page.now).map { .init(field: "", text: $0) }
        }
        return console.page(page.html)
    }

    func lookUp(_ visit: TenantVisit) async throws -> Response {
        let fields = try visit.visit.request.form().fields
        var query = PurchaseQuery(fields)
        query.transaction = query.transaction.map { $0.filter { !$0.isWhitespace } }
        var page = try await page(visit, query)
        guard let app = page.apps.first(where: { $0.bundleID == query.app }), let environment = query.environment,
            let transaction = query.transaction
        else {
            page.notFound = "Choose the app and the environment, and write the transaction's digits."
            return console.page(page.html, status: .unprocessableContent)
        }
        do {
            _ = try await desk.look(app: app, environment: environment, transactionID: transaction)
            return .seeOther(Site.newCommerceRequest(visit.slug, query.of(nil)).url)
        } catch CommerceRefused.noSuchTransaction(let why) {
            page.notFound = "\(Words.sentence(why)). Look whether it is Production or Sandbox, and whose app it is."
            return console.page(page.html, status: .unprocessableContent)
        } catch CommerceRefused.notNow(let why) {
            page.notice = Notice(.attention, "The purchase could not be looked up.", more: Words.sentence("\(why)."))
            return console.page(page.html, status: .conflict)
        }
    }

    // MARK: What would happen

    func preview(_ visit: TenantVisit) async throws -> Response {
        let fields = try visit.visit.request.form().fields
        guard let (form, app, purchase) = try await filled(fields, visit) else { return try await gone(fields, visit) }
        if fields.first("change") == "yes" {
            return console.page(try await page(visit, form, app, purchase).html)
        }
        let reading = form.read(against: purchase, at: console.clock.now)
        guard reading.troubles.isEmpty else {
            return try await again(visit, form, app, purchase, reading.troubles)
        }
        return console.page(try await preview(visit, form, app, purchase, reading).html)
    }

    // MARK: Making it

    func make(_ visit: TenantVisit) async throws -> Response {
        let fields = try visit.visit.request.form().fields
        guard let (form, app, purchase) = try await filled(fields, visit) else { return try await gone(fields, visit) }
        let reading = form.read(against: purchase, at: console.clock.now)
        guard reading.isWhole else { return try await again(visit, form, app, purchase, reading.troubles) }
        do {
            let made = try await ask(
                reading.intention, app, form, asDraft: fields.first("draft") == "yes", visit)
            return .seeOther(Site.commerceRequest(visit.slug, made.id).url)
        } catch CommerceRefused.troubles(let troubles) {
            // Refused or not, it is looked at anew: what the rules say may have changed since the page was drawn.
            let refused = form.placed(troubles)
            if !refused.isEmpty { return try await again(visit, form, app, purchase, refused) }
            var page = try await preview(visit, form, app, purchase, reading)
            page.warnings = troubles.map(\.text)
            page.isUnseen = true
            return console.page(page.html, status: .unprocessableContent)
        } catch CommerceRefused.keyTaken(let id) {
            return try await again(
                visit, form, app, purchase,
                notice: Notice(
                    .attention, "This form was sent before, with other choices.",
                    more: "Nothing more was sent. To ask for something else, begin with a new form.",
                    link: (.commerceRequest(visit.slug, id), "The request that it made")))
        } catch CommerceRefused.alreadyAsked(let id) {
            return try await again(
                visit, form, app, purchase,
                notice: Notice(
                    .attention, "Somebody has asked about this purchase already, and it has not been sent yet.",
                    more: "Nothing more was made: two requests for one purchase would be one too many.",
                    link: (.commerceRequest(visit.slug, id), "The request that waits")))
        } catch CommerceRefused.noSuchTransaction(let why), CommerceRefused.notNow(let why) {
            return try await again(
                visit, form, app, purchase,
                notice: Notice(.attention, "Nothing was made.", more: Words.sentence("\(why).")))
        } catch CommerceRefused.forbidden {
            return console.door.problem(.forbidden, .forbidden, for: visit)
        }
    }

    /// Warnings are accepted where each of them was looked at.
    private func ask(
        _ intention: CommerceIntention, _ app: App, _ form: CommerceForm, asDraft: Bool, _ visit: TenantVisit
    ) async throws -> CommerceRequest {
        let actor = visit.commerceActor
        do {
            return try await desk.ask(
                intention, app: app, by: actor, idempotencyKey: form.idempotencyKey, asDraft: asDraft
            ).request
        } catch CommerceRefused.troubles(let troubles) where troubles.areSeen(form.seen) {
            return try await desk.ask(
                intention, app: app, by: actor, idempotencyKey: form.idempotencyKey, acceptsWarnings: true,
                asDraft: asDraft
            ).request
        }
    }

    // MARK: Pages

    private func notFound(_ visit: TenantVisit) -> Response { console.door.problem(.notFound, .notFound, for: visit) }

    private func page(_ visit: TenantVisit, _ query: PurchaseQuery) async throws -> NewCommercePage {
        NewCommercePage(
            frame: console.frame(visit), slug: visit.slug,
            apps: try await console.records.apps(of: visit.tenant).filter { !$0.isRemoved }, query: query,
            now: console.clock.now)
    }

    private func page(
        _ visit: TenantVisit, _ form: CommerceForm, _ app: App, _ purchase: CommercePurchase
    ) async throws -> NewCommercePage {
        var page = try await page(visit, form.query)
        page.app = app
        page.purchase = purchase
        page.form = form
        return page
    }

    /// A form that was sent, with the purchase that it is about; nil for what no form of ours sends, and for what is not
    /// held here.
    private func filled(
        _ fields: QueryString, _ visit: TenantVisit
    ) async throws -> (CommerceForm, App, CommercePurchase)? {
        guard let form = CommerceForm(fields),
            let app = try await console.records.apps(of: visit.tenant)
                .first(where: { $0.bundleID == form.app && !$0.isRemoved }),
            let purchase = try await console.records.commercePurchase(
                of: app, environment: form.environment, transactionID: form.transaction)
        else { return nil }
        return (form, app, purchase)
    }

    private func gone(_ fields: QueryString, _ visit: TenantVisit) async throws -> Response {
        var page = try await page(visit, PurchaseQuery(fields))
        page.notice = Notice(
            .attention, "This form cannot be used any more.", more: "Look the purchase up again. Nothing was sent.")
        return console.page(page.html, status: .unprocessableContent)
    }

    private func again(
        _ visit: TenantVisit, _ form: CommerceForm, _ app: App, _ purchase: CommercePurchase,
        _ troubles: [CommerceForm.Trouble] = [], notice: Notice? = nil
    ) async throws -> Response {
        var page = try await page(visit, form, app, purchase)
        page.troubles = troubles
        page.notice = notice ?? Notice(.bad, "Nothing was sent.", more: "What has to be put right stands at its field.")
        return console.page(page.html, status: notice == nil ? .unprocessableContent : .conflict)
    }

    private func preview(
        _ visit: TenantVisit, _ form: CommerceForm, _ app: App, _ purchase: CommercePurchase,
        _ reading: CommerceForm.Reading
    ) async throws -> CommercePreviewPage {
        let costs = try await console.records.skuCosts(of: app)
        let limits = try await console.records.approvalLimits(of: app)
        return CommercePreviewPage(
            frame: console.frame(visit), slug: visit.slug, app: app, form: form, purchase: purchase,
            preview: CommercePreview(reading.intention, of: purchase, costs: costs, at: console.clock.now),
            needsApproval: CommerceDesk.needsApproval(reading.intention, of: purchase, limits: limits),
            warnings: reading.warnings)
    }
}

extension [CommerceTrouble] {
    /// Whether all of them are warnings that somebody has looked at.
    func areSeen(_ seen: Set<String>) -> Bool { allSatisfy { $0.severity == .warning && seen.contains($0.text) } }
}
