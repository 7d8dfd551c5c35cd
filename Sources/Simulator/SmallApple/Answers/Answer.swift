/// What the small Apple answers to one call.
struct Answer: Sendable {
    var status: Int
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// Remarks for the ledger.
    var remarks: [String] = []
    /// Told when the answer was sent and says what became of the call: not after a lost one, and not with 5xx.
    var cameThrough: (@Sendable () -> Void)?

    static func json(_ value: JSON) -> Answer {
        Answer(status: 200, headers: [("Content-Type", "application/json")], body: value.bytes)
    }

    /// The envelope of every error but 401 (apple sheet 4.3).
    static func error(_ error: AppleError, remarks: [String] = []) -> Answer {
        Answer(
            status: error.status, headers: [("Content-Type", "application/json")], body: error.json.bytes,
            remarks: remarks)
    }

    /// The one answer to every token that is not good: plain text, no code, no reason (apple sheet 8.3).
    static func unauthenticated(requestID: String) -> Answer {
        Answer(
            status: 401, headers: [("Content-Type", "text/plain;charset=UTF-8")],
            body: Array("Unauthenticated\nRequest ID: \(requestID)\n".utf8))
    }

    /// 429: `Retry-After` is an absolute moment in UNIX milliseconds, not a number of seconds (apple sheet 4.5).
    static func rateLimited(until moment: Int64, remark: String) -> Answer {
        var answer = Answer.error(.rateLimitExceeded, remarks: [remark])
        answer.headers.append(("Retry-After", String(moment)))
        return answer
    }
}
