import FoundationEssentials
import Refunds
import Tenants
import Time

/// Cases, newest first.
struct CaseListPage {
    let frame: Frame
    let slug: String
    let query: CaseListQuery
    let page: CasePage
    let apps: [App]
    /// Addresses of those who look after cases.
    var people: [UUID: String] = [:]
    /// Notifications that the look-up found without a case.
    var notifications: [NotificationLine] = []
    let now: Moment

    var html: HTML {
        Layout(frame, title: "Cases").console {
            PageHeader("Cases") {
                .empty
            } beside: {
                if query.lookUp == nil && !page.cases.isEmpty {
                    a(.class("button"), .href(.caseExport(slug, query.from(nil), .plain))) { "CSV" }
                    a(.class("button"), .href(.caseExport(slug, query.from(nil), .spreadsheet))) {
                        "CSV for spreadsheets"
                    }
                }
            }.html
            if let notice = query.ignored.notice { notice.html }
            search
            if let role = frame.tenant?.role, Access.allows(role, .orders(slug)) {
                p { a(.href(.orders(slug))) { "Look up an order number" } }
            }
            if query.lookUp == nil { filters }
            if page.cases.isEmpty { nothing } else { list }
            if let found = NotificationsFound(slug: slug, notifications: notifications).html { found }
            Pager(
                newest: query.after == nil ? nil : .cases(slug, query.from(nil)),
                older: page.next.map { .cases(slug, query.from($0)) }
            ).html
        }
    }

    private var search: HTML {
        form(.class("search"), .get, .action(.cases(slug, CaseListQuery())), .role("search")) {
            label(.class("unseen"), .for("look-up")) { "Look up a transaction, token or notification" }
            Icon.search.html
            input(
                .class("search-input"), .id("look-up"), .name("q"), .type("search"), .value(query.lookUp ?? ""),
                .placeholder("Transaction, original transaction, appAccountToken or notificationUUID"),
                .autocomplete("off"), .noSpellcheck, .maxlength(200), .nicety("slash"))
            button(.class("button"), .type("submit")) { "Look up" }
        }
    }

    private var filters: HTML {
        form(.class("filters"), .get, .action(.cases(slug, CaseListQuery())), .ariaLabel("Filter the cases")) {
            Field(
                "State", name: "state",
                choices: [("", "Any")] + CaseState.allCases.map { ($0.rawValue, Words.label($0)) },
                selected: query.state?.rawValue
            ).html
            Field(
                "Outcome", name: "outcome",
                choices: [("", "Any")] + CaseOutcome.allCases.map { ($0.rawValue, Words.label($0)) },
                selected: query.outcome?.rawValue
            ).html
            Field(
                "Reason", name: "reason",
                choices: [("", "Any")] + Words.reasons.map { ($0, Words.reason($0)) } + [("none", "Not given")],
                selected: query.reason
            ).html
            Field(
                "Apple was told", name: "preference",
                choices: [("", "Anything")] + Words.preferences.map { ($0.rawValue, Words.preference($0)) },
                selected: query.preference?.rawValue
            ).html
            if let why = query.why {
                Field(
                    "Nothing was sent", name: "why",
                    choices: [("", "For any reason"), (why.rawValue, Words.sentence(Words.stateReason(why.rawValue)))],
                    selected: why.rawValue
                ).html
            }
            if query.from != nil || query.to != nil {
                Field("From", name: "from", choices: [("", "Any month")], selected: query.from).html
                Field("To", name: "to", choices: [("", "Any month")], selected: query.to).html
            }
            if apps.count > 1 || query.app != nil {
                Field(
                    "App", name: "app", choices: [("", "All")] + apps.map { ($0.bundleID, $0.label) },
                    selected: query.app
                ).html
            }
            EnvironmentChoice.field(apps, selected: query.environment).html
            Field(
                "Looked after by", name: "assigned",
                choices: [("", "Anybody")] + CaseListQuery.Assigned.allCases.map { ($0.rawValue, Words.label($0)) },
                selected: query.assigned?.rawValue
            ).html
            div(.class("filters-actions")) {
                button(.class("button"), .type("submit")) { "Filter" }
                if query.isFiltered { a(.class("quiet-link"), .href(.cases(slug, CaseListQuery()))) { "Clear" } }
            }
        }
    }

