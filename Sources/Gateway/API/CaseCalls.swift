import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// Cases, as the app's backend reads them.
struct CaseCalls: Sendable {
    let records: Records

    func list(_ call: APICall, _ app: App) async throws -> Response {
        let query = try CaseListQuery(call.request.query)
        return .json(
            try await records.casesJSON(
                of: app.tenant, app: app, filter: query.filter, after: query.cursor, limit: query.limit))
    }

    func show(_ call: APICall) async throws -> Response {
        guard let id = UUID(uuidString: call.context.parameter("caseId")),
            let json = try await records.caseJSON(of: call.token.tenant, case: id, app: call.token.app)
        else { throw Problem.notFound("there is no such case") }
        return .json(json)
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
