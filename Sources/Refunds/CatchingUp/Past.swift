import Time

/// How far one of Apple's two lists about a customer is read, and what comes next.
///
/// A pure value: `PastStore` keeps it, `PastJob` asks Apple. Apple's word for the place behind a page is kept when the
/// list was read to its end, so that the next reading asks only for what came since.
struct Past: Sendable, Hashable {
    enum List: String, Sendable, CaseIterable {
        /// Get Transaction History.
        case transactions
        /// Get Refund History.
        case refunds
    }

    /// Pages of one reading: a thousand transactions. The rest is read the next time.
    static let pagesMax = 50
    /// How long what was read counts as read.
    static let freshFor: Duration = .hours(12)
    /// How long a list is left alone that could not be read to its end.
    static let restFor: Duration = .hours(1)

    let list: List
    var revision: String?
    var pages = 0
    /// A number for each page and each place so far.
    var seen: [UInt64] = []
    /// A place that Apple does not know any more was replaced by a fresh start once.
    var isRestarted = false
    var readAt: Moment?
    var brokenAt: Moment?
    var trouble: String?

    init(_ list: List) { self.list = list }

    /// Whether it is to be read now.
    func isDue(at now: Moment) -> Bool {
        if pages > 0 { return true }
        if let brokenAt, now - brokenAt < Self.restFor { return false }
        return readAt.map { now - $0 >= Self.freshFor } ?? true
    }

    /// A page was read, and what it brought is kept.
    ///
    /// - Parameters:
    ///   - digest: stands for the page's content; nil for an empty one.
    ///   - place: stands for `next`.
    mutating func took(digest: UInt64?, next: String?, place: UInt64?, hasMore: Bool, at now: Moment) {
        guard hasMore else {
            // An empty page at the end may have no word of its own.
            revision = next ?? revision
            end()
            readAt = now
            (brokenAt, trouble) = (nil, nil)
            return
        }
        pages += 1
        let marks = [digest, place].compactMap { $0 }
        guard let next, !marks.contains(where: seen.contains) else {
            return breakOff(
                next == nil
                    ? "Apple says that there is more, and not where"
                    : "Apple's list leads back to a page that was read: what is behind it is not known", at: now)
        }
        seen += marks
        revision = next
        guard pages >= Self.pagesMax else { return }
        // What is behind is asked for by the next reading.
        end()
        (brokenAt, trouble) = (now, "more than \(Self.pagesMax) pages: the rest is read the next time")
    }

    /// Apple does not know the place any more: one fresh start, and no second one.
    mutating func placeEnded(_ why: String, at now: Moment) {
        guard !isRestarted, revision != nil else { return breakOff(why, at: now) }
        revision = nil
        pages = 1
        seen = []
        isRestarted = true
    }

    /// The list is not read to its end: said, and begun anew the next time.
    mutating func breakOff(_ why: String, at now: Moment) {
        revision = nil
        end()
        (brokenAt, trouble) = (now, Text.kept(why, bytesMax: 500))
    }

    private mutating func end() {
        pages = 0
        seen = []
        isRestarted = false
    }
}
