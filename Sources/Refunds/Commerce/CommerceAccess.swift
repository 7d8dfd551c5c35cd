package import FoundationEssentials
package import Tenants
package import Time

/// What stands between an app and Advanced Commerce in one environment. Two facts that are kept apart: Apple approved
/// the app, and the Account Holder accepted the addendum.
package struct CommerceAccess: Sendable, Hashable {
    /// As what Apple approved the app.
    package enum Approval: String, Sendable, CaseIterable {
        /// A very large catalogue of one-time purchases.
        case catalogue
        /// A very large catalogue of creators' subscriptions.
        case creators
        /// A subscription with add-ons that renew together.
        case addOns = "add-ons"
        /// A programme that brings it along, such as the one for mini apps.
        case programme
    }

    package enum Addendum: String, Sendable, CaseIterable {
        case unknown, accepted, refused
    }

    /// The refusal that no table explains.
    package struct Refusal: Sendable, Hashable {
        package let call: CommerceKind
        package let request: UUID?
        package let status: Int
        package let code: Int64?
        package let message: String?
        /// What Apple said, to the byte; the first 4 KiB.
        package let body: [UInt8]
        package let at: Moment

        package init(
            call: CommerceKind, request: UUID?, status: Int, code: Int64?, message: String?, body: [UInt8], at: Moment
        ) {
            self.call = call
            self.request = request
            self.status = status
            self.code = code
            self.message = message
            self.body = body
            self.at = at
        }
    }

    package let app: AppID
    package let environment: AppEnvironment
    package var approvedAs: Approval?
    package var approvedBy: PersonID?
    package var approvedAt: Moment?
    package var addendum: Addendum
    /// Said by a person.
    package var addendumVersion: String?
    /// `2026-03-01`; said by a person.
    package var addendumOn: String?
    package var decidedAt: Moment?
    /// Nil: an answer of Apple's decided.
    package var decidedBy: PersonID?
    /// The last call that went through.
    package var wentThroughAt: Moment?
    package var refusal: Refusal?
    /// Set: nothing is sent until somebody has looked.
    package var stoppedAt: Moment?
    package var checkedAt: Moment?

    package init(app: AppID, environment: AppEnvironment) {
        self.app = app
        self.environment = environment
        addendum = .unknown
    }

    package var isStopped: Bool { stoppedAt != nil }

    /// For the Account Holder, to be forwarded as it is.
    package func letter(app: App) -> String {
        var lines = [
            "To the Account Holder of the Apple Developer Program membership",
            "",
            "The app \(app.name) (\(app.bundleID)) asks Apple for refunds through the Advanced Commerce API. These calls need the Advanced Commerce API Addendum, which only the Account Holder can accept.",
        ]
        if let refusal {
            let code = refusal.code.map { ", code \($0)" } ?? ""
            lines.append(
                "On \(refusal.at.iso8601.prefix(10)) Apple refused such a call (\(environment.rawValue), \(refusal.call.rawValue), status \(refusal.status)\(code)) in a way that its documentation does not explain. A missing or outdated addendum is the likely cause."
            )
        }
        lines += [
            "",
            "Please sign in at https://developer.apple.com/account, open Agreements, and accept the newest version of the Advanced Commerce API Addendum if it is offered. Then tell whoever sent you this the date and the version, so that the waiting requests can go out.",
        ]
        return lines.joined(separator: "\n")
    }
}

/// What Apple expects beside the calls, and whether it is there.
package struct CommerceChecklist: Sendable, Hashable {
    /// Where the app offers a way to ask for a refund; nil: nobody has said.
    package var refundPath: String?
    /// Who answers for approvals.
    package var approvalsOwner: PersonID?
    /// Whether consumption requests can be answered: a key, and consent that is declared or reported.
    package var canReply: Bool

    package init(refundPath: String? = nil, approvalsOwner: PersonID? = nil, canReply: Bool = false) {
        self.refundPath = refundPath
        self.approvalsOwner = approvalsOwner
        self.canReply = canReply
    }
}

/// How the queue of one app and environment stands.
package struct CommerceQueue: Sendable, Hashable {
    package let app: AppID
    package let environment: AppEnvironment
    /// Requests that wait or are being sent, in the order of their turns.
    package let depth: Int
    package let oldestAt: Moment?
    /// Calls begun within the last hour.
    package let callsInLastHour: Int
    /// Calls that Apple allows in an hour.
    package let callsPerHour: Int
    /// Apple asked for no calls before it.
    package let pausedUntil: Moment?
    package let why: String?
    package let stoppedAt: Moment?

    package init(
        app: AppID, environment: AppEnvironment, depth: Int, oldestAt: Moment?, callsInLastHour: Int,
        callsPerHour: Int, pausedUntil: Moment?, why: String?, stoppedAt: Moment?
    ) {
        self.app = app
        self.environment = environment
        self.depth = depth
        self.oldestAt = oldestAt
        self.callsInLastHour = callsInLastHour
        self.callsPerHour = callsPerHour
        self.pausedUntil = pausedUntil
        self.why = why
        self.stoppedAt = stoppedAt
    }
}
