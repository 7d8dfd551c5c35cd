package import FoundationEssentials
import HTTP
package import Refunds
import Tenants
import Time

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
        case .replay(let id):
            guard let replay = page.trials.replays.first(where: { $0.id == id }) else {
                return console.door.problem(.notFound, .notFound, for: visit)
            }
            page.text = replay.text
            page.replay = id
        case .done(let done): page.notice = done.notice
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
        if let trying = PolicyTrying(rawValue: act) {
            return try await self.trying(trying, text, basedOn: basedOn, form, page, visit)
        }
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
            trials: try await console.deciding.trials(of: app), now: console.clock.now,
            canChange: visit.membership.role >= .admin)
    }

    /// The part of a replay that changes by itself.
    func state(_ visit: TenantVisit) async throws -> Response {
        guard case .policyState(let slug, let bundleID, let id) = visit.site,
            let app = try await console.setup.app(of: visit.tenant, bundleID: bundleID),
            let replay = try await console.deciding.replay(id, of: visit.tenant), replay.app == app.id
        else { return console.door.problem(.notFound, .notFound, for: visit) }
        return console.page(
            ReplayPart.fragment(
                replay, slug: slug, app: app, canChange: visit.membership.role >= .admin, now: console.clock.now))
    }

    private func trying(
        _ act: PolicyTrying, _ text: String, basedOn: Int, _ form: SetupForm, _ shown: PolicyPage, _ visit: TenantVisit
    ) async throws -> Response {
        var page = shown
        let (desk, app) = (console.deciding, page.app)
        let (person, role) = (visit.visit.session.person, visit.membership.role)
        let address = visit.visit.context.client.address
        func done(_ shown: PolicyShown, at part: String) -> Response {
            .seeOther(Site.policy(visit.slug, bundleID: app.bundleID, shown).url + "#" + part)
        }
        do {
            switch act {
            case .replay:
                let id = try await desk.beginReplay(text, of: app, by: person, role: role, address: address)
                return done(.replay(id), at: "replay")
            case .cancel:
                guard let id = UUID(uuidString: form.text("replay")) else {
                    return console.door.problem(.notFound, .notFound, for: visit)
                }
                try await desk.cancelReplay(id, of: app, by: person, role: role, address: address)
                return done(.replay(id), at: "replay")
            case .shadowStart:
                try await desk.startShadow(text, of: app, by: person, role: role, address: address)
                return done(.done(.shadowStarted), at: "beside")
            case .shadowStop:
                try await desk.stopShadow(of: app, by: person, role: role, address: address)
                return done(.done(.shadowStopped), at: "beside")
            case .shadowPromote:
                let version = try await desk.promoteShadow(
                    basedOn: basedOn, of: app, by: person, role: role, address: address)
                return done(.saved(version.number), at: "versions-title")
            case .holdOut:
                page.share = form.text("share")
                guard let share = Int(form.text("share")) else {
                    throw DecidingDesk.Refused.field("share", "Write a whole number.")
                }
                try await desk.setHoldOut(share, of: app, by: person, role: role, address: address)
                return done(.done(.holdOutSet), at: "hold-out")
            }
        } catch DecidingDesk.Refused.troubles {
            page.text = text
            try await tryOut(&page)
            return console.page(page.html, status: .unprocessableContent)
        } catch DecidingDesk.Refused.field(let name, let why) {
            page.wrong[name] = why
            try await tryOut(&page)
            return console.page(page.html, status: .unprocessableContent)
        } catch DecidingDesk.Refused.overtaken {
            page.notice = Notice(
                .attention, "Nothing was changed: the policy or the draft was changed meanwhile.",
                more: "Look at what is here now, then decide again.")
            try await tryOut(&page)
            return console.page(page.html, status: .conflict)
        } catch DecidingDesk.Refused.forbidden {
            return console.door.problem(.forbidden, .forbidden, for: visit)
        }
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
    /// Rules that were laid over the past, and what came of it.
    case replay(UUID)
    /// What decides, after something else was done here.
    case done(PolicyDone)

    init(_ query: QueryString) {
        if let number = query.value("saved").flatMap({ Int($0) }) {
            self = .saved(number)
        } else if let number = query.value("version").flatMap({ Int($0) }) {
            self = .version(number)
        } else if let template = query.value("template").flatMap(PolicyTemplate.init) {
            self = .template(template)
        } else if let id = query.value("replay").flatMap({ UUID(uuidString: $0) }) {
            self = .replay(id)
        } else if let done = query.value("done").flatMap(PolicyDone.init) {
            self = .done(done)
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
        case .replay(let id): [("replay", id.text)]
        case .done(let done): [("done", done.rawValue)]
        }
    }
}

/// What can be asked of the policy page beside saving.
enum PolicyTrying: String {
    case replay, cancel
    case shadowStart = "shadow-start"
    case shadowStop = "shadow-stop"
    case shadowPromote = "shadow-promote"
    case holdOut = "hold-out"
}

/// What was done on the policy page, for the page that follows.
package enum PolicyDone: String, Hashable, Sendable, CaseIterable {
    case shadowStarted = "draft-started"
    case shadowStopped = "draft-stopped"
    case holdOutSet = "share-set"

    var notice: Notice {
        switch self {
        case .shadowStarted:
            Notice(
                .good, "The draft runs beside the policy.",
                more: "Each new case is decided by both; only the policy's answer is sent.")
        case .shadowStopped: Notice(.good, "The draft runs no more.", more: "What it said stays with its cases.")
        case .holdOutSet: Notice(.good, "The share is set.", more: "It counts from the next decision on.")
        }
    }
}
