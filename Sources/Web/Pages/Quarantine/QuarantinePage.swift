import Refunds
import Tenants
import Time

/// Deliveries that were refused or that contradict themselves, each with its reason and what to do.
struct QuarantinePage {
    let frame: Frame
    let slug: String
    let query: RefusalListQuery
    let page: RefusalPage
    let counts: [RefusalCount]
    let apps: [App]
    let now: Moment

    var html: HTML {
        Layout(frame, title: "Quarantine").console {
            PageHeader("Quarantine") {
                "Deliveries that were refused, kept with the reason. Nothing here was acted on."
            }.html
            if let notice = query.ignored.notice { notice.html }
            hints
            if !counts.isEmpty {
                section(.class("panel"), .ariaLabelledBy("last-day")) {
                    h2(.id("last-day")) { "Last 24 hours" }
                    ul(.class("tally")) {
                        for count in counts {
                            li(.class("tally-item")) {
                                strong { "\(count.count)" }
                                " "
                                RefusalWords.title(count.reason)
                            }
                        }
                    }
                }
            }
            if apps.isEmpty {
                NoApps(slug: slug, canAdd: frame.canChangeApps).html
            } else if page.refusals.isEmpty {
                EmptyState(.quarantine, "Nothing is in quarantine") {
                    p { "Deliveries that cannot be believed or understood would be kept here, with the reason." }
                }.html
            } else {
                list
            }
            Pager(
                newest: query.after == nil ? nil : .quarantine(slug, from(nil)),
                older: page.next.map { .quarantine(slug, from($0)) }
            ).html
        }
    }

    private func from(_ cursor: RefusalCursor?) -> RefusalListQuery {
        var copy = query
        copy.after = cursor
        return copy
    }

    /// What a person can do about what is on this page, once for each kind.
    private var hints: HTML {
        var kinds: [String] = []
        for refusal in page.refusals where !kinds.contains(refusal.reason) { kinds.append(refusal.reason) }
        var html = HTML.empty
        for kind in kinds {
            if let hint = RefusalWords.hint(kind) {
                html.append(Notice(.attention, RefusalWords.title(kind), more: hint).html)
            }
        }
        return html
    }

    private var list: HTML {
        DataTable(
            caption: "Refused deliveries, newest first",
            columns: [
                .init("Received") { line in TimeText(line.receivedAt).shortHTML },
                .init("Reason") { line in
                    strong { RefusalWords.title(line.reason) }
                    span(.class("subtext")) { line.detail }
                },
                .init("App") { line in AppAndEnvironment(apps: apps, app: line.app).html },
                .init("Size", isNumber: true) { line in span { "\(line.bytes) bytes" } },
                .init("Sender") { line in
                    if let agent = line.userAgent { span(.class("subtext")) { agent } }
                    if let forwarded = line.forwardedFor { span(.class("subtext mono")) { forwarded } }
                    if let id = line.notificationID {
                        a(.href(.notification(slug, id))) { "The notification" }
                    } else if line.userAgent == nil && line.forwardedFor == nil {
                        span(.class("quiet")) { "–" }
                    }
                },
            ], rows: page.refusals
        ).html
    }
}
