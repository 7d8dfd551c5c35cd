/// One setting: its name in the environment, its default, whether it is secret, and what it means.
struct Setting: Hashable, Sendable {
    let name: String
    /// As text, the way a person would write it; nil where there is none.
    let standard: String?
    let isSecret: Bool
    let meaning: String

    private init(_ name: String, _ standard: String?, _ meaning: String, isSecret: Bool = false) {
        self.name = name
        self.standard = standard
        self.isSecret = isSecret
        self.meaning = meaning
    }

    /// The name whose value names a file that holds the value.
    var fileName: String { name + "_FILE" }

    static let databaseURL = Setting("DATABASE_URL", nil, "libpq connection string or URL", isSecret: true)
    static let databaseBytes = Setting(
        "REFUND_DESK_DATABASE_BYTES", nil,
        "size of the volume that PostgreSQL stands on, such as 100G, where that is another machine's")
    static let listen = Setting("REFUND_DESK_LISTEN", "127.0.0.1:8080", "address and port, or unix:/path")
    static let publicURL = Setting(
        "REFUND_DESK_PUBLIC_URL", "http://localhost:8080", "what browsers and Apple see")
    static let publicFolder = Setting(
        "REFUND_DESK_PUBLIC_FOLDER", nil, "static assets; else beside the program or the checkout's public")
    static let masterKey = Setting(
        "REFUND_DESK_MASTER_KEY", nil, "base64 of 32 bytes, or several separated by commas, newest first",
        isSecret: true)
    static let trustRoots = Setting(
        "REFUND_DESK_TRUST_ROOTS", nil, "folder of DER or PEM roots instead of the built-in trust in Apple's root")
    static let revocationCheck = Setting("REFUND_DESK_REVOCATION_CHECK", "soft", "off, soft or strict")
    static let appStoreProduction = Setting(
        "REFUND_DESK_APP_STORE_PRODUCTION_URL", "https://api.storekit.apple.com", "base address")
    static let appStoreSandbox = Setting(
        "REFUND_DESK_APP_STORE_SANDBOX_URL", "https://api.storekit-sandbox.apple.com", "base address")
    static let advancedCommerceProduction = Setting(
        "REFUND_DESK_ADVANCED_COMMERCE_PRODUCTION_URL", "https://api.storekit.itunes.apple.com", "base address")
    static let advancedCommerceSandbox = Setting(
        "REFUND_DESK_ADVANCED_COMMERCE_SANDBOX_URL", "https://api.storekit-sandbox.itunes.apple.com", "base address")
    static let pagerDuty = Setting("REFUND_DESK_PAGERDUTY_URL", "https://events.pagerduty.com", "base address")
    static let slack = Setting("REFUND_DESK_SLACK_URL", "https://hooks.slack.com", "base address")
    static let jsm = Setting("REFUND_DESK_JSM_URL", "https://api.atlassian.com", "base address")
    static let opsgenie = Setting("REFUND_DESK_OPSGENIE_URL", "https://api.opsgenie.com", "base address")
    static let discord = Setting("REFUND_DESK_DISCORD_URL", "https://discord.com", "base address")
    static let telegram = Setting("REFUND_DESK_TELEGRAM_URL", "https://api.telegram.org", "base address")
    static let pushover = Setting("REFUND_DESK_PUSHOVER_URL", "https://api.pushover.net", "base address")
    static let googleChat = Setting("REFUND_DESK_GOOGLE_CHAT_URL", "https://chat.googleapis.com", "base address")
    static let smtp = Setting("REFUND_DESK_SMTP_URL", nil, "smtp://user@host:587 (STARTTLS) or smtps://")
    static let smtpPassword = Setting("REFUND_DESK_SMTP_PASSWORD", nil, "the mail server's password", isSecret: true)
    static let mailFrom = Setting("REFUND_DESK_MAIL_FROM", nil, "sender of mails")
    static let heartbeat = Setting("REFUND_DESK_HEARTBEAT_URL", nil, "called while all is well", isSecret: true)
    static let outboundProxy = Setting(
        "REFUND_DESK_OUTBOUND_PROXY", nil, "proxy for calls to the outside", isSecret: true)
    static let outboundCAFile = Setting(
        "REFUND_DESK_OUTBOUND_CA_FILE", nil, "certificates that calls to the outside trust")
    static let outboundAllowPrivate = Setting(
        "REFUND_DESK_OUTBOUND_ALLOW_PRIVATE", "no",
        "yes, or address ranges that webhooks, callbacks and channels may reach")
    static let trustedProxies = Setting(
        "REFUND_DESK_TRUSTED_PROXIES", nil, "ranges whose X-Forwarded-For and -Proto, and sign-in header, are believed")
    static let signInHeader = Setting(
        "REFUND_DESK_SIGN_IN_HEADER", nil, "the field in which a trusted proxy names the e-mail address of who asks")
    static let metricsToken = Setting(
        "REFUND_DESK_METRICS_TOKEN", nil, "who may read /metrics from elsewhere", isSecret: true)
    static let stopDelay = Setting(
        "REFUND_DESK_STOP_DELAY", "0", "seconds for which it still serves, and is not ready, before it stops")
    static let log = Setting("REFUND_DESK_LOG", "info", "debug, info, warning or error")

    /// Every setting there is. A name of ours that is not among them is an error at start.
    static let all: [Setting] = [
        databaseURL, databaseBytes, listen, publicURL, publicFolder, masterKey, trustRoots, revocationCheck,
        appStoreProduction,
        appStoreSandbox, advancedCommerceProduction, advancedCommerceSandbox, pagerDuty, slack, jsm, opsgenie, discord,
        telegram, pushover, googleChat, smtp, smtpPassword, mailFrom, heartbeat, outboundProxy, outboundCAFile,
        outboundAllowPrivate, trustedProxies, signInHeader, metricsToken, stopDelay, log,
    ]
}
