import FoundationEssentials
import Postgres
import Tenants
import Time

/// Commerce requests, and what stands beside them, as their rows hold them.
extension CommerceRequest {
    init(
        _ row: Row, tenant: TenantID, id: UUID, items: [Item], attempts: [CommerceAttempt]
    ) throws {
        func person(_ column: String) throws -> PersonID? {
            let id: UUID? = try row(column)
            return id.map(PersonID.init)
        }
        let reason: String? = try row("state_reason")
        let refundReason: String? = try row("refund_reason")
        let refundType: String? = try row("refund_type")
        let status: Int32? = try row("answer_status")
        let answerBody: [UInt8]? = try row("answer_body")
        let answeredAt: Moment? = try row("answered_at")
        let code: Int64? = try row("answer_code")
        let message: String? = try row("answer_message")
        self.init(
            tenant: tenant, app: AppID(rawValue: try row("app_id")), id: id, environment: try row.word("environment"),
            kind: try row.word("kind"), transactionID: try row("transaction_id"),
            originalTransactionID: try row("original_transaction_id"), productID: try row("product_id"),
            requestReferenceID: try row("request_reference_id"), state: try row.word("state"),
            stateReason: reason.flatMap(CommerceStateReason.init), items: items,
            refundReason: refundReason.flatMap(CommerceReason.init),
            refundType: refundType.flatMap(CommerceRefundType.init), refundRiskingPreference: try row("refund_risking"),
            currency: try row("currency"), purchaseCurrency: try row("purchase_currency"),
            storefront: try row("storefront"),
            amountEstimate: try row("amount_estimate"), note: try row("note"), body: try row("body"),
            askedAt: try row("asked_at"), askedBy: try person("asked_by"), askedByToken: try row("asked_by_token"),
            submittedAt: try row("submitted_at"), submittedBy: try person("submitted_by"),
            submittedByToken: try row("submitted_by_token"), needsApproval: try row("needs_approval"),
            approvedBy: try person("approved_by"), approvedAt: try row("approved_at"),
            cancelledBy: try person("cancelled_by"), cancelledAt: try row("cancelled_at"), caseID: try row("case_id"),
            roundID: try row("round_id"),
            answer: status.map { status in
                Answer(
                    status: Int(status), code: code, message: message, body: answerBody ?? [],
                    at: answeredAt ?? Moment(milliseconds: 0))
            }, attempts: attempts, listedAt: try row("listed_at"), changedAt: try row("changed_at"),
            version: Int(try row("version") as Int32))
    }
}

extension CommerceRequest.Item {
    init(_ row: Row) throws {
        let reason: String = try row("refund_reason")
        let type: String = try row("refund_type")
        let amount: Int32? = try row("refund_amount")
        self.init(
            asked: CommerceItem(
                sku: try row("sku"), refundReason: CommerceReason(rawValue: reason) ?? .other,
                refundType: CommerceRefundType(rawValue: type) ?? .full, refundAmount: amount.map(Int64.init),
                revoke: try row("revoke")), price: try row("price"), refundedAmount: try row("refunded_amount"),
            refundedAt: try row("refunded_at"), revokedAt: try row("revoked_at"))
    }
}

extension CommerceAttempt {
    init(_ row: Row) throws {
        let number: Int32 = try row("attempt_no")
        let result: String? = try row("result")
        let status: Int32? = try row("status")
        self.init(
            number: Int(number), startedAt: try row("started_at"), endedAt: try row("ended_at"),
            result: result.flatMap(Result.init), status: status.map(Int.init), code: try row("apple_code"),
            message: try row("apple_message"), trouble: try row("error"), appleRequestID: try row("apple_request_id"),
            giveUpAt: try row("give_up_at"))
    }
}

extension CommerceFact {
    init(_ row: Row) throws {
        let kind: String = try row("kind")
        let sku: String = try row("sku")
        guard let kind = Kind(rawValue: kind) else { throw PostgresError(.decoding, "a fact of an unknown kind") }
        self.init(
            id: try row("fact_id"), kind: kind, sku: sku.isEmpty ? nil : sku, signedAt: try row("signed_at"),
            amount: try row("amount"), refundedAt: try row("refunded_at"), revokedAt: try row("revoked_at"))
    }
}
