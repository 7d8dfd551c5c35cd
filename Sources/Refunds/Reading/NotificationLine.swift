import AppStore
package import FoundationEssentials
package import Tenants
package import Time

/// A notification as a list shows it.
package struct NotificationLine: Hashable, Sendable, Identifiable {
    package enum Standing: String, Sendable {
        /// Not worked on yet; what it carries is not verified yet.
        case stored
        /// It changed a case, or gave the transaction a newer form.
        case acted
        case nothingToDo = "nothing-to-do"
        /// It contradicts itself: kept in quarantine, acted on by nobody.
        case setAside = "set-aside"
    }

    /// `notificationUUID`
    package let id: UUID
    package let app: AppID
    package let isSandbox: Bool
    /// `notificationType` as Apple wrote it.
    package let type: String
    package let subtype: String?
    package let signedAt: Moment
    package let receivedAt: Moment
    /// `posted` by Apple, or fetched from the `history`.
    package let source: String
    package let deliveries: Int
    package let standing: Standing
    /// Nil until the inner signature was verified, and for notifications without a transaction.
    package let transactionID: String?

    package init(
        id: UUID, app: AppID, isSandbox: Bool = false, type: String, subtype: String? = nil, signedAt: Moment,
        receivedAt: Moment, source: String = "posted", deliveries: Int = 1, standing: Standing,
        transactionID: String? = nil
    ) {
        self.id = id
        self.app = app
        self.isSandbox = isSandbox
        self.type = type
        self.subtype = subtype
        self.signedAt = signedAt
        self.receivedAt = receivedAt
        self.source = source
        self.deliveries = deliveries
        self.standing = standing
        self.transactionID = transactionID
    }
}

extension NotificationLine {
    /// In Apple's words.
    package var environment: String { isSandbox ? "Sandbox" : "Production" }

    /// False for a type that nobody knew when this was written: it is kept in its own words and acted on by nobody.
    package var isUnderstood: Bool { NotificationType(rawValue: type) != nil }
}

/// Up to a page of notifications, newest first.
package struct NotificationPage: Sendable {
    package let notifications: [NotificationLine]
    package let next: ListCursor?

    package init(notifications: [NotificationLine], next: ListCursor?) {
        self.notifications = notifications
        self.next = next
    }
}

/// What a list of notifications is narrowed to.
package struct NotificationFilter: Hashable, Sendable {
    /// Nil: both environments.
    package var isSandbox: Bool?
    package var apps: Set<AppID> = []
    package init() {}
}

/// One notification with what it says.
package struct NotificationStory: Sendable {
    package let line: NotificationLine
    /// The verified payload's JSON, as Apple signed it; nil once it was forgotten.
    package let payload: String?
    /// What was inside, by member name, decoded; only where its own signature was verified.
    package let parts: [(name: String, json: String)]
    /// The case of its transaction, where there is one.
    package let caseID: UUID?
    /// Apple's attempts to deliver one that was fetched: when, and how each ended in Apple's words.
    package let sendAttempts: [(at: Moment?, result: String)]

    package init(
        line: NotificationLine, payload: String?, parts: [(name: String, json: String)], caseID: UUID?,
        sendAttempts: [(at: Moment?, result: String)] = []
    ) {
        self.sendAttempts = sendAttempts
        self.line = line
        self.payload = payload
        self.parts = parts
        self.caseID = caseID
    }
}
