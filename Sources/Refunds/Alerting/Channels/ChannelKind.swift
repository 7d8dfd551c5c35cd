/// A service that somebody can be reached through. The raw values are what commands and rows say.
package enum ChannelKind: String, Sendable, CaseIterable {
    // In the order in which they are offered; Opsgenie ends in April 2027.
    case pagerduty, slack, email, webhook, alertmanager, jsm, opsgenie, discord, teams, ntfy, telegram, pushover, gotify
    case googlechat

    /// One of the two things that a channel is entered with.
    package struct Field: Sendable, Hashable {
        package let label: String
        /// Where it is found and what it looks like.
        package let help: String
        package let isNeeded: Bool

        init(_ label: String, _ help: String, isNeeded: Bool = true) {
            self.label = label
            self.help = help
            self.isNeeded = isNeeded
        }
    }

    package var name: String {
        switch self {
        case .pagerduty: "PagerDuty"
        case .slack: "Slack"
        case .email: "E-mail"
        case .webhook: "Signed webhook"
        case .alertmanager: "Prometheus Alertmanager"
        case .jsm: "Jira Service Management"
        case .opsgenie: "Opsgenie"
        case .discord: "Discord"
        case .teams: "Microsoft Teams"
        case .ntfy: "ntfy"
        case .telegram: "Telegram"
        case .pushover: "Pushover"
        case .gotify: "Gotify"
        case .googlechat: "Google Chat"
        }
    }

    /// What is not secret; nil where there is nothing to say.
    package var target: Field? {
        switch self {
        case .pagerduty, .slack, .discord, .teams, .googlechat: nil
        case .email: Field("Address", "one address, such as on-call@example.com")
        case .webhook: Field("URL", "https://…, called with POST")
        case .alertmanager: Field("URL", "the Alertmanager's base address, such as https://alerts.example.com")
        case .jsm: Field("Cloud ID", "of the Atlassian site: a UUID, as /_edge/tenant_info on that site shows it")
        case .opsgenie: Field("Region", "eu for accounts in Europe, nothing for others", isNeeded: false)
        case .ntfy: Field("Topic's URL", "server and topic, such as https://ntfy.sh/our-refunds")
        case .telegram: Field("Chat ID", "such as -1001234567890; with a topic of a group, -1001234567890/42")
        case .pushover: Field("User or group key", "30 letters and digits")
        case .gotify: Field("Server", "its base address, such as https://gotify.example.com")
        }
    }

    /// What is sealed and never shown again; nil where there is none.
    package var secret: Field? {
        switch self {
        case .pagerduty: Field("Integration key", "32 letters and digits, of an Events API v2 integration of a service")
        case .slack: Field("Webhook URL", "https://hooks.slack.com/services/…")
        case .email: nil
        case .webhook:
            Field("Signing secret", "whsec_… (Standard Webhooks); while it is replaced two, newest first, with a comma")
        case .alertmanager:
            Field("Credentials", "user:password, or a bearer token; nothing where it asks for none", isNeeded: false)
        case .jsm: Field("E-mail address and API token", "joined by a colon: person@example.com:token")
        case .opsgenie: Field("API key", "of an API integration")
        case .discord: Field("Webhook URL", "https://discord.com/api/webhooks/…")
        case .teams: Field("Workflow URL", "of the workflow \"when a Teams webhook request is received\"")
        case .ntfy: Field("Access token", "tk_…; nothing where anybody may publish", isNeeded: false)
        case .telegram: Field("Bot token", "as @BotFather gave it: 123456789:AA…")
        case .pushover: Field("Application token", "30 letters and digits")
        case .gotify: Field("Application token", "as the server shows it")
        case .googlechat: Field("Webhook URL", "https://chat.googleapis.com/v1/spaces/…")
        }
    }

    package var needsTarget: Bool { target?.isNeeded == true }
    package var needsSecret: Bool { secret?.isNeeded == true }

    /// How often an open incident must be told again for the service to keep it open; nil: once is enough.
    package var resendEvery: Duration? { self == .alertmanager ? AlertmanagerChannel.resendEvery : nil }
}
