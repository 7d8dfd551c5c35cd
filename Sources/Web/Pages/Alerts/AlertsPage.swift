import FoundationEssentials
import Refunds
import Tenants
import Time

/// What somebody must look at now, who would be told, and what there was.
struct AlertsPage {
    let frame: Frame
    let slug: String
    let open: [Incident]
    let ended: [Incident]
    let older: IncidentCursor?
    let channels: [Channel]
    let apps: [App]
    let now: Moment
    /// Admins see the channels.
    let canChange: Bool
    /// Only what ended, page by page.
    var isHistory = false
    /// Parts of the address that mean nothing here.
    var ignored: [IgnoredField] = []

    var html: HTML {
        Layout(frame, title: "Alerts").console {
            PageHeader("Alerts") {
                "Each cause is opened once, told once, and closed by itself when it is gone."
            } beside: {
                if canChange { a(.class("button"), .href(.channels(slug))) { "Channels" } }
            }.html
            if let notice = ignored.notice { notice.html }
            if !isHistory {
                if channels.allSatisfy(\.isOff) { isInstallation ? tenantsAreTold : nobody }
                current
                if canChange, !channels.isEmpty { who }
                rules
            }
            past
        }
    }

    private var isInstallation: Bool { slug == Membership.installation.slug }

    private var tenantsAreTold: HTML {
        div(.class("notice", Tone.attention)) {
            p { strong { "The installation has no channel of its own that works." } }
            p {
                "Its tenants' channels hear of what is wrong with it. "
                a(.href(.channels(slug))) { "Add a channel" }
            }
        }
    }

    private var nobody: HTML {
        div(.class("notice", Tone.bad), .role("alert")) {
            p {
                strong {
                    channels.isEmpty
                        ? "There is no channel: nobody would be told." : "No channel works: nobody is told."
                }
            }
            p {
                if canChange {
                    a(.href(.channels(slug))) { channels.isEmpty ? "Add a channel" : "Look at the channels" }
                } else {
                    "Ask an admin to add one."
                }
            }
        }
    }

    @HTMLBuilder private var current: HTML {
        if open.isEmpty {
            EmptyState(.checks, "Nothing is open") {
                p { "Every few seconds it is looked whether anything stops replies from going out." }
            }.html
        } else {
            section(.ariaLabelledBy("open-incidents")) {
                h2(.id("open-incidents")) { "Open" }
                DataTable(
                    caption: "Open incidents, worst first",
                    columns: [
                        .init("What") { incident in
                            a(.class("row-link"), .href(.incident(slug, incident.id))) { NameText(incident.title).html }
                            span(.class("subtext")) { incident.effect }
                        },
                        .init("Severity") { incident in AlertWords.badge(incident.severity).html },
                        .init("App") { incident in app(incident) },
                        .init("Since") { incident in TimeText(incident.openedAt).relativeHTML(to: now) },
                        .init("Who is at it") { incident in standing(incident) },
                    ], rows: open
                ).html
            }
        }
    }

    private func app(_ incident: Incident) -> HTML {
        guard let id = incident.app else { return span(.class("quiet")) { "all" } }
        return NameText(apps.first { $0.id == id }?.name ?? "a removed app").html
    }

    private func standing(_ incident: Incident) -> HTML {
        if let until = incident.snoozedUntil, until > now {
            return span {
                Badge(text: "Snoozed", tone: .plain).html
                " until "
                TimeText(until).shortHTML
            }
        }
        if let at = incident.acknowledgedAt {
            return span {
                Badge(text: "Acknowledged", tone: .active).html
                " "
                TimeText(at).relativeHTML(to: now)
            }
        }
        return span(.class("quiet")) { "nobody yet" }
    }

    private var who: HTML {
        section(.ariaLabelledBy("who-is-told")) {
            h2(.id("who-is-told")) { "Who is told" }
            DataTable(
                caption: "Channels",
                columns: [
                    .init("Channel") { channel in
                        a(.href(.channel(slug, channel.id))) { NameText(channel.name).html }
                        span(.class("subtext")) { channel.kind.name }
                    },
                    .init("Standing") { channel in AlertWords.standing(channel).html },
                    .init("Hears of") { channel in ChannelsPage.hears(channel, apps: apps) },
                    .init("Last taken") { channel in
                        if let at = channel.lastSuccessAt {
                            TimeText(at).relativeHTML(to: now)
                        } else {
                            span(.class("quiet")) { "never" }
                        }
                    },
                ], rows: channels
            ).html
        }
    }

    private var looked: [IncidentRule] { IncidentRule.allCases.filter { !isInstallation || $0.isOfInstallation } }

    private var rules: HTML {
        details(.class("panel")) {
            summary { "What is looked for: \(looked.count) rules" }
            dl(.class("facts")) {
                for rule in looked {
                    div(.class("fact")) {
                        dt { code { rule.rawValue } }
                        dd { rule.words }
                    }
                }
            }
        }
    }

    @HTMLBuilder private var past: HTML {
        if !ended.isEmpty {
            section(.ariaLabelledBy("past-incidents")) {
                h2(.id("past-incidents")) { "Ended" }
                DataTable(
                    caption: "Incidents that ended, newest first",
                    columns: [
                        .init("What") { incident in
                            a(.class("row-link"), .href(.incident(slug, incident.id))) { NameText(incident.title).html }
                        },
                        .init("Severity") { incident in AlertWords.badge(incident.severity).html },
                        .init("Began") { incident in TimeText(incident.openedAt).shortHTML },
                        .init("Lasted") { incident in
                            span { DurationText.text((incident.closedAt ?? now) - incident.openedAt) }
                        },
                    ], rows: ended
                ).html
                if let older {
                    p { a(.href(.alertHistory(slug, before: older))) { "Older ones" } }
                }
            }
        } else if isHistory {
            EmptyState(.checks, "Nothing older") { p { a(.href(.alerts(slug))) { "Back to what is open" } } }.html
        }
    }
}
