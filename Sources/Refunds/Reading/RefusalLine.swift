package import FoundationEssentials
package import Tenants
package import Time

/// A delivery that was refused or that contradicts itself: kept with its reason, acted on by nobody.
package struct RefusalLine: Hashable, Sendable {
    package let app: AppID
    /// Counts an app's refusals; names this one for ever.
    package let number: Int64
    package let receivedAt: Moment
    /// A code, one per failed check.
    package let reason: String
    package let detail: String
    /// Set where an accepted notification was set aside later.
    package let notificationID: UUID?
    package let bytes: Int
    package let userAgent: String?
    package let forwardedFor: String?

    package init(
        app: AppID, number: Int64, receivedAt: Moment, reason: String, detail: String, notificationID: UUID? = nil,
        bytes: Int, userAgent: String? = nil, forwardedFor: String? = nil
    ) {
        self.app = app
        self.number = number
        self.receivedAt = receivedAt
        self.reason = reason
        self.detail = detail
        self.notificationID = notificationID
        self.bytes = bytes
        self.userAgent = userAgent
        self.forwardedFor = forwardedFor
    }
}

/// The place in a list of refusals after which the next page begins: `<milliseconds>.<number>`.
package struct RefusalCursor: Hashable, Sendable {
    package let at: Moment
    package let number: Int64

    package init(at: Moment, number: Int64) {
        self.at = at
        self.number = number
    }

    package init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let at = Int64(parts[0]), let number = Int64(parts[1]),
            abs(at) < 253_402_300_800_000, "\(at).\(number)" == text
        else { return nil }
        self.init(at: Moment(milliseconds: at), number: number)
    }

    package var text: String { "\(at.milliseconds).\(number)" }
}

/// Up to a page of refusals, newest first.
package struct RefusalPage: Sendable {
    package let refusals: [RefusalLine]
    package let next: RefusalCursor?

    package init(refusals: [RefusalLine], next: RefusalCursor?) {
        self.refusals = refusals
        self.next = next
    }
}

/// How often a reason occurred lately, stored or only counted.
package struct RefusalCount: Hashable, Sendable {
    package let reason: String
    package let count: Int64

    package init(reason: String, count: Int64) {
        self.reason = reason
        self.count = count
    }
}
