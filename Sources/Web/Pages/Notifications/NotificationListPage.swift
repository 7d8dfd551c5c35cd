import Refunds
import Tenants
import Time

/// What Apple sent, newest first.
struct NotificationListPage {
    let frame: Frame
    let slug: String
    let query: NotificationListQuery
    let page: NotificationPage
    let apps: [App]
    let now: Moment

    var html: HTML {
        Layout(frame, title: "Notifications").console {
            PageHeader("Notifications") { "App Store Server Notifications as they were received and verified." }.html
            if let notice = query.ignored.notice { notice.html }
            form(
                .class("filters"), .get, .action(.notifications(slug, NotificationListQuery())),
                .ariaLabel("Filter the notifications")
            ) {
                if apps.count > 1 || query.app != nil {
                    Field(
                        "App", name: "app", choices: [("", "All")] + apps.map { ($0.bundleID, $0.label) },
                        selected: query.app
                    ).html
                }
                EnvironmentChoice.field(apps, selected: query.environment).html
                div(.class("filters-actions")) {
                    button(.class("button"), .type("submit")) { "Filter" }
                    if query.isFiltered {
                        a(.class("quiet-link"), .href(.notifications(slug, NotificationListQuery()))) { "Clear" }
                    }
                }
            }
            if page.notifications.isEmpty { nothing } else { list }
            Pager(
                newest: query.after == nil ? nil : .notifications(slug, from(nil)),
                older: page.next.map { .notifications(slug, from($0)) }
            ).html
        }
    }

    private func from(_ cursor: ListCursor?) -> NotificationListQuery {
        var copy = query
        copy.after = cursor
        return copy
    }

    private var list: HTML {
        DataTable(
            caption: "Notifications, newest first",
            columns: [
                .init("Type") { line in
                    a(.class("row-link"), .href(.notification(slug, line.id))) { line.type }
                    if let subtype = line.subtype { span(.class("subtext")) { subtype } }
                },
                .init("Standing") { line in Badge(line).html },
                .init("Transaction") { line in span(.class("mono whole")) { line.transactionID ?? "–" } },
                .init("App") { line in AppAndEnvironment(apps: apps, app: line.app, isSandbox: line.isSandbox).html },
                .init("Signed") { line in TimeText(line.signedAt).shortHTML },
                .init("Received") { line in TimeText(line.receivedAt).relativeHTML(to: now) },
                .init("Deliveries", isNumber: true) { line in span { "\(line.deliveries)" } },
            ], rows: page.notifications
        ).html
    }

    private var nothing: HTML {
        if apps.isEmpty { return NoApps(slug: slug, canAdd: frame.canChangeApps).html }
        if query.isFiltered || query.after != nil {
            return EmptyState(.notifications, "No notification fits these filters") {
                p { a(.class("button"), .href(.notifications(slug, NotificationListQuery()))) { "All notifications" } }
            }.html
        }
        return EmptyState(.notifications, "Nothing has arrived yet") {
            p {
                "Paste the app's notification URL into App Store Connect (App Information, App Store Server Notifications, version 2) for Production and Sandbox, and request a test notification. It shows up here within seconds."
            }
            p { a(.class("button"), .href(.apps(slug))) { "Apps and their addresses" } }
        }.html
    }
}

extension Badge {
    init(_ line: NotificationLine) {
        switch line.standing {
        case .stored: self.init(text: "Stored", tone: .active)
        case .acted: self.init(text: "Acted on", tone: .good)
        case .nothingToDo where !line.isUnderstood: self.init(text: "Not understood", tone: .attention)
        case .nothingToDo: self.init(text: "Nothing to do", tone: .plain)
        case .setAside: self.init(text: "Set aside", tone: .bad)
        }
    }
}
