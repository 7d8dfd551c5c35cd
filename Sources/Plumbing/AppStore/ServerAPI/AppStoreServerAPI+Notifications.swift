package import HTTP
package import Journal
import Time

/// The calls about Apple's own notifications: what was sent, and a test of the way.
///
/// Source: App Store Server API, Get Notification History, Request a Test Notification, Get Test Notification
/// Status (read 2026-08).
extension AppStoreServerAPI {
    /// A page has twenty notifications, each some ten kilobytes.
    private static let pageBytesMax = 4 * 1024 * 1024

    /// Get Notification History: one page. It changes nothing at Apple, and proves key, issuer, bundle ID and
    /// environment.
    ///
    /// - Parameter page: the token of the page before; the request must be the same on every page.
    package func notificationHistory(
        _ history: NotificationHistoryRequest, page: String? = nil, environment: Environment, token: Redacted<String>,
        until deadline: Deadline = .never
    ) async -> HistoryResult {
        let query = page.map { "?paginationToken=\(segment($0))" } ?? ""
        var request = request(.post, environment, "/inApps/v1/notifications/history\(query)", token)
        request.headers.set("Content-Type", "application/json")
        request.body = history.bytes
        request.responseBytesMax = Self.pageBytesMax
        let (result, body) = await call(request, environment, "notification-history", until: deadline)
        guard case .accepted(let answer) = result else { return .failed(result) }
        guard let read = body.flatMap({ NotificationAnswers.read(NotificationAnswers.History.self, $0) }) else {
            return .failed(.retry(answer.saying("the answer holds no notificationHistory"), notBefore: nil))
        }
        // Without a usable one the next page would be this one, for ever.
        let next = read.paginationToken.flatMap { NotificationAnswers.isToken($0) && $0 != page ? $0 : nil }
        return .page(
            NotificationHistoryPage(
                items: read.items, paginationToken: read.hasMore ? next : nil, isCutOff: read.hasMore && next == nil,
                answer: answer))
    }

    /// Request a Test Notification: Apple sends a notification of type TEST to the URL of that environment, always
    /// in the form of version 2. Once a second at most.
    package func requestTestNotification(
        environment: Environment, token: Redacted<String>, until deadline: Deadline = .never
    ) async -> TestRequestResult {
        var request = request(.post, environment, "/inApps/v1/notifications/test", token)
        request.responseBytesMax = 64 * 1024
        let (result, body) = await call(request, environment, "test-notification", until: deadline)
        guard case .accepted(let answer) = result else { return .failed(result) }
        guard let read = body.flatMap({ NotificationAnswers.read(NotificationAnswers.TestToken.self, $0) }),
            NotificationAnswers.isToken(read.testNotificationToken)
        else { return .failed(.retry(answer.saying("the answer holds no testNotificationToken"), notBefore: nil)) }
        return .token(read.testNotificationToken, answer)
    }

    /// Get Test Notification Status: how Apple fared with a test. Once a second at most.
    package func testNotificationStatus(
        _ testToken: String, environment: Environment, token: Redacted<String>, until deadline: Deadline = .never
    ) async -> TestStatusResult {
        var request = request(.get, environment, "/inApps/v1/notifications/test/\(segment(testToken))", token)
        request.responseBytesMax = 256 * 1024
        let (result, body) = await call(request, environment, "test-notification-status", until: deadline)
        guard case .accepted(let answer) = result else { return .failed(result) }
        guard
            let sent = body.flatMap({ NotificationAnswers.read(NotificationAnswers.Item.self, $0)?.notification })
        else { return .failed(.retry(answer.saying("the answer holds no signedPayload"), notBefore: nil)) }
        return .status(sent, answer)
    }
}
