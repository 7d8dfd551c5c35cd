import Refunds

/// What is left before an app is ready; in sight until nothing is.
struct SetupReadiness {
    let items: [ReadinessItem]
    let name: String

    private var left: [ReadinessItem] { items.filter { $0.state != .done } }

    var html: HTML {
        div(.class("readiness-body"), .live("readiness"), .role("status")) {
            section(.class("panel readiness-wide")) {
                h2 { heading }
                list
            }
            details(.class("readiness-narrow")) {
                summary { brief }
                list
            }
        }
    }

    private var heading: String { left.isEmpty ? "Nothing is left" : "What is left" }

    /// One line for narrow screens.
    private var brief: String {
        guard let next = left.first else { return "Nothing is left: \(name) is ready" }
        return "\(left.count) left · next: \(title(next))"
    }

    private func title(_ item: ReadinessItem) -> String { SetupStep(item.step)?.title ?? item.step.rawValue }

    private var list: HTML {
        if left.isEmpty {
            return p(.class("quiet")) {
                "Refund requests for \(name) are answered from here on. Each step may be repeated."
            }
        }
        return ul(.class("readiness-list")) {
            for item in left {
                li(.class("readiness-item", item.state == .trouble ? .bad : .attention)) {
                    div {
                        a(.href(fragment: item.step.rawValue)) { title(item) }
                        span(.class("readiness-text")) { item.text }
                    }
                }
            }
        }
    }
}
