import Tenants
import Time

/// API tokens that end: whoever uses one must hear of it before its end, or learn why calls are refused since.
enum TokenChecks {
    static func of(_ tokens: [APITokenSummary], _ tenant: Tenant, at now: Moment) -> [Check] {
        tokens.compactMap { token in
            guard let end = token.expiresAt, let used = token.lastUsedOn else { return nil }
            let name = "token \(tenant.slug)/\(token.prefix)"
            let called = token.name.isEmpty ? token.prefix : "\(token.name) (\(token.prefix))"
            let remedy = Remedy(
                "Make its successor and give it to whoever uses this one.", at: .tokens,
                command: "refund-desk token add --tenant \(tenant.slug) --scope S")
            if token.endsSoon(at: now) {
                return .warn(
                    name, "The API token \(called) ends at \(end.iso8601), and was used last on \(used).", remedy)
            }
            // Days in UTC, as they were noted: until its last day it was in use, or it is since.
            guard token.hasEnded(at: now), used >= (end - .days(1)).iso8601.prefix(10) else { return nil }
            return .warn(
                name,
                "The API token \(called) has ended at \(end.iso8601), and was tried last on \(used): its calls are refused.",
                remedy)
        }
    }
}
