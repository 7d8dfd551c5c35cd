import FoundationEssentials
import HTTP
import Refunds
import Tenants

/// Takes what people do about a case beside answering it.
struct CaseWorkHandlers: Sendable {
    let console: Console

    func note(_ visit: TenantVisit) async throws -> Response {
        guard case .caseNote(let slug, let id) = visit.site else { return notFound(visit) }
        let form = try SetupForm(visit.visit.request)
        return try await taken(id, visit, form, back: "\(Site.refundCase(slug, id).url)#notes") { person, address in
            try await console.deciding.note(
                form.text("note"), on: id, of: visit.tenant, by: person, role: visit.membership.role, address: address)
        }
    }

    func assign(_ visit: TenantVisit) async throws -> Response {
        guard case .caseAssignment(let slug, let id) = visit.site else { return notFound(visit) }
        let form = try SetupForm(visit.visit.request)
        let chosen = form.text("assignee")
        return try await taken(id, visit, form, back: Site.refundCase(slug, id).url) { person, address in
            let assignee = UUID(uuidString: chosen)
            guard chosen.isEmpty || assignee != nil else {
                throw DecidingDesk.Refused.field("assignee", "Choose from what is offered.")
            }
            return try await console.deciding.assign(
                id, of: visit.tenant, to: assignee.map(PersonID.init(rawValue:)), by: person,
                role: visit.membership.role, address: address)
        }
    }

    /// Whose purchase it is, or that whoever was chosen did not buy it.
    func customer(_ visit: TenantVisit) async throws -> Response {
        guard case .caseCustomer(let slug, let id) = visit.site else { return notFound(visit) }
        let form = try SetupForm(visit.visit.request)
        let (session, role) = (visit.visit.session, visit.membership.role)
        let who = CaseActor.person(session.person, name: session.name ?? session.email)
        do {
            return try await taken(id, visit, form, back: "\(Site.refundCase(slug, id).url)#consent") { _, address in
                if form.text("do") == "take-back" {
                    guard let naming = UUID(uuidString: form.text("naming")) else { return false }
                    return try await console.deciding.takeBackCustomer(
                        naming, of: id, tenant: visit.tenant, by: who, role: role, address: address)
                }
                let written = form.text("customer")
                return try await console.deciding.chooseCustomer(
                    written.isEmpty ? form.text("candidate") : written, of: id, tenant: visit.tenant,
                    note: form.text("customerNote"), by: who, role: role, address: address)
            }
        } catch let overtaken as DecidingDesk.CustomerOvertaken {
            let notice = Notice(
                .attention,
                overtaken.current.map { "Nothing was changed: \($0.name) chose a customer before you." }
                    ?? "Nothing was changed: what was chosen was taken back before.",
                more: "What stands now is below, under Consent.")
            return try await CaseHandlers(console: console).page(id, visit, notice: notice, status: .conflict)
        }
    }

    func bundle(_ visit: TenantVisit) async throws -> Response {
        guard case .caseBundle(_, let id) = visit.site,
            let bundle = try await console.deciding.bundle(
                of: id, tenant: visit.tenant, by: visit.visit.session.person, role: visit.membership.role,
                address: visit.visit.context.client.address)
        else { return notFound(visit) }
        return Response(
            .ok,
            headers: [
                "Content-Type": "application/x-tar",
                "Content-Disposition": "attachment; filename=\"\(bundle.fileName)\"",
            ], body: .bytes(bundle.bytes))
    }

    private func notFound(_ visit: TenantVisit) -> Response { console.door.problem(.notFound, .notFound, for: visit) }

    /// - Parameter act: false where there is no such case.
    private func taken(
        _ id: UUID, _ visit: TenantVisit, _ form: SetupForm, back: String,
        _ act: (PersonID, String) async throws -> Bool
    ) async throws -> Response {
        var wrong: [String: String] = [:]
        do {
            guard try await act(visit.visit.session.person, visit.visit.context.client.address) else {
                return notFound(visit)
            }
            return .seeOther(back)
        } catch DecidingDesk.Refused.field(let name, let why) {
            wrong[name] = why
        } catch DecidingDesk.Refused.forbidden {
            return console.door.problem(.forbidden, .forbidden, for: visit)
        }
        return try await CaseHandlers(console: console).page(
            id, visit, typed: form.shown, wrong: wrong, status: .unprocessableContent)
    }
}
