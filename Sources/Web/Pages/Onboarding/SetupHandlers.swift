import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// Takes the forms of the setup page, and draws it.
struct SetupHandlers: Sendable {
    let console: Console

    private var desk: SetupDesk { console.setup }

    // MARK: Looking

    func show(_ visit: TenantVisit) async throws -> Response {
        guard case .setup(_, let bundleID, let done) = visit.site,
            let app = try await desk.app(of: visit.tenant, bundleID: bundleID)
        else { return console.door.problem(.notFound, .notFound, for: visit) }
        var page = try await page(of: app, visit)
        page.answer = done.map { SetupWords.done($0, page.model) }
        return console.page(page.html)
    }

    func state(_ visit: TenantVisit) async throws -> Response {
        guard case .setupState(_, let bundleID) = visit.site,
            let app = try await desk.app(of: visit.tenant, bundleID: bundleID)
        else { return console.door.problem(.notFound, .notFound, for: visit) }
        return console.page(try await page(of: app, visit).fragment)
    }

    private func page(of app: App, _ visit: TenantVisit) async throws -> SetupPage {
        let canChange = visit.membership.role >= .admin
        return SetupPage(
            frame: console.frame(visit), slug: visit.slug,
            model: try await desk.model(of: app, withAddresses: canChange),
            publicURL: console.own.origin, canChange: canChange, now: console.clock.now,
            commerce: try await console.records.commerceReadiness(of: app),
            channels: try await console.alerts.channels(of: visit.tenant))
    }

    // MARK: Changing

    func take(_ visit: TenantVisit) async throws -> Response {
        guard case .setupPart(_, let bundleID, let part) = visit.site,
            let app = try await desk.app(of: visit.tenant, bundleID: bundleID)
        else { return console.door.problem(.notFound, .notFound, for: visit) }
        guard visit.membership.role >= .admin else { return console.door.problem(.forbidden, .forbidden, for: visit) }
        let form = try SetupForm(visit.visit.request)
        let who = Changer(visit.visit.session.person, address: visit.visit.context.client.address)
        do {
            switch part {
            case .details: try await change(app, try details(form, of: app), form, .details, by: who)
            case .appleID: try await desk.change(app, try appleID(form), by: who)
            case .key: return try await key(form, app, who, visit)
            case .probe: try await desk.probe(app, by: who)
            case .receiver: try await change(app, try receiver(form, of: app), form, .receiver, by: who)
            case .redelivery: return try await redelivery(app, who, visit)
            case .test:
                guard let environment = AppEnvironment(rawValue: form.text("environment")) else {
                    throw AppChangeError("environment", "is Production or Sandbox")
                }
                try await desk.sendTest(app, environment, by: who)
            case .consent: try await change(app, try consent(form, by: visit), form, .consent, by: who)
            case .evidence: try await change(app, try evidence(form), form, .evidence, by: who)
            case .product: try await desk.set(try product(form), of: app, by: who)
            case .token: return try await token(form, app, who, visit)
            case .trial: return try await trial(app, visit)
            }
        } catch let error as AppChangeError {
            return try await refused(error, part, form, app, visit)
        } catch let error as TenantStoreError {
            return try await refused(AppChangeError("appleID", "was not taken: \(error)"), part, form, app, visit)
        } catch let error as OnboardingError {
            return try await answer(SetupAnswer(part: part, tone: .attention, text: "\(error)"), app, visit, .conflict)
        } catch VaultError.noMasterKey {
            return try await answer(SetupWords.noMasterKey(part), app, visit, .conflict)
        }
        return back(part, app, visit)
    }

    private func change(
        _ app: App, _ changes: AppChanges, _ form: SetupForm, _ kind: App.Form, by who: Changer
    ) async throws {
        var changes = changes
        changes.seen = .init(kind, mark: form.text("seen"))
        try await desk.change(app, changes, by: who)
    }

