import AppStore
import Postgres
package import Tenants
package import Time

/// A try of a key against one environment of an app, by Get Notification History of the last hour.
package struct Probe: Sendable, Hashable {
    package enum Result: String, Sendable, CaseIterable {
        /// Key, issuer, bundle ID and environment fit together.
        case accepted
        /// Apple's bare 401.
        case refused
        /// No answer of Apple's.
        case unreachable
        /// Too many calls: nothing was learned.
        case limited
        /// Any other answer.
        case odd
    }

    package let isSandbox: Bool
    package let key: SigningKeyID
    package let at: Moment
    package let result: Result
    package let status: Int?
    package let appleCode: Int64?
    /// Apple's words or the network's, at most 500 characters.
    package let detail: String
    /// Apple's own number for the call.
    package let requestID: String?
    /// Our clock minus Apple's, good to about a second.
    package let clockOffset: Duration?

    package var environment: String { isSandbox ? "Sandbox" : "Production" }

    /// Whether Apple's answer told anything of the key. Too many calls, a network that failed and trouble of Apple's own
    /// tell nothing, so they take the place of nothing that was told.
    package var isTelling: Bool {
        switch result {
        case .accepted, .refused: true
        case .odd: appleCode == ServerAPIError.appNotFound.rawValue
        case .unreachable, .limited: false
        }
    }

    package init(
        isSandbox: Bool, key: SigningKeyID, at: Moment, result: Result, status: Int? = nil, appleCode: Int64? = nil,
        detail: String = "", requestID: String? = nil, clockOffset: Duration? = nil
    ) {
        self.isSandbox = isSandbox
        self.key = key
        self.at = at
        self.result = result
        self.status = status
        self.appleCode = appleCode
        self.detail = detail
        self.requestID = requestID
        self.clockOffset = clockOffset
    }
}

extension Probe {
    init(_ result: HistoryResult, isSandbox: Bool, key: SigningKeyID, at now: Moment) {
        let answer: AppleAnswer?
        let sort: Result
        var detail = ""
        switch result {
        case .page(let page): (sort, answer) = (.accepted, page.answer)
        case .failed(let failure):
            answer = failure.answer
            detail = answer.map { $0.message ?? "" } ?? failure.text
            sort =
                switch failure {
                case .credentials: .refused
                case .rateLimited: .limited
                case .unknown, .notSent: .unreachable
                case .accepted, .refused, .retry: .odd
                }
        }
        self.init(
            isSandbox: isSandbox, key: key, at: now, result: sort, status: answer?.status, appleCode: answer?.code,
            detail: Text.kept(detail, bytesMax: 500), requestID: answer?.requestID, clockOffset: answer?.clockOffset)
    }

    init(_ row: Row) throws {
        let environment: String = try row("environment")
        let result: String = try row("result")
        let status: Int32? = try row("status")
        let offset: Int64? = try row("clock_offset_ms")
        self.init(
            isSandbox: environment == "Sandbox", key: SigningKeyID(rawValue: try row("signing_key_id")),
            at: try row("at"), result: Result(rawValue: result) ?? .odd, status: status.map { Int($0) },
            appleCode: try row("apple_code"), detail: try row("detail"), requestID: try row("request_id"),
            clockOffset: offset.map { .milliseconds($0) })
    }
}
