import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// Cases, as the app's backend reads them, and answers those that wait.
struct CaseCalls: Sendable {
    let records: Records
    let deciding: DecidingDesk

    func list(_ call: APICall, _ app: App) async throws -> Response {
        let query = try CaseListQuery(call.request.query)
        return .json(
            try await records.casesJSON(
                of: app.tenant, app: app, filter: query.filter, after: query.cursor, limit: query.limit))
    }

    func show(_ call: APICall) async throws -> Response {
        guard let id = UUID(uuidString: call.context.parameter("caseId")) else { throw Self.noCase }
        return try await show(id, call)
    }

    func show(_ id: UUID, _ call: APICall) async throws -> Response {
        guard let json = try await records.caseJSON(of: call.token.tenant, case: id, app: call.token.app) else {
            throw Self.noCase
        }
        return .json(json)
    }

    static let noCase = Problem.notFound("there is no such case")

    // MARK: Answering

    /// What somebody decided about a request that waits, told by the tenant's own server.
    func answer(_ call: APICall) async throws -> Response {
        guard let id = UUID(uuidString: call.context.parameter("caseId")) else { throw Self.noCase }
        // Before the body is looked at: what is not one's own is absent, whatever is said about it.
        _ = try await show(id, call)
        let (round, answer) = try read(call)
        do {
            try await deciding.answer(
                id, of: call.token.tenant, app: call.token.app, round: round, answer, role: .support,
                address: call.context.client.address)
        } catch DecidingDesk.Refused.field(let name, let why) {
            throw Problem(.unprocessableContent, why, member: Self.members[name] ?? name)
        } catch DecidingDesk.Refused.askedAgain(let state) {
            throw Problem(
                .conflict,
                "Apple asked again meanwhile, and this answer was made for the request before; the newer one is \(state.rawValue), and nothing was changed",
                member: "notificationUUID")
        } catch DecidingDesk.Refused.answered(let name, let state) {
            throw Problem(
                .conflict,
                name.map { "\($0) answered this request before; nothing was changed" }
                    ?? "the request waits for nobody: it is \(state.rawValue)")
        }
        return try await show(id, call)
    }

    /// Fields of the page's form, and what the API calls them.
    private static let members = [
        "delivery": "deliveryStatus", "use": "consumptionPercentage", "round": "notificationUUID",
    ]

    private func read(_ call: APICall) throws(Problem) -> (round: UUID?, answer: HeldAnswer) {
        var members = try Members(try call.body())
        let asked = try members.text("notificationUUID")
        let round = asked.flatMap(UUID.init(uuidString:))
        guard asked == nil || round != nil else {
            throw .bad("the member \"notificationUUID\" must be a UUID", member: "notificationUUID")
        }
        let word = try members.requiredText("choice")
        guard let choice = HeldAnswer.Choice(rawValue: word) else {
            let known = HeldAnswer.Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .bad("the member \"choice\" is one of \(known)", member: "choice")
        }
        let delivery = try members.text("deliveryStatus")
        guard delivery.map(HeldAnswer.deliveries.contains) ?? true else {
            throw .bad(
                "the member \"deliveryStatus\" is one of \(HeldAnswer.deliveries.joined(separator: ", "))",
                member: "deliveryStatus")
        }
        let share = try members.integer("consumptionPercentage")
        guard share.map({ (0...100_000).contains($0) }) ?? true else {
            throw .bad(
                "the member \"consumptionPercentage\" lies between 0 and 100000", member: "consumptionPercentage")
        }
        let reason = try members.requiredText("reason")
        let name = try members.name("answeredBy")
        try members.end()
        let answer = HeldAnswer(
            choice: choice, deliveryStatus: delivery, consumptionPercentage: share.map(Int.init), reason: reason,
            token: call.token.id, name: name, at: call.now)
        return (round, answer)
    }
}

/// The filters of a list of cases, read from its query.
struct CaseListQuery: Equatable {
    private(set) var filter = CaseFilter()
    private(set) var cursor: ListCursor?
    private(set) var limit = 50

    /// - Throws: `Problem` naming the parameter that is unknown, given twice, or cannot be read.
    init(_ query: QueryString) throws(Problem) {
        for (name, value) in try query.eachOnce() { try take(name, value) }
    }

    private mutating func take(_ name: String, _ value: String) throws(Problem) {
        switch name {
        case "state":
            guard let state = CaseState(rawValue: value) else { throw wrong(name, CaseState.allCases.map(\.rawValue)) }
            filter.states = [state]
        case "outcome":
            guard let outcome = CaseOutcome(rawValue: value) else {
                throw wrong(name, CaseOutcome.allCases.map(\.rawValue))
            }
            filter.outcomes = [outcome]
        case "environment":
            guard value == "Production" || value == "Sandbox" else {
                throw value == "Rehearsal" ? .rehearsalFilter : wrong(name, ["Production", "Sandbox"])
            }
            filter.isSandbox = value == "Sandbox"
        case "reason": filter.reason = .given(try text(name, value))
        case "productId": filter.productID = try text(name, value)
        case "transactionId": filter.transactionID = try Identifier.transaction.check(value, "the parameter", name)
        case "originalTransactionId":
            filter.originalTransactionID = try Identifier.transaction.check(value, "the parameter", name)
        case "appAccountToken":
            filter.appAccountToken = try Identifier.appAccountToken.check(value, "the parameter", name)
        case "from": filter.from = try time(name, value)
        case "to": filter.to = try time(name, value)
        case "limit":
            guard let limit = Int(value), (1...100).contains(limit), String(limit) == value else {
                throw .bad("the parameter \"limit\" lies between 1 and 100", member: name)
            }
            self.limit = limit
        case "cursor":
            guard let cursor = ListCursor(text: value) else {
                throw .bad("the parameter \"cursor\" is not one that a list gave", member: name)
            }
            self.cursor = cursor
        default: throw .bad("the parameter \(name.debugDescription) is unknown", member: name)
        }
    }

    private func wrong(_ name: String, _ words: [String]) -> Problem {
        .bad("the parameter \"\(name)\" is one of \(words.joined(separator: ", "))", member: name)
    }

    private func text(_ name: String, _ value: String) throws(Problem) -> String {
        guard (1...200).contains(value.utf8.count) else {
            throw .bad("the parameter \"\(name)\" is empty or too long", member: name)
        }
        return value
    }

    private func time(_ name: String, _ value: String) throws(Problem) -> Moment {
        guard let milliseconds = Int64(value), (0..<253_402_300_800_000).contains(milliseconds),
            String(milliseconds) == value
        else { throw .bad("the parameter \"\(name)\" is a time in milliseconds since 1970", member: name) }
        return Moment(milliseconds: milliseconds)
    }
}

extension Problem {
    /// Both environments of a simulator are one for people; lists are an app's own, so there is nothing to choose.
    static let rehearsalFilter = Problem.bad(
        "the parameter \"environment\" is one of Production, Sandbox; all that a rehearsal app has is rehearsal: leave it out",
        member: "environment")
}