    /// Back to the page, at the step; a reload then repeats nothing.
    private func back(_ part: SetupPart, _ app: App, _ visit: TenantVisit) -> Response {
        .seeOther(Site.setup(visit.slug, bundleID: app.bundleID, done: part).url + "#" + part.section)
    }

    private func answer(
        _ answer: SetupAnswer, _ app: App, _ visit: TenantVisit, _ status: Status
    ) async throws -> Response {
        var page = try await page(of: app, visit)
        page.answer = answer
        return console.page(page.html, status: status)
    }

    private func refused(
        _ error: AppChangeError, _ part: SetupPart, _ form: SetupForm, _ app: App, _ visit: TenantVisit
    ) async throws -> Response {
        let field = SetupWords.field(error.member)
        return try await answer(
            SetupAnswer(
                part: part, tone: .bad, text: "Nothing was changed.",
                more: Words.sentence("\(field.label) \(error.text)."),
                fields: form.shown, wrong: field.name), app, visit,
            error == .overtaken ? .conflict : .unprocessableContent)
    }

    private func redelivery(_ app: App, _ who: Changer, _ visit: TenantVisit) async throws -> Response {
        let count = try await desk.redeliver(app, by: who)
        guard count == 0 else { return back(.redelivery, app, visit) }
        return try await answer(
            SetupAnswer(
                part: .redelivery, tone: .attention, text: "There is nothing to try again.",
                more: app.isRelayed ? "All that was noted was delivered." : "Nothing is passed on for this app."),
            app, visit, .conflict)
    }

    // MARK: Keys

    private func key(_ form: SetupForm, _ app: App, _ who: Changer, _ visit: TenantVisit) async throws -> Response {
        func again(_ text: String, _ more: String?, wrong: String? = nil) async throws -> Response {
            try await answer(
                SetupAnswer(part: .key, tone: .bad, text: text, more: more, fields: form.shown, wrong: wrong), app,
                visit, .unprocessableContent)
        }
        let sent = form.files("file", "pasted")
        guard let file = sent.first else {
            return try await again("No key was sent.", "Drop or choose the .p8 file, or paste its text.")
        }
        // Which of them is meant nobody can know, and a key that was dropped unseen would be missed much later.
        guard sent.count == 1 else {
            return try await again(
                "No key was taken: \(sent.count) were sent.",
                form.files("pasted").isEmpty
                    ? "One file at a time: each key has a Key ID of its own."
                    : "A file was chosen and a text was pasted. Send one of the two: choose no file, or leave the text empty."
            )
        }
        let keyID = form.text("keyID")
        guard let serves = try? form.choice("serves", of: ["all", "app"]) else {
            return try await again(
                "No key was taken.", "Choose what it serves: this app, or every app.", wrong: "serves")
        }
        do {
            _ = try await desk.addKey(
                file.bytes, fileName: file.name, keyID: keyID.isEmpty ? nil : keyID, issuerID: form.text("issuerID"),
                for: app, isForAll: serves == "all", by: who)
        } catch let error as SigningKeyUploadError {
            return try await again(
                "This key was not taken.", Words.sentence("\(error)."), wrong: SetupWords.field(of: error))
        }
        // The key is kept whatever comes of this: a try that Apple did not get can be repeated.
        do { try await desk.probe(app, by: who) } catch is OnboardingError {}
        return back(.key, app, visit)
    }

    // MARK: Settings

    private func details(_ form: SetupForm, of app: App) throws -> AppChanges {
        var changes = AppChanges()
        changes.name = form.text("name")
        if !form.text("appleID").isEmpty { changes.appleID = try appleID(form).appleID }
        if !app.isRehearsal { changes.environments = try Self.environments(form) }
        return changes
    }

    private func appleID(_ form: SetupForm) throws -> AppChanges {
        var changes = AppChanges()
        changes.appleID = try AppleIDText.number(form.text("appleID"))
        return changes
    }

    static func environments(_ form: SetupForm) throws -> Set<AppEnvironment> {
        try form.choice("environments", of: ["both", "sandbox"]) == "sandbox"
            ? [.sandbox] : Set(AppEnvironment.allCases)
    }

