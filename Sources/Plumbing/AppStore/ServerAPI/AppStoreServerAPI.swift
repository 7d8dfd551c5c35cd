package import HTTP
package import Journal
import Synchronization
package import Time

/// The calls to Apple's App Store Server API.
///
/// Every call says in its `CallResult` what to do next. Nothing is repeated here: who calls decides
/// when, and sends the same bytes again.
package final class AppStoreServerAPI: Sendable {
    /// The version of Send Consumption Information: v1 for purchases made with the Advanced Commerce API,
    /// v2 for all others.
    package enum ConsumptionVersion: Int, Sendable { case v1 = 1, v2 = 2 }

    /// A difference of the clocks from which on it is told: tokens are dated a minute back, and the `Date`
    /// field is good to a second.
    package static let clockOffsetWorthSaying: Duration = .seconds(5)

    private let hosts: AppStoreHosts
    private let http: HTTPClient
    private let clock: WallClock
    private let journal: Journal
    private let counters: Counters
    private let offset = Mutex<(measured: Duration, told: Moment)?>(nil)

    package init(hosts: AppStoreHosts, http: HTTPClient, clock: WallClock, journal: Journal, counters: Counters) {
        self.hosts = hosts
        self.http = http
        self.clock = clock
        self.journal = journal
        self.counters = counters
    }

    /// Our clock minus Apple's, as the newest dated answer showed it.
    package var clockOffset: Duration? { offset.withLock { $0?.measured } }

    /// Send Consumption Information.
    ///
    /// - Parameters:
    ///   - transactionID: the `transactionId` of the notification's own signed transaction, never the original one.
    ///   - environment: the notification's; it alone chooses the host.
    ///   - body: the exact bytes, committed before the first call.
    package func sendConsumption(
        api version: ConsumptionVersion, transactionID: String, environment: Environment, body: [UInt8],
        token: Redacted<String>, until deadline: Deadline = .never
    ) async -> CallResult {
        var request = request(
            .put, environment,
            "/inApps/v\(version.rawValue)/transactions/consumption/\(segment(transactionID))", token)
        request.headers.set("Content-Type", "application/json")
        request.body = body
        request.responseBytesMax = 64 * 1024
        return await call(request, environment, "consumption", until: deadline).result
    }

    /// Get Transaction Info: the newest signed state of one transaction, of any product type.
    package func transactionInfo(
        transactionID: String, environment: Environment, token: Redacted<String>, until deadline: Deadline = .never
    ) async -> LookUpResult {
        var request = request(.get, environment, "/inApps/v1/transactions/\(segment(transactionID))", token)
        request.responseBytesMax = 256 * 1024
        let (result, body) = await call(request, environment, "transaction-info", until: deadline)
        guard case .accepted(let answer) = result else { return .failed(result) }
        guard let body, let jws = TransactionInfoBody(body)?.signedTransactionInfo else {
            return .failed(.retry(answer.saying("the answer holds no signedTransactionInfo"), notBefore: nil))
        }
        return .found(signedTransactionInfo: jws)
    }

    func request(
        _ method: HTTP.Method, _ environment: Environment, _ path: String, _ token: Redacted<String>
    ) -> ClientRequest {
        var request = ClientRequest(method: method, url: hosts.base(for: environment) + path)
        request.headers.set("Authorization", "Bearer \(token.reveal())")
        request.headers.set("Accept", "application/json")
        return request
    }

    func call(
        _ request: ClientRequest, _ environment: Environment, _ name: String, until deadline: Deadline
    ) async -> (result: CallResult, body: [UInt8]?) {
        let result: CallResult
        var body: [UInt8]?
        do {
            let response = try await http.send(request, until: deadline)
            let now = clock.now
            let answer = AppleAnswer(response, family: .serverAPI, receivedAt: now)
            if let measured = answer.clockOffset { note(measured, now) }
            result = AnswerRules.judge(answer, retryAfter: response.headers["Retry-After"], now: now)
            body = response.body
        } catch {
            result = error.arrival == .notReceived ? .notSent(error) : .unknown(error)
        }
        counters.add(
            "app_store_calls_total", 1,
            ["call": name, "environment": environment.rawValue, "result": result.label],
            help: "Calls to the App Store Server API by what came of them.")
        return (result, body)
    }

    private func note(_ measured: Duration, _ now: Moment) {
        let isWorthSaying = abs(measured.wholeMilliseconds) >= Self.clockOffsetWorthSaying.wholeMilliseconds
        let tell = offset.withLock { offset in
            // Once an hour is enough to be found, and little enough not to hide the rest of the journal.
            let wasToldLately = offset.map { abs((now - $0.told).wholeMilliseconds) < 3_600_000 } ?? false
            let tell = isWorthSaying && !wasToldLately
            let told = tell ? now : offset?.told ?? Moment(milliseconds: now.milliseconds - 3_600_001)
            offset = (measured, told)
            return tell
        }
        counters.set(
            "app_store_clock_offset_seconds", Double(measured.wholeMilliseconds) / 1000,
            help: "Our clock minus Apple's, from the Date field of the newest answer.")
        if tell {
            journal.warning(
                "our clock differs from Apple's: tokens that seem to come from the future are refused with 401",
                ["offsetMilliseconds": JournalValue(measured.wholeMilliseconds)])
        }
    }

    func segment(_ id: String) -> String { PathSegment.encoded(id) }
}

extension CallResult {
    /// For counters: one word of a closed set.
    package var label: String {
        switch self {
        case .accepted: "accepted"
        case .refused: "refused"
        case .retry: "retry"
        case .rateLimited: "rate-limited"
        case .credentials: "credentials"
        case .unknown: "unknown"
        case .notSent: "not-sent"
        }
    }
}
