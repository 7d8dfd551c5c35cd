import Refunds
import Tenants

/// What is left before an app is ready; in sight until nothing is.
struct SetupReadiness {
    let items: [ReadinessItem]
    let name: String
    /// Of apps that have to do with Advanced Commerce, and the page where it is settled.
    var commerce: (readiness: CommerceReadiness, page: Site)?
    var environmentName: (AppEnvironment) -> String = { $0.rawValue }

    private var left: [ReadinessItem] { items.filter { $0.state != .done } }

    private var commerceLeft: (readiness: CommerceReadiness, page: Site)? {
        commerce.flatMap { $0.readiness.isUsed && $0.readiness.state != .done ? $0 : nil }
    }

    private var isReady: Bool { left.isEmpty && commerceLeft == nil }

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

    private var heading: String { isReady ? "Nothing is left" : "What is left" }

    /// One line for narrow screens.
    private var brief: String {
        if isReady { return "Nothing is left: \(name) is ready" }
        let next = left.first.map(title) ?? Self.commerceTitle
        return "\(left.count + (commerceLeft == nil ? 0 : 1)) left · next: \(next)"
    }

    private static let commerceTitle = "Advanced Commerce"

    private func title(_ item: ReadinessItem) -> String { SetupStep(item.step)?.title ?? item.step.rawValue }

    private var list: HTML {
        if isReady {
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
            if let (readiness, page) = commerceLeft {
                li(.class("readiness-item", readiness.state == .trouble ? .bad : .attention)) {
                    div {
                        a(.href(page)) { Self.commerceTitle }
                        for line in readiness.lines where line.state != .done {
                            span(.class("readiness-text")) { "\(environmentName(line.environment)): \(line.brief)." }
                        }
                    }
                }
            }
        }
    }
}
