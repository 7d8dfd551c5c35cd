import Crypto
package import FoundationEssentials
import Postgres
package import Time

/// An audit entry as it is stored, with its number.
package struct AuditLine: Hashable, Sendable {
    package let tenant: TenantID
    package let sequence: Int64
    package let at: Moment
    package let person: UUID?
    package let token: UUID?
    package let address: String?
    package let action: String
    package let subject: String
    /// Canonical JSON: one object, names in order, no spaces.
    package let detail: [UInt8]
    /// Of this entry as it is stored, 32 bytes; empty before it is.
    package let hash: [UInt8]

    init(_ entry: AuditEntry, sequence: Int64) {
        tenant = entry.tenant
        self.sequence = sequence
        at = entry.at
        address = entry.address
        action = entry.action
        subject = entry.subject
        var detail = entry.detail
        switch entry.actor {
        case .person(let id): (person, token) = (id.rawValue, nil)
        case .token(let id): (person, token) = (nil, id)
        case .commandLine:
            (person, token) = (nil, nil)
            detail["by"] = "command line"
        case .program:
            (person, token) = (nil, nil)
            detail["by"] = "program"
        }
        self.detail = Self.json(detail)
        hash = []
    }

    init(_ row: Row, tenant: TenantID) throws(PostgresError) {
        self.tenant = tenant
        sequence = try row("seq")
        at = try row("at")
        person = try row("person_id")
        token = try row("token_id")
        address = try row("address")
        action = try row("action")
        subject = try row("subject")
        detail = try row("detail")
        hash = try row("hash")
    }

    /// The detail's members in the order of their names; nil where it is not of our making.
    package var members: [(name: String, value: AuditEntry.Value)]? {
        guard let object = try? JSONDecoder().decode([String: AuditEntry.Value].self, from: Data(detail)) else {
            return nil
        }
        return object.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// SHA-256 of the previous hash and of every field, each behind its length; an absent field has no length.
    func hash(after previous: [UInt8]) -> [UInt8] {
        var bytes = LengthPrefixed()
        bytes.add(previous)
        bytes.add("refund-desk audit v1")
        bytes.add(tenant.rawValue)
        bytes.add(sequence)
        bytes.add(at.milliseconds)
        bytes.add(person.map { $0.uuidString.lowercased() })
        bytes.add(token.map { $0.uuidString.lowercased() })
        bytes.add(address)
        bytes.add(action)
        bytes.add(subject)
        bytes.add(detail)
        return Digest.sha256(bytes.bytes)
    }

    private static func json(_ detail: [String: AuditEntry.Value]) -> [UInt8] {
        var text = "{"
        for (name, value) in detail.sorted(by: { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }) {
            if text.utf8.count > 1 { text += "," }
            append(name, to: &text)
            text += ":"
            switch value {
            case .text(let string): append(string, to: &text)
            case .number(let number): text += String(number)
            case .flag(let flag): text += flag ? "true" : "false"
            case .none: text += "null"
            }
        }
        return Array((text + "}").utf8)
    }

    private static func append(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\u{0}"..."\u{1F}":
                let hex = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
