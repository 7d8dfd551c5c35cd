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
        guard let kind = NewAppPage.Form(rawValue: form.text("form")) else {
            page.unknownForm = true
            return console.page(page.html, status: .unprocessableContent)
        }
        page.form = kind
        page.fields = form.shown
        do {
            if kind == .list { return try await add(list: form.text("list"), page, by: who, visit) }
            let app = try await console.setup.addApp(try newApp(form, kind), to: visit.tenant, by: who)
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

    /// What was added is not sent again; what was not stays in the form, under its heads, to be put right.
    private func add(
        list: String, _ page: NewAppPage, by who: Changer, _ visit: TenantVisit
    ) async throws -> Response {
        var page = page
        page.outcomes = try await console.setup.addApps(list, to: visit.tenant, by: who).map(NewAppPage.Outcome.init)
        let left = page.outcomes.filter { $0.trouble != nil }.map(\.text)
        page.fields["list"] =
            left.isEmpty
            ? nil
            : ([AppList.head(of: list)].compactMap(\.self) + left)
                .joined(separator: "\n")
        if left.isEmpty { page.form = nil }
        return console.page(page.html, status: left.count == page.outcomes.count ? .unprocessableContent : .ok)
    }

    private func newApp(_ form: SetupForm, _ kind: NewAppPage.Form) throws -> NewApp {
        var new = NewApp(bundleID: form.text("bundleID"))
        // What is typed is judged before what is chosen: it stands first on the page.
        guard App.isBundleID(new.bundleID) else { throw TenantStoreError.badBundleID(new.bundleID) }
        if !form.text("name").isEmpty { new.name = form.text("name") }
        if kind == .rehearsal {
            let roots = form.files("root")
            guard let root = roots.first else { throw AppChangeError("trustRoot", "is missing: choose the file") }
            guard roots.count == 1 else {
                throw AppChangeError("trustRoot", "must be one file, and \(roots.count) were sent")
            }
            new.rehearsal = try RehearsalSide(rootFile: Array(root.bytes), apiURL: form.text("apiURL"))
            return new
        }
        let appleID = form.text("appleID")
        if !appleID.isEmpty { new.appleID = try AppleIDText.number(appleID) }
        new.environments = try SetupHandlers.environments(form)
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
        self.init(line: row.line, text: row.text, bundleID: row.bundleID, trouble: trouble)
    }
}
