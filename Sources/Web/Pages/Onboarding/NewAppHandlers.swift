import HTTP
import Refunds
import Tenants

/// Adds apps.
struct NewAppHandlers: Sendable {
    let console: Console

    func show(_ visit: TenantVisit) async throws -> Response {
        guard visit.membership.role >= .admin else { return console.door.problem(.forbidden, .forbidden, for: visit) }
        return console.page(try await page(visit).html)
    }

    private func page(_ visit: TenantVisit) async throws -> NewAppPage {
        NewAppPage(
            frame: console.frame(visit), slug: visit.slug,
            isFirst: try await console.records.apps(of: visit.tenant).isEmpty)
    }

    func add(_ visit: TenantVisit) async throws -> Response {
        guard visit.membership.role >= .admin else { return console.door.problem(.forbidden, .forbidden, for: visit) }
        let form = try SetupForm(visit.visit.request)
        let who = Changer(visit.visit.session.person, address: visit.visit.context.client.address)
        var page = try await page(visit)
        page.form = NewAppPage.Form(rawValue: form.text("form")) ?? .one
        page.fields = form.shown
        do {
            if page.form == .list {
                let rows = try await console.setup.addApps(form.text("list"), to: visit.tenant, by: who)
                page.outcomes = rows.map(NewAppPage.Outcome.init)
                // What was added is not to be sent again.
                if page.outcomes.allSatisfy({ $0.trouble == nil }) { page.form = nil }
                return console.page(page.html)
            }
            let app = try await console.setup.addApp(try newApp(form, page.form), to: visit.tenant, by: who)
            return .seeOther(Site.setup(visit.slug, bundleID: app.bundleID, done: nil).url)
        } catch let error as TenantStoreError {
            page.trouble = Words.sentence("\(error).")
            page.wrong =
                switch error {
                case .badBundleID, .bundleIDTaken: "bundleID"
                case .badName: "name"
                case .badAppleID, .appleIDTaken: "appleID"
                default: nil
                }
        } catch let error as AppChangeError {
            let field = SetupWords.field(error.member)
            page.trouble = Words.sentence("\(field.label) \(error.text).")
            page.wrong = field.name
        } catch VaultError.noMasterKey {
            page.trouble =
                "This installation has no master key, so no notification URL can be sealed: refund-desk master-key new."
        }
        return console.page(page.html, status: .unprocessableContent)
    }

    private func newApp(_ form: SetupForm, _ kind: NewAppPage.Form?) throws -> NewApp {
        var new = NewApp(bundleID: form.text("bundleID"))
        if !form.text("name").isEmpty { new.name = form.text("name") }
        if kind == .rehearsal {
            guard let root = form.file("root") else { throw AppChangeError("trustRoot", "is missing: choose the file") }
            new.rehearsal = try RehearsalSide(rootFile: Array(root.bytes), apiURL: form.text("apiURL"))
            return new
        }
        if !form.text("appleID").isEmpty {
            guard let number = Int64(form.text("appleID")) else {
                throw AppChangeError("appleID", "is a positive number")
            }
            new.appleID = number
        }
        if !form.text("environments").isEmpty { new.environments = try SetupHandlers.environments(form) }
        return new
    }
}

extension NewAppPage.Outcome {
    init(_ row: AppList.Row) {
        let trouble: String? =
            switch row.result {
            case .success: nil
            case .failure(let error): "\(error)"
            }
        self.init(line: row.line, bundleID: row.bundleID, trouble: trouble)
    }
}
