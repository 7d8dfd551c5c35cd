import Refunds

/// Where people find what a channel of each kind is entered with. Names of pages and buttons are the services' own.
enum ChannelGuide {
    /// A field's help as a sentence; what begins with an address or a token stays as it is written.
    static func sentence(_ help: String) -> String {
        let first = help.prefix { $0 != " " && $0 != "," }
        let isWord = first.allSatisfy { $0.isLetter || $0 == "-" || $0 == "'" }
        return (isWord ? Words.sentence(help) : help) + (help.hasSuffix("…") || help.hasSuffix(".") ? "" : ".")
    }

    static func steps(_ kind: ChannelKind) -> [String] {
        switch kind {
        case .pagerduty:
            [
                "In PagerDuty: Services → the service that is to be called → Integrations → Add an integration → Events API V2.",
                "Open the new integration and copy its Integration Key.",
            ]
        case .slack:
            [
                "At api.slack.com/apps: Create New App → From scratch, then Incoming Webhooks → on.",
                "Add New Webhook to Workspace, choose the channel, and copy the Webhook URL.",
            ]
        case .email:
            ["One address. For several people give the address of a group, and let its filter pass our mails."]
        case .webhook:
            [
                "An address of your own that takes POST with JSON and answers 2xx.",
                "Its secret: whsec_ and the output of: openssl rand -base64 32. Your side checks the signature with it, as Standard Webhooks say.",
            ]
        case .alertmanager:
            [
                "The address that Prometheus itself sends alerts to, without /api/v2/alerts.",
                "Its sign-in, if it asks for one.",
            ]
        case .jsm:
            [
                "The Cloud ID stands at https://YOUR-SITE.atlassian.net/_edge/tenant_info.",
                "An API token: id.atlassian.com → Security → API tokens. The person it belongs to may make alerts.",
            ]
        case .opsgenie:
            [
                "In Opsgenie: Settings → Integrations → Add integration → API, and copy the API Key.",
                "An account at app.eu.opsgenie.com has the region eu.",
                "Atlassian ends Opsgenie in April 2027: choose Jira Service Management where you can.",
            ]
        case .discord:
            ["In Discord: Edit Channel → Integrations → Webhooks → New Webhook → Copy Webhook URL."]
        case .teams:
            [
                "In Teams: ⋯ beside the channel → Workflows → “Post to a channel when a webhook request is received”.",
                "Finish it, and copy the URL that it shows at the end.",
            ]
        case .ntfy:
            [
                "Think of a topic nobody guesses, and subscribe to it in the ntfy app.",
                "An access token only where the topic is protected: Account → Access tokens.",
            ]
        case .telegram:
            [
                "Write /newbot to @BotFather, and copy the token that it answers with.",
                "Add the bot to the group. Its chat ID stands as chat → id in api.telegram.org/bot…/getUpdates once somebody wrote there.",
            ]
        case .pushover:
            [
                "The user key stands at pushover.net once you are signed in; a group has a key of its own.",
                "The application token: pushover.net → Create an Application/API Token.",
            ]
        case .gotify: ["On your server: Apps → Create Application, and copy its token."]
        case .googlechat:
            ["In the space: its name → Apps & integrations → Webhooks → Add, and copy the link."]
        }
    }
}
