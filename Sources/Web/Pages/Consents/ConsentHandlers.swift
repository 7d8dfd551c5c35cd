import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// Shows what an app's customers agreed to, and takes wordings and what people decide about withdrawn consent.
struct ConsentHandlers: Sendable {
    let console: Console

    func show(_ visit: TenantVisit) async throws -> Response {
        guard case .consent(_, let bundleID, let shown) = visit.site, var page = try await page(bundleID, visit) else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        switch shown {
        case .now: break
        case .done(let done): page.notice = Self.notice(done)
        case .customer(let token):
            page.asked = token
            if token.utf8.count == 36, UUID(uuidString: token) != nil {
                page.history = try await console.deciding.consentHistory(
                    of: .customer(appAccountToken: token), app: page.app)
            } else {
                page.wrong["customer"] = "An appAccountToken is a UUID, such as \(NobodysPurchase.customer)."
            }
        case .purchase(let id):
            page.askedPurchase = id
            if (1...20).contains(id.utf8.count), id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                page.history = try await console.deciding.consentHistory(
                    of: .purchase(transactionID: id), app: page.app)
            } else {
                page.wrong["purchase"] = "A transaction has an id of 1 to 20 digits."
            }
        }
        return console.page(page.html)
    }

    func take(_ visit: TenantVisit) async throws -> Response {
        guard case .consent(let slug, let bundleID, _) = visit.site, var page = try await page(bundleID, visit) else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        let form = try SetupForm(visit.visit.request)
        let (person, role) = (visit.visit.session.person, visit.membership.role)
        let address = visit.visit.context.client.address
        do {
            if form.text("do") == "upload" { return try await upload(form, page, visit) }
            let done: ConsentShown.Done
            if let choice = Rescission.Choice(rawValue: form.text("do")) {
                guard let id = UUID(uuidString: form.text("rescission")) else {
                    return console.door.problem(.notFound, .notFound, for: visit)
                }
                try await console.deciding.decide(
                    choice, about: id, of: page.app, by: person, role: role, address: address)
                done = choice == .answerAgain ? .again : .stopped
            } else {
                guard let from = Moment(date: form.text("from")) else {
                    throw AppChangeError("wordingFrom", "is a day, such as 2026-01-31")
                }
                try await console.deciding.addWording(
                    form.text("version"), text: form.text("text"), shownFrom: from, of: page.app, by: person,
                    role: role, address: address)
                done = .wording
            }
            return .seeOther(Site.consent(slug, bundleID: page.app.bundleID, .done(done)).url)
        } catch let error as AppChangeError {
            page.typed = form.shown
            page.wrong[error.member] = Words.sentence("\(Self.label(error.member)) \(error.text).")
            return console.page(page.html, status: .unprocessableContent)
        } catch DecidingDesk.Refused.field {
            return console.door.problem(.notFound, .notFound, for: visit)
        } catch DecidingDesk.Refused.forbidden {
            return console.door.problem(.forbidden, .forbidden, for: visit)
        }
    }

    private func upload(_ form: SetupForm, _ page: ConsentPage, _ visit: TenantVisit) async throws -> Response {
        var page = page
        guard let file = form.files("file").first else {
            page.notice = Notice(.bad, "No file was sent.", more: "Choose a file of comma-separated values.")
            return console.page(page.html, status: .unprocessableContent)
        }
        do {
            let upload = try await console.deciding.uploadConsents(
                file.bytes, of: page.app, by: visit.visit.session.person, role: visit.membership.role,
                address: visit.visit.context.client.address)
            page.upload = upload
            page.notice = UploadReport.notice(upload)
            return console.page(page.html)
        } catch let error as UnreadableFile {
            page.notice = Notice(.bad, "Nothing was stored.", more: error.text)
            return console.page(page.html, status: .unprocessableContent)
        }
    }

    private func page(_ bundleID: String, _ visit: TenantVisit) async throws -> ConsentPage? {
        guard let app = try await console.setup.app(of: visit.tenant, bundleID: bundleID) else { return nil }
        let book = try await console.deciding.consentBook(of: app)
        let people = book.wordings.compactMap(\.author) + book.rescissions.compactMap(\.decidedBy)
        return ConsentPage(
            frame: console.frame(visit), slug: visit.slug, app: app, book: book,
            names: try await console.administration.names(people: people, tokens: [], of: visit.tenant),
            now: console.clock.now, canAdd: visit.membership.role >= .admin,
            canDecide: visit.membership.role >= .support)
    }

    private static func notice(_ done: ConsentShown.Done) -> Notice {
        switch done {
        case .wording:
            Notice(.good, "The wording is kept.", more: "Reports that name its version are known from now on.")
        case .again:
            Notice(
                .good, "Requests of this customer are answered again.",
                more: "As far as the ledger allows it; what was withheld and still has time is looked at now.")
        case .stopped: Notice(.good, "Nothing is sent for this customer.", more: "It can be decided otherwise later.")
        }
    }

    private static func label(_ member: String) -> String {
        switch member {
        case "wordingVersion": "the version"
        case "wordingText": "the text"
        default: "the day"
        }
    }
}
