import Refunds
import Tenants
import Time

/// How the desk stands: what is due, what came of the newest cases, whether apps and keys work.
struct OverviewPage {
    let frame: Frame
    let slug: String
    let name: String
    let overview: Overview
    let now: Moment

    var html: HTML {
        Layout(frame, title: "Overview").console {
            PageHeader(name) { "What is due, what came of it, and whether the apps are well." }.html
            troubles
            if overview.apps.isEmpty {
                NoApps(slug: slug).html
            } else {
                numbers
                due
                apps
            }
        }
    }

    /// What somebody must look at.
    private var troubles: HTML {
        var html = HTML.empty
        for standing in overview.apps {
            for trouble in AppTroubles(standing: standing, now: now).notices { html.append(trouble.html) }
        }
        let missed = overview.states[.missed] ?? 0
        if missed > 0 {
            html.append(
                Notice(
                    .attention, missed == 1 ? "One request was missed." : "\(missed) requests were missed.",
                    more: "The time was over before Apple accepted a reply. Each case says why."
                ).html)
        }
        return html
    }

    private var numbers: HTML {
        section(.ariaLabelledBy("numbers")) {
            h2(.id("numbers"), .class("section-title")) {
                overview.isSampleFull
                    ? "The newest \(overview.counted) cases" : "Cases since \(TimeText(overview.since).short)"
            }
            ul(.class("tiles")) {
                tile("Open", overview.states[.open] ?? 0, .active) { $0.state = .open }
                tile("Answered", overview.states[.answered] ?? 0, .good) { $0.state = .answered }
                tile("Withheld", overview.states[.withheld] ?? 0, .plain) { $0.state = .withheld }
                tile("Missed or refused", (overview.states[.missed] ?? 0) + (overview.states[.refused] ?? 0), .bad) {
                    $0.state = .missed
                }
                tile("Refunded", overview.outcomes[.refunded] ?? 0, .attention) { $0.outcome = .refunded }
                tile("Declined", overview.outcomes[.declined] ?? 0, .good) { $0.outcome = .declined }
            }
        }
    }

    private func tile(_ name: String, _ count: Int, _ tone: Tone, _ narrow: (inout CaseListQuery) -> Void) -> HTML {
        var query = CaseListQuery()
        narrow(&query)
        return li(.class("tile", count == 0 ? .plain : tone)) {
            a(.class("tile-link"), .href(.cases(slug, query))) {
                span(.class("tile-number")) { "\(count)" }
                span(.class("tile-name")) { name }
            }
        }
    }

    private var due: HTML {
        section(.class("panel"), .ariaLabelledBy("due")) {
            div(.class("panel-head")) {
                h2(.id("due")) { "Due next" }
                a(.class("quiet-link"), .href(.cases(slug, CaseListQuery()))) { "All cases" }
            }
            if overview.due.isEmpty {
                p(.class("quiet")) { "Nothing is open. Every request so far has found its end." }
            } else {
                ul(.class("plain-list")) {
                    for line in overview.due {
                        li(.class("due")) {
                            a(.href(.refundCase(slug, line.id))) { line.productID }
                            span(.class("quiet")) { Words.reason(line.reason) }
                            if let price = line.price { MoneyText(milliunits: price, currency: line.currency).html }
                            DeadlineOrOutcome(line: line, now: now).html
                        }
                    }
                }
            }
        }
    }

    private var apps: HTML {
        section(.class("panel"), .ariaLabelledBy("apps")) {
            div(.class("panel-head")) {
                h2(.id("apps")) { "Apps" }
                a(.class("quiet-link"), .href(.apps(slug))) { "Keys and addresses" }
            }
            DataTable(
                caption: "Apps and how they stand",
                columns: [
                    .init("App") { standing in
                        strong { standing.app.name }
                        span(.class("subtext mono")) { standing.app.bundleID }
                    },
                    .init("Last notification") { standing in LastNotification(standing: standing, now: now).html },
                    .init("Signing key") { standing in KeyBadge(keys: standing.keys).html },
                ], rows: overview.apps
            ).html
        }
    }
}

/// When Apple was last heard of, by environment.
struct LastNotification {
    let standing: AppStanding
    let now: Moment

    var html: HTML {
        let heard = standing.lastNotification.all
        if heard.isEmpty { return span(.class("quiet")) { "none yet" } }
        return div(.class("answer")) {
            for (environment, at) in heard {
                span {
                    "\(environment) "
                    TimeText(at).relativeHTML(to: now)
                }
            }
        }
    }
}

/// The worst that is known of an app's keys, in a word.
struct KeyBadge {
    let keys: [KeyReport]

    var html: HTML { badge.html }

    private var badge: Badge {
        guard let key = keys.first else { return Badge(text: "No key", tone: .bad) }
        if !key.opens { return Badge(text: "Unreadable", tone: .bad) }
        if key.standings.production?.isRefused == true { return Badge(text: "Refused in Production", tone: .bad) }
        if key.standings.sandbox?.isRefused == true { return Badge(text: "Refused in Sandbox", tone: .attention) }
        if key.standings.all.contains(where: { $0.value.acceptedAt != nil }) {
            return Badge(text: "Accepted", tone: .good)
        }
        return Badge(text: "Not used yet", tone: .plain)
    }
}

/// What a tenant without an app does next.
struct NoApps {
    let slug: String

    var html: HTML {
        EmptyState(.apps, "No app yet") {
            p { "Whoever runs this installation connects one:" }
            CodeBlock(
                "refund-desk app add --tenant \(slug) --bundle-id com.example.app\nrefund-desk key add --tenant \(slug) --key-id … --issuer-id … --file AuthKey.p8",
                label: "Commands"
            ).html
            p { "The first command prints the notification URL for App Store Connect." }
        }.html
    }
}
