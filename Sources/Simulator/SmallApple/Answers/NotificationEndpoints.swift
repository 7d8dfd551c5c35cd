import HTTP
import Time

/// Request a Test Notification, its status, and Get Notification History.
///
/// Source: the pages of these endpoints (apple sheet 1.7, 1.8).
struct NotificationEndpoints {
    let shelves: Shelves
    /// Signs and posts a TEST notification; returns its UUID.
    let sendTest: @Sendable (RegisteredApp, StoreEnvironment) throws -> String

    private static let pageMax = 20

    var all: [Endpoint] {
        [
            Endpoint(
                method: .post, pattern: "/inApps/v1/notifications/test", perSecond: 1,
                answer: { caller throws(AppleError) in try requestTest(caller) }),
            Endpoint(
                method: .get, pattern: "/inApps/v1/notifications/test/{testNotificationToken}", perSecond: 1,
                answer: { caller throws(AppleError) in try testStatus(caller) }),
            Endpoint(
                method: .post, pattern: "/inApps/v1/notifications/history", perSecond: 50,
                answer: { caller throws(AppleError) in try history(caller) }),
        ]
    }

    private func requestTest(_ caller: Caller) throws(AppleError) -> Answer {
        guard caller.app.notificationURLs[caller.environment] != nil else { throw .serverNotificationURLNotFound }
        guard let uuid = try? sendTest(caller.app, caller.environment) else { throw .generalInternal }
        let token = "\(uuid)_\(caller.now.milliseconds)"
        shelves.put(testToken: token, notification: uuid, in: caller.environment)
        return .json(["testNotificationToken": .string(token)])
    }

    private func testStatus(_ caller: Caller) throws(AppleError) -> Answer {
        let token = caller.parameter("testNotificationToken")
        guard token.utf8.count > 37, isUUID(String(token.prefix(36))), token.dropFirst(36).hasPrefix("_") else {
            throw .invalidTestNotificationToken
        }
        guard let notification = shelves.notification(testToken: token, in: caller.environment),
            notification.bundleID == caller.app.bundleID, !notification.attempts.isEmpty
        else { throw .testNotificationNotFound }
        return .json(Self.item(notification))
    }

    private func history(_ caller: Caller) throws(AppleError) -> Answer {
        let search = try NotificationSearch(caller)
        var customer: String?
        if let id = search.transactionID {
            customer = try TransactionLookup(shelves: shelves).find(id, for: caller, allowsAppTransactionID: false)
                .customer
        }
        let found = shelves.notifications(of: caller.app.bundleID, in: caller.environment) { notification in
            // Only those of version 2 are kept.
            notification.versionOne == nil && notification.isSent && search.wants(notification)
                && (customer == nil || notification.customer == customer)
        }
        let rest = found.dropFirst(search.skip)
        let page = rest.prefix(Self.pageMax)
        let hasMore = rest.count > page.count
        var members: JSONObject = [:]
        if hasMore { members["paginationToken"] = .string(search.token(after: search.skip + page.count)) }
        members["hasMore"] = .bool(hasMore)
        members["notificationHistory"] = .array(page.map(Self.item))
        return .json(.object(members))
    }

    /// The payload as it was first sent, and the attempts: at most six.
    private static func item(_ notification: SentNotification) -> JSON {
        [
            "signedPayload": .string(notification.signedPayload),
            "sendAttempts": .array(
                notification.attempts.prefix(6).map { attempt in
                    ["attemptDate": .int(attempt.at.milliseconds), "sendAttemptResult": .string(attempt.result)]
                }),
        ]
    }
}
