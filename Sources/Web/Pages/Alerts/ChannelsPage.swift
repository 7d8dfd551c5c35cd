import FoundationEssentials
import Refunds
import Tenants
import Time

/// The ways to reach somebody, and the form that adds or changes one.
struct ChannelsPage {
    let frame: Frame
    let slug: String
    let channels: [Channel]
    let apps: [App]
    let now: Moment
    /// The one that is being changed; nil: all of them, and a new one.
    var changed: Channel?
    var wanted: ChannelForm
    /// The newest test of the one that is being changed.
    var test: ChannelTest?
    /// Whether this installation can send mail.
    var hasMail = true
    /// Parts of the address that mean nothing here.
    var ignored: [IgnoredField] = []

    private var kind: ChannelKind? { changed?.kind ?? ChannelKind(rawValue: wanted.kind) }

    var html: HTML {
        Layout(frame, title: changed?.name ?? "Channels").console {
            if let changed {
                nav(.class("crumbs"), .ariaLabel("Way back")) { a(.href(.channels(slug))) { "Channels" } }
                PageHeader(changed.name) { changed.kind.name }.html
                if changed.kind == .email, !hasMail { noMail }
                section(
                    .class("panel"), .ariaLabelledBy("channel-standing"), .source(.channelState(slug, changed.id))
                ) {
                    h2(.id("channel-standing")) { "How it does" }
                    standing(changed)
                    press(changed)
                }
                form(changed)
                ends(changed)
            } else {
                PageHeader("Channels") { "Who is called when something goes wrong. Press Test once a month." }.html
                if let notice = ignored.notice { notice.html }
                if channels.isEmpty {
                    EmptyState(.notifications, "Nobody would be told") {
                        p { "Add one channel that wakes somebody, and a second one of another kind." }
                    }.html
                } else {
                    list
                }
                if let kind {
                    if kind == .email, !hasMail { noMail } else { form(nil) }
                    p { a(.href(.channels(slug))) { "Another kind of channel" } }
                } else {
                    choice
                }
            }
        }
    }

    /// The parts that change by themselves, without the rest of the page.
    var fragment: HTML {
        document {
            Web.head { Web.title("State of the channel") }
            body { if let changed { standing(changed) } }
        }
    }

    private var noMail: HTML {
        Notice(
            .bad, "This installation has no mail server, so no mail would ever arrive.",
            more:
                "Whoever runs it sets REFUND_DESK_SMTP_URL and REFUND_DESK_MAIL_FROM. Choose another kind meanwhile."
        ).html
    }

    /// What is asked for differs from kind to kind, so the kind comes first.
    private var choice: HTML {
        section(.class("panel"), .ariaLabelledBy("channel-kind")) {
            h2(.id("channel-kind")) { "Add a channel" }
            Web.form(.class("stack form-narrow"), .get, .action(.channels(slug))) {
                Field(
                    "Kind", name: "kind",
                    choices: [("", "Choose…")] + ChannelKind.allCases.map { ($0.rawValue, $0.name) },
                    selected: "", help: "The next page says what it needs and where that is found.",
                    error: wanted.errors["kind"]
                ).html
                button(.class("button button-main"), .type("submit")) { "Go on" }
            }
        }
    }

    static func hears(_ channel: Channel, apps: [App]) -> HTML {
        span {
            "\(channel.severity.rawValue) and worse"
            if channel.after > .zero { ", after \(DurationText.text(channel.after))" }
            if !channel.apps.isEmpty {
                span(.class("subtext")) {
                    apps.filter { channel.apps.contains($0.id) }.map(\.name).joined(separator: ", ")
                }
            }
            if channel.language != .english { span(.class("subtext")) { "in \(channel.language.name)" } }
            if let quiet = channel.quiet {
                span(.class("subtext")) {
                    "quiet \(AlertWords.clock(quiet.from)) to \(AlertWords.clock(quiet.to)), \(quiet.zone)"
                }
            }
        }
    }

    private var list: HTML {
        DataTable(
            caption: "Channels",
            columns: [
                .init("Channel") { channel in
                    a(.class("row-link"), .href(.channel(slug, channel.id))) { NameText(channel.name).html }
                    span(.class("subtext")) { channel.kind.name }
                },
                .init("Reaches") { channel in
                    span { channel.target ?? (channel.secret == nil ? "" : "••••") }
                },
                .init("Hears of") { channel in Self.hears(channel, apps: apps) },
                .init("Standing") { channel in
                    AlertWords.standing(channel).html
                    if channel.isFailing, let why = channel.offWhy ?? channel.lastError {
                        span(.class("subtext")) { why }
                    }
                },
                .init("Last taken") { channel in
                    if let at = channel.lastSuccessAt {
                        TimeText(at).relativeHTML(to: now)
                    } else {
                        span(.class("quiet")) { "never" }
                    }
                },
                .init("Test") { channel in press(channel) },
            ], rows: channels
        ).html
    }

    private func press(_ channel: Channel) -> HTML {
        Web.form(.post, .action(.channelTest(slug, channel.id))) {
            let act = channel.isConfirmed ? "Test" : "Send the link again"
            button(.class("button"), .type("submit"), .ariaLabel("\(act): \(channel.name)")) { act }
        }
    }

    private func standing(_ channel: Channel) -> HTML {
        let trial = ChannelTrial(test: test, channel: channel, now: now)
        return trial.isAwaited
            ? div(.class("stack"), .live("standing"), .role("status"), .awaits) { facts(channel, trial) }
            : div(.class("stack"), .live("standing"), .role("status")) { facts(channel, trial) }
    }

