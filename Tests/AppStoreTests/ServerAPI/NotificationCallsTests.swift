import AppStore
import Foundation
import HTTP
import Journal
import Support
import Testing
import Time

@Suite("Calls about notifications", .timeLimit(.minutes(10)))
struct NotificationCallsTests {
    private typealias Apple = `App Store Server API`.Apple

    private static let request = NotificationHistoryRequest(
        start: Moment(milliseconds: 1_780_000_000_000), end: Moment(milliseconds: 1_780_003_600_000))

    private func history(_ body: String, page: String? = nil) async throws -> (HistoryResult, ScriptedServer) {
        let apple = try Apple(production: [.answer(200, body: body)])
        let result = await apple.api.notificationHistory(
            Self.request, page: page, environment: .production, token: Redacted("a.b.c"))
        return (result, apple.production)
    }

    private func page(_ body: String) async throws -> NotificationHistoryPage? {
        if case .page(let page) = try await history(body).0 { page } else { nil }
    }

    @Test(
        arguments: [
            (NotificationHistoryRequest.Filter?.none, false, #"{"startDate":1,"endDate":2}"#),
            (.type("TEST"), false, #"{"startDate":1,"endDate":2,"notificationType":"TEST"}"#),
            (
                .type("RENEWAL_EXTENSION", subtype: "SUMMARY"), true,
                #"{"startDate":1,"endDate":2,"notificationType":"RENEWAL_EXTENSION","notificationSubtype":"SUMMARY","onlyFailures":true}"#
            ),
            (.transaction("2\"1"), false, #"{"startDate":1,"endDate":2,"transactionId":"2\"1"}"#),
        ] as [(NotificationHistoryRequest.Filter?, Bool, String)])
    func `BL-108: the body has Apple's members and no others, and none that is empty`(
        filter: NotificationHistoryRequest.Filter?, onlyFailures: Bool, body: String
    ) {
        let request = NotificationHistoryRequest(
            start: Moment(milliseconds: 1), end: Moment(milliseconds: 2), filter: filter, onlyFailures: onlyFailures)
        #expect(String(decoding: request.bytes, as: UTF8.self) == body)
    }

    @Test func `BL-108: the first page is a POST without a token, the next one names it and repeats the body`()
        async throws
    {
        let (_, first) = try await history(#"{"hasMore":false,"notificationHistory":[]}"#)
        let (_, next) = try await history(#"{"hasMore":false,"notificationHistory":[]}"#, page: "a+/=b")
        let (one, two) = (try #require(first.received.first), try #require(next.received.first))
        #expect(one.method == "POST" && one.target == "/inApps/v1/notifications/history")
        #expect(two.target == "/inApps/v1/notifications/history?paginationToken=a%2B%2F%3Db")
        #expect(one.body == two.body && one.body == Self.request.bytes)
        #expect(one.field("Content-Type") == "application/json" && one.field("Authorization") == "Bearer a.b.c")
    }

    @Test func `BL-073: unknown results and members survive, and one odd item does not hide the rest`() async throws {
        let page = try await page(
            #"""
            {"paginationToken":"next","hasMore":true,"new":1,"notificationHistory":[
              {"signedPayload":"a.b.c","sendAttempts":[
                {"attemptDate":1780000000123,"sendAttemptResult":"SUCCESS"},
                {"attemptDate":"late","sendAttemptResult":"EATEN_BY_DOG"},{"sendAttemptResult":7},3]},
              {"sendAttempts":[]}, 4, {"signedPayload":"d.e.f"}]}
            """#)
        let found = try #require(page)
        #expect(found.paginationToken == "next" && found.hasMore)
        #expect(found.items.map(\.signedPayload) == ["a.b.c", "d.e.f"])
        let attempts = try #require(found.items.first?.attempts)
        #expect(attempts.map(\.result.raw) == ["SUCCESS", "EATEN_BY_DOG"])
        #expect(attempts[0].result == .success && attempts[1].result.known == nil)
        #expect(attempts[0].at == Moment(milliseconds: 1_780_000_000_123) && attempts[1].at == nil)
    }

    @Test(arguments: [
        "", "[]", "not JSON", "{}", #"{"hasMore":false}"#, #"{"hasMore":false,"notificationHistory":{}}"#,
    ])
    func `an answer that is no page is Apple's trouble`(body: String) async throws {
        guard case .failed(.retry(let answer, _)) = try await history(body).0 else {
            Issue.record("a page was made of \(body)")
            return
        }
        #expect(answer.status == 200)
    }

    @Test(arguments: [
        "", #""paginationToken":"","#, #""paginationToken":7,"#, #""paginationToken":"same","#,
    ])
    func `BL-109: more pages and no new way to them: this page counts, and the walk ends`(token: String) async throws {
        let (result, _) = try await history(
            #"{"hasMore":true,\#(token)"notificationHistory":[{"signedPayload":"a.b.c"}]}"#, page: "same")
        guard case .page(let page) = result else {
            Issue.record("the page is lost")
            return
        }
        #expect(page.isCutOff && !page.hasMore && page.items.count == 1)
    }

    @Test func `BL-109: a token without more pages leads nowhere`() async throws {
        let page = try #require(try await page(#"{"hasMore":false,"paginationToken":"x","notificationHistory":[]}"#))
        #expect(!page.hasMore && !page.isCutOff)
    }

    @Test func `a test is asked for by a POST without a body, and its token is returned`() async throws {
        let apple = try Apple(sandbox: [.answer(200, body: #"{"testNotificationToken":"T_1"}"#)])
        guard
            case .token("T_1", _) = await apple.api.requestTestNotification(
                environment: .sandbox, token: Redacted("a.b.c"))
        else {
            Issue.record("no token")
            return
        }
        let seen = try #require(apple.sandbox.received.first)
        #expect(seen.method == "POST" && seen.target == "/inApps/v1/notifications/test" && seen.body.isEmpty)
        #expect(apple.production.received.isEmpty)
    }

    @Test(arguments: [#"{"testNotificationToken":""}"#, "{}", #"{"testNotificationToken":7}"#, "OK"])
    func `an answer without a test's token is Apple's trouble`(body: String) async throws {
        let apple = try Apple(production: [.answer(200, body: body)])
        guard
            case .failed(.retry) = await apple.api.requestTestNotification(
                environment: .production, token: Redacted("t"))
        else {
            Issue.record("a token was made of \(body)")
            return
        }
    }

    @Test func `no URL, no result yet and a bad token keep their codes`() async throws {
        for code: Int64 in [4_040_007, 4_040_008, 4_000_020] {
            let apple = try Apple(
                production: [.answer(Int(code / 10_000), body: #"{"errorCode":\#(code),"errorMessage":"x"}"#)])
            guard
                case .failed(.refused(let answer)) = await apple.api.testNotificationStatus(
                    "T", environment: .production, token: Redacted("t"))
            else {
                Issue.record("\(code) was not refused")
                continue
            }
            #expect(answer.code == code)
        }
    }

    @Test func `a status has the newest attempt, whatever the order`() async throws {
        let apple = try Apple(production: [
            .answer(
                200,
                body:
                    #"{"signedPayload":"a.b.c","sendAttempts":[{"attemptDate":2000,"sendAttemptResult":"TIMED_OUT"},{"attemptDate":1000,"sendAttemptResult":"TLS_ISSUE"}]}"#
            )
        ])
        guard
            case .status(let record, _) = await apple.api.testNotificationStatus(
                "T/1", environment: .production, token: Redacted("t"))
        else {
            Issue.record("no status")
            return
        }
        #expect(record.newestAttempt?.result.known == .timedOut)
        #expect(apple.production.received.map(\.target) == ["/inApps/v1/notifications/test/T%2F1"])
    }

    @Test func `BL-018: every answer, an accepted one too, tells how the clocks stand`() async throws {
        let apple = try Apple(
            production: [
                .answer(
                    200, fields: [("Date", "Thu, 28 May 2026 20:16:40 GMT")],
                    body: #"{"hasMore":false,"notificationHistory":[]}"#)
            ])
        guard
            case .page(let page) = await apple.api.notificationHistory(
                Self.request, environment: .production, token: Redacted("t"))
        else {
            Issue.record("no page")
            return
        }
        // The clock of these tests stands at 2026-05-28 20:26:40.
        #expect(page.answer.clockOffset == .seconds(600))
    }
}
