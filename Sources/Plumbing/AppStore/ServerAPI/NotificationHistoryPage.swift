import FoundationEssentials
import Time

/// One page of Get Notification History.
package struct NotificationHistoryPage: Sendable {
    package let items: [NotificationRecord]
    /// Asks for the next page, together with the same body; nil on the last one.
    package let paginationToken: String?
    /// Apple says that there is more, and gives no usable way to it: the token is missing, or leads to this page again.
    package let isCutOff: Bool
    package var hasMore: Bool { paginationToken != nil }
    /// Apple's answer itself: status, time, and how our clock stands to Apple's.
    package let answer: AppleAnswer

    package init(
        items: [NotificationRecord], paginationToken: String?, isCutOff: Bool = false, answer: AppleAnswer
    ) {
        self.items = items
        self.paginationToken = paginationToken
        self.isCutOff = isCutOff
        self.answer = answer
    }
}

/// What came of asking for a page.
package enum HistoryResult: Sendable {
    case page(NotificationHistoryPage)
    case failed(CallResult)
}

/// What came of Request a Test Notification.
package enum TestRequestResult: Sendable {
    /// Apple's `testNotificationToken`; usable for about six months.
    case token(String, AppleAnswer)
    /// 404 with 4040007 among it: no URL for this environment.
    case failed(CallResult)
}

/// What came of Get Test Notification Status.
package enum TestStatusResult: Sendable {
    case status(NotificationRecord, AppleAnswer)
    /// 404 with 4040008 among it: not yet.
    case failed(CallResult)
}

/// The bodies of the three answers. A member that is missing or of a strange kind counts as absent, so that
/// one odd attempt does not hide the rest.
enum NotificationAnswers {
    /// Bytes of a token that is kept or put into a URL.
    static let tokenBytesMax = 2048

    struct History: Decodable {
        let paginationToken: String?
        let hasMore: Bool
        let items: [NotificationRecord]

        private enum CodingKeys: String, CodingKey { case paginationToken, hasMore, notificationHistory }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            paginationToken = try? members.decode(String.self, forKey: .paginationToken)
            hasMore = (try? members.decode(Bool.self, forKey: .hasMore)) ?? false
            // Without the list it is no page; an item that cannot be read is left out of it.
            items = try members.decode([Item].self, forKey: .notificationHistory).compactMap(\.notification)
        }
    }

    struct Item: Decodable {
        let notification: NotificationRecord?

        private enum CodingKeys: String, CodingKey { case signedPayload, sendAttempts }

        init(from decoder: any Decoder) throws {
            guard let members = try? decoder.container(keyedBy: CodingKeys.self),
                let payload = try? members.decode(String.self, forKey: .signedPayload)
            else {
                notification = nil
                return
            }
            let attempts = (try? members.decode([Attempt].self, forKey: .sendAttempts)) ?? []
            notification = NotificationRecord(
                signedPayload: payload,
                attempts: attempts.prefix(NotificationRecord.attemptsMax).compactMap(\.attempt))
        }
    }

    struct Attempt: Decodable {
        let attempt: SendAttempt?

        private enum CodingKeys: String, CodingKey { case attemptDate, sendAttemptResult }

        init(from decoder: any Decoder) throws {
            guard let members = try? decoder.container(keyedBy: CodingKeys.self),
                let result = try? members.decode(String.self, forKey: .sendAttemptResult)
            else {
                attempt = nil
                return
            }
            let date = try? members.decode(Int64.self, forKey: .attemptDate)
            attempt = SendAttempt(at: date.map { Moment(milliseconds: $0) }, result: Known(String(result.prefix(100))))
        }
    }

    struct TestToken: Decodable {
        let testNotificationToken: String
    }

    static func read<Body: Decodable>(_ type: Body.Type, _ body: [UInt8]) -> Body? {
        try? JSONDecoder().decode(type, from: Data(body))
    }

    static func isToken(_ text: String) -> Bool { !text.isEmpty && text.utf8.count <= tokenBytesMax }
}
