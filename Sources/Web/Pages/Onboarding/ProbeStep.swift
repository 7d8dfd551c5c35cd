import Refunds
import Tenants
import Time

/// Step 3: the key is tried against each environment; what Apple refuses is explained.
struct ProbeStep {
    let page: SetupPage

    var html: HTML {
        Step(
            .probe, of: page,
            lead: isRehearsal
                ? "The key asks the simulator for the last hour of this app's notification history. That proves key, issuer and bundle ID together, and changes nothing."
                : "The key asks Apple for the last hour of this app's notification history. That proves key, issuer, bundle ID and environment together, and changes nothing."
        ) {
            page.answer(to: .probe)
            live
            if page.canChange, !page.model.keys.isEmpty {
                Web.form(.post, page.action(.probe)) {
                    button(.class("button"), .type("submit")) { tried ? "Try again" : "Try the key" }
                }
            }
        }.html
    }

    private var isRehearsal: Bool { page.model.app.isRehearsal }
    private var tried: Bool { page.model.environments.contains { $0.trial != nil } }

    var live: HTML {
        div(.class("pair"), .live("probe")) {
            for environment in page.model.environments { card(environment) }
        }
    }

    private func card(_ environment: SetupEnvironment) -> HTML {
        div(.class("side-card")) {
            div(.class("side-card-head")) {
                strong { environment.name }
                badge(environment.trial?.result).html
            }
            if let call = environment.call { told(call, isNewest: environment.trial?.source == .call) }
            if let probe = environment.probe {
                words(probe.words)
                span(.class("subtext")) {
                    "tried "
                    if let keyID = probe.keyID {
                        "with key "
                        span(.class("mono")) { keyID }
                        ", "
                    }
                    TimeText(probe.at).shortHTML
                }
            } else if environment.call == nil {
                p(.class("quiet")) { page.model.keys.isEmpty ? "Waits for a key." : "Not tried yet." }
            }
            if let trouble = environment.trouble {
                Notice(
                    .attention, "A newer try told nothing; what is said above still stands.",
                    more: trouble.words.summary
                ).html
                if !trouble.words.left.isEmpty { list("Left to check", trouble.words.left, isOrdered: true) }
                span(.class("subtext")) {
                    "tried "
                    TimeText(trouble.at).shortHTML
                }
            }
        }
    }

    private func words(_ words: ProbeWords) -> HTML {
        var html = p { words.summary }
        if let cause = words.cause { html.append(p { strong { cause } }) }
        if !words.ruledOut.isEmpty { html.append(list("Ruled out", words.ruledOut, isOrdered: false)) }
        if !words.left.isEmpty { html.append(list("Left to check, in this order", words.left, isOrdered: true)) }
        for remark in words.remarks { html.append(p(.class("quiet")) { remark }) }
        return html
    }

    /// What a reply told of the key, beside what a try did.
    private func told(_ call: KeyCall, isNewest: Bool) -> HTML {
        let asker = isRehearsal ? "The simulator" : "Apple"
        let text =
            call.isAccepted
            ? "\(asker) took a reply of this app that was signed with this key."
            : "\(asker) refused a reply of this app that was signed with this key (401)."
        return p {
            if isNewest { strong { text } } else { text }
            " "
            span(.class("subtext")) { TimeText(call.at).shortHTML }
        }
    }

    private func list(_ title: String, _ lines: [String], isOrdered: Bool) -> HTML {
        var html = h3 { title }
        html.append(
            isOrdered
                ? ol(.class("numbered")) { for line in lines { li { line } } }
                : ul(.class("dashed")) { for line in lines { li { line } } })
        return html
    }

    private func badge(_ result: Probe.Result?) -> Badge {
        switch result {
        case nil: Badge(text: "Not tried", tone: .plain)
        case .accepted: Badge(text: "Accepted", tone: .good)
        case .refused: Badge(text: "Refused", tone: .bad)
        case .unreachable: Badge(text: "Not reached", tone: .attention)
        case .limited: Badge(text: "Too many calls", tone: .attention)
        case .odd: Badge(text: "Odd answer", tone: .attention)
        }
    }
}
