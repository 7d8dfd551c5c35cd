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
                NoApps(slug: slug, canAdd: frame.canChangeApps).html
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
        for trouble in AppTroubles(standings: overview.apps, now: now, slug: slug).notices { html.append(trouble.html) }
        let missed = overview.states[.missed] ?? 0
        if missed > 0 {
            html.append(
                Notice(
                    .attention, missed == 1 ? "One request was missed." : "\(missed) requests were missed.",
                    more: "The time was over before Apple accepted a reply. Each case says why."
                ).html)
        }
        // Only what somebody can do something about; the quarantine tells the rest.
        for refusal in overview.refusals {
            guard let hint = RefusalWords.hint(refusal.reason) else { continue }
            html.append(
                Notice(
                    .attention, "\(RefusalWords.title(refusal.reason)): \(refusal.count) refused in the last day.",
                    more: hint
                ).html)
        }
        return html
    }

    private var numbers: HTML {
        section(.class("numbers"), .ariaLabelledBy("numbers")) {
            h2(.id("numbers"), .class("section-title")) {
                overview.isSampleFull
                    ? "The newest \(overview.counted) cases in Production"
                    : "Cases in Production since \(TimeText(overview.since).short)"
            }
            ul(.class("tiles")) {
                for state in Self.states(in: overview) {
                    tile(Words.label(state), overview.states[state] ?? 0, Words.tone(state)) { $0.state = state }
                }
            }
            h2(.id("outcomes"), .class("section-title")) { "What Apple decided about them" }
            ul(.class("tiles")) {
                for outcome in CaseOutcome.allCases {
                    tile(Words.label(outcome), overview.outcomes[outcome] ?? 0, Words.tone(outcome)) {
                        $0.outcome = outcome
                    }
                }
            }
            consent
            p(.class("quiet")) {
                "Sandbox is in none of these numbers: "
                a(.href(.cases(slug, Self.cases(in: EnvironmentChoice.sandbox)))) { "cases in Sandbox" }
                "."
                if overview.apps.contains(where: \.app.isRehearsal) {
                    " Nor are rehearsals: "
                    a(.href(.cases(slug, Self.cases(in: EnvironmentChoice.rehearsal)))) { "cases in rehearsal" }
                    "."
                }
            }
        }
    }

    /// What it costs that customers did not agree; nothing where it cost nothing.
    private var consent: HTML {
        let cost = overview.consent
        guard cost.withheld > 0 else { return .empty }
        var query = Self.cases(in: EnvironmentChoice.production)
        query.state = .withheld
        return p {
            "What lack of consent costs: \(cost.withheld) of \(cost.requests) requests went unanswered for want of it; what had been paid: "
            MoneySums(cost.price).html
            ". Apple refunded \(cost.refunded) of them"
            if cost.refunded > 0 {
                ": "
                MoneySums(cost.refundedPrice).html
            }
            ". "
            a(.href(.cases(slug, query))) { "All that was withheld" }
        }
    }

    /// Every state; those that only some desks ever have, where there are such cases.
    private static func states(in overview: Overview) -> [CaseState] {
        CaseState.allCases.filter { ($0 != .held && $0 != .imported) || (overview.states[$0] ?? 0) > 0 }
    }

    private static func cases(in environment: String) -> CaseListQuery {
        var query = CaseListQuery()
        query.environment = environment
        return query
    }

    private func tile(_ name: String, _ count: Int, _ tone: Tone, _ narrow: (inout CaseListQuery) -> Void) -> HTML {
        var query = Self.cases(in: EnvironmentChoice.production)
        narrow(&query)
        return li(.class("tile", count == 0 ? .plain : tone)) {
            a(.class("tile-link"), .href(.cases(slug, query))) {
                span(.class("tile-number")) { "\(count)" }
                span(.class("tile-name")) { name }
            }
        }
    }

    private var due: HTML {
        let rehearsals = Set(overview.apps.map(\.app).filter(\.isRehearsal).map(\.id))
        return section(.class("panel"), .ariaLabelledBy("due")) {
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
                            if let badge = Badge.environment(
                                isRehearsal: rehearsals.contains(line.app), isSandbox: line.isSandbox)
                            {
                                badge.html
                            }
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
                    .init("Signing key") { standing in
                        KeyBadge(standing: standing).html
                    },
                ], rows: overview.apps
            ).html
        }
    }
}

/// When Apple was last heard of, by environment.
struct LastNotification {
    let standing: AppStanding
    let now: Moment

    private var heard: [(environment: String, value: Moment)] {
        let all = standing.lastNotification.all
        guard standing.app.isRehearsal else { return all }
        return all.map(\.value).max().map { [(EnvironmentChoice.rehearsal, $0)] } ?? []
    }

    var html: HTML {
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
    let standing: AppStanding

    var html: HTML { badge.html }

    private var badge: Badge {
        guard let key = standing.keys.first else { return Badge(text: "No key", tone: .bad) }
        if !key.opens { return Badge(text: "Unreadable", tone: .bad) }
        let refused = AppEnvironment.allCases.first {
            standing.app.environments.contains($0) && key.standings[isSandbox: $0 == .sandbox]?.isRefused == true
        }
        if let refused {
            if standing.app.isRehearsal { return Badge(text: "Refused in rehearsal", tone: .attention) }
            let signer = standing.signer(isSandbox: refused == .sandbox)
            let isAnswered = signer?.key.id != key.key.id
            return Badge(
                text: "Refused in \(refused.rawValue)",
                tone: isAnswered || refused == .sandbox ? .attention : .bad)
        }
        if key.standings.all.contains(where: { $0.value.acceptedAt != nil }) {
            return Badge(text: "Accepted", tone: .good)
        }
        return Badge(text: "Not used yet", tone: .plain)
    }
}

/// What a tenant without an app does next.
struct NoApps {
    let slug: String
    let canAdd: Bool

    var html: HTML {
        EmptyState(.apps, "No app yet") {
            if canAdd {
                p { "One page leads from the app's name to its first notification: about five minutes." }
                p { a(.class("button button-main"), .href(.newApp(slug))) { "Add your first app" } }
            } else {
                p { "An owner or an admin of your tenant adds the first one. It takes them about five minutes." }
            }
        }.html
    }
}
