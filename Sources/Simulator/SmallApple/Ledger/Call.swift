package import Time

/// One call to the small Apple, as the ledger keeps it.
package struct Call: Sendable {
    /// What became of a call, apart from its answer.
    package enum Ending: String, Sendable {
        /// The answer was sent.
        case answered
        /// The connection was closed without an answer.
        case reset
        /// No answer was sent until the caller gave up.
        case hung
    }

    /// Counts from 1, over both environments.
    package let number: Int
    package let at: Moment
    package let environment: StoreEnvironment
    /// Whether the call came by the older host name.
    package let isOlderHost: Bool
    package let method: String
    /// The path below the environment's prefix, such as `/inApps/v2/transactions/consumption/1`.
    package let path: String
    /// The raw query, without the question mark; empty when there is none.
    package let query: String
    /// Without Authorization: the token itself is never kept.
    package let headers: [(name: String, value: String)]
    /// The token's header and claims, whether or not it was good.
    package let tokenHeader: JSON?
    package let claims: JSON?
    /// Why the token was not good.
    package let tokenFault: String?
    package let body: String
    package internal(set) var status: Int = 0
    package internal(set) var answer: String = ""
    package internal(set) var answerHeaders: [(name: String, value: String)] = []
    package internal(set) var answeredAt: Moment?
    package internal(set) var ending: Ending?
    /// Remarks for people: the rule that was broken, the mischief that was done, the script that answered.
    package internal(set) var remarks: [String] = []

    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The transaction of a Send Consumption Information call.
    package var consumptionTransactionID: String? {
        for prefix in ["/inApps/v2/transactions/consumption/", "/inApps/v1/transactions/consumption/"]
        where method == "PUT" && path.hasPrefix(prefix) {
            return String(path.dropFirst(prefix.count))
        }
        return nil
    }
}

extension Call {
    var json: JSON {
        var object: JSONObject = [
            "number": .int(number), "at": .int(at.milliseconds), "environment": .string(environment.rawValue),
            "olderHost": .bool(isOlderHost), "method": .string(method), "path": .string(path), "query": .string(query),
            "headers": .object(JSONObject(headers.map { ($0.name, .string($0.value)) })),
        ]
        object["tokenHeader"] = tokenHeader
        object["claims"] = claims
        object["tokenFault"] = .optional(tokenFault)
        object["body"] = .string(body)
        object["answer"] = .object([
            "status": .int(status), "body": .string(answer),
            "headers": .object(JSONObject(answerHeaders.map { ($0.name, .string($0.value)) })),
        ])
        object["answeredAt"] = answeredAt.map { .int($0.milliseconds) }
        object["ending"] = .optional(ending?.rawValue)
        object["remarks"] = .array(remarks.map(JSON.string))
        return .object(object)
    }
}
