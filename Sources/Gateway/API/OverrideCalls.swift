import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// What is answered to single customers, whatever the rules say.
struct OverrideCalls: Sendable {
    let deciding: DecidingDesk

    func list(_ call: APICall, _ app: App) async throws -> Response {
        var (cursor, limit): (ListCursor?, Int) = (nil, 50)
        for (name, value) in try call.request.query.eachOnce() {
            switch name {
            case "limit":
                guard let number = Int(value), (1...100).contains(number), String(number) == value else {
                    throw Problem.bad("the parameter \"limit\" lies between 1 and 100", member: name)
                }
                limit = number
            case "cursor":
                cursor = ListCursor(text: value)
                if cursor == nil {
                    throw Problem.bad("the parameter \"cursor\" is not one that a list gave", member: name)
                }
            default: throw Problem.bad("the parameter \(name.debugDescription) is unknown", member: name)
            }
        }
        let page = try await deciding.overrides(of: app, after: cursor, limit: limit)
        return .json(
            JSON.members([
                ("overrides", .array(page.overrides.map { json($0, at: call.now) })),
                ("nextCursor", page.next.map { .string($0.text) }),
            ]).bytes)
    }

    /// Fixes an answer; in place of another one only for who names it, so that of two people the second is told.
    func set(_ call: APICall, _ app: App) async throws -> Response {
        let customer = try call.identifier(.appAccountToken, "appAccountToken")
        var members = try Members(try call.body())
        let word = try members.requiredText("action")
        guard let action = CustomerOverride.Action(rawValue: word) else {
            let known = CustomerOverride.Action.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.bad("the member \"action\" is one of \(known)", member: "action")
        }
        let reason = try members.requiredText("reason")
        let until = try members.time("until")
        let replaced = try members.text("replaces")
        let basedOn = replaced.flatMap { UUID(uuidString: $0) }
        guard replaced == nil || basedOn != nil else {
            throw Problem.bad("the member \"replaces\" is the id of what is fixed now", member: "replaces")
        }
        let name = try members.name("setBy")
        try members.end()
        do {
            try await deciding.setOverride(
                action, for: customer, reason: reason, until: until, basedOn: basedOn, of: app,
                by: .token(call.token.id, name: name), role: .support, address: call.context.client.address)
        } catch DecidingDesk.Refused.field(let name, let why) {
            throw Problem(.unprocessableContent, why, member: name)
        } catch let overtaken as DecidingDesk.OverrideOvertaken {
            throw Problem(
                .conflict,
                overtaken.current.map {
                    "\($0.authorName) fixed \($0.action.rawValue), with the id \($0.id.text): replace that, or leave it"
                } ?? "nothing is fixed for this customer any more: leave \"replaces\" out", member: "replaces")
        }
        guard let now = try await deciding.override(of: customer, in: app.id, of: app.tenant) else {
            throw Problem(.conflict, "it was removed meanwhile")
        }
        return .json(json(now, at: call.now).bytes)
    }

    func remove(_ call: APICall, _ app: App) async throws -> Response {
        let customer = try call.identifier(.appAccountToken, "appAccountToken")
        guard let current = try await deciding.override(of: customer, in: app.id, of: app.tenant),
            try await deciding.removeOverride(
                current.id, of: app, by: .token(call.token.id, name: "the app's server"), role: .support,
                address: call.context.client.address)
        else { throw Problem.notFound("nothing is fixed for this customer") }
        return .json(json(current, at: call.now).bytes)
    }

    private func json(_ one: CustomerOverride, at now: Moment) -> JSON {
        .members([
            ("id", .string(one.id.text)), ("appAccountToken", .string(one.customer)),
            ("action", .string(one.action.rawValue)), ("reason", .string(one.reason)),
            ("setBy", .string(one.authorName)), ("setAt", .int(one.madeAt.milliseconds)),
            ("until", one.until.map { .int($0.milliseconds) }), ("counts", .bool(one.counts(at: now))),
        ])
    }
}
