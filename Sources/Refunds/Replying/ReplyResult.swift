import AppStore
import HTTP
import Time

/// The end of one call, as it is stored and as it decides what follows. Pure.
struct ReplyResult: Sendable {
    let result: Attempt.Result
    let answer: AppleAnswer?
    /// In our words, where there was no answer.
    let error: String?
    /// Apple, or the network, asked for no call before this.
    let notBefore: Moment?
    /// For a 429: the whole lane waits.
    let laneUntil: Moment?
    let clockOffset: Duration?

    init(_ call: CallResult) {
        answer = call.answer
        var notBefore: Moment?
        var laneUntil: Moment?
        var clockOffset: Duration?
        switch call {
        case .accepted:
            result = .accepted
            error = nil
        case .refused:
            result = .refused
            error = nil
        case .retry(_, let moment):
            result = .retry
            error = nil
            notBefore = moment
        case .rateLimited(_, let until):
            result = .retry
            error = nil
            notBefore = until
            laneUntil = until
        case .credentials(_, let offset):
            result = .credentials
            error = nil
            clockOffset = offset
        case .unknown(let trouble):
            result = .unknown
            error = "\(trouble.text); Apple may have received it"
        case .notSent(let trouble):
            // It certainly did not reach Apple: passing trouble of the way there.
            result = .retry
            error = "\(trouble.text); nothing was sent"
        }
        self.notBefore = notBefore
        self.laneUntil = laneUntil
        self.clockOffset = clockOffset
    }

    /// Never handed to the network.
    init(notSent why: String) {
        result = .notSent
        answer = nil
        error = why
        notBefore = nil
        laneUntil = nil
        clockOffset = nil
    }

    private init(
        result: Attempt.Result, answer: AppleAnswer?, error: String?, notBefore: Moment?, laneUntil: Moment?,
        clockOffset: Duration?
    ) {
        self.result = result
        self.answer = answer
        self.error = error
        self.notBefore = notBefore
        self.laneUntil = laneUntil
        self.clockOffset = clockOffset
    }

    /// The same, and no call before a moment.
    func waiting(until moment: Moment) -> ReplyResult {
        ReplyResult(
            result: result, answer: answer, error: error, notBefore: moment, laneUntil: laneUntil,
            clockOffset: clockOffset)
    }

    /// For the journal and the job's row.
    var text: String { error ?? answer?.text ?? result.rawValue }

    /// Apple knows no such transaction of this app in this environment.
    var isTransactionUnknown: Bool { result == .refused && answer?.serverAPIError == .transactionIdNotFound }

    /// Whether Apple has shown that it takes the key's tokens: nothing but an answer about the call itself
    /// does.
    var showsKeyAccepted: Bool { result == .accepted || result == .refused }
}
