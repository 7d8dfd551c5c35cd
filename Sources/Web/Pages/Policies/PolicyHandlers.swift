import HTTP
package import Refunds
import Tenants

/// Shows an app's policy, tries a text out, and saves it.
struct PolicyHandlers: Sendable {
    let console: Console

    func show(_ visit: TenantVisit) async throws -> Response {
        guard case .policy(_, let bundleID, let shown) = visit.site, var page = try await page(bundleID, visit) else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        switch shown {
        case .now: break
        case .saved(let number):
            page.notice = Notice(
                .good, "Version \(number) is saved.", more: "It decides from the next request on.")
        case .template(let template):
            page.text = template.text
            page.notice = Notice(
                .attention, "The template \"\(template.name)\" stands in the editor.", more: "Nothing is saved yet.")
        case .version(let number):
            guard let version = page.versions.first(where: { $0.number == number }) else {
                return console.door.problem(.notFound, .notFound, for: visit)
            }
            page.text = version.text
            if version != page.versions.first {
                page.notice = Notice(
                    .attention, "Version \(number) stands in the editor.", more: "It does not decide any more.")
            }
        }
        try await tryOut(&page)
        return console.page(page.html)
    }

    func take(_ visit: TenantVisit) async throws -> Response {
        guard case .policy(let slug, let bundleID, _) = visit.site, var page = try await page(bundleID, visit) else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        let form = try SetupForm(visit.visit.request)
        var (text, note) = (form.text("rules"), form.text("note"))
        let act = form.text("do")
        if act == "return" {
            guard let version = page.versions.first(where: { String($0.number) == form.text("version") }) else {
                return console.door.problem(.notFound, .notFound, for: visit)
            }
            (text, note) = (version.text, "Back to version \(version.number)")
        }
        let basedOn = Int(form.text("basedOn")) ?? -1
        page.text = text
        page.note = note
        page.basedOn = basedOn
        guard act == "save" || act == "return" else {
            try await tryOut(&page)
            if page.policy != nil {
                page.notice = Notice(.good, "These rules can be read.", more: "Nothing is saved yet.")
            }
            return console.page(page.html, status: page.policy == nil ? .unprocessableContent : .ok)
        }
        do {
            let version = try await console.deciding.save(
                text, note: note, basedOn: basedOn, of: page.app, by: visit.visit.session.person,
                role: visit.membership.role, address: visit.visit.context.client.address)
            return .seeOther(Site.policy(slug, bundleID: page.app.bundleID, .saved(version.number)).url)
        } catch DecidingDesk.Refused.troubles {
            try await tryOut(&page)
            return console.page(page.html, status: .unprocessableContent)
        } catch DecidingDesk.Refused.field(let name, let why) {
            page.wrong[name] = why
            try await tryOut(&page)
            return console.page(page.html, status: .unprocessableContent)
        } catch DecidingDesk.Refused.overtaken(let newest) {
            page.notice = Notice(
                .attention, "Nothing was saved: the policy was changed meanwhile.",
                more:
                    "Version \(newest?.number ?? 0) decides by now. Your text still stands in the editor; look at what changed, then save again."
            )
            page.basedOn = newest?.number ?? 0
            try await tryOut(&page)
            return console.page(page.html, status: .conflict)
        } catch DecidingDesk.Refused.forbidden {
            return console.door.problem(.forbidden, .forbidden, for: visit)
        }
    }

    private func page(_ bundleID: String, _ visit: TenantVisit) async throws -> PolicyPage? {
        guard let app = try await console.setup.app(of: visit.tenant, bundleID: bundleID) else { return nil }
        let versions = try await console.deciding.versions(of: app)
        let authors = try await console.administration.names(
            people: versions.compactMap(\.author), tokens: [], of: visit.tenant)
        return PolicyPage(
            frame: console.frame(visit), slug: visit.slug, app: app, versions: versions, authors: authors,
            text: versions.first?.text ?? PolicyTemplate.fair.text, basedOn: versions.first?.number ?? 0,
            canChange: visit.membership.role >= .admin)
    }

    /// Lays what stands in the editor over the last requests, or says what is wrong with it.
    private func tryOut(_ page: inout PolicyPage) async throws {
        switch PolicyText.read(page.text) {
        case .success(let policy):
            page.policy = policy
            page.trial = try await console.deciding.trial(policy, of: page.app)
        case .failure(let troubles):
            page.wrong["rules"] = troubles.all.map { "Line \($0.line): \($0.text)" }.joined(separator: " ")
            page.notice = page.notice ?? Notice(.bad, "These rules cannot be read. Nothing was saved.")
        }
    }
}

/// What the editor of a policy shows.
package enum PolicyShown: Hashable, Sendable {
    /// What decides now.
    case now
    /// The same, just saved.
    case saved(Int)
    case version(Int)
    case template(PolicyTemplate)

    init(_ query: QueryString) {
        if let number = query.value("saved").flatMap({ Int($0) }) {
            self = .saved(number)
        } else if let number = query.value("version").flatMap({ Int($0) }) {
            self = .version(number)
        } else if let template = query.value("template").flatMap(PolicyTemplate.init) {
            self = .template(template)
        } else {
            self = .now
        }
    }

    var fields: [(String, String?)] {
        switch self {
        case .now: []
        case .saved(let number): [("saved", String(number))]
        case .version(let number): [("version", String(number))]
        case .template(let template): [("template", template.rawValue)]
        }
    }
}
