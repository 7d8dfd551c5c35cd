import AppStore
import Time

/// The one reading of an app's notification history back to its beginning: where it stands, and what is to be read next.
///
/// Only what tells of refunds and of consent is read, one type after the other and a month at a time. A pure value:
/// `ImportStore` keeps it, `ImportJob` asks Apple.
struct PastImport: Sendable, Hashable {
    enum State: String, Sendable {
        case running, done, stopped
        case givenUp = "given-up"
    }

    /// What one page says of the way on.
    typealias Turn = History.Turn

    static let types: [NotificationType] = [
        .consumptionRequest, .refund, .refundDeclined, .refundReversed, .rescindConsent,
    ]
    /// How much of the time is asked for at once.
    static let window: Duration = .days(30)
    /// Pages of one window: eighty thousand notifications of one type in a month.
    static let pagesMax = 4000
    /// Calls that failed one after the other before it is given up: some hours.
    static let failuresMax = 60

    let environment: Environment
    var state: State
    let beginsAt: Moment
    let endsAt: Moment
    /// What was not delivered from here on is the sweeps': it may still be answered.
    let liveFrom: Moment
    let startedAt: Moment
    /// The window that is being read, of all types together.
    var pass = 0
    var token: String?
    var pages = 0
    /// A number for each page and each token so far.
    var seen: [UInt64] = []
    var isRestarted = false
    var imported: Int64 = 0
    var held: Int64 = 0
    var refused: Int64 = 0
    var failures = 0
    var trouble: String?
    var endedAt: Moment?
    var turn: Int64 = 0

    init(
        environment: Environment, state: State = .running, beginsAt: Moment, endsAt: Moment, liveFrom: Moment,
        startedAt: Moment
    ) {
        self.environment = environment
        self.state = state
        self.beginsAt = beginsAt
        self.endsAt = endsAt
        self.liveFrom = liveFrom
        self.startedAt = startedAt
    }

    private var windows: Int {
        let length = (endsAt - beginsAt).wholeMilliseconds
        let one = Self.window.wholeMilliseconds
        return max(1, Int((length + one - 1) / one))
    }

    /// Windows of all types.
    var passes: Int { windows * Self.types.count }

    /// The question that is asked now: the same on each page of a window.
    var request: NotificationHistoryRequest? {
        guard state == .running, pass < passes else { return nil }
        let start = beginsAt + Self.window * (pass % windows)
        return NotificationHistoryRequest(
            start: start, end: min(start + Self.window, endsAt), filter: .type(Self.types[pass / windows].rawValue))
    }

    /// A page was read, and what it brought is kept.
    mutating func took(_ page: Turn, at now: Moment) {
        failures = 0
        pages += 1
        token = page.next
        let marks = [page.digest, page.tokenDigest].compactMap { $0 }
        let isRepeated = marks.contains(where: seen.contains)
        seen += marks
        if isRepeated || page.isCutOff {
            return skip("Apple's notification history leads back to a page that was read", at: now)
        }
        if page.next == nil { return advance(at: now) }
        if pages >= Self.pagesMax { skip("more than \(Self.pagesMax) pages for one month", at: now) }
    }

    /// What is behind in this window is not known: said, and the next one is read all the same.
    mutating func skip(_ why: String, at now: Moment) {
        if let request {
            trouble = Text.kept("\(why): \(request.start.iso8601.prefix(10)) is not read to its end", bytesMax: 500)
        }
        advance(at: now)
    }

    private mutating func advance(at now: Moment) {
        pass += 1
        token = nil
        pages = 0
        seen = []
        isRestarted = false
        failures = 0
        if pass >= passes { end(.done, at: now) }
    }

    /// The token of the next page is not good any more: one fresh start, and no second one.
    mutating func tokenEnded(_ why: String, at now: Moment) {
        guard !isRestarted else { return skip(why, at: now) }
        token = nil
        pages = 0
        seen = []
        isRestarted = true
    }

    /// A call failed and is made again; after many it is given up.
    mutating func failed(_ why: String, at now: Moment) {
        failures += 1
        trouble = Text.kept(why, bytesMax: 500)
        if failures >= Self.failuresMax { end(.givenUp, at: now) }
    }

    mutating func end(_ state: State, at now: Moment) {
        self.state = state
        endedAt = now
    }
}
