import FoundationEssentials
import Tenants
import Time

/// Requests as rows of CSV (RFC 4180), one for each item.
enum CommerceCSV {
    static let names = line([
        "request", "asked_at", "environment", "kind", "transaction_id", "sku", "reason", "type", "amount_milliunits",
        "price_milliunits", "currency", "storefront", "revoke", "state", "state_reason", "refunded_milliunits",
        "refunded_at", "revoked_at", "apple_status", "apple_code",
    ])

    static func rows(_ request: CommerceRequest) -> [String] {
        let items: [CommerceRequest.Item?] = request.items.isEmpty ? [nil] : request.items
        return items.map { item in
            line([
                request.id.text, request.askedAt.iso8601, request.environment.rawValue, request.kind.rawValue,
                request.transactionID, item?.asked.sku ?? "",
                (item?.asked.refundReason ?? request.refundReason)?.rawValue ?? "",
                (item?.asked.refundType ?? request.refundType)?.rawValue ?? "",
                item?.asked.refundAmount.map(String.init) ?? "", item?.price.map(String.init) ?? "",
                request.currency ?? "", request.storefront ?? "", item.map { $0.asked.revoke ? "yes" : "no" } ?? "",
                request.state.rawValue, request.stateReason?.rawValue ?? "",
                item?.refundedAmount.map(String.init) ?? "", item?.refundedAt?.iso8601 ?? "",
                item?.revokedAt?.iso8601 ?? "", request.answer.map { String($0.status) } ?? "",
                request.answer?.code.map(String.init) ?? "",
            ])
        }
    }

    private static func line(_ fields: [String]) -> String { fields.map(quoted).joined(separator: ",") + "\r\n" }

    /// A text that a spreadsheet would take for a formula is led by an apostrophe.
    private static func quoted(_ field: String) -> String {
        var field = field
        if let first = field.first, "=+-@\t\r".contains(first) { field = "'" + field }
        guard field.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return field }
        return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