    private func receiver(_ form: SetupForm, of app: App) throws -> AppChanges {
        var changes = AppChanges()
        let url = form.text("relayURL")
        switch form.text("hasOther") {
        case "no":
            guard url.isEmpty else {
                throw AppChangeError("relayURL", "is given, though there is said to be no other receiver")
            }
            changes.hasOtherReceiver = false
        case "yes":
            guard !url.isEmpty || app.isRelayed else { throw AppChangeError("relayURL", "is needed") }
            changes.hasOtherReceiver = true
            if !url.isEmpty { changes.relayURL = url }
        case "": throw AppChangeError("hasOtherReceiver", "is not answered yet")
        default: throw AppChangeError("hasOtherReceiver", "must be one of yes, no")
        }
        return changes
    }

    private func consent(_ form: SetupForm, by visit: TenantVisit) throws -> AppChanges {
        var changes = AppChanges()
        guard try form.choice("consent", of: ["per-customer", "all-from"]) == "all-from" else {
            changes.consent = .perCustomer
            return changes
        }
        guard let since = Moment(date: form.text("since")) else {
            throw AppChangeError("consentFrom", "is a day, such as 2026-01-31")
        }
        guard form.text("declared") == "yes" else {
            throw AppChangeError("declared", "must be given by you: tick it if it is so")
        }
        changes.consent = .allFrom(
            since, wording: form.text("wording"), shownWhere: form.text("shownWhere"),
            declaredBy: visit.visit.session.email)
        return changes
    }

    private func evidence(_ form: SetupForm) throws -> AppChanges {
        var changes = AppChanges()
        changes.unreportedDelivery = UnreportedDelivery(
            rawValue: try form.choice(
                "unreported", of: UnreportedDelivery.allCases.map(\.rawValue), member: "unreportedDelivery"))
        changes.sampleContent = try form.choice("sample", of: ["yes", "no"], member: "sampleContent") == "yes"
        changes.evidence = EvidenceMode(
            rawValue: try form.choice("way", of: EvidenceMode.allCases.map(\.rawValue), member: "evidence"))
        changes.callbackURL = form.text("callbackURL")
        return changes
    }

    private func product(_ form: SetupForm) throws -> ProductSetting {
        let sample: Bool? =
            switch try form.choice("productSample", of: ["yes", "no", "app"]) {
            case "yes": true
            case "no": false
            default: nil
            }
        return ProductSetting(productID: form.text("productID"), sampleContent: sample)
    }

    // MARK: Reports

    /// Shown in the answer to the form itself, and nowhere after it.
    private func token(_ form: SetupForm, _ app: App, _ who: Changer, _ visit: TenantVisit) async throws -> Response {
        let made: NewAPIToken
        do {
            made = try await desk.makeToken(UUID(uuidString: form.text("once")), for: app, by: who)
        } catch let error as TokenError {
            return try await answer(
                SetupAnswer(
                    part: .token, tone: .attention, text: "No token was made.", more: Words.sentence("\(error).")),
                app, visit, .conflict)
        }
        var page = try await page(of: app, visit)
        page.newToken = made.text
        page.answer = SetupAnswer(
            part: .token, tone: .good, text: "The token is made.",
            more: "It stands in the code below, and is shown this once: keep it where your backend keeps its secrets.")
        return console.page(page.html, status: .created)
    }

    private func trial(_ app: App, _ visit: TenantVisit) async throws -> Response {
        do {
            let state = try await desk.report(
                customer: NobodysPurchase.customer, transactionID: NobodysPurchase.transactionID, of: app)
            return try await answer(SetupWords.tried(state), app, visit, .ok)
        } catch let refusal as UsageStore.Refusal {
            return try await answer(
                SetupAnswer(part: .trial, tone: .bad, text: "The report was refused.", more: "\(refusal)."), app, visit,
                .unprocessableContent)
        }
    }
}
