package import HTTP
package import Journal
package import Time

/// The three calls of Apple's Advanced Commerce API that give money back or end a subscription.
///
/// Signed in to with the same token as the App Store Server API; the signed form of a request belongs to the app
/// and not to a server. Nothing is repeated here: who calls decides when, and sends the same bytes again.
package final class AdvancedCommerceAPI: Sendable {
    package enum Call: String, Sendable, CaseIterable {
        case refund, revoke, cancel

        var path: String {
            switch self {
            case .refund: "transaction/requestRefund"
            case .revoke: "subscription/revoke"
            case .cancel: "subscription/cancel"
            }
        }
    }

    /// What came of a call, and the body of the answer, the first 4 KiB of it.
    package struct Outcome: Sendable {
        package let result: AdvancedCommerceResult
        package let body: [UInt8]

        package init(result: AdvancedCommerceResult, body: [UInt8] = []) {
            self.result = result
            self.body = body
        }
    }

    /// Bytes of an answer that are kept for people.
    package static let keptBytesMax = 4096

    private let hosts: AppStoreHosts
    private let http: HTTPClient
    private let clock: WallClock
    private let counters: Counters

    package init(hosts: AppStoreHosts, http: HTTPClient, clock: WallClock, counters: Counters) {
        self.hosts = hosts
        self.http = http
        self.clock = clock
        self.counters = counters
    }

    /// - Parameters:
    ///   - transactionID: of a refund the transaction itself; else any transaction of the subscription.
    ///   - body: the exact bytes, committed before the first call.
    package func send(
        _ call: Call, transactionID: String, environment: Environment, body: [UInt8], token: Redacted<String>,
        until deadline: Deadline = .never
    ) async -> Outcome {
        var request = ClientRequest(
            method: .post,
            url: hosts.base(for: environment)
                + "/advancedCommerce/v1/\(call.path)/\(PathSegment.encoded(transactionID))")
        request.headers.set("Authorization", "Bearer \(token.reveal())")
        request.headers.set("Accept", "application/json")
        request.headers.set("Content-Type", "application/json")
        request.body = body
        request.responseBytesMax = 256 * 1024
        let outcome: Outcome
        do {
            let response = try await http.send(request, until: deadline)
            let now = clock.now
            let answer = AppleAnswer(response, family: .advancedCommerce, receivedAt: now)
            outcome = Outcome(
                result: AdvancedCommerceRules.judge(
                    answer, body: response.body, retryAfter: response.headers["Retry-After"], now: now),
                body: Array(response.body.prefix(Self.keptBytesMax)))
        } catch {
            outcome = Outcome(result: error.arrival == .notReceived ? .notSent(error) : .unknown(error))
        }
        counters.add(
            "app_store_calls_total", 1,
            ["call": "commerce-\(call.rawValue)", "environment": environment.rawValue, "result": outcome.result.label],
            help: "Calls to the App Store Server API by what came of them.")
        return outcome
    }
}
