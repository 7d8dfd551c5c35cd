import HTTP
import Refunds
import Tenants
import Time

/// Shows how evidence of an app comes, and takes what people say of it.
struct EvidenceHandlers: Sendable {
    let console: Console

    private var desk: EvidenceDesk { console.evidence }

    func show(_ visit: TenantVisit) async throws -> Response {
        guard case .evidence(_, let bundleID, let shown) = visit.site, var page = try await page(bundleID, visit) else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        switch shown {
        case .now: break
        case .callback:
            page.notice = Notice(.good, "The callback is saved.", more: "It counts from the next request on.")
        case .model: page.notice = Notice(.good, "The product is saved.", more: "It counts from the next decision on.")
        }
        return console.page(page.html)
    }

    func take(_ visit: TenantVisit) async throws -> Response {
        guard case .evidence(let slug, let bundleID, _) = visit.site, var page = try await page(bundleID, visit) else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        let form = try SetupForm(visit.visit.request)
        let who = Changer(visit.visit.session.person, address: visit.visit.context.client.address)
        page.typed = form.shown
        let app = page.app
        do {
            switch form.text("do") {
            case "callback":
                let isAsked = try form.choice("asked", of: ["yes", "no"]) == "yes"
                try await desk.setCallback(
                    form.text("callbackURL"), isAsked: isAsked, seen: .init(.callback, mark: form.text("seen")),
                    of: app,
                    by: who)
                return .seeOther(Site.evidence(slug, bundleID: app.bundleID, .callback).url)
            case "secret": return try await makeSecret(form, page, who, visit)
            case "test": return try await test(page, who)
            case "model":
                try await desk.setModel(try model(form), of: form.text("productID"), app: app, by: who)
                return .seeOther(Site.evidence(slug, bundleID: app.bundleID, .model).url)
            case "upload": return try await upload(form, page, who)
            default: return console.door.problem(.notFound, .notFound, for: visit)
            }
        } catch let error as AppChangeError {
            page.wrong[error.member] = Words.sentence("\(EvidencePage.words(for: error.member)) \(error.text).")
            page.notice = Notice(.bad, "Nothing was changed.", more: page.wrong[error.member])
            return console.page(page.html, status: error == .overtaken ? .conflict : .unprocessableContent)
        } catch VaultError.noMasterKey {
            page.notice = Notice(
                .bad, "No secret was made: there is no master key.",
                more: "Whoever runs this installation sets REFUND_DESK_MASTER_KEY.")
            return console.page(page.html, status: .conflict)
        } catch let error as VaultError {
            page.notice = Notice(.bad, "It was not asked.", more: Words.sentence("\(error)."))
            return console.page(page.html, status: .conflict)
        }
    }

    private func page(_ bundleID: String, _ visit: TenantVisit) async throws -> EvidencePage? {
        guard let app = try await console.setup.app(of: visit.tenant, bundleID: bundleID) else { return nil }
        return EvidencePage(
            frame: console.frame(visit), slug: visit.slug, model: try await desk.model(of: app),
            canChange: visit.membership.role >= .admin, now: console.clock.now)
    }

    // MARK: The callback

    /// One that signs already is replaced only by somebody who says that the server will know.
    private func makeSecret(
        _ form: SetupForm, _ page: EvidencePage, _ who: Changer, _ visit: TenantVisit
    ) async throws -> Response {
        var page = page
        guard page.app.callbackSecret == nil || form.text("sure") == "yes" else {
            page.wrong["sure"] = "Nothing was made. Tick that the server will get the new secret within a day."
            page.notice = Notice(.attention, "No secret was made.", more: page.wrong["sure"])
            return console.page(page.html, status: .unprocessableContent)
        }
        let made = form.text("made")
        guard made.isEmpty || made == page.secretMark, let secret = try await desk.makeSecret(of: page.app, by: who)
        else {
            page.notice = Notice(
                .attention, "No secret was made: another one was made since this page was opened.",
                more: "It was shown once. Make another one where nobody has it: all of this day sign.")
            return console.page(page.html, status: .conflict)
        }
        guard var after = try await self.page(page.app.bundleID, visit) else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        after.newSecret = secret
        after.notice = Notice(
            .good, "The secret is made.",
            more: "It stands below, this once: keep it where the server keeps its secrets.")
        return console.page(after.html, status: .created)
    }

    private func test(_ page: EvidencePage, _ who: Changer) async throws -> Response {
        var page = page
        guard let trial = try await desk.test(page.app, by: who) else {
            page.notice = Notice(.attention, "It was not asked.", more: "Save a URL and make a secret first.")
            return console.page(page.html, status: .conflict)
        }
        page.notice = Notice(trial.isAnswered ? .good : .bad, trial.text, more: trial.more)
        return console.page(page.html)
    }

    // MARK: Models and files

    private func model(_ form: SetupForm) throws -> ConsumptionModel? {
        let word = try form.choice("model", of: ["none", "credits", "items", "time"])
        guard word != "none" else { return nil }
        guard word == "time" else { return ConsumptionModel(word: word, days: nil) }
        guard let days = Int(form.text("days")), let model = ConsumptionModel(word: word, days: days) else {
            throw AppChangeError(
                "days",
                "is a whole number from \(ConsumptionModel.daysRange.lowerBound) to \(ConsumptionModel.daysRange.upperBound)"
            )
        }
        return model
    }

    private func upload(_ form: SetupForm, _ page: EvidencePage, _ who: Changer) async throws -> Response {
        var page = page
        guard let file = form.files("file").first else {
            page.notice = Notice(.bad, "No file was sent.", more: "Choose a file of comma-separated values.")
            return console.page(page.html, status: .unprocessableContent)
        }
        do {
            let upload = try await desk.upload(file.bytes, of: page.app, by: who)
            page.upload = upload
            page.notice = UploadReport.notice(upload)
            return console.page(page.html)
        } catch let error as UnreadableFile {
            page.notice = Notice(.bad, "Nothing was stored.", more: error.text)
            return console.page(page.html, status: .unprocessableContent)
        }
    }
}
