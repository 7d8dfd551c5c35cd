import FoundationEssentials
import Tenants

/// The words of the audit log: what each action was, whom an id means, what changed.
enum AuditWords {
    /// Actions in the order in which the filter offers them.
    static let actions: [(word: String, text: String)] = [
        ("tenant.added", "Tenant made"), ("tenant.renamed", "Tenant renamed"),
        ("tenant.closed", "Tenant closed"), ("tenant.reopened", "Tenant opened again"),
        ("member.added", "Member added"), ("member.removed", "Member removed"),
        ("member.role-changed", "Role changed"), ("invitation.made", "Invitation made"),
        ("invitation.renewed", "Invitation renewed"), ("invitation.withdrawn", "Invitation withdrawn"),
        ("invitation.accepted", "Invitation accepted"), ("token.added", "API token made"),
        ("token.removed", "API token revoked"), ("app.added", "App added"), ("app.changed", "App changed"),
        ("app.removed", "App removed"), ("app.apple-id-learned", "Apple ID learned"),
        ("product.changed", "Product changed"), ("key.added", "Signing key added"),
        ("key.replaced", "Signing key replaced"), ("key.retired", "Signing key retired"),
        ("key.removed", "Signing key removed"), ("key.probed", "Signing key tried at Apple"),
        ("test.requested", "Test notification requested"), ("inbox.added", "Notification URL made"),
        ("inbox.retired", "Notification URL retired"), ("relay.retried", "Passing on tried again"),
        ("person.password-changed", "Own password changed"), ("person.factor-added", "Own second factor added"),
        ("person.factor-removed", "Own second factor removed"),
        ("person.recovery-codes-made", "Own recovery codes made"),
        ("person.recovery-code-used", "Recovery code used"), ("person.session-ended", "Own session ended"),
        ("person.passkey-counted-back", "Passkey may have been copied"),
        ("notification.misdirected", "Notification of another app"),
        ("commerce.asked", "Request to Apple made"), ("commerce.submitted", "Request to Apple handed in"),
        ("commerce.approved", "Request to Apple approved"), ("commerce.cancelled", "Request to Apple taken back"),
        ("commerce.approval-set", "Advanced Commerce: approval set"),
        ("commerce.addendum-set", "Advanced Commerce: addendum accepted"),
        ("commerce.released", "Advanced Commerce: queue let run"),
        ("commerce.checked", "Advanced Commerce: asked whether the door is open"),
        ("commerce.limit-set", "Advanced Commerce: approval limit set"),
        ("commerce.cost-set", "Advanced Commerce: cost set"),
        ("commerce.cost-removed", "Advanced Commerce: cost taken away"),
        ("commerce.checklist-set", "Advanced Commerce: checklist set"),
        ("policy.changed", "Policy changed"), ("callback.secret-made", "Secret of the callback made"),
        ("callback.tested", "Callback tested"), ("usage.uploaded", "Usage uploaded"),
        ("case.answered", "Waiting request answered"),
        ("case.noted", "Note on a case written"), ("case.assigned", "Case assigned"),
        ("case.bundled", "Evidence of a case taken"), ("case.customer-chosen", "Customer of a purchase chosen"),
        ("case.customer-taken-back", "Chosen customer taken back"),
        ("consent.wording-added", "Consent: wording kept"), ("consent.uploaded", "Consent: file taken"),
        ("consent.rescinded", "Consent: withdrawn by a parent"),
        ("consent.rescission-decided", "Consent: withdrawal by a parent decided"),
        ("past.import-started", "Import of the past begun"), ("past.import-stopped", "Import of the past stopped"),
        ("policy.replayed", "Rules laid over past cases"),
        ("policy.replay-cancelled", "Replay of rules stopped"),
        ("policy.shadow-started", "Draft started beside the policy"),
        ("policy.shadow-stopped", "Draft beside the policy stopped"),
        ("policy.hold-out-set", "Share without a preference set"),
        ("override.set", "Customer's own answer fixed"), ("override.removed", "Customer's own answer removed"),
        ("channel.added", "Channel added"), ("channel.changed", "Channel changed"),
        ("channel.removed", "Channel removed"), ("channel.tested", "Channel tested"),
    ]

    private static let texts = Dictionary(actions.map { ($0.word, $0.text) }, uniquingKeysWith: { first, _ in first })

    static func isAction(_ word: String) -> Bool { texts[word] != nil }

    static func action(_ word: String) -> String { texts[word] ?? word }

    static func who(_ line: AuditLine, _ names: AuditNames) -> String {
        if let id = line.person { return names.people[id] ?? "somebody who is gone" }
        if let id = line.token { return "token \(names.tokens[id] ?? "that is gone")" }
        switch line.members?.first(where: { $0.name == "by" })?.value.text {
        case "command line": return "the command line"
        case "program": return "the program itself"
        default: return "unknown"
        }
    }

    /// `person 0b9a…` → the address; nil where the id has no name.
    static func subject(_ subject: String, _ names: AuditNames) -> String? {
        let parts = subject.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "person": return UUID(uuidString: String(parts[1])).flatMap { names.people[$0] }
        case "token": return UUID(uuidString: String(parts[1])).flatMap { names.tokens[$0] }
        case "app": return Int64(parts[1]).flatMap { names.apps[$0] }
        default: return nil
        }
    }

    /// What changed, a sentence each: `role: support → admin`.
    static func changes(_ line: AuditLine, _ names: AuditNames) -> [String] {
        guard let members = line.members else { return ["the detail is not readable"] }
        let values = Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        var sentences: [String] = []
        for (name, value) in members where name != "by" {
            if name.hasSuffix(".after"), values[String(name.dropLast(6)) + ".before"] != nil { continue }
            if name.hasSuffix(".before") {
                let base = String(name.dropLast(7))
                let after = values[base + ".after"].map { text($0, base, names) } ?? "?"
                sentences.append("\(base): \(text(value, base, names)) → \(after)")
            } else {
                sentences.append("\(name): \(text(value, name, names))")
            }
        }
        return sentences
    }

    private static func text(_ value: AuditEntry.Value, _ name: String, _ names: AuditNames) -> String {
        if name == "app", case .number(let id) = value { return names.apps[id] ?? "app \(id)" }
        if name == "app", value == .none { return "all apps" }
        if name == "expires", value == .none { return "never" }
        return value.text
    }
}
