import Refunds
import Tenants
import Time

/// What we asked Apple for, newest first, and how the queues stand.
struct CommerceListPage {
    let frame: Frame
    let slug: String
    let query: CommerceListQuery
    let page: CommercePage
    let apps: [App]
    let queues: [CommerceQueue]
    let now: Moment

    var html: HTML {
        Layout(frame, title: "Requests to Apple").console {
            PageHeader(
                "Requests to Apple", lead: { "Refunds, revocations and cancellations that we asked Apple for." },
                beside: {
                    if frame.canAsk {
                        a(.class("button button-main"), .href(.newCommerceRequest(slug, PurchaseQuery()))) {
                            "New request"
                        }
                    }
                }
            ).html
            if let notice = query.ignored.notice { notice.html }
            for queue in queues where queue.stoppedAt != nil { stopped(queue) }
            search
            filters
            if page.requests.isEmpty { nothing } else { list }
            Pager(
                newest: query.after == nil ? nil : .commerceRequests(slug, query.from(nil)),
                older: page.next.map { .commerceRequests(slug, query.from($0)) }
            ).html
            if !queues.isEmpty { CommerceQueues(slug: slug, apps: apps, queues: queues, now: now).html }
        }
    }

    private func stopped(_ queue: CommerceQueue) -> HTML {
        guard let app = apps.first(where: { $0.id == queue.app }), let since = queue.stoppedAt else { return .empty }
        return Notice(
            .bad,
            "The queue of \(app.name) (\(app.environmentLabel(queue.environment))) stands since \(TimeText(since).short).",
            more:
                "Apple refused a call in a way that its documentation does not explain: perhaps the Advanced Commerce addendum is not accepted. Nothing is lost; \(queue.depth) wait until somebody has looked.",
            link: (CommerceLinks.access(slug, app), "What Apple said, and what to do")
        ).html
    }

    private var search: HTML {
        form(.class("search"), .get, .action(.commerceRequests(slug, CommerceListQuery())), .role("search")) {
            label(.class("unseen"), .for("look-up")) { "Find the requests of a transaction" }
            Icon.search.html
            input(
                .class("search-input"), .id("look-up"), .name("q"), .type("search"), .value(query.transaction ?? ""),
                .placeholder("Transaction or original transaction"), .autocomplete("off"), .noSpellcheck,
                .maxlength(200), .nicety("slash"))
            button(.class("button"), .type("submit")) { "Find" }
        }
    }

    private var filters: HTML {
        form(
            .class("filters"), .get, .action(.commerceRequests(slug, CommerceListQuery())),
            .ariaLabel("Filter the requests")
        ) {
            if let transaction = query.transaction { HiddenFields(fields: [("q", transaction)]).html }
            Field(
                "State", name: "state",
                choices: [("", "Any")]
                    + CommerceRequestState.allCases.map { ($0.rawValue, CommerceWords.label($0)) },
                selected: query.state?.rawValue
            ).html
            Field(
                "Kind", name: "kind",
                choices: [("", "Any")] + CommerceKind.allCases.map { ($0.rawValue, CommerceWords.label($0)) },
                selected: query.kind?.rawValue
            ).html
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
                    a(.class("quiet-link"), .href(.commerceRequests(slug, CommerceListQuery()))) { "Clear" }
                }
            }
        }
    }

    private var list: HTML {
        CommerceTable(
            slug: slug, requests: page.requests, apps: apps, caption: "Requests to Apple, newest first"
        ).html
    }

    private var nothing: HTML {
        if query.isFiltered || query.after != nil {
            return EmptyState(.commerce, "No request fits these filters") {
                p { a(.class("button"), .href(.commerceRequests(slug, CommerceListQuery()))) { "All requests" } }
            }.html
        }
        return EmptyState(.commerce, "Nothing was asked of Apple yet") {
            p {
                "For purchases made with the Advanced Commerce API you can ask Apple for a refund yourself: of single items, of a whole subscription, or for an end without money. Other purchases are refunded at the customer's own request only; those stand under Cases."
            }
            if frame.canAsk {
                p {
                    a(.class("button"), .href(.newCommerceRequest(slug, PurchaseQuery()))) { "Look up a purchase" }
                }
            }
        }.html
    }
}
