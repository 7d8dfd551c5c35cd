import AppStore
package import FoundationEssentials
import Postgres
import Tenants
package import Time

/// One TEST notification that Apple was asked for.
package struct TestNotification: Sendable, Hashable {
    package enum State: String, Sendable, CaseIterable {
        /// Apple was asked; neither the notification nor Apple's report of it is here.
        case asked
        /// It came in here, and its signature was verified.
        case arrived
        /// Apple reports a failure, or reports nothing in time. It may still arrive.
        case notArrived = "not-arrived"
        /// Apple did not take the request, or could not be asked.
        case refused
    }

    package let id: UUID
    package let isSandbox: Bool
    package let askedAt: Moment
    package let state: State
    package let notification: UUID?
    package let arrivedAt: Moment?
    /// When Apple was last asked how it fared.
    package let lookedAt: Moment?
    /// Apple's `sendAttemptResult` of the newest attempt, as it came.
    package let sendAttemptResult: String?
    package let attemptedAt: Moment?
    package let status: Int?
    package let appleCode: Int64?
    /// Apple's words or the network's, at most 500 characters.
    package let detail: String
    /// Apple's `testNotificationToken`.
    let token: String?

    package var environment: String { isSandbox ? "Sandbox" : "Production" }
    /// From asking to arrival.
    package var took: Duration? { arrivedAt.map { $0 - askedAt } }

    package init(
        id: UUID, isSandbox: Bool, askedAt: Moment, state: State, notification: UUID? = nil, arrivedAt: Moment? = nil,
        lookedAt: Moment? = nil, sendAttemptResult: String? = nil, attemptedAt: Moment? = nil, status: Int? = nil,
        appleCode: Int64? = nil, detail: String = "", token: String? = nil
    ) {
        self.id = id
        self.isSandbox = isSandbox
        self.askedAt = askedAt
        self.state = state
        self.notification = notification
        self.arrivedAt = arrivedAt
        self.lookedAt = lookedAt
        self.sendAttemptResult = sendAttemptResult
        self.attemptedAt = attemptedAt
        self.status = status
        self.appleCode = appleCode
        self.detail = detail
        self.token = token
    }
}

extension TestNotification {
    init(_ row: Row) throws {
        let environment: String = try row("environment")
        let state: String = try row("state")
        let status: Int32? = try row("status")
        self.init(
            id: try row("test_id"), isSandbox: environment == "Sandbox", askedAt: try row("asked_at"),
            state: State(rawValue: state) ?? .refused, notification: try row("notification_uuid"),
            arrivedAt: try row("arrived_at"), lookedAt: try row("looked_at"),
            sendAttemptResult: try row("send_attempt_result"), attemptedAt: try row("attempted_at"),
            status: status.map { Int($0) }, appleCode: try row("apple_code"), detail: try row("detail"),
            token: try row("token"))
    }
}
