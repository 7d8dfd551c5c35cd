import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// Shows incidents, and takes what people say about them.
struct AlertHandlers: Sendable {
    let console: Console

    private var desk: AlertDesk { console.alerts }

    func show(_ visit: TenantVisit) async throws -> Response {
        var page = try await page(visit, before: nil)
        page.ignored.noteOthers(visit.visit.request.query, known: [])
        return console.page(page.html)
    }

    func history(_ visit: TenantVisit) async throws -> Response {
        guard case .alertHistory(_, let before) = visit.site else { return nothing(visit) }
        var page = try await page(visit, before: before)
        page.isHistory = true
        let query = visit.visit.request.query
        page.ignored.noteOthers(query, known: ["before"])
        _ = page.ignored.read("before", query, IncidentCursor.init(text:))
        return console.page(page.html)
    }

    func incident(_ visit: TenantVisit) async throws -> Response {
        guard case .incident(_, let id) = visit.site, let page = try await page(of: id, visit) else {
            return nothing(visit)
        }
        return console.page(page.html)
    }

    func runbook(_ visit: Visit) async throws -> Response {
        guard case .runbook(let name) = visit.site, let text = console.assets.runbooks[name] else {
            return console.door.problem(.notFound, .notFound, for: visit)
        }
        return console.page(RunbookPage(frame: console.frame(visit), name: name, text: text).html)
    }

    func act(_ visit: TenantVisit) async throws -> Response {
        guard case .incidentAct(let slug, let id, let act) = visit.site else { return nothing(visit) }
        let form = try visit.visit.request.form()
        let person = visit.visit.session.person
        let name = visit.visit.session.email
        do {
            switch act {
            case .acknowledge: try await desk.acknowledge(id, of: visit.tenant, by: person, name: name)
            case .snooze:
                // Nothing is chosen in somebody's place, and nothing that the form does not offer.
                guard let text = form.first("minutes"), AlertWords.snoozes.contains(where: { $0.value == text }),
                    let minutes = Int64(text)
                else { throw AlertError.field("minutes", "choose how long, from what is offered") }
                try await desk.snooze(id, of: visit.tenant, for: .minutes(minutes), by: person, name: name)
            case .note:
                try await desk.note(id, of: visit.tenant, text: form.first("note") ?? "", by: person, name: name)
            }
            return .seeOther(Site.incident(slug, id).url)
        } catch AlertError.field(_, let text) {
            guard var page = try await page(of: id, visit) else { return nothing(visit) }
            page.error = Words.sentence(text) + "."
            return console.page(page.html, status: .unprocessableContent)
        } catch AlertError.noSuchIncident {
            return nothing(visit)
        }
    }

    private func page(_ visit: TenantVisit, before: IncidentCursor?) async throws -> AlertsPage {
        let open = before == nil ? try await desk.open(of: visit.tenant) : []
        let (ended, older) = try await desk.history(of: visit.tenant, after: before)
        return AlertsPage(
            frame: console.frame(visit), slug: visit.slug, open: open, ended: ended, older: older,
            channels: try await desk.channels(of: visit.tenant), apps: try await console.records.apps(of: visit.tenant),
            now: console.clock.now, canChange: visit.membership.role >= .admin)
    }

    private func page(of id: UUID, _ visit: TenantVisit) async throws -> IncidentPage? {
        guard let story = try await desk.story(id, of: visit.tenant) else { return nil }
        let apps = try await console.records.apps(of: visit.tenant)
        return IncidentPage(
            frame: console.frame(visit), slug: visit.slug, story: story,
            app: apps.first { $0.id == story.incident.app }, now: console.clock.now,
            canAct: visit.membership.role >= .support)
    }

    private func nothing(_ visit: TenantVisit) -> Response { console.door.problem(.notFound, .notFound, for: visit) }
}
