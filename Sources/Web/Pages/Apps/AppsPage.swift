import Refunds
import Tenants
import Time

/// Apps with their addresses, settings and keys. No secret is on it.
struct AppsPage {
    let frame: Frame
    let slug: String
    let apps: [AppStanding]
    /// The desk's own address, before `/n/…`.
    let publicURL: String
    let now: Moment

    var html: HTML {
        Layout(frame, title: "Apps").console {
            PageHeader(
                "Apps", lead: { "Where their notifications arrive, which key signs for them, how Apple takes it." },
                beside: {
                    if frame.canChangeApps && !apps.isEmpty {
                        a(.class("button"), .href(.newApp(slug))) { "Add an app" }
                    }
                }
            ).html
            if apps.isEmpty {
                NoApps(slug: slug, canAdd: frame.canChangeApps).html
            } else {
                for standing in apps { panel(standing) }
            }
        }
    }

    private func panel(_ standing: AppStanding) -> HTML {
        let app = standing.app
        return section(.class("panel"), .ariaLabelledBy("app-\(app.id.rawValue)")) {
            div(.class("panel-head")) {
                h2(.id("app-\(app.id.rawValue)")) { app.name }
                div(.class("filters-actions")) {
                    KeyBadge(standing: standing).html
                    a(.class("button"), .href(.setup(slug, bundleID: app.bundleID, done: nil))) {
                        frame.canChangeApps ? "Set up" : "How it is set up"
                    }
                }
            }
            for notice in AppTroubles(standings: [standing], now: now, slug: slug).notices { notice.html }
            Facts([
                ("Bundle ID", span(.class("mono")) { app.bundleID }),
                (
                    "Apple ID",
                    HTML(text: app.appleID.map { "\($0)" } ?? "learned from the first Production notification")
                ),
                ("Notification URL", address(standing)),
                ("Last notification", LastNotification(standing: standing, now: now).html),
                ("Apple's history", HistoryLine(standing: standing, now: now).html),
                ("Consent", HTML(text: consent(app.consent))),
                (
                    "Unreported delivery",
                    HTML(
                        text: app.unreportedDelivery == .delivered
                            ? "sent as DELIVERED, by the app's setting" : "nothing is sent")
                ),
                (
                    "Sample content",
                    HTML(text: app.sampleContent ? "yes, unless reported otherwise" : "no, unless reported otherwise")
                ),
                ("Policy", a(.href(.policy(slug, bundleID: app.bundleID, .now))) { "Rules, templates, versions" }),
                (
                    "Beside it",
                    a(.href(.customers(slug, bundleID: app.bundleID, customer: nil))) {
                        "Customers with an answer of their own"
                    }.and(HTML(text: " · ")).and(
                        a(.href(.productCosts(slug, bundleID: app.bundleID))) { "What a sale costs you" })
                ),
                ("Advanced Commerce", CommerceLine(standing: standing, slug: slug).html),
                ("Rehearsal", app.isRehearsal ? HTML(text: "yes: counted in no total") : nil),
            ]).html
            if !standing.keys.isEmpty { keys(standing) }
        }
    }

    private func address(_ standing: AppStanding) -> HTML {
        var html = code { "\(publicURL)/n/••••••••" }
        html.append(
            span(.class("subtext")) {
                switch standing.inboxes {
                case 0: "retired: no address takes notifications for this app"
                case 1: "a secret: owners and admins see it on the app's setup page"
                default: "\(standing.inboxes) addresses are in use; owners and admins see them on the app's setup page"
                }
            })
        return html
    }

    private func consent(_ setting: ConsentSetting) -> String {
        switch setting {
        case .perCustomer: "asked of each customer, reported by the app's backend"
        case .allFrom(let moment, _): "everybody who bought since \(TimeText(moment).short) agreed to a kept wording"
        }
    }

    private func keys(_ standing: AppStanding) -> HTML {
        let columns: [DataTable<KeyReport>.Column] =
            [
                .init("Key ID") { key in
                    span(.class("mono")) { key.key.keyID }
                    span(.class("subtext mono")) { key.key.fingerprint }
                    if key.key.app == nil { span(.class("subtext")) { "for all apps" } }
                },
                .init("Issuer ID") { key in span(.class("mono")) { key.key.issuerID } },
                .init("Added") { key in TimeText(key.key.createdAt).shortHTML },
                .init("Signs") { key in span { signs(key, standing) } },
            ] + environments(standing.app)
        return DataTable(caption: "Signing keys, the newest first", columns: columns, rows: standing.keys).html
    }
}

extension AppsPage {
    /// One simulator stands behind both environments of a rehearsal.
    private func environments(_ app: App) -> [DataTable<KeyReport>.Column] {
        if app.isRehearsal {
            return [
                .init("Rehearsal") { key in KeyInEnvironment(standing: key.rehearsalStanding, now: now).html }
            ]
        }
        return AppEnvironment.allCases.map { environment in
            .init(environment.rawValue) { key in
                KeyInEnvironment(standing: key.standings[isSandbox: environment == .sandbox], now: now).html
            }
        }
    }

    private func signs(_ key: KeyReport, _ standing: AppStanding) -> String {
        let places = AppEnvironment.allCases.filter { environment in
            standing.app.environments.contains(environment)
                && standing.signer(isSandbox: environment == .sandbox)?.key.id == key.key.id
        }
        let kept = key.key.retiresAt.map { "kept until \(TimeText($0).short)" }
        if places.isEmpty { return kept ?? "not for this app" }
        let all = standing.app.isRehearsal || places.count == standing.app.environments.count
        let words = all ? "yes" : "in \(places.map(\.rawValue).joined(separator: " and "))"
        return kept.map { "\(words), meanwhile; \($0)" } ?? words
    }
}

extension KeyReport {
    /// The worse of both environments of a simulator.
    var rehearsalStanding: KeyStanding? {
        standings.all.map(\.value).first(where: \.isRefused) ?? standings.all.map(\.value).first
    }
}

/// How Apple takes a key for one app in one environment.
struct KeyInEnvironment {
    let standing: KeyStanding?
    let now: Moment

    var html: HTML {
        if standing?.isRefusedElsewhere == true {
            return div(.class("answer")) {
                Badge(text: standing?.acceptedAt == nil ? "Not tried" : "Waits", tone: .attention).html
                span(.class("subtext")) { "refused for another app" }
            }
        }
        if let since = standing?.refusedSince {
            return div(.class("answer")) {
                Badge(text: "Refused", tone: .bad).html
                span(.class("subtext")) {
                    "since "
                    TimeText(since).shortHTML
                }
            }
        }
        if let at = standing?.acceptedAt {
            return div(.class("answer")) {
                Badge(text: "Accepted", tone: .good).html
                span(.class("subtext")) { TimeText(at).relativeHTML(to: now) }
            }
        }
        return span(.class("quiet")) { "not used for this app yet" }
    }
}
