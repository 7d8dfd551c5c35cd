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
    var done: String?

    var html: HTML {
        Layout(frame, title: changed?.name ?? "Channels").console {
            if let changed {
                PageHeader(changed.name) {
                    changed.kind.name
                } beside: {
                    AlertWords.standing(changed).html
                }.html
                if let done { Notice(.good, done).html }
                standing(changed)
                form(changed)
                ends(changed)
            } else {
                PageHeader("Channels") { "Who is called when something goes wrong. Press Test once a month." }.html
                if let done { Notice(.good, done).html }
                if channels.isEmpty {
                    EmptyState(.notifications, "Nobody would be told") {
                        p { "Add one channel that wakes somebody, and a second one of another kind." }
                    }.html
                } else {
                    list
                }
                form(nil)
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
                .init("Test") { channel in test(channel) },
            ], rows: channels
        ).html
    }

    private func test(_ channel: Channel) -> HTML {
        Web.form(.post, .action(.channelTest(slug, channel.id))) {
            let act = channel.isConfirmed ? "Test" : "Send the link again"
            button(.class("button"), .type("submit"), .ariaLabel("\(act): \(channel.name)")) { act }
        }
    }

    private func standing(_ channel: Channel) -> HTML {
        section(.class("panel"), .ariaLabelledBy("channel-standing")) {
            h2(.id("channel-standing")) { "How it does" }
            if !channel.isConfirmed {
                Notice(
                    .attention, "Nobody has confirmed the address.",
                    more:
                        "A mail with a link was sent there. Until somebody opens it and presses the button, nothing is told."
                ).html
            }
            if channel.isFailing, let why = channel.offWhy ?? channel.lastError {
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
                ("Secret", channel.secret == nil ? nil : span { "sealed; it is not shown again" }),
            ]).html
            test(channel)
        }
    }

    private func form(_ channel: Channel?) -> HTML {
        section(.class("panel"), .ariaLabelledBy("channel-form")) {
            h2(.id("channel-form")) { channel == nil ? "Add a channel" : "Change it" }
            if let trouble = wanted.errors[""] { Notice(.bad, trouble).html }
            Web.form(
                .class("stack form-narrow"), .post,
                .action(channel.map { .channel(slug, $0.id) } ?? .channels(slug))
            ) {
                if channel == nil {
                    Field(
                        "Kind", name: "kind",
                        choices: [("", "Choose…")] + ChannelKind.allCases.map { ($0.rawValue, $0.name) },
                        selected: wanted.kind
                    ).html
                    if let error = wanted.errors["kind"] { p(.class("field-help", .bad)) { error } }
                }
                Field(
                    "Name", name: "name", help: "As your team calls it.", error: wanted.errors["name"], .type("text"),
                    .value(wanted.name), .maxlength(80), .autocomplete("off")
                ).html
                target(channel?.kind)
                Field("Hears of", name: "severity", choices: AlertWords.severities, selected: wanted.severity).html
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
                button(.class("button button-main"), .type("submit")) { channel == nil ? "Add the channel" : "Save" }
            }
        }
    }

    /// Before a kind is chosen both are there, for whichever needs them.
    @HTMLBuilder private func target(_ kind: ChannelKind?) -> HTML {
        if kind == nil || kind?.target != nil {
            Field(
                kind?.target?.label ?? "Where", name: "target",
                help: kind?.target?.help
                    ?? "An address, a server, a chat: what is not secret. Empty where the kind needs none.",
                error: wanted.errors["target"], .type("text"), .value(wanted.target), .autocomplete("off"),
                .maxlength(2048)
            ).html
        }
        if kind == nil || kind?.secret != nil {
            Field(
                kind?.secret?.label ?? "Key or secret address", name: "secret",
                help: (kind?.secret?.help
                    ?? "A routing key, the address of a hook, a token. It is sealed and never shown again.")
                    + (changed == nil ? "" : " Empty: as it is."),
                error: wanted.errors["secret"], .type("password"), .value(""), .autocomplete("off"), .maxlength(4096)
            ).html
        }
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
