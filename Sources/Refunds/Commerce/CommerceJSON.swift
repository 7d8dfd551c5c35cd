import FoundationEssentials
import Tenants
import Time

/// Commerce requests as the API writes them: Apple's names where Apple has one, times in milliseconds.
package enum CommerceJSON {
    package static func whole(_ request: CommerceRequest, bundleID: String) -> [UInt8] {
        value(request, bundleID).bytes
    }

    static func list(_ page: CommercePage, bundleID: String) -> [UInt8] {
        JSONOut.object([
            ("commerceRequests", .list(page.requests.map { value($0, bundleID) })),
            ("nextCursor", page.next.map { .text($0.text) }),
        ]).bytes
    }

    private static func value(_ request: CommerceRequest, _ bundleID: String) -> JSONOut {
        .object([
            ("id", .text(request.id.text)), ("bundleId", .text(bundleID)), ("kind", .text(request.kind.rawValue)),
            ("environment", .text(request.environment.rawValue)), ("transactionId", .text(request.transactionID)),
            ("originalTransactionId", .text(request.originalTransactionID)),
            ("state", .text(request.state.rawValue)),
            ("stateReason", request.stateReason.map { .text($0.rawValue) }),
            ("requestReferenceId", .text(request.requestReferenceID.text)),
            ("items", request.items.isEmpty ? nil : .list(request.items.map(item))),
            ("refundReason", request.refundReason.map { .text($0.rawValue) }),
            ("refundType", request.refundType.map { .text($0.rawValue) }),
            ("refundRiskingPreference", request.refundRiskingPreference.map(JSONOut.flag)),
            ("storefront", request.storefront.map(JSONOut.text)), ("currency", request.currency.map(JSONOut.text)),
            ("note", request.note.map(JSONOut.text)), ("askedAt", .time(request.askedAt)),
            ("needsApproval", .flag(request.needsApproval)), ("approvedAt", request.approvedAt.map(JSONOut.time)),
            ("cancelledAt", request.cancelledAt.map(JSONOut.time)),
            ("caseId", request.caseID.map { .text($0.text) }),
            ("notificationUUID", request.roundID.map { .text($0.text) }),
            ("body", request.body.map { .text(String(decoding: $0, as: UTF8.self)) }),
            ("answer", request.answer.map { answer($0, request) }),
            ("attempts", .list(request.attempts.map(attempt))), ("changedAt", .time(request.changedAt)),
        ])
    }

    private static func item(_ item: CommerceRequest.Item) -> JSONOut {
        .object([
            ("SKU", .text(item.asked.sku)), ("refundReason", .text(item.asked.refundReason.rawValue)),
            ("refundType", .text(item.asked.refundType.rawValue)),
            ("refundAmount", item.asked.refundAmount.map(JSONOut.number)), ("revoke", .flag(item.asked.revoke)),
            ("price", item.price.map(JSONOut.number)), ("refundedAmount", item.refundedAmount.map(JSONOut.number)),
            ("refundedAt", item.refundedAt.map(JSONOut.time)), ("revocationDate", item.revokedAt.map(JSONOut.time)),
        ])
    }

    private static func answer(_ answer: CommerceRequest.Answer, _ request: CommerceRequest) -> JSONOut {
        let words = request.words
        return .object([
            ("status", .number(Int64(answer.status))), ("errorCode", answer.code.map(JSONOut.number)),
            ("errorName", (words?.name).map(JSONOut.text)), ("errorMessage", answer.message.map(JSONOut.text)),
            ("at", .time(answer.at)), ("meaning", (words?.sentence).map(JSONOut.text)),
            ("verdict", (words?.verdict).map { .text($0.rawValue) }),
        ])
    }

    private static func attempt(_ attempt: CommerceAttempt) -> JSONOut {
        .object([
            ("number", .number(Int64(attempt.number))), ("startedAt", .time(attempt.startedAt)),
            ("endedAt", attempt.endedAt.map(JSONOut.time)), ("result", attempt.result.map { .text($0.rawValue) }),
            ("status", attempt.status.map { .number(Int64($0)) }), ("errorCode", attempt.code.map(JSONOut.number)),
            ("errorMessage", attempt.message.map(JSONOut.text)),
            ("appleRequestId", attempt.appleRequestID.map(JSONOut.text)),
            ("trouble", attempt.trouble.map(JSONOut.text)),
        ])
    }
}
