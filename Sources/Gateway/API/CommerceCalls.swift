import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// Refunds, revocations and cancellations that the app's backend asks Apple for.
struct CommerceCalls: Sendable {
    static let bodyMax = 64 * 1024

    let desk: CommerceDesk
    let records: Records

    /// 201 for a new request, 200 for the one that the same key made before.
    func ask(_ call: APICall, _ app: App) async throws -> Response {
        let keys = call.request.headers.all("Idempotency-Key")
        guard keys.count <= 1 else {
            throw Problem.bad("the field Idempotency-Key is there twice", member: "Idempotency-Key")
        }
        var members = try Members(try call.body())
        let acceptsWarnings = try members.flag("acceptWarnings") ?? false
        let intention = try intention(&members)
        try members.end()
        do {
            let (request, isNew) = try await desk.ask(
                intention, app: app, by: .token(call.token.id),
                idempotencyKey: keys.first ?? "none-\(UUID().uuidString)",
                acceptsWarnings: acceptsWarnings)
            var response = Response.json(
                CommerceJSON.whole(request, bundleID: app.bundleID), status: isNew ? .created : .ok)
            response.headers.set("Location", "/api/v1/commerce-requests/\(request.id.uuidString.lowercased())")
            return response
        } catch let refused as CommerceRefused {
            throw problem(refused)
        }
    }

    func list(_ call: APICall, _ app: App) async throws -> Response {
        let query = try CommerceListQuery(call.request.query)
        return .json(
            try await records.commerceJSON(of: app, filter: query.filter, after: query.cursor, limit: query.limit))
    }

    func show(_ call: APICall) async throws -> Response {
        guard let id = UUID(uuidString: call.context.parameter("requestId")),
            let json = try await records.commerceJSON(of: call.token.tenant, request: id, app: call.token.app)
        else { throw Problem.notFound("there is no such request") }
        return .json(json)
    }

    private func problem(_ refused: CommerceRefused) -> Problem {
        switch refused {
        case .troubles(let troubles):
            // What is refused goes before what may be confirmed.
            guard let first = troubles.first(where: { $0.severity == .refused }) ?? troubles.first else {
                return Problem(.unprocessableContent, "\(refused)")
            }
            if first.member == "Idempotency-Key" { return .bad(first.text, member: first.member) }
            let rule = first.appleCode.map { " (Apple's \($0))" } ?? ""
            let hint = first.severity == .warning ? " Send \"acceptWarnings\": true to ask all the same." : ""
            return Problem(.unprocessableContent, first.text + rule + hint, member: first.member)
        case .keyTaken: return Problem(.conflict, "\(refused)", member: "Idempotency-Key")
        case .alreadyAsked: return Problem(.conflict, "\(refused)", member: "transactionId")
        case .tooLate: return Problem(.conflict, "\(refused)")
        case .noSuchTransaction: return Problem(.unprocessableContent, "\(refused)", member: "transactionId")
        case .notNow(let why): return Problem(.serviceUnavailable, why, headers: ["Retry-After": "5"])
        case .forbidden(let why): return Problem(.forbidden, why)
        case .noSuchRequest: return .notFound("there is no such request")
        }
    }

    // MARK: reading the intention

    private func intention(_ members: inout Members) throws(Problem) -> CommerceIntention {
        let kind: CommerceKind = try word("kind", try members.requiredText("kind"), "kind")
        let named = try members.requiredText("environment")
        if named == "Rehearsal" {
            throw .bad(
                "the member \"environment\" is Production or Sandbox, for a rehearsal app too: its simulator has both",
                member: "environment")
        }
        let environment: AppEnvironment = try word("environment", named, "environment")
        let transaction = try Identifier.transaction.check(
            try members.requiredText("transactionId"), "the member", "transactionId")
        var items: [CommerceItem] = []
        if let list = try members.optionalList("items") {
            for (index, value) in list.enumerated() { items.append(try item(value, at: "items[\(index)]")) }
        }
        return CommerceIntention(
            kind: kind, environment: environment, transactionID: transaction, items: items,
            refundReason: try optionalWord("refundReason", try members.text("refundReason")),
            refundType: try optionalWord("refundType", try members.text("refundType")),
            refundRiskingPreference: try members.flag("refundRiskingPreference"),
            storefront: try members.text("storefront"), currency: try members.text("currency"),
            note: try members.text("note"))
    }

    private func item(_ value: JSON, at place: String) throws(Problem) -> CommerceItem {
        do throws(Problem) {
            var members = try Members(value)
            let reason: CommerceReason = try word(
                "refundReason", try members.requiredText("refundReason"), "refundReason")
            let type: CommerceRefundType = try word("refundType", try members.requiredText("refundType"), "refundType")
            let item = CommerceItem(
                sku: try members.requiredText("SKU"), refundReason: reason, refundType: type,
                refundAmount: try members.integer("refundAmount"), revoke: try members.requiredFlag("revoke"))
            try members.end()
            return item
        } catch {
            let member = error.member.map { "\(place).\($0)" } ?? place
            throw Problem(error.status, "\(place): \(error.detail)", member: member)
        }
    }

    private func optionalWord<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ text: String?
    ) throws(Problem) -> Word? {
        guard let text else { return nil }
        return try word(name, text, name)
    }

    private func word<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ text: String, _ member: String
    ) throws(Problem) -> Word {
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw .bad("the member \"\(name)\" is one of \(words)", member: member)
        }
        return word
    }
}

/// The filters of a list of commerce requests, read from its query.
struct CommerceListQuery: Equatable {
    private(set) var filter = CommerceFilter()
    private(set) var cursor: ListCursor?
    private(set) var limit = 50

    /// - Throws: `Problem` naming the parameter that is unknown, given twice, or cannot be read.
    init(_ query: QueryString) throws(Problem) {
        for (name, value) in try query.eachOnce() { try take(name, value) }
    }

    private mutating func take(_ name: String, _ value: String) throws(Problem) {
        switch name {
        case "state": filter.states = [try word(name, value)]
        case "kind": filter.kind = try word(name, value)
        case "environment":
            if value == "Rehearsal" { throw .rehearsalFilter }
            filter.environment = try word(name, value)
        case "transactionId": filter.transactionID = try Identifier.transaction.check(value, "the parameter", name)
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

    private func word<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ value: String
    ) throws(Problem) -> Word {
        guard let word = Word(rawValue: value) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw .bad("the parameter \"\(name)\" is one of \(words)", member: name)
        }
        return word
    }
}