    private var list: HTML {
        DataTable(
            caption: "Cases, newest first",
            columns: [
                .init("State") { line in
                    Badge(line.state).html
                    if let reason = line.stateReason {
                        span(.class("subtext")) { Words.stateReason(reason) }
                    }
                    if let assignee = line.assignee {
                        span(.class("subtext")) { people[assignee] ?? "somebody who is gone" }
                    }
                },
                .init("Purchase") { line in
                    a(.class("row-link"), .href(.refundCase(slug, line.id))) { NameText(line.productID).html }
                    span(.class("subtext mono")) { line.transactionID }
                },
                .init("Reason") { line in
                    span(.title(line.reason ?? "Apple sent no consumptionRequestReason")) {
                        line.state == .unasked ? "–" : Words.reason(line.reason)
                    }
                },
                .init("Price", isNumber: true) { line in
                    if let price = line.price {
                        MoneyText(milliunits: price, currency: line.currency).html
                    } else {
                        span(.class("quiet")) { "–" }
                    }
                },
                .init("App") { line in AppAndEnvironment(apps: apps, app: line.app, isSandbox: line.isSandbox).html },
                .init("Asked") { line in asked(line) },
                .init("Deadline or outcome") { line in DeadlineOrOutcome(line: line, now: now).html },
            ], rows: page.cases
        ).html
    }

    /// When Apple asked; where it never did, when it acted.
    private func asked(_ line: CaseLine) -> HTML {
        guard line.state == .unasked else { return TimeText(line.listedAt).shortHTML }
        return span(.class("quiet")) {
            "not asked; Apple acted "
            TimeText(line.listedAt).shortHTML
        }
    }

    private var nothing: HTML {
        if let text = query.lookUp {
            return notifications.isEmpty
                ? EmptyState(.search, "Nothing found for “\(text)”") {
                    p {
                        if LookUpText(text).canBeFound {
                            "The look-up takes a whole transactionId, originalTransactionId, appAccountToken or notificationUUID."
                        } else {
                            "That is no id of Apple's: a transactionId or originalTransactionId has digits only, an appAccountToken or notificationUUID is a UUID."
                        }
                    }
                    p { a(.class("button"), .href(.cases(slug, CaseListQuery()))) { "All cases" } }
                }.html : .empty
        }
        if apps.isEmpty { return NoApps(slug: slug, canAdd: frame.canChangeApps).html }
        if query.isFiltered || query.after != nil {
            return EmptyState(.cases, "No case fits these filters") {
                p { a(.class("button"), .href(.cases(slug, CaseListQuery()))) { "All cases" } }
            }.html
        }
        return EmptyState(.cases, "No refund request yet") {
            p {
                "A case opens by itself when Apple asks about a refund. Paste the app's notification URL into App Store Connect, version 2, and request a test notification to see the first one arrive."
            }
            p { a(.class("button"), .href(.apps(slug))) { "Apps and their keys" } }
        }.html
    }
}

/// What somebody typed into the look-up.
struct LookUpText {
    let text: String

    init(_ text: String) { self.text = text }

    /// Whether it has the look of an id: digits, or a UUID.
    var canBeFound: Bool {
        let bare = text.filter { !$0.isWhitespace }
        return !bare.isEmpty && bare.utf8.allSatisfy { (0x30...0x39).contains($0) } || UUID(uuidString: bare) != nil
    }
}

extension CaseListQuery {
    /// The same list from another place on.
    func from(_ cursor: ListCursor?) -> CaseListQuery {
        var copy = self
        copy.after = cursor
        return copy
    }
}

/// What matters next about a case: its outcome, else how long there is time.
struct DeadlineOrOutcome {
    let line: CaseLine
    let now: Moment

    var html: HTML {
        if line.outcome != .pending { return Badge(line.outcome).html }
        guard let deadline = line.deadline, line.state == .open || line.state == .held else {
            return span(.class("quiet")) { Words.label(line.outcome) }
        }
        let left = deadline - now
        let tone: Tone = left < .minutes(60) ? (left < .zero ? .bad : .attention) : .plain
        return span(.class("deadline", tone)) { TimeText(deadline).relativeHTML(to: now) }
    }
}

/// Notifications that a look-up found and that have no case.
struct NotificationsFound {
    let slug: String
    let notifications: [NotificationLine]

    var html: HTML? {
        if notifications.isEmpty { return nil }
        return section(.class("panel")) {
            h2 { "Notifications without a case" }
            ul(.class("plain-list")) {
                for line in notifications {
                    li {
                        a(.href(.notification(slug, line.id))) { line.type }
                        " "
                        TimeText(line.signedAt).shortHTML
                    }
                }
            }
        }
    }
}
