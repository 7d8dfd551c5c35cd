package import Journal
import Mail
package import Tenants

/// What was typed for a channel, checked and trimmed.
package struct ChannelEntry: Sendable {
    package let target: String?
    package let secret: Redacted<String>?
}

/// Why a channel cannot be what was typed; says what to do, and never repeats a secret.
package struct ChannelTargetError: Error, Hashable, CustomStringConvertible {
    /// The label of the field.
    package let field: String
    /// For people, after the label: "must be 32 letters and digits".
    package let text: String

    package var description: String { "\(field) \(text)" }
}

extension ChannelKind {
    private static let bytesMax = 2048

    /// Checks what was typed, before it is kept.
    ///
    /// Whether the service knows it only a test message can tell.
    /// - Parameter rules: which addresses whoever runs the installation lets be called.
    package func check(
        target: String?, secret: String?, rules: OutboundRules
    ) throws(ChannelTargetError) -> ChannelEntry {
        let target = try Self.typed(target, self.target)
        let secret = try Self.typed(secret, self.secret)
        if let target, let field = self.target { try check(target: target, field, rules) }
        if let secret, let field = self.secret { try check(secret: secret, field, rules) }
        return ChannelEntry(target: target, secret: secret.map { Redacted($0) })
    }

    private static func typed(_ text: String?, _ field: Field?) throws(ChannelTargetError) -> String? {
        var trimmed = (text ?? "")[...]
        while let last = trimmed.last, last.isWhitespace { trimmed.removeLast() }
        trimmed = trimmed.drop { $0.isWhitespace }
        guard let field else {
            if trimmed.isEmpty { return nil }
            throw ChannelTargetError(field: "This kind of channel", text: "takes nothing here: leave it empty")
        }
        guard !trimmed.isEmpty else {
            if !field.isNeeded { return nil }
            throw ChannelTargetError(field: field.label, text: "is needed: \(field.help)")
        }
        guard trimmed.utf8.count <= bytesMax, trimmed.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw ChannelTargetError(
                field: field.label, text: "is too long or holds characters that it cannot have: \(field.help)")
        }
        return String(trimmed)
    }

    private func check(target: String, _ field: Field, _ rules: OutboundRules) throws(ChannelTargetError) {
        let isRight: Bool
        switch self {
        case .pagerduty, .slack, .discord, .teams, .googlechat: isRight = false
        case .email: isRight = MailAddress(target) != nil
        case .webhook:
            try Self.checkURL(target, field, rules)
            isRight = true
        case .alertmanager, .gotify:
            try Self.checkURL(target, field, rules, allowsQuery: false)
            isRight = true
        case .ntfy:
            try Self.checkURL(target, field, rules, allowsQuery: false)
            isRight = NtfyChannel.parts(of: target) != nil
        case .jsm: isRight = Text.isUUID(target)
        case .opsgenie: isRight = target == "eu"
        case .telegram: isRight = target.wholeMatch(of: /(-?[0-9]{1,20}|@[A-Za-z0-9_]{5,32})(\/[0-9]{1,12})?/) != nil
        case .pushover: isRight = Self.isKey(target, 30...30)
        }
        if !isRight { throw Self.wrong(field) }
    }

    private func check(secret: String, _ field: Field, _ rules: OutboundRules) throws(ChannelTargetError) {
        let isRight: Bool
        switch self {
        case .email: isRight = false
        case .pagerduty: isRight = Self.isKey(secret, 32...32)
        case .pushover: isRight = Self.isKey(secret, 30...30)
        case .opsgenie: isRight = secret.wholeMatch(of: /[A-Za-z0-9-]{20,64}/) != nil
        case .gotify: isRight = secret.wholeMatch(of: /[A-Za-z0-9._-]{8,64}/) != nil
        case .telegram: isRight = secret.wholeMatch(of: /[0-9]{5,15}:[A-Za-z0-9_-]{20,60}/) != nil
        case .webhook: isRight = WebhookSecret.list(secret) != nil
        case .jsm: isRight = secret.wholeMatch(of: /[^: ]+@[^: ]+:[^ ]+/) != nil
        case .alertmanager, .ntfy: isRight = !secret.contains(" ")
        case .slack, .discord, .teams, .googlechat:
            try Self.checkURL(secret, field, rules)
            try checkHost(secret, field, rules)
            isRight = isHook(secret)
        }
        if !isRight { throw Self.wrong(field) }
    }

    /// Where a service has its hooks; nil: on hosts that nobody can list.
    private var hookHosts: [String]? {
        switch self {
        case .slack: ["hooks.slack.com", "hooks.slack-gov.com"]
        case .discord: ["discord.com", "discordapp.com", "ptb.discord.com", "canary.discord.com"]
        case .googlechat: ["chat.googleapis.com"]
        default: nil
        }
    }

    /// A message for one service must not go to whoever made a look-alike of it: its own hosts alone, and what stands in
    /// for them in a network that the operator opened.
    private func checkHost(_ url: String, _ field: Field, _ rules: OutboundRules) throws(ChannelTargetError) {
        guard let hosts = hookHosts, !hosts.contains(where: { url.hasPrefix("https://\($0)/") }),
            !rules.letsStandIn(url)
        else { return }
        throw ChannelTargetError(
            field: field.label,
            text:
                "must begin with https://\(hosts[0])/: \(name) has its hooks there alone. A program of your own that takes the same form is named by an address that whoever runs this installation allows, or is a channel of the kind Signed webhook"
        )
    }

    /// The services' own hosts have hooks in one place only.
    private func isHook(_ url: String) -> Bool {
        switch self {
        case .slack:
            !url.hasPrefix("https://hooks.slack")
                || url.wholeMatch(of: /https:\/\/hooks\.slack(-gov)?\.com\/(services|workflows|triggers)\/.+/) != nil
        case .discord: url.wholeMatch(of: /https?:\/\/[^\/]+\/api\/(v[0-9]+\/)?webhooks\/[0-9]+\/[^\/?]+(\?.*)?/) != nil
        case .googlechat:
            !url.hasPrefix("https://chat.googleapis.com/") || url.hasPrefix("https://chat.googleapis.com/v1/spaces/")
        default: true
        }
    }

    private static func checkURL(
        _ text: String, _ field: Field, _ rules: OutboundRules, allowsQuery: Bool = true
    ) throws(ChannelTargetError) {
        do throws(AppChangeError) {
            _ = try OutboundURL.checked(
                text, member: field.label, rules: rules, allowsQuery: allowsQuery)
        } catch {
            throw ChannelTargetError(field: field.label, text: error.text)
        }
    }

    private static func isKey(_ text: String, _ length: ClosedRange<Int>) -> Bool {
        length.contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) }
    }

    private static func wrong(_ field: Field) -> ChannelTargetError {
        ChannelTargetError(field: field.label, text: "is not of the form that is needed: \(field.help)")
    }
}
