import Refunds
import Tenants
import Time

/// How many requests wait, in which order, and how much of Apple's hour is used.
struct CommerceQueues {
    let slug: String
    let apps: [App]
    let queues: [CommerceQueue]
    let now: Moment

    var html: HTML {
        section(.class("panel"), .ariaLabelledBy("queues")) {
            h2(.id("queues")) { "Queues" }
            p(.class("quiet")) {
                "Each app and environment has a queue of its own; requests go out in the order in which they were handed in or approved."
            }
            DataTable(
                caption: "Queues by app and environment",
                columns: [
                    .init("App") { queue in
                        AppAndEnvironment(
                            apps: apps, app: queue.app, isSandbox: queue.environment == .sandbox
                        ).html
                    },
                    .init("Waiting", isNumber: true) { queue in waiting(queue) },
                    .init("Oldest") { queue in
                        if let oldest = queue.oldestAt {
                            TimeText(oldest).relativeHTML(to: now)
                        } else {
                            span(.class("quiet")) { "–" }
                        }
                    },
                    .init("Calls in the last hour", isNumber: true) { queue in
                        "\(queue.callsInLastHour) of \(queue.callsPerHour)"
                    },
                    .init("State") { queue in state(queue) },
                ], rows: queues
            ).html
        }
    }

    private func waiting(_ queue: CommerceQueue) -> HTML {
        guard queue.depth > 0, let app = apps.first(where: { $0.id == queue.app }) else {
            return span { "\(queue.depth)" }
        }
        var query = CommerceListQuery()
        query.app = app.bundleID
        query.state = .queued
        if !app.isRehearsal { query.environment = queue.environment.rawValue }
        return a(.href(.commerceRequests(slug, query))) { "\(queue.depth)" }
    }

    private func state(_ queue: CommerceQueue) -> HTML {
        if let since = queue.stoppedAt {
            return Badge(text: "Stands", tone: .bad).html
                .and(span(.class("subtext")) { "since \(TimeText(since).short)" })
        }
        if let until = queue.pausedUntil {
            return Badge(text: "Pauses", tone: .attention).html
                .and(
                    span(.class("subtext")) {
                        "until \(TimeText(until).short)" + (queue.why.map { ": \($0)" } ?? "")
                    })
        }
        return Badge(text: "Goes on", tone: .good).html
    }
}
