import AppStore
import Crypto
import FoundationEssentials
import HTTP
import Tenants
import Time

/// What an app's server is asked at a refund request; the names are fixed (docs/evidence.md).
struct CallbackQuestion: Sendable, Hashable {
    /// Of the sending that is the same however often it is sent again.
    let id: String
    let bundleID: String
    let environment: Environment
    let transactionID: String
    let originalTransactionID: String
    let productID: String
    var appAccountToken: String?
    var reason: String?
    let signedAt: Moment
    let deadline: Moment

    /// The `webhook-id` of a round's question.
    static func id(of round: UUID, tenant: TenantID) -> String {
        "msg_" + Hex.encode(Digest.sha256(Array("callback/\(tenant.rawValue)/\(round.text)".utf8)).prefix(16))
    }

    var body: [UInt8] {
        JSONOut.object([
            ("type", .text("refund.requested")), ("bundleId", .text(bundleID)),
            ("environment", .text(environment.rawValue)), ("transactionId", .text(transactionID)),
            ("originalTransactionId", .text(originalTransactionID)), ("productId", .text(productID)),
            ("appAccountToken", appAccountToken.map(JSONOut.text)), ("reason", reason.map(JSONOut.text)),
            ("signedDate", .time(signedAt)), ("deadline", .time(deadline)),
        ]).bytes
    }

    /// The call, signed for this moment.
    func request(to url: String, secrets: [WebhookSecret], at now: Moment) -> ClientRequest {
        let body = body
        var fields: HeaderFields = ["Content-Type": "application/json", "Accept": "application/json"]
        for field in WebhookSigner(secrets: secrets).fields(id: id, at: now, body: body) {
            fields.add(field.name, field.value)
        }
        return ClientRequest(
            method: .post, url: url, headers: fields, body: body, responseBytesMax: CallbackAnswer.bytesMax,
            totalTimeout: AskPlan.callTotal)
    }
}