    @HTMLBuilder private func facts(_ channel: Channel, _ trial: ChannelTrial) -> HTML {
        p { AlertWords.standing(channel).html }
        if !channel.isConfirmed {
            Notice(
                .attention, "Nobody has confirmed the address.",
                more:
                    "A mail with a link was sent there. Until somebody opens it and presses the button, nothing is told."
            ).html
        }
        if let notice = trial.notice { notice.html }
        if trial.notice?.tone != .bad, channel.isFailing, let why = channel.offWhy ?? channel.lastError {
            Notice(
                .bad, why,
                more: channel.isOff
                    ? "It is switched off. A new address or key switches it on again, and what it missed is told."
                    : "It is tried again and again."
            ).html
        }
        Facts([
            ("Last taken", channel.lastSuccessAt.map { TimeText($0).relativeHTML(to: now) } ?? span { "never" }),
            ("Last refused", channel.lastErrorAt.map { TimeText($0).relativeHTML(to: now) }),
            ("Last tested", test.map { TimeText($0.askedAt).relativeHTML(to: now) } ?? span { "never" }),
            ("Secret", channel.secret == nil ? nil : span { "sealed; it is not shown again" }),
        ]).html
    }

    private func form(_ channel: Channel?) -> HTML {
        section(.class("panel"), .ariaLabelledBy("channel-form")) {
            h2(.id("channel-form")) { channel == nil ? "Add a channel: \(kind?.name ?? "")" : "Change it" }
            if let kind {
                ol(.class("numbered")) { for step in ChannelGuide.steps(kind) { li { step } } }
            }
            if let trouble = wanted.errors[""] { Notice(.bad, trouble).html }
            Web.form(
                .class("stack form-narrow"), .post,
                .action(channel.map { .channel(slug, $0.id) } ?? .channels(slug))
            ) {
                if channel == nil { input(.type("hidden"), .name("kind"), .value(wanted.kind)) }
                Field(
                    "Name", name: "name", help: "As your team calls it.", error: wanted.errors["name"], .type("text"),
                    .value(wanted.name), .maxlength(80), .autocomplete("off")
                ).html
                if let kind { target(kind) }
                Field(
                    "Hears of", name: "severity", choices: AlertWords.severities, selected: wanted.severity,
                    error: wanted.errors["severity"]
                ).html
                Field(
                    "Only when nobody acknowledges within (minutes)", name: "after",
                    help: "0: at once. Else it is the next in line.",
                    error: wanted.errors["after"], .type("number"), .value(wanted.after), .min(0), .max(1440)
                ).html
                CheckList(
                    label: "Apps (none chosen: all)", name: "app",
                    items: apps.filter { !$0.isRemoved && !$0.isRehearsal }.map {
                        .init(value: $0.bundleID, text: $0.name, more: $0.bundleID)
                    }, checked: wanted.apps, error: wanted.errors["app"]
                ).html
                Field(
                    "Quiet from", name: "quietFrom", error: wanted.errors["quiet"], .type("time"),
                    .value(wanted.quietFrom)
                ).html
                Field("Quiet to", name: "quietTo", .type("time"), .value(wanted.quietTo)).html
                Field(
                    "Time zone", name: "zone",
                    help:
                        "Such as Europe/Berlin: of the quiet hours, and of the times in messages. Critical alerts and deadlines come through quiet hours all the same.",
                    error: wanted.errors["zone"], .type("text"), .value(wanted.zone), .autocomplete("off")
                ).html
                Field(
                    "Language", name: "language",
                    choices: AlertLanguage.allCases.map { ($0.rawValue, $0.name) }, selected: wanted.language,
                    help: "Of its messages. What Apple and other services said stays as they said it.",
                    error: wanted.errors["language"]
                ).html
                button(.class("button button-main"), .type("submit")) { channel == nil ? "Add the channel" : "Save" }
            }
        }
    }

    /// What the kind is entered with, by the names that its service has for it.
    @HTMLBuilder private func target(_ kind: ChannelKind) -> HTML {
        if let field = kind.target {
            Field(
                label(field), name: "target", help: ChannelGuide.sentence(field.help), error: wanted.errors["target"],
                .type("text"), .value(wanted.target), .autocomplete("off"), .noSpellcheck, .maxlength(2048)
            ).html
        } else if let error = wanted.errors["target"] {
            p(.class("field-help", .bad)) { error }
        }
        if let field = kind.secret {
            Field(
                label(field), name: "secret",
                help: ChannelGuide.sentence(field.help) + " It is sealed and never shown again."
                    + (changed == nil ? "" : " Empty: as it is."),
                error: wanted.errors["secret"], .type("password"), .value(""), .autocomplete("off"), .maxlength(4096)
            ).html
        } else if let error = wanted.errors["secret"] {
            p(.class("field-help", .bad)) { error }
        }
    }

    private func label(_ field: ChannelKind.Field) -> String {
        field.isNeeded ? field.label : "\(field.label) (may be empty)"
    }

    private func ends(_ channel: Channel) -> HTML {
        section(.class("panel"), .ariaLabelledBy("channel-end")) {
            h2(.id("channel-end")) { "Remove it" }
            p { "Its secret is wiped. What was told over it stays in the history." }
            Web.form(.post, .action(.channelRemoval(slug, channel.id))) {
                button(.class("button"), .type("submit")) { "Remove the channel" }
            }
        }
    }
}
