import HTTP
import Time

/// Send Consumption Information, v2 and v1.
///
/// Source: App Store Server API, Send Consumption Information (apple sheet 5.1, 5.4, 5.6): 202 with an empty
/// body says that the information was received, and nothing about the decision.
struct ConsumptionEndpoints {
    let shelves: Shelves
    let rules: ConsumptionRules
    /// Told of each answer that was accepted and counts.
    let onAnswer: @Sendable (StoreTransaction) -> Void

    var all: [Endpoint] {
        [
            Endpoint(
                method: .put, pattern: "/inApps/v2/transactions/consumption/{transactionId}", perSecond: 50,
                answer: { caller throws(AppleError) in
                    try answer(caller) { body, transaction in rules.verdict(on: body, of: transaction) }
                }),
            Endpoint(
                method: .put, pattern: "/inApps/v1/transactions/consumption/{transactionId}", perSecond: 50,
                answer: { caller throws(AppleError) in
                    try answer(caller) { body, transaction in OldConsumptionRules().verdict(on: body, of: transaction) }
                }),
        ]
    }

    private func answer(
        _ caller: Caller, verdict: ([UInt8], JSONObject) -> ConsumptionVerdict
    ) throws(AppleError) -> Answer {
        let transaction = try TransactionLookup(shelves: shelves).find(
            caller.parameter("transactionId"), for: caller, allowsAppTransactionID: false)
        switch verdict(caller.body, transaction.payload) {
        case .refused(let error, let rule): return .error(error, remarks: ["broken rule: \(rule)"])
        case .malformed(let why): return Answer(status: 400, remarks: ["malformed: \(why)"])
        case .accepted(let answer):
            return Answer(status: 202, remarks: take(answer, of: transaction, caller))
        }
    }

    /// What a second or a late answer does is not documented: it is received and no longer weighed.
    private func take(_ answer: ConsumptionAnswer, of transaction: StoreTransaction, _ caller: Caller) -> [String] {
        guard let requestedAt = transaction.requestedAt else { return ["nothing was asked: not weighed"] }
        guard caller.now - requestedAt <= caller.environment.replyWindow else { return ["late: not weighed"] }
        guard shelves.keep(answer, for: transaction.id, in: caller.environment) else {
            return ["an earlier answer stands: not weighed"]
        }
        onAnswer(transaction)
        return []
    }
}
