import AppStore
import Time

/// How far Apple's notification history is read for one app in one environment, and what is to be read next.
///
/// A sweep reads what was not delivered first, then everything, each from where it was last read to the end up to half a
/// minute before the sweep began. A pure value: `HistoryStore` keeps it, `HistoryJob` asks Apple.
struct History: Sendable, Hashable {
    enum Pass: String, Sendable, CaseIterable { case failures, all }

    /// The pages that are being read: the same question on each, as Apple demands.
    struct Reading: Sendable, Hashable {
        let pass: Pass
        let from: Moment
        let to: Moment
        /// Of the next page; nil before the first.
        var token: String?
        var pages = 0
        /// A number for each page and each token so far.
        var seen: [UInt64] = []
        /// An expired token was replaced by a fresh start once.
        var isRestarted = false

        var request: NotificationHistoryRequest {
            NotificationHistoryRequest(start: from, end: to, onlyFailures: pass == .failures)
        }
    }

    /// What one page says of the way on.
    struct Turn: Sendable, Hashable {
        let next: String?
        let isCutOff: Bool
        /// Stands for the page's content; nil for an empty one.
        let digest: UInt64?
        /// Stands for the next page's token.
        let tokenDigest: UInt64?
    }

    let environment: Environment
    let beganAt: Moment
    /// When Apple first delivered something here.
    var heardAt: Moment?
    var dueAt: Moment
    var failuresTo: Moment?
    var allTo: Moment?
    /// Set while a sweep is on its way.
    var sweepTo: Moment?
    var reading: Reading?
    var span: Duration?
    /// Calls that failed one after the other.
    var failures = 0
    var isIncomplete = false
    var trouble: String?
    var troubleSince: Moment?
    var sweptAt: Moment?
    var fetchedAt: Moment?
    var fetchedCount: Int64 = 0
    var lostFrom: Moment?
    var lostTo: Moment?
    var turn: Int64 = 0

    init(environment: Environment, beganAt: Moment, dueAt: Moment) {
        self.environment = environment
        self.beganAt = beganAt
        self.dueAt = dueAt
    }

    // MARK: A sweep

    mutating func begin(at now: Moment) {
        let latest = now - HistoryLimits.settling
        // A clock that was ahead and was set back: nothing after this moment can have been read.
        failuresTo = failuresTo.map { min($0, latest) }
        allTo = allTo.map { min($0, latest) }
        sweepTo = latest
        isIncomplete = false
        reading = window(.failures) ?? window(.all)
        if reading == nil { end(at: now) }
    }

    /// The next window of a pass; nil where it has nothing left to read.
    ///
    /// What failed is looked at from a request's whole time before the beginning: nobody has received it, so it can
    /// still be answered. All the rest only from the moment on when Apple first delivered something here: before
    /// it, another address was told.
    private mutating func window(_ pass: Pass) -> Reading? {
        guard let sweepTo else { return nil }
        let done = pass == .failures ? failuresTo : allTo
        if let done, done >= sweepTo { return nil }
        let first = pass == .failures ? beganAt - ReplyWindow.length(in: environment) : heardAt
        guard let first else { return nil }
        let overlap = HistoryLimits.overlap(of: pass)
        let oldest = sweepTo - HistoryLimits.kept(in: environment)
        if let done, done < oldest { (lostFrom, lostTo) = (done, oldest) }
        let from = max(oldest, done.map { $0 - min(overlap, span ?? overlap) } ?? first)
        let to = span.map { min(sweepTo, max(done ?? from, from) + $0) } ?? sweepTo
        return from < to ? Reading(pass: pass, from: from, to: to) : nil
    }

    private mutating func end(at now: Moment) {
        let began = sweepTo.map { $0 + HistoryLimits.settling } ?? now
        sweepTo = nil
        reading = nil
        dueAt = max(now, began + HistoryLimits.every(in: environment))
        guard !isIncomplete else { return }
        sweptAt = now
        span = nil
        clearTrouble()
    }

    private mutating func clearTrouble() {
        trouble = nil
        troubleSince = nil
    }

    // MARK: What came of a call

    /// A page was read, and what it brought is kept.
    mutating func took(_ page: Turn, pagesMax: Int, at now: Moment) {
        guard var reading else { return }
        if failures > 0, !isIncomplete { clearTrouble() }
        failures = 0
        reading.pages += 1
        reading.token = page.next
        let marks = [page.digest, page.tokenDigest].compactMap { $0 }
        let isRepeated = marks.contains { reading.seen.contains($0) }
        reading.seen += marks
        self.reading = reading
        if isRepeated || page.isCutOff {
            return giveUp(
                "Apple's notification history leads back to a page that was read: what is behind it is not known",
                at: now)
        }
        guard page.next != nil else { return complete(at: now, pagesMax) }
        if reading.pages >= pagesMax { narrow(at: now, pagesMax) }
    }

    private mutating func complete(at now: Moment, _ pagesMax: Int) {
        guard let reading else { return }
        switch reading.pass {
        case .failures: failuresTo = reading.to
        case .all: allTo = reading.to
        }
        if let span, reading.pages * 4 <= pagesMax { self.span = span * 2 }
        self.reading = reading.pass == .failures ? window(.failures) ?? window(.all) : window(.all)
        if self.reading == nil { end(at: now) }
    }

    /// More pages than are read in one go: the window is read again in shorter parts. One that cannot be shorter
    /// has no end.
    private mutating func narrow(at now: Moment, _ pagesMax: Int) {
        guard let reading else { return }
        if let span, span <= HistoryLimits.spanMin {
            return giveUp(
                "Apple's notification history does not end: more than \(pagesMax) pages for one minute", at: now)
        }
        span = max(HistoryLimits.spanMin, min(span ?? reading.to - reading.from, reading.to - reading.from) / 4)
        self.reading = window(reading.pass)
        if self.reading == nil { end(at: now) }
    }

    /// A pass is not read to its end: said, and tried again by the next sweep. Everything is read all the same when
    /// what failed cannot be.
    mutating func giveUp(_ why: String, at now: Moment) {
        isIncomplete = true
        failures = 0
        note(why, at: now)
        reading = reading?.pass == .failures ? window(.all) : nil
        if reading == nil { end(at: now) }
    }

    /// The token of the next page is not good any more: one fresh start, and no second one.
    mutating func tokenEnded(_ why: String, at now: Moment) {
        guard var reading, !reading.isRestarted else { return giveUp(why, at: now) }
        reading.token = nil
        reading.pages = 0
        reading.seen = []
        reading.isRestarted = true
        self.reading = reading
    }

    /// A call failed and is made again.
    mutating func failed(_ why: String, at now: Moment) {
        failures += 1
        note(why, at: now)
    }

    private mutating func note(_ why: String, at now: Moment) {
        trouble = Text.kept(why, bytesMax: 500)
        troubleSince = troubleSince ?? now
    }

    /// So many were fetched that Apple had not delivered here.
    mutating func fetched(_ count: Int, at now: Moment) {
        guard count > 0 else { return }
        let isNew = fetchedAt.map { now - $0 > .hours(1) } ?? true
        fetchedCount = (isNew ? 0 : fetchedCount) + Int64(count)
        fetchedAt = now
    }
}
