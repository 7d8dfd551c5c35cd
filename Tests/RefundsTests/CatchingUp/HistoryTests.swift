import Tenants
import Testing
import Time

@testable import AppStore
@testable import Refunds

@Suite struct `What of Apple's history is to be read` {
    private let noon = Moment(seconds: 1_780_000_000)
    private var end: Moment { noon - .seconds(30) }

    private func history(_ environment: Environment = .production, heard: Bool = true) -> History {
        var history = History(environment: environment, beganAt: noon - .days(3), dueAt: noon)
        history.failuresTo = noon - .minutes(5)
        history.allTo = noon - .minutes(5)
        if heard { history.heardAt = noon - .days(3) }
        return history
    }

    private func last() -> History.Turn { .init(next: nil, isCutOff: false, digest: nil, tokenDigest: nil) }

    private func more(_ n: UInt64) -> History.Turn {
        .init(next: "\(n)", isCutOff: false, digest: n, tokenDigest: 1_000_000 + n)
    }

    /// Reads to the end; the windows.
    private func windows(_ history: inout History, at now: Moment, pages: (History.Reading) -> Int = { _ in 1 })
        -> [History.Reading]
    {
        var windows: [History.Reading] = []
        while let reading = history.reading, windows.count < 100 {
            windows.append(reading)
            let count = pages(reading)
            for n in 0..<count where history.reading?.from == reading.from && history.reading?.to == reading.to {
                history.took(n == count - 1 ? last() : more(UInt64(n)), pagesMax: 10, at: now)
            }
        }
        return windows
    }

    @Test func `what failed first, then all, each with an overlap, up to one moment`() {
        var history = history()
        history.begin(at: noon)
        let windows = windows(&history, at: noon + .seconds(1))
        #expect(windows.map(\.pass) == [.failures, .all])
        #expect(windows.map(\.from) == [noon - .minutes(125), noon - .minutes(35)])
        #expect(windows.map(\.to) == [end, end], "what may be on its way here is left to the next sweep")
        #expect(history.failuresTo == end && history.allTo == end && history.sweptAt == noon + .seconds(1))
        #expect(history.dueAt == noon + .minutes(5) && history.sweepTo == nil)
    }

    @Test func `the first window reaches back for as long as a request may be answered`() {
        for (environment, back) in [(Environment.production, Duration.hours(12)), (.sandbox, .minutes(5))] {
            var history = History(environment: environment, beganAt: noon, dueAt: noon)
            history.begin(at: noon + .seconds(1))
            #expect(windows(&history, at: noon).map(\.from) == [noon - back], "and nothing that others got is read")
        }
    }

    @Test func `Apple forgets: what was not read in time is named, and never asked for`() {
        for (environment, days) in [(Environment.production, Int64(180)), (.sandbox, 30)] {
            var history = history(environment)
            history.failuresTo = noon - .days(200)
            history.begin(at: noon)
            let oldest = end - .days(days) + .hours(1)
            #expect(history.reading?.from == oldest)
            #expect(history.lostFrom == noon - .days(200) && history.lostTo == oldest)
        }
    }

    @Test func `a window with too many pages is read in parts, each after the other, without a gap`() {
        var history = history(heard: false)
        history.failuresTo = noon - .hours(20)
        history.begin(at: noon)
        // Twelve pages an hour; ten are read in one go.
        let windows = windows(&history, at: noon) { max(1, Int(($0.to - $0.from).wholeMilliseconds / 300_000)) }
        let read = windows.filter { ($0.to - $0.from) <= .minutes(54) }
        #expect(read.count < 70 && read.last?.to == end)
        var covered = noon - .hours(20)
        for window in read {
            #expect(window.from <= covered)
            covered = max(covered, window.to)
        }
        #expect(covered == end && history.trouble == nil && history.span == nil)
    }

    @Test func `a clock that was ahead and is right again stops nothing`() {
        var history = history()
        history.failuresTo = noon + .hours(1)
        history.allTo = noon + .hours(1)
        history.begin(at: noon)
        #expect(history.reading == nil, "all is read up to now")
        #expect(history.dueAt == noon + .minutes(5))
        history.begin(at: history.dueAt)
        #expect(history.reading?.from == end - .hours(2))
    }

    @Test func `a sweep that took long is followed by the next one at once`() {
        var history = history()
        history.begin(at: noon)
        _ = windows(&history, at: noon + .hours(2))
        #expect(history.dueAt == noon + .hours(2))
    }

    @Test func `trouble has a beginning, and ends with a page`() {
        var history = history()
        history.begin(at: noon)
        history.failed("no answer", at: noon)
        history.failed("no answer at all", at: noon + .minutes(1))
        #expect(history.troubleSince == noon && history.trouble == "no answer at all" && history.failures == 2)
        history.took(more(1), pagesMax: 10, at: noon + .minutes(2))
        #expect(history.trouble == nil && history.troubleSince == nil && history.failures == 0)
    }

    @Test func `fetched notifications are told for an hour, an unread history from an hour on`() {
        let app = App(
            tenant: TenantID(rawValue: 1), id: AppID(rawValue: 7), bundleID: "com.example.alpha", appleID: 1,
            name: "Alpha")
        func found(_ standing: HistoryStanding) -> Finding? {
            var facts = AlertFacts(now: noon)
            facts.apps = [app]
            return TenantRules.history(.init(app: app.id, standing: standing), facts)
        }
        let well = HistoryStanding(beganAt: noon - .days(1), sweptAt: noon - .minutes(3), arrived: 412)
        #expect(found(well) == nil && well.words == "Apple sent 412, we hold 412")
        func fetched(_ ago: Duration) -> HistoryStanding {
            HistoryStanding(
                beganAt: noon - .days(1), sweptAt: noon, arrived: 1, fetched: 2, fetchedAt: noon - ago, fetchedLately: 2
            )
        }
        #expect(found(fetched(.minutes(59)))?.said.title.hasPrefix("2 notifications of com.example.alpha") == true)
        #expect(found(fetched(.minutes(61))) == nil)
        func unread(_ ago: Duration) -> HistoryStanding {
            HistoryStanding(
                beganAt: noon - .days(1), sweptAt: noon - ago, trouble: "500", troubleSince: noon - ago)
        }
        #expect(found(unread(.minutes(59))) == nil)
        #expect(found(unread(.minutes(61)))?.cause == "unread Production com.example.alpha")
    }
}
