import AppStore
import Foundation
import HTTP
import Journal
import Support
import Testing
import Time

@Suite("Calls about a customer's records", .timeLimit(.minutes(10)))
struct RecordCallsTests {
    private typealias Apple = `App Store Server API`.Apple

    private enum List: CaseIterable { case history, refunds }

    private func ask(
        _ list: List, _ body: String, status: Int = 200, revision: String? = nil
    ) async throws -> (TransactionsResult, ScriptedServer) {
        let apple = try Apple(production: [.answer(status, body: body)])
        let result =
            switch list {
            case .history:
                await apple.api.transactionHistory(
                    of: "2000000900000001", revision: revision, environment: .production, token: Redacted("a.b.c"))
            case .refunds:
                await apple.api.refundHistory(
                    of: "2000000900000001", revision: revision, environment: .production, token: Redacted("a.b.c"))
            }
        return (result, apple.production)
    }

    private static let empty = #"{"hasMore":false,"revision":"r","signedTransactions":[]}"#

    @Test func `BL-108: the first page names no revision, and an empty one is left out too`() async throws {
        for revision in [nil, ""] {
            let (_, history) = try await ask(.history, Self.empty, revision: revision)
            let (_, refunds) = try await ask(.refunds, Self.empty, revision: revision)
            #expect(history.received.first?.target == "/inApps/v2/history/2000000900000001")
            #expect(refunds.received.first?.target == "/inApps/v2/refund/lookup/2000000900000001")
            #expect(history.received.first?.method == "GET" && history.received.first?.body.isEmpty == true)
        }
        let (_, next) = try await ask(.refunds, Self.empty, revision: "a/b+c=")
        #expect(next.received.first?.target == "/inApps/v2/refund/lookup/2000000900000001?revision=a%2Fb%2Bc%3D")
    }

    @Test func `a page gives its transactions, its revision, and whether there is more`() async throws {
        for list in List.allCases {
            let body =
                #"{"hasMore":true,"revision":"next","bundleId":"x","new":1,"signedTransactions":["a.b.c","d.e.f"]}"#
            guard case .page(let page) = try await ask(list, body).0 else {
                Issue.record("no page")
                continue
            }
            #expect(page.signedTransactions == ["a.b.c", "d.e.f"] && page.revision == "next" && page.hasMore)
        }
    }

    @Test(arguments: [
        "", "[]", "not JSON", "{}", #"{"hasMore":false,"revision":"r"}"#,
        #"{"hasMore":false,"signedTransactions":{}}"#, #"{"hasMore":false,"signedTransactions":[1]}"#,
    ])
    func `what is no page is asked for again`(body: String) async throws {
        for list in List.allCases {
            guard case .failed(.retry) = try await ask(list, body).0 else {
                Issue.record("\(body) was taken")
                continue
            }
        }
    }

    @Test func `a revision that cannot be kept counts as none, and a page is bounded`() async throws {
        let long = String(repeating: "r", count: 2049)
        let many = Array(repeating: #""a.b.c""#, count: 300).joined(separator: ",")
        let body = #"{"hasMore":true,"revision":"\#(long)","signedTransactions":[\#(many)]}"#
        guard case .page(let page) = try await ask(.history, body).0 else {
            Issue.record("no page")
            return
        }
        #expect(page.revision == nil && page.hasMore && page.signedTransactions.count == 200)
    }

    @Test func `Apple's refusal says what it is about`() async throws {
        let body = #"{"errorCode":4000005,"errorMessage":"Invalid request revision."}"#
        guard case .failed(.refused(let answer)) = try await ask(.history, body, status: 400).0 else {
            Issue.record("not refused")
            return
        }
        #expect(answer.serverAPIError == .invalidRequestRevision)
    }

    @Test(
        arguments: [
            (#"{"status":0,"signedTransactions":["a.b.c"]}"#, ["a.b.c"]),
            (#"{"status":1}"#, []),
            (#"{"status":1,"signedTransactions":["a.b.c"]}"#, []),
        ] as [(String, [String])])
    func `an order that Apple does not know is a normal answer`(body: String, found: [String]) async throws {
        let apple = try Apple(production: [.answer(200, body: body)])
        guard case .found(let signed, _) = await apple.api.order("MK5XY2ABCD", token: Redacted("a.b.c")) else {
            Issue.record("no answer")
            return
        }
        #expect(signed == found)
        #expect(apple.production.received.first?.target == "/inApps/v1/lookup/MK5XY2ABCD")
    }
}
