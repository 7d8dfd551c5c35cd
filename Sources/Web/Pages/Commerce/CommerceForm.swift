import FoundationEssentials
import HTTP
import Refunds
import Tenants

/// The form of a request as it was filled in, and what it asks for.
struct CommerceForm {
    /// One item of the purchase with what is to become of it; every value as it was typed or chosen.
    struct Row {
        let sku: String
        var isTaken = false
        var reason = ""
        var type = ""
        var amount = ""
        /// `ends` or `stays`.
        var access = ""
    }

    /// What is wrong at a field; an empty name stands for the request as a whole.
    struct Trouble: Hashable {
        let field: String
        let text: String
    }

    /// What was read: an intention to check and to send, or what keeps it from being one.
    struct Reading {
        var intention: CommerceIntention
        /// Whether everything that has to be there is there: only then it may be sent, whatever the rules say.
        var isWhole = true
        var troubles: [Trouble] = []
        /// Worth a second look, each in a sentence.
        var warnings: [String] = []
    }

    static let rowsMax = 100

    let app: String
    let environment: AppEnvironment
    let transaction: String
    let kind: CommerceKind
    /// Made when the form was drawn: whatever is sent with it is one request, however often it is sent.
    let key: UUID
    var rows: [Row] = []
    var reason = ""
    var type = ""
    /// `yes` or `no`.
    var risking = ""
    var note = ""
    /// Warnings that were looked at.
    var seen: Set<String> = []

    /// An empty form for a purchase. What is the only one of its kind is chosen.
    init(_ kind: CommerceKind, for purchase: CommercePurchase, of app: App) {
        self.app = app.bundleID
        environment = purchase.environment
        transaction = purchase.transactionID
        self.kind = kind
        key = UUID()
        rows = purchase.items.prefix(Self.rowsMax).map { Row(sku: $0.sku, isTaken: purchase.items.count == 1) }
    }

    /// - Returns: nil for what no form of ours sends.
    init?(_ fields: QueryString) {
        func text(_ name: String) -> String {
            guard let value = fields.first(name), !value.contains("\0") else { return "" }
            return Self.trimmed(value.replacing("\r\n", with: "\n"))
        }
        guard let environment = AppEnvironment(rawValue: text("environment")),
            let kind = CommerceKind(rawValue: text("kind")), let key = UUID(uuidString: text("key"))
        else { return nil }
        app = text("app")
        self.environment = environment
        transaction = text("transaction")
        self.kind = kind
        self.key = key
        reason = text("reason")
        type = text("type")
        risking = text("risking")
        note = text("note")
        seen = Set(fields.pairs.filter { $0.name == "seen" }.prefix(Self.rowsMax).map(\.value))
        for index in 0..<Self.rowsMax {
            guard let sku = fields.first("sku-\(index)"), !sku.contains("\0") else { break }
            rows.append(
                Row(
                    sku: sku, isTaken: text("take-\(index)") == "yes", reason: text("reason-\(index)"),
                    type: text("type-\(index)"), amount: text("amount-\(index)"), access: text("access-\(index)")))
        }
    }

    /// What the next page sends again, as it stands.
    var fields: [(String, String)] {
        var fields = [
            ("app", app), ("environment", environment.rawValue), ("transaction", transaction),
            ("kind", kind.rawValue), ("key", key.text), ("reason", reason), ("type", type), ("risking", risking),
            ("note", note),
        ]
        for (index, row) in rows.enumerated() {
            fields += [("sku-\(index)", row.sku), ("take-\(index)", row.isTaken ? "yes" : "")]
            guard row.isTaken else { continue }
            fields += [
                ("reason-\(index)", row.reason), ("type-\(index)", row.type), ("amount-\(index)", row.amount),
                ("access-\(index)", row.access),
            ]
        }
        return fields
    }

    /// As it is known to the engine; another client's keys look otherwise.
    var idempotencyKey: String { "console-\(key.text)" }

    var query: PurchaseQuery { PurchaseQuery(app: app, environment: environment, transaction: transaction, kind: kind) }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
