import Foundation
import Testing

/// The audit log is kept for ever, so nothing may stand in it that somebody may ask to be erased.
@Suite struct `Rules of the audit log` {
    /// Names that details may have: ids, digests, settings, roles, counts. None is a customer's, a transaction's or a mail address.
    private static let known: Set<String> = [
        "app", "appAppleId", "appAppleId.after", "appAppleId.before", "bundleId", "by", "count", "deliveries",
        "environment",
        "choice", "expires", "model.after", "model.before", "refused", "replaced", "stored", "factor", "fingerprint",
        "inbox", "invitation", "is", "keyId", "kind", "method",
        "name.after",
        "name.before", "productId", "reason", "rehearsal", "result", "retiring", "role", "role.after", "role.before",
        "sampleContent.after", "sampleContent.before", "scopes", "session", "severity", "signsAgain", "slug", "to",
        "version",
        "was",
    ]

    @Test func `details name ids and settings only`() throws {
        var found = 0
        for file in try SourceTree.files(in: "Sources", ".swift") where !file.path.contains("/Audit/") {
            for call in Self.calls(in: file.text) {
                found += 1
                for match in call.matches(of: /"([A-Za-z.]+)":/) {
                    #expect(
                        Self.known.contains(String(match.1)),
                        "\(file.path): may \"\(match.1)\" be kept for ever? Then name it here.")
                }
                // What an action is called is no data.
                let code = call.replacing(/"[a-z]+\.[a-z-]+"/, with: "")
                for word in ["email", "appAccountToken", "customer", "transactionID", "password", "signedPayload"] {
                    #expect(
                        code.range(of: "\\b\(word)\\b", options: .regularExpression) == nil,
                        "\(file.path): an audit entry has to do with \(word)")
                }
            }
        }
        #expect(found >= 10)
    }

    /// What stands between the parentheses of each `AuditEntry(…)`, and of `self.note(…)`, which makes one.
    private static func calls(in text: String) -> [String] {
        var calls: [String] = []
        var rest = text[...]
        while let start = rest.firstRange(of: /AuditEntry\(|self\.note\(/) {
            var depth = 1
            var end = start.upperBound
            while depth > 0, end < rest.endIndex {
                if rest[end] == "(" { depth += 1 }
                if rest[end] == ")" { depth -= 1 }
                end = rest.index(after: end)
            }
            calls.append(String(rest[start.upperBound..<end]))
            rest = rest[end...]
        }
        return calls
    }
}
