import Refunds

/// What `refund-desk doctor` would say of this tenant.
struct ChecksPage {
    let frame: Frame
    let slug: String
    let checks: [Check]

    var html: HTML {
        Layout(frame, title: "Checks").console {
            PageHeader("Checks") {
                "What replies depend on, looked at just now without calling Apple: the same as “refund-desk doctor” says."
            }.html
            verdict
            DataTable(
                caption: "Checks, the bad ones first",
                columns: [
                    .init("State") { check in badge(check.state) },
                    .init("What") { check in span(.class("mono")) { check.name } },
                    .init("Found") { check in
                        span { check.text }
                        if let remedy = check.remedy { self.remedy(remedy) }
                    },
                ], rows: inOrder
            ).html
        }
    }

    private var inOrder: [Check] {
        let states: [Check.State] = [.fail, .warn, .ok]
        return states.flatMap { state in checks.filter { $0.state == state } }
    }

    private func remedy(_ remedy: Remedy) -> HTML {
        span(.class("subtext")) {
            remedy.text
            if let place = remedy.place {
                " "
                link(place)
            }
        }
    }

    private func link(_ place: Remedy.Place) -> HTML {
        switch place {
        case .setUp(let bundleID): a(.href(.setup(slug, bundleID: bundleID, done: nil))) { "Set up \(bundleID)" }
        case .newApp: a(.href(.newApp(slug))) { "Add an app" }
        case .tokens: a(.href(.tokens(slug))) { "API tokens" }
        case .channels: a(.href(.channels(slug))) { "Channels" }
        }
    }

    private var verdict: HTML {
        let (bad, doubtful) = (checks.count { $0.state == .fail }, checks.count { $0.state == .warn })
        if bad > 0 { return Notice(.bad, "\(bad) of \(checks.count) checks failed.").html }
        if doubtful > 0 {
            return Notice(.attention, "Nothing failed; \(doubtful) of \(checks.count) want a look.").html
        }
        return Notice(.good, "All \(checks.count) checks are good.").html
    }

    private func badge(_ state: Check.State) -> HTML {
        switch state {
        case .ok: Badge(text: "OK", tone: .good).html
        case .warn: Badge(text: "Look", tone: .attention).html
        case .fail: Badge(text: "Failed", tone: .bad).html
        }
    }
}
