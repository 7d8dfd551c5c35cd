import FoundationEssentials
import HTTP
import Refunds
import Tenants

/// Whose purchase a case is about, where the purchase does not say so.
extension CaseCalls {
    /// Somebody found out who bought it, told by the tenant's own server.
    func nameCustomer(_ call: APICall) async throws -> Response {
        let id = try await own(call)
        var members = try Members(try call.body())
        let customer = try Identifier.appAccountToken.check(
            try members.requiredText("appAccountToken"), "the member", "appAccountToken")
        let note = try members.requiredText("note")
        let name = try members.name("namedBy")
        try members.end()
        return try await told(id, call) {
            try await deciding.chooseCustomer(
                customer, of: id, tenant: call.token.tenant, app: call.token.app, note: note,
                by: .token(call.token.id, name: name), role: .support, address: call.context.client.address)
        }
    }

    /// It was somebody else.
    func unnameCustomer(_ call: APICall) async throws -> Response {
        let id = try await own(call)
        return try await told(id, call) {
            try await deciding.takeBackCustomer(
                nil, of: id, tenant: call.token.tenant, app: call.token.app,
                by: .token(call.token.id, name: "the app's server"), role: .support,
                address: call.context.client.address)
        }
    }

    /// Before the body is looked at: what is not one's own is absent, whatever is said about it.
    private func own(_ call: APICall) async throws -> UUID {
        guard let id = UUID(uuidString: call.context.parameter("caseId")) else { throw Self.noCase }
        _ = try await show(id, call)
        return id
    }

    private func told(_ id: UUID, _ call: APICall, _ act: () async throws -> Bool) async throws -> Response {
        do {
            guard try await act() else { throw Self.noCase }
        } catch DecidingDesk.Refused.field(let name, let why) {
            let members = ["customer": "appAccountToken", "customerNote": "note"]
            throw Problem(.unprocessableContent, why, member: members[name] ?? name)
        } catch let overtaken as DecidingDesk.CustomerOvertaken {
            throw Problem(
                .conflict,
                overtaken.current.map { "\($0.name) chose a customer before; nothing was changed" }
                    ?? "nobody chose a customer, or it was taken back meanwhile")
        }
        return try await show(id, call)
    }
}
